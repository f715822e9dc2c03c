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

TEST_CASE("Buffers and constants may be lists and whole files") {
  PtxRunExample example;
  PtxRunOptions& o = example.options;
  o.buffers = {"x=u32:[1,0xff,3]", "y=s8:@" + example.folder.write("five", "abcde")};
  o.constants = {"table=f32:[0.5,-2]", "zeros=u64:3", "ramp=u16:4:iota"};
  LaunchPlan plan = plan_ptx_run(o);
  REQUIRE(plan.buffers.size() == 2);
  CHECK(plan.buffers[0].count == 3);
  CHECK(load_element(ptx::Type::U32, materialise(plan.buffers[0]), 1) == 255);
  CHECK(plan.buffers[1].count == 5);
  REQUIRE(plan.constants.size() == 3);
  CHECK(plan.constants[0].name == "table");
  CHECK(load_element(ptx::Type::F32, materialise(plan.constants[0]), 1) == std::bit_cast<uint32_t>(-2.0f));
  CHECK(plan.constants[1].bytes() == 24);
  CHECK(load_element(ptx::Type::U16, materialise(plan.constants[2]), 3) == 3);
}

TEST_CASE("A texture of the command line is that of a launch file") {
  PtxRunExample example;
  PtxRunOptions& o = example.options;
  o.buffers = {"x=f32:64", "y=u8:64"};
  o.textures = {"t=x:f32:8x4:filter=linear,address=wrap,normalized=true", "u=y:u8:4x2x2:channels=4,read=normalized",
                "v=x:f32:64"};
  o.arguments = {"x", "u"};
  LaunchPlan plan = plan_ptx_run(o);
  REQUIRE(plan.textures.size() == 3);
  const sim::Texture& t = plan.textures[0].texture;
  CHECK(t.size[0] == 8);
  CHECK(t.size[1] == 4);
  CHECK(t.tiled);
  CHECK(t.filter == sim::FilterMode::Linear);
  CHECK(t.normalized_coordinates);
  CHECK(plan.textures[1].buffer == 1);
  CHECK(plan.textures[1].texture.channels == 4);
  CHECK(plan.textures[1].texture.size[2] == 2);
  CHECK_FALSE(plan.textures[2].texture.tiled);
  CHECK(std::get<PlannedLaunch>(plan.steps[0]).arguments[1].texture == size_t{1});
}

TEST_CASE("Mistakes in lists, constants and textures point into the flag") {
  auto [flag, text, message] = GENERATE(table<std::string, std::string, std::string>({
      {"buffer", "x=u32:[1,x]", "--buffer:1:10: error: \"x\" is not a u32"},
      {"buffer", "x=u32:[]", "\"\" is not a u32"},
      {"buffer", "x=u32:[1", "a \"]\" is missing"},
      {"buffer", "x=u32:@/nothing/here", "/nothing/here"},
      {"texture", "t=x:f32:8:address=wrap", "--texture:1:19: error: texture \"t\" is read with coordinates in texels"},
      {"buffer", "x=u32:4:@plain.npy", "cannot take \"plain.npy\": it is not a .npy file"},
      {"const", "c=u33:4", "\"u33\" is not a type of a constant"},
      {"const", "c", "a constant needs a name, a type and a count"},
      {"const", "c=u32:4:ones", "\"ones\" is not a way to fill a constant"},
      {"texture", "t", "a texture needs a name, a buffer, a type and a width"},
      {"texture", "t=x:f32", "a texture needs a name, a buffer, a type and a width"},
      {"texture", "t=x:f33:8", "--texture:1:5: error: \"type\" must be one of"},
      {"texture", "t=z:f32:8", "--texture:1:3: error: there is no buffer \"z\""},
      {"texture", "t=x:f32:9x9", "texture \"t\" needs 324 bytes, buffer \"x\" has 256"},
      {"texture", "t=x:f32:0", "\"width\" must be 1 to 134217728, not 0"},
      {"texture", "t=x:f32:2x2x2x2", "a texture has at most three sizes"},
      {"texture", "t=x:f32:8:linear", "this is not KEY=WORD"},
      {"texture", "t=x:f32:8:filtre=linear", "hint: did you mean \"filter\"?"},
      {"texture", "t=x:f32:8:width=8", "\"width\" is given twice"},
      {"texture", "t=x:f32:8:channels=3", "texture \"t\" "},
  }));
  CAPTURE(text);
  PtxRunExample example;
  std::string file = example.folder.write("plain.npy", "plain");
  std::string word = text;
  if (size_t at = word.find("plain.npy"); at != std::string::npos) word.replace(at, 9, file);
  example.options.buffers = {"x=f32:64"};
  if (flag == "buffer") example.options.buffers = {word};
  if (flag == "const") example.options.constants = {word};
  if (flag == "texture") example.options.textures = {word};
  std::string error = example.error();
  for (size_t at; (at = error.find(file)) != std::string::npos;) error.replace(at, file.size(), "plain.npy");
  CHECK_THAT(error, Catch::Matchers::Contains(message));
}

}  // namespace warptime::host
