// `warptime exec` with a program of graphs, textures, cooperative grids and memory (tests/cuda/features_program.cc),
// and one of the driver API (tests/cuda/driver_program.cc).
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tools/run_program.h"

using namespace warptime::test;
using Catch::Contains;
using FeatureJson = nlohmann::json;

namespace {

Outcome exec_features(const std::string& machine, const std::string& what, const std::string& set = "") {
  std::vector<std::string> words{WARPTIME_BINARY, "exec", "--quiet", "--machine", machine};
  if (!set.empty()) words.insert(words.end(), {"--set", set});
  words.insert(words.end(), {"--", WARPTIME_CUDA_FEATURES, what});
  return run_program(words);
}

size_t occurrences_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("exec: graphs, captured and made by hand") {
  for (const char* machine : {"geforce-8800-gtx", "geforce-gtx-480", "generic"}) {
    const Outcome outcome = exec_features(machine, "graphs");
    CHECK(outcome.status == 0);
    CHECK(outcome.out ==
          "begin: cudaSuccess\nend: cudaSuccess\nstatus 1, nodes 7, nothing done: 0 0\ninstantiate: cudaSuccess\n"
          "synchronize: cudaSuccess\ncaptured: 2.5 0.5, calls 3\ndependency: cudaSuccess\ntwice: "
          "cudaErrorInvalidValue\nchild last: 2.5 0.5, calls 5\nparameters: cudaSuccess\nchanged: 0.5\nupdate: "
          "cudaErrorGraphExecUpdateFailure\ntopology 2\ncircle: cudaErrorInvalidValue\ndestroy: cudaSuccess\nagain: "
          "cudaErrorInvalidValue\n");
  }
}

TEST_CASE("exec: branches of a graph overlap where the machine can") {
  TempFolder folder;
  const std::string stats = folder.path("stats.json");
  REQUIRE(run_program({WARPTIME_BINARY, "exec", "--quiet", "--machine", "geforce-gtx-480", "--stats", stats, "--",
                       WARPTIME_CUDA_FEATURES, "graphs"})
              .status == 0);
  const FeatureJson timeline = FeatureJson::parse(read_text(stats))["timeline"];
  // The first launch of the graph: `scale` of both branches, in different streams, at the same time.
  std::vector<FeatureJson> kernels;
  for (const FeatureJson& event : timeline)
    if (event["name"] == "scale") kernels.push_back(event);
  REQUIRE(kernels.size() >= 2);
  CHECK(kernels[0]["stream"] != kernels[1]["stream"]);
  CHECK(kernels[0]["start_us"].get<double>() < kernels[1]["end_us"].get<double>());
  CHECK(kernels[1]["start_us"].get<double>() < kernels[0]["end_us"].get<double>());
}

TEST_CASE("exec: a capture records, and refuses what it cannot have") {
  const Outcome outcome = exec_features("generic", "captures");
  CHECK(outcome.status == 0);
  CHECK(outcome.out ==
        "of none: cudaErrorIllegalState\ndefault: cudaErrorStreamCaptureUnsupported\ntwice: cudaErrorIllegalState\n"
        "malloc: cudaErrorStreamCaptureUnsupported\nlaunch: cudaErrorStreamCaptureInvalidated\nend: "
        "cudaErrorStreamCaptureInvalidated\nrelaxed: cudaSuccess\nsynchronize: cudaErrorStreamCaptureUnsupported\n"
        "memcpy: cudaErrorStreamCaptureImplicit\noutside: cudaErrorStreamCaptureIsolation\nanother stream: "
        "cudaErrorStreamCaptureUnmatched\nnot joined: cudaErrorStreamCaptureUnjoined\nevent: cudaErrorCapturedEvent\n"
        "graph none\nmemory: cudaSuccess\nin it: 14.5\n");
}

TEST_CASE("exec: textures have the values of the guide's formulas, and refuse what is not supported") {
  for (const char* machine : {"geforce-8800-gtx", "geforce-gtx-480", "generic"}) {
    const Outcome outcome = exec_features(machine, "textures");
    CHECK(outcome.status == 0);
    CHECK(outcome.out ==
          "to array: cudaSuccess\narray: 0 wrong\npart: 1\nbeyond: cudaErrorInvalidValue\npitched: 0 wrong\n"
          "linear: cudaSuccess\n0 0 -1 -2 3 4 5 6 0 0\nbox: cudaSuccess\nobject: cudaSuccess\nbox: 1\n"
          "bind: cudaSuccess\nreference: 0 wrong\nhalf: cudaErrorNotSupported\nformat: "
          "cudaErrorInvalidChannelDescriptor\nalignment: cudaErrorInvalidValue\nlayered: cudaSuccess\n"
          "surface: cudaErrorInvalidValue\nfree: cudaSuccess\ntwice: cudaErrorInvalidResourceHandle\n");
    CHECK_THAT(outcome.err,
               Contains("16-bit floating-point texels are not supported") && Contains("not all in an array"));
  }
}

TEST_CASE("exec: a cooperative grid waits for all of its blocks, which must fit") {
  const std::string expected =
      "all: cudaSuccess\n0 wrong\nall: cudaSuccess\n0 wrong\none more: cudaErrorCooperativeLaunchTooLarge\n"
      "by hand: cudaErrorLaunchTimeout\n";
  for (const char* machine : {"generic", "geforce-gtx-480"}) {
    const Outcome outcome = exec_features(machine, "cooperative", "chip.compute_capability=6.0");
    CHECK(outcome.status == 3);
    CHECK(outcome.out == expected);
    CHECK_THAT(outcome.err, Contains("kernel by_hand never ends"));
    if (machine == std::string("geforce-gtx-480"))
      CHECK_THAT(outcome.err, Contains("1 of 121 blocks has no place (the first is block (120,0,0))"));
  }
  // Compute capability 2.0 has none.
  CHECK_THAT(exec_features("geforce-gtx-480", "cooperative").out, Contains("all: cudaErrorNotSupported"));
}

TEST_CASE("exec: memory pools, constants by address, one device") {
  const Outcome outcome = exec_features("generic", "memory");
  CHECK(outcome.status == 0);
  CHECK(outcome.out ==
        "pool: cudaSuccess\nused 1000, then 0, most 1000\naddress: cudaSuccess\ngain 3\nbeyond: "
        "cudaErrorInvalidValue\npeer: cudaSuccess\nno peer: cudaErrorInvalidDevice\ncopied 3\nbetween: "
        "cudaErrorInvalidDevice\nipc: cudaErrorNotSupported\nfill: cudaSuccess\nbox 11 0\nby_hand\n");
  CHECK(occurrences_of(outcome.err, "cudaIpcGetMemHandle is not supported") == 1);
}

TEST_CASE("exec: a program of the driver API") {
  // 1024 threads with 40 registers have more than the 32768 that a block may have, but for generic.
  for (const char* machine : {"geforce-gtx-480", "jetson-tk1", "generic"}) {
    const std::string large = machine == std::string("generic") ? "0" : "701";
    const Outcome outcome =
        run_program({WARPTIME_BINARY, "exec", "--quiet", "--machine", machine, "--", WARPTIME_CUDA_DRIVER});
    CHECK(outcome.status == 0);
    CHECK(outcome.out ==
          "early 3, init 0, devices 1\nno context 201\ndevice 0 of the context 0, synchronized 0\nload 0 0\nlaunch 0: "
          "7 9\nblock 0: 21\nglobal 8 bytes: 5\n"
          "512 threads 0\n1024 threads " +
              large +
              "\nfilled beef\nmipmaps 0, level 3 1, level 1 0: 4 x 2, freed alone 1\n"
              "texture 0, launch 0: 304, destroyed 0, 400\nmissing 500, twice 1, handle 400\nCUDA_ERROR_INVALID_VALUE: "
              "invalid argument\n"
              "CUDA_ERROR_OUT_OF_MEMORY\nbad module 218, log 1\nlinked 0: 7\nby name 1 1 0\n");
    CHECK_THAT(outcome.err, Contains("cuMemAddressReserve is not supported"));
  }
}
