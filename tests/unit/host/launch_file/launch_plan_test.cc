// Launch files and flags from end to end, on the saxpy that comes with the program.
#include "host/launch_file/launch_plan.h"

#include <cstring>

#include "host/launch_file/array_file.h"
#include "host/launch_file/launch_file.h"
#include "host/launch_file/printed_range.h"
#include "host/launch_file/ptx_run.h"
#include "unit/host/host_test.h"

namespace warptime::host {

namespace {

const char* const kSaxpy = WARPTIME_SOURCE_DIR "/workloads/saxpy/saxpy.ptx";

/// y = 2 x + y with x = 0, 1, 2, ... and y = 1: odd numbers.
std::string launch_file(const std::string& launch, const std::string& rest = "") {
  return "module: " + std::string(kSaxpy) +
         "\nbuffers:\n"
         "  x: {type: f32, count: 40, init: {iota: {start: 0, step: 1}}}\n"
         "  y: {type: f32, count: 40, init: {iota: {start: 1, step: 0}}}\n"
         "launches:\n  - " +
         launch + "\n" + rest;
}
const std::string kSaxpyLaunch = "{kernel: saxpy, grid: [2], block: [32], args: [{u32: 40}, {f32: 2}, x, y]}";

struct PlanExample {
  TemporaryFolder folder;
  Device device{default_machine(), {}};

  std::vector<Check> run(const std::string& text, bool check = true) {
    return run_plan(device, load_launch_file(folder.write("run.yaml", text)), check);
  }
  std::string error(const std::string& text) {
    return input_error([&] { run(text); });
  }
};

std::string odd_numbers() {
  std::string bytes(160, '\0');
  for (int i = 0; i < 40; ++i) {
    float value = static_cast<float>(2 * i + 1);
    std::memcpy(&bytes[static_cast<size_t>(i) * 4], &value, 4);
  }
  return bytes;
}

}  // namespace

TEST_CASE("A launch file runs, writes its outputs and checks its results") {
  PlanExample example;
  example.folder.write("expected.bin", odd_numbers());
  auto checks = example.run(launch_file(kSaxpyLaunch, "outputs:\n  y: y.bin\nexpect:\n  y: {file: expected.bin}\n"));
  REQUIRE(checks.size() == 1);
  CHECK(checks[0].ok);
  CHECK(checks[0].name == "y");
  CHECK(example.folder.read("y.bin") == odd_numbers());
  CHECK(example.device.launches().size() == 1);
}

TEST_CASE("A wrong expectation fails its check, and only where the tolerance ends") {
  std::string wrong = odd_numbers();
  float value = 3.25f;  // expected in place of 3
  std::memcpy(&wrong[4], &value, 4);
  for (auto [tolerance, ok] : {std::pair{"0.25", true}, std::pair{"0.24", false}}) {
    PlanExample example;
    example.folder.write("expected.bin", wrong);
    auto checks = example.run(launch_file(
        kSaxpyLaunch, "expect:\n  y: {file: expected.bin, max_abs_error: " + std::string(tolerance) + "}\n"));
    REQUIRE(checks.size() == 1);
    CHECK(checks[0].ok == ok);
    CHECK(checks[0].max_abs_error == 0.25);
    if (!ok) CHECK(checks[0].first_failure == "element 1: 3, expected 3.25");
  }
}

TEST_CASE("Without checks there are none") {
  PlanExample example;
  example.folder.write("expected.bin", odd_numbers());
  CHECK(example.run(launch_file(kSaxpyLaunch, "expect:\n  y: {file: expected.bin}\n"), false).empty());
}

TEST_CASE("Repeated launches and copies are all on the timeline") {
  PlanExample example;
  example.run(
      launch_file("copy: {to: x}\n  - {kernel: saxpy, grid: [2], block: [32], repeat: 3, "
                  "args: [{u32: 40}, {f32: 2}, x, y]}\n  - copy: {from: y, bytes: 8}"));
  CHECK(example.device.launches().size() == 3);
  const auto& t = example.device.timeline();
  REQUIRE(t.size() == 5);
  CHECK(t[0].bytes == 160);
  CHECK(t[4].bytes == 8);
  CHECK(t[4].direction == TimelineEvent::Direction::DeviceToHost);
}

TEST_CASE("An address may have an offset") {
  PlanExample example;
  // The last 8 elements of y only: 2 * x[i] + 1 for i = 0 to 7.
  example.run(
      launch_file("{kernel: saxpy, grid: [1], block: [32], args: [{u32: 8}, {f32: 2}, x, {address: y, "
                  "offset: 128}]}",
                  "outputs:\n  y: y.bin\n"));
  std::string bytes = example.folder.read("y.bin");
  float before = 0, last = 0;
  std::memcpy(&before, &bytes[31 * 4], 4);
  std::memcpy(&last, &bytes[39 * 4], 4);
  CHECK(before == 1);
  CHECK(last == 15);
}

TEST_CASE("Mistakes that only the module shows have their place in the launch file") {
  PlanExample example;
  CHECK(example.error(launch_file("{kernel: saxpi, grid: [2], block: [32], args: []}"))
            .find("run.yaml:6:14: error: \"" + std::string(kSaxpy) + "\" has no kernel \"saxpi\"") !=
        std::string::npos);
  std::string wrong_type =
      example.error(launch_file("{kernel: saxpy, grid: [2], block: [32], args: [{u32: 40}, {u32: 2}, x, y]}"));
  CHECK(wrong_type.find("run.yaml:6:") != std::string::npos);
  CHECK(wrong_type.find("argument 2 of kernel \"saxpy\" is .f32, but a .u32 was given (2)") != std::string::npos);
  CHECK(example.error(launch_file("{kernel: saxpy, grid: [2], block: [32], args: [{u32: 40}]}"))
            .find("takes 4 arguments, but 1 was given") != std::string::npos);
  CHECK(example.error(launch_file("{kernel: saxpy, grid: [2], block: [1024], args: [{u32: 40}, {f32: 2}, x, y]}"))
            .find("run.yaml:6:14: error: the block 1024 x 1 x 1 is too large") != std::string::npos);
  CHECK(example.error(launch_file(kSaxpyLaunch, "constants:\n  table: {type: f32, values: [1]}\n"))
            .find("error: the module has no .const or .global variable \"table\"") != std::string::npos);
}

TEST_CASE("A buffer larger than the device is an error at its name") {
  PlanExample example;
  std::string text = "module: " + std::string(kSaxpy) +
                     "\nbuffers:\n  big: {type: f32, count: 1000000000, init: random}\nlaunches:\n  - " + kSaxpyLaunch +
                     "\n";
  text.replace(text.find("x, y"), 4, "big, big");
  CHECK(example.error(text).find("run.yaml:3:3: error: buffer \"big\" (4000000000 bytes) does not fit") !=
        std::string::npos);
}

TEST_CASE("An output that cannot be written is an error") {
  PlanExample example;
  CHECK(example.error(launch_file(kSaxpyLaunch, "outputs:\n  y: nowhere/y.bin\n")).find("cannot write") !=
        std::string::npos);
}

TEST_CASE("Flags run the module's only kernel without naming it") {
  TemporaryFolder folder;
  Device device(default_machine(), {});
  LaunchPlan plan = plan_ptx_run({.file = kSaxpy,
                                  .kernel = {},
                                  .grid = "2",
                                  .block = "32",
                                  .buffers = {"x=f32:40:iota", "y=f32:40"},
                                  .arguments = {"u32=40", "f32=3", "x", "y"},
                                  .shared = {},
                                  .registers = {},
                                  .outputs = {"y=" + (folder / "y.bin")}});
  CHECK(run_plan(device, plan, true).empty());
  std::string bytes = folder.read("y.bin");
  REQUIRE(bytes.size() == 160);
  float last = 0;
  std::memcpy(&last, &bytes[39 * 4], 4);
  CHECK(last == 117);
}

TEST_CASE("Several kernels must be told apart") {
  Device device(default_machine(), {});
  LaunchPlan plan = plan_ptx_run({.file = WARPTIME_SOURCE_DIR "/workloads/matmul/matmul.ptx",
                                  .kernel = {},
                                  .grid = "1",
                                  .block = "16,16",
                                  .buffers = {},
                                  .arguments = {},
                                  .shared = {},
                                  .registers = {},
                                  .outputs = {}});
  std::string error = input_error([&] { run_plan(device, plan, true); });
  CHECK(error.find("has 7 kernels: say which") != std::string::npos);
  CHECK(error.find("--kernel with one of naive, tiled_4") != std::string::npos);
}

TEST_CASE("A .npy file in and out keeps its type and shape, and elements are printed") {
  PlanExample example;
  std::string text = launch_file(kSaxpyLaunch, "outputs:\n  x: x.npy\n  y: y.npy\nexpect:\n  y: {file: e.npy}\n");
  text.replace(text.find("count: 40, init: {iota: {start: 0, step: 1}}"), 44, "file: in.npy");
  std::string values(160, '\0');
  for (int i = 0; i < 40; ++i) {
    auto value = static_cast<float>(i);
    std::memcpy(&values[static_cast<size_t>(i) * 4], &value, 4);
  }
  example.folder.write("in.npy", npy_header(ptx::Type::F32, {5, 8}) + values);
  example.folder.write("e.npy", npy_header(ptx::Type::F32, {40}) + odd_numbers());
  LaunchPlan plan = load_launch_file(example.folder.write("run.yaml", text));
  Diagnostics diagnostics;
  plan_print("y[1:4]", plan, diagnostics);
  std::string printed;
  auto checks = run_plan(example.device, plan, true, &printed);
  REQUIRE(checks.size() == 1);
  CHECK(checks[0].ok);
  CHECK(example.folder.read("x.npy") == npy_header(ptx::Type::F32, {5, 8}) + values);
  CHECK(example.folder.read("y.npy") == npy_header(ptx::Type::F32, {40}) + odd_numbers());
  CHECK(printed == "y[1:4]  3  5  7\n");
}

TEST_CASE("A loop repeats its launches in order, and loops nest") {
  PlanExample example;
  std::string zeros = "{kernel: saxpy, grid: [1], block: [32], args: [{u32: 1}, {f32: 1}, x, y]}";
  example.run(launch_file("repeat: 2\n    launches:\n      - " + kSaxpyLaunch +
                              "\n      - repeat: 3\n        launches: [{copy: {from: y, bytes: 4}}, " + zeros + "]\n",
                          "  - copy: {to: x, bytes: 8}\n"));
  std::string order;
  for (const TimelineEvent& event : example.device.timeline())
    order += event.kind == TimelineEvent::Kind::Kernel ? 'k' : event.bytes == 4 ? 'c' : 'x';
  CHECK(order == "kckckckkckckckx");
}

TEST_CASE("The index of a loop is a number in its expressions, and of loops within it") {
  PlanExample example;
  // y[k + 8 j] += 2 x[k + 8 j] for j = 0, 1, ..., k.
  example.run(
      launch_file("repeat: 3\n    index: k\n    launches:\n      - repeat: k + 1\n        index: j\n"
                  "        launches:\n          - {kernel: saxpy, grid: [1], block: [32], args: [{u32: 1}, {f32: "
                  "2}, {address: x, offset: 4 * (k + 8 * j)}, {address: y, offset: 4 * (k + 8 * j)}]}\n"
                  "      - copy: {from: y, bytes: 4 * (k + 1)}\n",
                  "outputs:\n  y: y.bin\n"));
  const std::string bytes = example.folder.read("y.bin");
  for (size_t i = 0; i < 40; ++i) {
    float value = 0;
    std::memcpy(&value, &bytes[i * 4], 4);
    const size_t k = i % 8, j = i / 8;
    CHECK(value == (k < 3 && j <= k ? static_cast<float>(2 * i + 1) : 1.0f));
  }
  std::string order;
  for (const TimelineEvent& event : example.device.timeline())
    order += event.kind == TimelineEvent::Kind::Kernel ? 'k' : static_cast<char>('0' + event.bytes / 4);
  CHECK(order == "k1kk2kkk3");
}

TEST_CASE("A loop ends by a value, after a copy of it in each round") {
  // y[1] = 3, 5, 7, ... after each launch.
  auto [condition, rounds, is_met] = GENERATE(table<std::string, size_t, bool>({{"equals: 7, at_most: 9", 3, true},
                                                                                {"above: 8, at_most: 9", 4, true},
                                                                                {"above: 11, at_most: 5", 5, false},
                                                                                {"below: 4, at_most: 9", 1, true},
                                                                                {"below: 3, at_most: 2", 2, false}}));
  CAPTURE(condition);
  PlanExample example;
  example.run(launch_file("until: {buffer: y, element: 1, " + condition + "}\n    launches:\n      - " + kSaxpyLaunch));
  CHECK(example.device.launches().size() == rounds);
  REQUIRE(example.device.timeline().size() == 2 * rounds);
  const TimelineEvent& copy = example.device.timeline().back();
  CHECK((copy.kind == TimelineEvent::Kind::Copy && copy.bytes == 4));
  CHECK((example.device.warnings().find("ended after") == std::string::npos) == is_met);
}

TEST_CASE("memset sets bytes of a buffer, and takes its time") {
  PlanExample example;
  example.run(launch_file("memset: {buffer: y, value: 255, bytes: 8, offset: 4}",
                          "  - " + kSaxpyLaunch + "\noutputs:\n  y: y.bin\n"));
  std::string bytes = example.folder.read("y.bin");
  float first = 0, second = 0, fourth = 0;
  std::memcpy(&first, bytes.data(), 4);
  std::memcpy(&second, &bytes[4], 4);
  std::memcpy(&fourth, &bytes[12], 4);
  CHECK((first == 1 && second != second && fourth == 7));
  const TimelineEvent& event = example.device.timeline().front();
  CHECK((event.kind == TimelineEvent::Kind::Fill && event.bytes == 8 && event.end_us > event.start_us));
}

TEST_CASE("Launches of different streams run side by side where the machine can") {
  sim::Machine machine = default_machine();
  machine.config.chip.concurrent_kernels = 4;
  Device device(machine, {});
  TemporaryFolder folder;
  auto launch = [](int stream) {
    return "{kernel: saxpy, grid: [1], block: [32], args: [{u32: 32}, {f32: 2}, x, y], stream: " +
           std::to_string(stream) + "}";
  };
  run_plan(device, load_launch_file(folder.write("run.yaml", launch_file(launch(1), "  - " + launch(7) + "\n"))), true);
  REQUIRE(device.timeline().size() == 2);
  CHECK(device.timeline()[1].start_us < device.timeline()[0].end_us);
  CHECK(device.timeline()[0].stream != device.timeline()[1].stream);
}

}  // namespace warptime::host
