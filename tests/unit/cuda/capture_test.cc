// Launches of a program as launch files, and the commands that have a program's
// launch as their target.
#include <catch2/catch.hpp>
#include <filesystem>

#include "tools/run_program.h"

using namespace warptime::test;
using Catch::Contains;

namespace {

Outcome run_command(std::vector<std::string> words, const std::vector<std::string>& program = {"compute"}) {
  words.insert(words.begin(), WARPTIME_BINARY);
  words.insert(words.end(), {"--", WARPTIME_CUDA_PROGRAM});
  words.insert(words.end(), program.begin(), program.end());
  return run_program(words);
}

}  // namespace

TEST_CASE(
    "capture: a launch file has the launch's memory, at the program's "
    "addresses") {
  TempFolder folder;
  const Outcome captured = run_command({"exec", "--quiet", "--capture", folder.path("c"), "--capture-launch", "1"});
  CHECK(captured.status == 0);
  CHECK_THAT(captured.out, Contains("y 4, hits 100"));
  const std::string file = folder.path("c/launch-1.yaml");
  const std::string yaml = read_text(file);
  CHECK_THAT(yaml, Contains("{address: \"cudaMalloc 1\", offset: 0}") && Contains("{u32: 100}") &&
                       Contains("\"factor\": {type: u8, file: ") && Contains("\"hits\": {type: u8, file: "));
  // y was 2 after launch 0, and gets x * 2: 4.0 is 40 80 00 00.
  const Outcome run = run_program({WARPTIME_BINARY, "run", file, "--print", "cudaMalloc 2[396:400]", "--no-check"});
  CHECK(run.status == 0);
  CHECK_THAT(run.out, Contains("0  0  128  64"));
  // Without a choice, the first launch of each shape.
  run_command({"exec", "--quiet", "--capture", folder.path("d")});
  CHECK(std::filesystem::exists(folder.path("d/launch-0.yaml")));
  CHECK_FALSE(std::filesystem::exists(folder.path("d/launch-1.yaml")));
}

TEST_CASE("capture: explain, annotate, trace and debug of a program's launch") {
  const Outcome explained = run_command({"explain", "--program-launch=1", "--machine", "geforce-gtx-480"});
  CHECK(explained.status == 0);
  CHECK_THAT(explained.out, Contains("add"));
  CHECK_THAT(explained.err, Contains("launch 1 of ") && Contains(": add, ") && Contains("80 warp instructions"));
  CHECK_THAT(run_command({"annotate"}).out, Contains("st.global.f32"));
  TempFolder folder;
  const Outcome debugged = run_command({"debug", "--script", folder.write("s", "info kernels\nquit\n")});
  CHECK(debugged.status == 0);
  CHECK_THAT(debugged.out, Contains("add"));
  const Outcome none = run_command({"explain", "--program-launch", "77"});
  CHECK(none.status == 2);
  CHECK_THAT(none.err, Contains("has no launch 77"));
  CHECK_THAT(run_program({WARPTIME_BINARY, "explain", "matmul", "--", WARPTIME_CUDA_PROGRAM}).err,
             Contains("a program behind \"--\""));
}

TEST_CASE("launch file: buffers at addresses, which must be free") {
  TempFolder folder;
  folder.write("k.ptx",
               ".version 7.0\n.target sm_50\n.address_size 64\n.global .u32 "
               "g;\n.visible .entry k(.param .u64 p) { ret; }\n");
  auto run = [&](const std::string& buffers) {
    return run_program({WARPTIME_BINARY, "run", "--functional",
                        folder.write("k.yaml", "module: k.ptx\nbuffers:\n" + buffers +
                                                   "launches: [{kernel: k, grid: [1], block: "
                                                   "[32], args: [a]}]\n")});
  };
  CHECK(run("  a: {type: u32, count: 4, address: 0x20000}\n  b: {type: u32, "
            "count: 4}\n")
            .status == 0);
  const Outcome twice =
      run("  a: {type: u32, count: 4, address: 0x20000}\n  "
          "b: {type: u32, count: 4, address: 0x20004}\n");
  CHECK(twice.status == 2);
  CHECK_THAT(twice.err, Contains("buffer \"b\" (16 bytes) cannot begin at address 0x20004"));
  CHECK(run("  a: {type: u32, count: 4, address: 4}\n").status == 2);
}
