// `warptime check -- PROGRAM`, the checkers of `exec`, and what both leave for code hosts and CI systems.
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tools/run_program.h"

using namespace warptime::test;
using Catch::Contains;
using Json = nlohmann::ordered_json;

namespace {

Outcome check_program(std::vector<std::string> options, const std::string& what) {
  options.insert(options.begin(), {WARPTIME_BINARY, "check"});
  options.insert(options.end(), {"--", WARPTIME_CUDA_PROGRAM, what});
  return run_program(options);
}

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("check: a program's launches, each finding once with its line and the calls of the host") {
  const Outcome outcome = check_program({}, "check");
  CHECK(outcome.status == 3);
  CHECK(outcome.out == "last: cudaSuccess\n");
  CHECK_THAT(outcome.err,
             Contains("add.cu:5:3: error: memcheck: out-of-bounds store of 4 bytes in global memory") &&
                 Contains("past the end of \"cudaMalloc 2\"") && Contains("add.cu:4:3: error: initcheck: ") &&
                 Contains("launch: cudaLaunchKernel, called by launch_add+0x") && Contains(" (launch 0, call 3)") &&
                 Contains("\"cudaMalloc 2\": cudaMalloc, called by check_use+0x") && Contains(" (call 2)") &&
                 Contains(" on generic: 4 errors and 2 warnings"));
  CHECK(count_of(outcome.err, "out-of-bounds store") == 1);
  // A program in which nothing is found has its own status.
  CHECK(check_program({"--tool", "memcheck"}, "compute").status == 0);
  CHECK(check_program({"--quiet"}, "7").status == 7);
}

TEST_CASE("check: SARIF and JUnit of a program are valid, and the same in every run") {
  TempFolder folder;
  const std::string sarif = folder.path("a.sarif"), junit = folder.path("a.xml");
  const std::vector<std::string> options{"--sarif", sarif, "--junit", junit};
  REQUIRE(check_program(options, "check").status == 3);
  const Outcome read = run_program({"/usr/bin/python3", WARPTIME_SOURCE_DIR "/tests/unit/cuda/valid_reports.py",
                                    WARPTIME_SOURCE_DIR "/tests/unit/cuda/sarif_schema.json", sarif, junit});
  INFO(read.err);
  CHECK(read.status == 0);
  CHECK_THAT(read.out, Contains("error out_of_bounds_global add.cu:5 launch allocation\n") &&
                           Contains("error uninitialized_global add.cu:4 launch allocation\n") &&
                           Contains("\nadd uninitialized_global: a load of 4 bytes ") &&
                           Contains("\nthe run to its end passed\n"));
  const std::string first = read_text(sarif) + read_text(junit);
  check_program(options, "check");
  CHECK(read_text(sarif) + read_text(junit) == first);
  // On standard output they are alone.
  const Outcome shown =
      run_program({WARPTIME_BINARY, "check", "--sarif", "-", "--quiet", "--", WARPTIME_CUDA_PROGRAM, "7"});
  CHECK(shown.status == 7);
  CHECK_THAT(shown.out, Contains("\"text\": \"" WARPTIME_CUDA_PROGRAM ": exit status 7\""));
  // A full disk leaves the older file.
  if (std::filesystem::exists("/dev/full")) {
    const Outcome full = check_program({"--sarif", "/dev/full"}, "check");
    CHECK(full.status == 2);
    CHECK_THAT(full.err, Contains("/dev/full"));
  }
}

TEST_CASE("check: SARIF and JUnit of a target") {
  TempFolder folder;
  const std::string sarif = folder.path("a.sarif"), junit = folder.path("a.xml");
  const Outcome outcome =
      run_program({WARPTIME_BINARY, "check", WARPTIME_SOURCE_DIR "/docs/examples/block_sum_no_barrier.yaml", "--sarif",
                   sarif, "--junit", junit});
  CHECK(outcome.status == 3);
  const Outcome read = run_program({"/usr/bin/python3", WARPTIME_SOURCE_DIR "/tests/unit/cuda/valid_reports.py",
                                    WARPTIME_SOURCE_DIR "/tests/unit/cuda/sarif_schema.json", sarif, junit});
  INFO(read.err);
  CHECK(read.status == 0);
  CHECK_THAT(read.out, Contains("error race_war_shared ") && Contains("block_sum_no_barrier.cu:") &&
                           Contains(" the other access\n"));
}

TEST_CASE("exec: checkers, whose findings a killed program leaves") {
  TempFolder folder;
  const std::string sarif = folder.path("a.sarif");
  auto exec = [](std::vector<std::string> options, const std::string& what) {
    options.insert(options.begin(), {WARPTIME_BINARY, "exec"});
    options.insert(options.end(), {"--", WARPTIME_CUDA_PROGRAM, what});
    return run_program(options);
  };
  const Outcome killed = exec({"--check-memory", "--sarif", sarif}, "check-abort");
  CHECK(killed.status == 3);
  CHECK_THAT(killed.err, Contains("out-of-bounds store") && !Contains("initcheck"));
  const Json log = Json::parse(read_text(sarif));
  CHECK(log["runs"][0]["results"].size() == 2);
  CHECK(log["runs"][0]["invocations"][0]["executionSuccessful"] == false);
  const Outcome none = exec({"--sarif", sarif}, "check");
  CHECK(none.status == 2);
  CHECK_THAT(none.err, Contains("--sarif goes with checkers only"));
  // Started otherwise, the program's own process prints them.
  const std::string library = run_program({WARPTIME_BINARY, "exec", "--library-path"}).out;
  const Outcome alone =
      run_program({WARPTIME_CUDA_PROGRAM, "check"},
                  {{"LD_LIBRARY_PATH", library.substr(0, library.size() - 1)}, {"WARPTIME_CHECK", "memcheck"}});
  CHECK_THAT(alone.err, Contains("out-of-bounds store") && Contains("checkers: 2 errors"));
  CHECK_THAT(run_program({WARPTIME_CUDA_PROGRAM, "check"},
                         {{"LD_LIBRARY_PATH", library.substr(0, library.size() - 1)}, {"WARPTIME_CHECK", "memchek"}})
                 .err,
             Contains("WARPTIME_CHECK is \"memchek\""));
}

TEST_CASE("exec: messages of the runtime name the call of the program") {
  const Outcome outcome = run_program({WARPTIME_BINARY, "exec", "--quiet", "--", WARPTIME_CUDA_PROGRAM, "wrong"});
  CHECK_THAT(outcome.err,
             Contains("host: cudaMemcpy, called by main+0x") || Contains("host: cudaMemcpy, called by wrong_use+0x"));
  CHECK_THAT(outcome.err, Contains("host: cudaFree, called by ") && Contains("host: cudaArrayGetPlane, called by ") &&
                              Contains("\"cudaMalloc 1\": cudaMalloc, called by "));
  CHECK_THAT(run_program({WARPTIME_BINARY, "exec", "--quiet", "--", WARPTIME_CUDA_PROGRAM, "fault"}).err,
             Contains("host: cudaLaunchKernel, called by launch_add+0x") && Contains("(launch 0, call 6)"));
}

TEST_CASE("exec, check: --timeout ends the program or the run, with all outputs") {
  TempFolder folder;
  const std::string json = folder.path("a.json");
  const Outcome program = run_program(
      {WARPTIME_BINARY, "check", "--timeout", "1", "--json=" + json, "--", "/bin/sh", "-c", "sleep 100; true"});
  CHECK(program.status == 124);
  CHECK_THAT(program.err, Contains("/bin/sh was ended after 1 second (--timeout)"));
  CHECK(Json::parse(read_text(json))["complete"] == false);
  const Outcome target =
      run_program({WARPTIME_BINARY, "check", "matmul:naive", "--param", "n=2048", "--timeout", "1", "--json=" + json});
  CHECK(target.status == 124);
  CHECK_THAT(target.err, Contains("the run was ended after 1 second (--timeout)"));
  CHECK(Json::parse(read_text(json))["complete"] == false);
  CHECK(
      run_program({WARPTIME_BINARY, "exec", "--timeout", "100", "--quiet", "--", WARPTIME_CUDA_PROGRAM, "7"}).status ==
      7);
}
