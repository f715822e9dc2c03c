// Calls that nvcc makes of the runtime (runtime/*.cu): what an H100 printed, an assertion that fails, lists on the
// device heap. On a machine without timing and on those with it, for any number of host threads.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "host/device/device.h"
#include "sim/gpu/gpu.h"
#include "sim/model/machine_loader.h"

namespace warptime::host {

namespace {

const std::string kRuntimeFolder = WARPTIME_SOURCE_DIR "/tests/compilers/runtime/";

struct RuntimeDevice {
  sim::PrintedText output;
  std::string& printed = output.text;
  Device device;

  explicit RuntimeDevice(const std::string& machine, uint32_t threads = 1, std::vector<std::string> settings = {})
      : device(machine_of(machine, std::move(settings)), options_of(machine, threads, output)) {}

  static sim::Machine machine_of(const std::string& name, std::vector<std::string> settings) {
    Diagnostics diagnostics;
    auto loaded = sim::load_machine(name, settings, WARPTIME_SOURCE_DIR "/configs", diagnostics);
    INFO(diagnostics.to_text());
    REQUIRE(loaded.has_value());
    return loaded->machine;
  }
  static sim::RunOptions options_of(const std::string& machine, uint32_t threads, sim::LaunchListener& listener) {
    sim::RunOptions options;
    options.functional = machine == "generic";
    options.threads = threads;
    options.listener = &listener;
    return options;
  }
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string recorded_output() {
  std::ifstream file(kRuntimeFolder + "printing.txt", std::ios::binary);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), {}};
}

constexpr size_t kFormatLines = 20;  // of printing.txt: what `formats` prints

/// What `formats` and `blocks` print, and what the calls of `formats` return.
struct Printing {
  std::string formats, blocks;
  std::vector<int> returned = std::vector<int>(32);
};

Printing print_all(const std::string& machine, uint32_t threads = 1) {
  RuntimeDevice run(machine, threads);
  ModuleRef module = run.device.load_module_file(kRuntimeFolder + "printing.ptx");
  Buffer in = run.device.allocate<unsigned>(4, "in"), returned = run.device.allocate<int>(32, "returned");
  run.device.copy_to(in, std::vector<unsigned>{42, 0xdeadbeef, 1, 7}, "in");
  Printing out;
  run.device.launch(module, "formats", {1}, {1}, {in, returned});
  run.device.copy_from(out.returned, returned, "returned");
  out.formats = std::exchange(run.printed, {});
  run.device.launch(module, "blocks", {4}, {96}, {in, returned});
  out.blocks = run.printed;
  return out;
}

}  // namespace

TEST_CASE("device printf prints what an H100 printed, and returns what it returned") {
  std::string machine = GENERATE(values<std::string>({"generic", "geforce-gtx-480", "jetson-tk1"}));
  INFO(machine);
  std::vector<std::string> expected = lines_of(recorded_output());
  REQUIRE(expected.size() == kFormatLines + 4 * 96);
  Printing found = print_all(machine);
  std::vector<std::string> lines = lines_of(found.formats);
  REQUIRE(lines.size() == kFormatLines);
  for (size_t i = 0; i < kFormatLines; ++i) CHECK(lines[i] == expected[i]);
  CHECK(std::vector(found.returned.begin(), found.returned.begin() + 21) ==
        std::vector{0, 6, 7, 5, 6, 5, 6, 3, 4, 4, 8, 5, 6, 3, 6, 3, 6, 7, 16, 0, 0});

  // The order of warps in a block is the machine's own; that of blocks is that of the grid.
  lines = lines_of(found.blocks);
  std::vector<std::string> of_blocks(expected.begin() + kFormatLines, expected.end());
  REQUIRE(lines.size() == of_blocks.size());
  CHECK(std::is_sorted(lines.begin(), lines.end(),
                       [](const std::string& a, const std::string& b) { return a.substr(0, 7) < b.substr(0, 7); }));
  std::sort(lines.begin(), lines.end());
  std::sort(of_blocks.begin(), of_blocks.end());
  CHECK(lines == of_blocks);
}

TEST_CASE("device printf gives the same bytes for any number of host threads") {
  for (const char* machine : {"generic", "geforce-gtx-480", "jetson-tk1"}) {
    INFO(machine);
    std::string one = print_all(machine).blocks;
    for (uint32_t threads : {2, 3, 8}) CHECK(print_all(machine, threads).blocks == one);
  }
}

TEST_CASE("an assertion that fails is a fault with file, line, function and message") {
  std::string machine = GENERATE(values<std::string>({"generic", "geforce-gtx-480", "jetson-tk1"}));
  uint32_t threads = GENERATE(1, 3);
  RuntimeDevice run(machine, threads);
  ModuleRef module = run.device.load_module_file(kRuntimeFolder + "asserting.ptx");
  std::vector<unsigned> values(4 * 64, 5), found(values.size());
  Buffer in = run.device.allocate<unsigned>(values.size(), "in");
  Buffer out = run.device.allocate<unsigned>(values.size(), "out");
  run.device.copy_to(in, values, "in");
  run.device.launch(module, "asserting", {4}, {64}, {in, out});
  run.device.copy_from(found, out, "out");
  CHECK(found == std::vector<unsigned>(values.size(), 6));
  values[2 * 64 + 37] = 100;
  run.device.copy_to(in, values, "in");
  try {
    run.device.launch(module, "asserting", {4}, {64}, {in, out});
    FAIL("no fault");
  } catch (const FaultError& error) {
    CHECK(error.fault.kind == sim::Fault::Kind::Assertion);
    CHECK_THAT(error.what(), Catch::Contains("asserting.ptx:") &&
                                 Catch::Contains("error: runtime/asserting.cu:5: unsigned int checked(unsigned int): "
                                                 "assertion `value < 100 && \"small values only\"` failed, "
                                                 "block (2,0,0) thread (37,0,0)") &&
                                 Catch::Contains("call"));
  }
}

TEST_CASE("lists on the device heap last from launch to launch, for any number of host threads") {
  constexpr uint32_t kThreadsPerBlock = 96, kBlocksOfLists = 12, kLists = kThreadsPerBlock * kBlocksOfLists;
  std::string machine = GENERATE(values<std::string>({"generic", "geforce-gtx-480", "jetson-tk1"}));
  INFO(machine);
  std::vector<unsigned> values(kLists), expected(kLists);
  for (uint32_t i = 0; i < kLists; ++i) values[i] = i * i + 3;
  for (uint32_t i = 0; i < kLists; ++i) {
    uint32_t list = (i + kThreadsPerBlock) % kLists, nodes = list % kThreadsPerBlock % 7;
    for (uint32_t n = 0; n < nodes; ++n)  // thin() keeps the last one, and every second before it
      if ((nodes - 1 - n) % 2 == 0) expected[i] += values[list] + n;
  }
  std::vector<uint64_t> first_heads[2];  // of each launch: the second may find the L2 warm
  for (uint32_t threads : {1, 2, 3, 8}) {
    RuntimeDevice run(machine, threads);
    ModuleRef module = run.device.load_module_file(kRuntimeFolder + "lists.ptx");
    Buffer in = run.device.allocate<unsigned>(kLists, "in"), out = run.device.allocate<unsigned>(kLists, "out");
    Buffer heads = run.device.allocate<uint64_t>(kLists, "heads");
    run.device.copy_to(in, values, "in");
    for (std::vector<uint64_t>& first : first_heads) {  // what was freed is there again
      run.device.launch(module, "build", {kBlocksOfLists}, {kThreadsPerBlock}, {in, heads});
      std::vector<uint64_t> addresses(kLists);
      run.device.copy_from(addresses, heads, "heads");
      if (first.empty()) first = addresses;
      CHECK(addresses == first);
      run.device.launch(module, "thin", {kBlocksOfLists}, {kThreadsPerBlock}, {heads});
      run.device.launch(module, "add_up", {kBlocksOfLists}, {kThreadsPerBlock}, {heads, out});
      std::vector<unsigned> found(kLists);
      run.device.copy_from(found, out, "out");
      CHECK(found == expected);
    }
  }
}

}  // namespace warptime::host
