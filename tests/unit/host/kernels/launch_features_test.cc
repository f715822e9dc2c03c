// What a launch file can say, from end to end: structs, addresses inside buffers, variables of the module, repeats,
// tolerances, and the host's clock.
#include <cstring>

#include "host/launch_file/launch_file.h"
#include "host/launch_file/launch_plan.h"
#include "sim/model/statistics.h"
#include "unit/host/host_test.h"

namespace warptime::host {

namespace {

// mix: out[0] += s.factor * table[1] + bias[s.index], where s is {u32 index, f32 factor}.
const char* const kMixModule = R"(.version 1.4
.target sm_10
.const .align 4 .f32 table[2] = {9.0, 9.0};
.global .align 4 .f32 bias[4];
.entry mix(.param .u64 out, .param .align 4 .b8 s[8])
{
  .reg .u64 %rd<5>;
  .reg .u32 %r<3>;
  .reg .f32 %f<7>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [s];
  ld.param.f32 %f1, [s+4];
  ld.const.f32 %f2, [table+4];
  mul.wide.u32 %rd2, %r1, 4;
  mov.u64 %rd3, bias;
  add.u64 %rd4, %rd3, %rd2;
  ld.global.f32 %f3, [%rd4];
  ld.global.f32 %f4, [%rd1];
  mad.f32 %f5, %f1, %f2, %f3;
  add.f32 %f6, %f4, %f5;
  st.global.f32 [%rd1], %f6;
  exit;
}
)";

struct FeaturesExample {
  TemporaryFolder folder;
  Device device{default_machine(), {}};
  FeaturesExample() { folder.write("mix.ptx", kMixModule); }

  std::vector<Check> run(const std::string& launches, const std::string& rest = "") {
    std::string text =
        "module: mix.ptx\nbuffers:\n  out: {type: f32, values: [1, 2, 3, 4]}\n"
        "constants:\n  table: {type: f32, values: [7, 0.5]}\n"
        "  bias: {type: f32, count: 4, init: {iota: {start: 100, step: 100}}}\n"
        "launches:\n" +
        launches + rest;
    return run_plan(device, load_launch_file(folder.write("run.yaml", text)), true);
  }
  std::vector<float> output(const std::string& file = "out.bin") {
    std::string bytes = folder.read(file);
    std::vector<float> values(bytes.size() / 4);
    std::memcpy(values.data(), bytes.data(), values.size() * 4);
    return values;
  }
};

std::string launch_with(const std::string& arguments, const std::string& more = "") {
  return "  - {kernel: mix, grid: [1], block: [1], args: [" + arguments + "]" + more + "}\n";
}
// {2, 8.0f}: 8 * 0.5 + 300.
const std::string kStruct = "{bytes: \"0200000000000041\"}";
const std::string kOutputs = "outputs:\n  out: out.bin\n";

}  // namespace

TEST_CASE("A struct goes by its bytes, and variables of both spaces have the values of the file") {
  FeaturesExample example;
  example.run(launch_with("out, " + kStruct), kOutputs);
  CHECK(example.output() == std::vector<float>{305, 2, 3, 4});
}

TEST_CASE("A struct must have as many bytes as its parameter") {
  FeaturesExample example;
  std::string error = input_error([&] { example.run(launch_with("out, {bytes: \"02000000000041\"}")); });
  CHECK(error.find("run.yaml:8:") != std::string::npos);
  CHECK(error.find("argument 2 of kernel \"mix\" is a struct of 8 bytes, but 7 bytes were given") != std::string::npos);
  CHECK(input_error([&] { example.run(launch_with("out, {u32: 5}")); }).find("but a .u32 was given (5)") !=
        std::string::npos);
}

TEST_CASE("An address lies inside a buffer") {
  FeaturesExample example;
  example.run(launch_with("{address: out, offset: 8}, " + kStruct) + launch_with("{address: out}, " + kStruct),
              kOutputs);
  CHECK(example.output() == std::vector<float>{305, 2, 307, 4});
}

TEST_CASE("A launch is repeated, and launches see what those before them left") {
  FeaturesExample example;
  example.run(launch_with("out, " + kStruct, ", repeat: 3"), kOutputs);
  CHECK(example.output()[0] == 1 + 3 * 304);
  CHECK(example.device.launches().size() == 3);
}

TEST_CASE("An expectation allows as many units in the last place as it says") {
  // The result 305 is 0f43988000.
  for (auto [bits, allowed, ok] : {std::tuple{"0f43988002", 2, true}, std::tuple{"0f43988002", 1, false},
                                   std::tuple{"0f43987FFE", 2, true}, std::tuple{"0f43988000", 0, true}}) {
    FeaturesExample example;
    auto checks =
        example.run(launch_with("out, " + kStruct), "expect:\n  out: {values: [" + std::string(bits) +
                                                        ", 2, 3, 4], max_ulp: " + std::to_string(allowed) + "}\n");
    REQUIRE(checks.size() == 1);
    CAPTURE(bits, allowed);
    CHECK(checks[0].ok == ok);
    if (!ok) CHECK(checks[0].max_ulp_error == 2);
  }
}

TEST_CASE("Copies and launches are on the clock as the file says") {
  FeaturesExample example;
  example.run("  - copy: {to: out, bytes: 15}\n  - copy: {to: out, pinned: true, asynchronous: true}\n" +
              launch_with("out, " + kStruct, ", synchronous: true") + "  - copy: {from: out, pinned: true}\n");
  const auto& all = example.device.timeline();
  REQUIRE(all.size() == 6);
  // The variables under `constants:` come first, each a copy of its own: 8 and 16 bytes.
  CHECK((all[0].name == "table" && all[1].name == "bias"));
  CHECK(all[0].end_us == 10 + 8 / 1500.0);
  CHECK(all[1].end_us == Approx(all[0].end_us + 10 + 16 / 1500.0));
  auto t = std::span(all).subspan(2);
  CHECK(t[0].end_us == Approx(all[1].end_us + 10 + 15 / 1500.0));
  CHECK(t[1].start_us == t[0].end_us);
  CHECK(t[1].end_us == Approx(t[1].start_us + 10 + 16 / 3200.0));
  // Called for 3 us after the copy; 7 more to the first block, which is as the copy ends.
  CHECK(t[2].start_us == t[1].end_us);
  CHECK(t[2].end_us == Approx(t[1].end_us + example.device.launches()[0].time_us));
  // The host knew of its end 7 us later.
  CHECK(t[3].start_us == Approx(t[2].end_us + 7));
  CHECK(t[3].direction == TimelineEvent::Direction::DeviceToHost);
}

TEST_CASE("The host waits for pageable memory") {
  FeaturesExample example;
  std::string error = input_error([&] { example.run("  - copy: {to: out, asynchronous: true}\n"); });
  CHECK(error.find("the host waits for a copy of pageable memory") != std::string::npos);
  CHECK(error.find("pinned: true") != std::string::npos);
}

}  // namespace warptime::host
