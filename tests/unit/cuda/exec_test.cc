// `warptime exec` with a CUDA program made by hand (tests/cuda/host_program.cc).
#include <catch2/catch.hpp>
#include <fstream>

#include "tools/run_program.h"

using namespace warptime::test;
using Catch::Contains;

namespace {

Outcome exec(std::vector<std::string> options, std::vector<std::string> words = {}) {
  std::vector<std::string> all{WARPTIME_BINARY, "exec"};
  all.insert(all.end(), options.begin(), options.end());
  all.insert(all.end(), {"--", WARPTIME_CUDA_PROGRAM});
  all.insert(all.end(), words.begin(), words.end());
  return run_program(all);
}

}  // namespace

TEST_CASE("exec: a program computes, with times on a machine that has them") {
  TempFolder folder;
  const std::string stats = folder.path("stats.json");
  for (const char* machine : {"geforce-8800-gtx", "geforce-gtx-480", "generic"}) {
    const Outcome outcome = exec({"--machine", machine, "--stats", stats});
    const std::string timed = machine == std::string("generic") ? "not timed" : "timed";
    CHECK(outcome.status == 0);
    CHECK(outcome.out == "y 4, hits 100, total 100, " + timed +
                             "\nmanaged 5, plane 5\nwarp of 32: cudaSuccess\nfree: cudaSuccess\nlast: cudaSuccess\n");
    CHECK_THAT(outcome.err, Contains(std::string("on ") + machine + ": 3 launches") && Contains("  add "));
    CHECK_THAT(read_text(stats), Contains("\"complete\": true") && Contains("\"kernel\": \"add\""));
  }
  CHECK(exec({"--quiet"}).err.empty());
}

TEST_CASE("exec: wrong use gives the errors of CUDA, and each its sentence once") {
  const Outcome outcome = exec({"--quiet"}, {"wrong"});
  CHECK(outcome.status == 0);
  CHECK(outcome.out ==
        "direction: cudaErrorInvalidValue\nbeyond: cudaErrorInvalidValue\nfree: cudaSuccess\n"
        "twice: cudaErrorInvalidValue\nlast: cudaErrorInvalidValue\nthen: cudaSuccess\n"
        "block: cudaErrorInvalidValue\nshared: cudaErrorInvalidValue\nfunction: "
        "cudaErrorInvalidResourceHandle\n"
        "unsupported: cudaErrorNotSupported\ncooperative: cudaErrorNotSupported\nsurface: cudaErrorNotSupported\n"
        "again: cudaErrorNotSupported\nstream: cudaErrorInvalidResourceHandle\n");
  CHECK_THAT(outcome.err, Contains("the copy has the wrong direction") && Contains("is freed twice") &&
                              Contains("too large for machine") &&
                              Contains("0 static, 1048576 dynamic, 28 for header") && Contains("tcgen05"));
  const size_t told = outcome.err.find("cudaArrayGetPlane is not supported");
  REQUIRE(told != std::string::npos);
  CHECK(outcome.err.find("cudaArrayGetPlane is not supported", told + 1) == std::string::npos);
}

TEST_CASE("exec: after a fault every call returns its error, and the status is 3") {
  const Outcome outcome = exec({}, {"fault"});
  CHECK(outcome.status == 3);
  CHECK(outcome.out ==
        "launch: cudaSuccess\nlast: cudaSuccess\nsynchronize: cudaErrorIllegalAddress\n"
        "malloc: cudaErrorIllegalAddress\nlast: cudaErrorIllegalAddress\nreset: cudaSuccess\nlaunch: cudaSuccess\n"
        "synchronize: cudaSuccess\n");
  CHECK_THAT(outcome.err, Contains("out-of-bounds load of 4 bytes") && Contains("address 0x123456780"));
}

TEST_CASE("exec: the status and the words are the program's") {
  CHECK(exec({}, {"7", "--quiet"}).status == 7);
  CHECK(exec({}, {"0", "--stats"}).out == "--stats\n");
}

TEST_CASE("exec: what cannot be run is refused before it starts") {
  TempFolder folder;
  CHECK_THAT(run_program({WARPTIME_BINARY, "exec"}).err, Contains("needs a PROGRAM"));
  CHECK_THAT(run_program({WARPTIME_BINARY, "exec", "--", folder.path("none")}).err, Contains("there is no program"));
  CHECK_THAT(run_program({WARPTIME_BINARY, "exec", "--", folder.path("x.cu")}).err, Contains("cannot read"));
  CHECK_THAT(exec({"--machine", "gtx"}).err, Contains("gtx"));
  // A program with another name of the library in its place: the runtime is missing, or one of those not
  // replaced.
  const std::string program = read_text(WARPTIME_CUDA_PROGRAM);
  auto with = [&](const std::string& library) {
    std::string forged = program;
    for (size_t at = forged.find("libcudart.so.13"); at != std::string::npos; at = forged.find("libcudart.so.13"))
      forged.replace(at, 15, library.substr(0, 15));
    const std::string file = folder.path("forged");
    std::ofstream(file, std::ios::binary) << forged;
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return run_program({WARPTIME_BINARY, "exec", "--", file});
  };
  const Outcome blas = with("libcublas.so.13");
  CHECK(blas.status == 2);
  CHECK_THAT(blas.err, Contains("uses libcublas.so.13, which warptime does not replace"));
  CHECK_THAT(with("libcudart.so.99").err, Contains("those of CUDA 11, 12 and 13"));
}

TEST_CASE("exec: started otherwise, by the environment") {
  const std::string folder = run_program({WARPTIME_BINARY, "exec", "--library-path"}).out;
  const Environment environment{{"LD_LIBRARY_PATH", folder.substr(0, folder.size() - 1)},
                                {"WARPTIME_MACHINE", "geforce-gtx-480"},
                                {"WARPTIME_SET", "chip.tpcs=2;memory.partitions=2"}};
  CHECK_THAT(run_program({WARPTIME_CUDA_PROGRAM}, environment).out, Contains(", timed"));
  CHECK_THAT(run_program({WARPTIME_CUDA_PROGRAM},
                         {{"LD_LIBRARY_PATH", environment.front().second}, {"WARPTIME_SET", "no.such=1"}})
                 .err,
             Contains("no.such"));
}
