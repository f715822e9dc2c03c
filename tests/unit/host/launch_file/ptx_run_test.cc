#include "host/launch_file/ptx_run.h"

#include <bit>

#include "host/device/typed_value.h"
#include "unit/host/host_test.h"

namespace warptime::host {

namespace {

struct PtxRunExample {
  TemporaryFolder folder;
  PtxRunOptions options;
  PtxRunExample() {
    options.file = folder.write("k.ptx", ".version 1.0\n.target sm_10\n");
    options.grid = "4";
    options.block = "16,2";
  }
  std::string error() {
    return input_error([&] { plan_ptx_run(options); });
  }
};

}  // namespace

TEST_CASE("Flags become a plan") {
  PtxRunExample example;
  PtxRunOptions& o = example.options;
  o.kernel = "saxpy";
  o.buffers = {"x=f32:4:iota", "y=u8:3:@" + example.folder.write("in:put", "abc"), "z=f64:2"};
  o.arguments = {"u32=4", "f32=-0.5", "x", "z"};
  o.shared = "128";
  o.registers = "9";
  o.outputs = {"y=out.bin"};
  LaunchPlan plan = plan_ptx_run(o);

  REQUIRE(plan.buffers.size() == 3);
  CHECK(plan.buffers[0].name == "x");
  CHECK(load_element(ptx::Type::F32, materialise(plan.buffers[0]), 3) == std::bit_cast<uint32_t>(3.0f));
  CHECK(materialise(plan.buffers[1])[2] == std::byte{'c'});
  CHECK(plan.buffers[2].bytes() == 16);
  REQUIRE(plan.steps.size() == 1);
  const auto& launch = std::get<PlannedLaunch>(plan.steps[0]);
  CHECK(launch.kernel == "saxpy");
  CHECK(launch.grid.x == 4);
  CHECK(launch.block.x == 16);
  CHECK(launch.block.y == 2);
  CHECK(launch.options.dynamic_shared_bytes == 128);
  CHECK(launch.options.registers_per_thread == 9);
  REQUIRE(launch.arguments.size() == 4);
  CHECK(launch.arguments[0].argument.bits == 4);
  CHECK(launch.arguments[1].argument.bits == std::bit_cast<uint32_t>(-0.5f));
  CHECK(launch.arguments[2].buffer == size_t{0});
  CHECK(launch.arguments[3].buffer == size_t{2});
  REQUIRE(plan.outputs.size() == 1);
  CHECK(plan.outputs[0].buffer == 1);
  CHECK(plan.outputs[0].path == "out.bin");
}

TEST_CASE("Mistakes in flags point into the flag") {
  PtxRunExample example;
  example.options.buffers = {"x=f3:10"};
  CHECK(example.error() ==
        "--buffer:1:3: error: \"f3\" is not a type of a buffer\n"
        "     1 | x=f3:10\n"
        "       |   ^~\n"
        "         hint: did you mean \"f32\"?\n");
  example.options.buffers = {"x"};
  CHECK(example.error().find("NAME=TYPE:COUNT") != std::string::npos);
  example.options.buffers = {"x=f32"};
  CHECK(example.error().find("buffer \"x\" has no count") != std::string::npos);
  example.options.buffers = {"x=f32:ten"};
  CHECK(example.error().find("--buffer:1:7: error: \"ten\"") != std::string::npos);
  example.options.buffers = {"x=f32:4:zeroes"};
  CHECK(example.error().find("did you mean \"zeros\"?") != std::string::npos);
  example.options.buffers = {"x=f32:4:@nothing-there"};
  CHECK(example.error().find("cannot read \"nothing-there\"") != std::string::npos);
  example.options.buffers = {"x=f32:4:@" + example.folder.write("short", "abc")};
  CHECK(example.error().find("has 3 bytes, but 4 x f32 are 16") != std::string::npos);
  example.options.buffers = {"x=f32:4", "x=f32:4"};
  CHECK(example.error().find("two buffers are named \"x\"") != std::string::npos);
}

TEST_CASE("Mistakes in arguments, sizes and outputs") {
  PtxRunExample example;
  PtxRunOptions& o = example.options;
  o.buffers = {"data=f32:4"};
  o.arguments = {"dat"};
  CHECK(example.error().find("did you mean \"data\"?") != std::string::npos);
  o.arguments = {"12"};
  CHECK(example.error().find("a number needs its type: u32=12") != std::string::npos);
  o.arguments = {"u31=12"};
  CHECK(example.error().find("--arg:1:1: error: \"u31\" is not a type of an argument") != std::string::npos);
  o.arguments = {"u32=1.5"};
  CHECK(example.error().find("--arg:1:5: error: \"1.5\" is not a u32: not a whole number") != std::string::npos);
  o.arguments = {};
  o.outputs = {"data"};
  CHECK(example.error().find("NAME=FILE") != std::string::npos);
  o.outputs = {"date=x"};
  CHECK(example.error().find("did you mean \"data\"?") != std::string::npos);
  o.outputs = {};
  o.shared = "1k";
  CHECK(example.error().find("--shared:1:1: error: \"1k\"") != std::string::npos);
  o.shared = {};
  o.registers = "0";
  CHECK(example.error().find("from 1 to") != std::string::npos);
}

TEST_CASE("Grid and block are needed and have one to three numbers") {
  PtxRunExample example;
  example.options.grid = {};
  CHECK(example.error().find("needs --grid") != std::string::npos);
  example.options.grid = "1,2,3,4";
  CHECK(example.error().find("--grid:1:7: error: --grid has at most three numbers") != std::string::npos);
  example.options.grid = "1,0";
  CHECK(example.error().find("--grid:1:3") != std::string::npos);
  example.options.grid = "1,";
  CHECK(example.error().find("--grid") != std::string::npos);
}

TEST_CASE("All mistakes are reported at once") {
  PtxRunExample example;
  example.options.grid = "x";
  example.options.block = "y";
  example.options.file = "nothing.ptx";
  CHECK(example.error().find("3 errors") != std::string::npos);
}

}  // namespace warptime::host
