// The line of the user and names as authors write them, in what commands print of a program compiled from CUDA.
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tools/cuda_module.h"
#include "tools/run_program.h"

using namespace warptime::test;
using Catch::Contains;
using Catch::StartsWith;
using Json = nlohmann::ordered_json;

namespace {

/// k.ptx and k.cu; `n` is the bin that all threads count in, of 64.
class CudaProgram {
 public:
  CudaProgram() {
    folder_.write("k.cu", std::string(kCudaSource));
    ptx_ = folder_.write("k.ptx", cuda_module());
  }
  Outcome call(const std::string& command, const std::string& kernel, int n, std::vector<std::string> more = {}) const {
    std::vector<std::string> words{
        command,     ptx_,          "--kernel", kernel,          "--grid", "1",
        "--block",   "32",          "--buffer", "x=f32:32:iota", "--arg",  "x",
        "--buffer",  "bins=s32:64", "--arg",    "bins",          "--arg",  "s32=" + std::to_string(n),
        "--machine", "jetson-tk1"};
    words.insert(words.end(), more.begin(), more.end());
    return warptime::test::warptime(words);
  }
  void forget_source() const { std::filesystem::remove(std::filesystem::path(ptx_).parent_path() / "k.cu"); }

 private:
  TempFolder folder_;
  std::string ptx_;
};

}  // namespace

TEST_CASE("CUDA lines: a fault in a function of the toolkit is told at the user's own line") {
  CudaProgram program;
  Outcome out = program.call("run", "count", 1000, {"--quiet"});
  CHECK(out.status == 3);
  CHECK_THAT(out.err,
             StartsWith("k.cu:2:3: error: out-of-bounds atomic operation of 4 bytes in global memory") &&
                 Contains("     2 |   atomicAdd(p + i, 1);\n       |   ^\n  called from: k.cu:7\n          PTX: "
                          "k.ptx:31:3: atom.global.add.u32 %r6, [%rd6], 1;\n         hint: ") &&
                 !Contains("device_atomic_functions"));
  Outcome all = program.call("run", "count", 1000, {"--quiet", "--calls"});
  CHECK_THAT(all.err,
             Contains("calls: device_atomic_functions.hpp:107, in atomicAdd(int*, int)\n               k.cu:2, in "
                      "add(int*, int): atomicAdd(p + i, 1);\n               k.cu:7: add(bins, n);\n"));
  program.forget_source();
  Outcome without = program.call("run", "count", 1000, {"--quiet"});
  CHECK_THAT(without.err, StartsWith("k.cu:2:3: error: out-of-bounds") && Contains("\n  called from: k.cu:7\n"));
}

TEST_CASE("CUDA lines: check tells them, with the chain of calls in JSON") {
  CudaProgram program;
  Outcome out = program.call("check", "count", 1000, {"--tool", "memcheck"});
  CHECK(out.status == 3);
  CHECK_THAT(out.out, StartsWith("k.cu:2:3: error: memcheck: out-of-bounds"));
  Json finding = Json::parse(program.call("check", "count", 1000, {"--json"}).out).at("findings").at(0);
  CHECK(finding.at("source_file") == "k.cu");
  CHECK(finding.at("source_line") == 2);
  CHECK(finding.at("calls").size() == 3);
  CHECK(finding.at("line") == 31);
}

TEST_CASE("CUDA lines: listings and statistics have the user's own lines") {
  CudaProgram program;
  Outcome listing = program.call("annotate", "count", 3);
  CHECK(listing.status == 0);
  CHECK_THAT(listing.out, StartsWith("kernel count(const float*, int*, int), 1 launch") &&
                              Contains("k.cu:2: atomicAdd(p + i, 1);") && !Contains("device_atomic_functions"));
  CHECK_THAT(program.call("annotate", "count", 3, {"--calls"}).out,
             Contains("inlined: device_atomic_functions.hpp:107, in atomicAdd(int*, int)"));
  Json statistics = Json::parse(program.call("run", "count", 3, {"--stats", "-", "--stats-per-instruction"}).out);
  const Json& launch = statistics.at("launches").at(0);
  CHECK(launch.at("kernel") == "_Z5countPKfPii");
  bool found = false;
  for (const Json& row : launch.at("instructions"))
    if (row.at("line") == 31) found = row.at("source") == "k.cu:2";
  CHECK(found);
  CHECK_THAT(program.call("run", "count", 3).out, Contains("  count(const float*, int*, int)  grid 1  block 32"));
  CHECK_THAT(program.call("trace", "count", 3, {"--warp", "0"}).out, Contains("k.cu:2  atom.global.add.u32"));
}

TEST_CASE("CUDA lines: --kernel takes the name that the author gave, if only one kernel has it") {
  TempFolder folder;
  const std::string ptx = folder.write("k.ptx", cuda_module());
  auto fill = [&](const std::string& kernel) {
    return warptime::test::warptime({"run", ptx, "--kernel", kernel, "--grid", "1", "--block", "1", "--buffer",
                                     "p=f32:4", "--arg", "p", "--machine", "generic", "--quiet"});
  };
  CHECK(fill("fill<float>").status == 0);
  CHECK(fill("fill<double>(double*)").status == 0);
  CHECK(fill("_Z4fillIfEvPT_").status == 0);
  Outcome several = fill("fill");
  CHECK(several.status == 2);
  CHECK_THAT(several.err, Contains("has 2 kernels \"fill\": which one?") &&
                              Contains("one of fill<float>(float*), fill<double>(double*)"));
  CHECK_THAT(fill("fil").err, Contains("did you mean \"fill\"?"));
  folder.write(
      "launch.yaml",
      "module: k.ptx\nbuffers:\n  p: {type: f32, count: 4}\nlaunches:\n  - kernel: fill<float>\n    grid: [1]\n "
      "   block: [1]\n    args: [p]\n");
  CHECK(warptime::test::warptime({"run", ptx.substr(0, ptx.rfind('/')) + "/launch.yaml", "--machine", "generic"})
            .status == 0);
}
