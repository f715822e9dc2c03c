// `warptime annotate`: the listing's columns add up to the launch's slots, on every workload; CUDA lines where .loc is.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tools/run_program.h"
#include "workloads/workload_run.h"

using namespace warptime::test;
using Catch::Contains;
using Json = nlohmann::ordered_json;

namespace {

uint64_t sum(const Json& stalls) {
  uint64_t out = 0;
  for (const Json& count : stalls) out += count.get<uint64_t>();
  return out;
}

void check_sums(const Json& kernel) {
  uint64_t issued = 0;
  std::map<std::string, uint64_t> stalls;
  for (const Json& line : kernel["lines"]) {
    issued += line["issued"].get<uint64_t>();
    for (const auto& [reason, count] : line["stalls"].items()) stalls[reason] += count.get<uint64_t>();
  }
  CHECK(issued == kernel["issue"]["issued"]);
  for (const auto& [reason, count] : kernel["issue"]["stalls"].items()) CHECK(stalls[reason] == count);
  CHECK(issued + sum(kernel["issue"]["stalls"]) == kernel["issue"]["slots"]);
  CHECK(kernel["issue"]["slots"] > 0);
}

}  // namespace

TEST_CASE("annotate: the columns add up to the launch's slots, on every workload", "[full]") {
  for (const ::warptime::Target& target : ::warptime::small_targets()) {
    std::string name = target.workload + (target.variant.empty() ? "" : ":" + target.variant);
    std::vector<std::string> words{"annotate", name, "--json", "--machine", target.machine};
    for (const std::string& parameter : target.parameters) words.insert(words.end(), {"--param", parameter});
    INFO(target.name());
    Outcome outcome = warptime::test::warptime(words);
    REQUIRE(outcome.status == 0);
    Json listings = Json::parse(outcome.out);
    CHECK(listings["machine"]["name"] == target.machine);
    REQUIRE_FALSE(listings["kernels"].empty());
    for (const Json& kernel : listings["kernels"]) check_sums(kernel);
  }
}

TEST_CASE("annotate: JSON says what it is of") {
  Json out = Json::parse(warptime::test::warptime({"annotate", "vecadd", "--param", "n=4096", "--json"}).out);
  Json run = Json::parse(warptime::test::warptime({"run", "vecadd", "--param", "n=4096", "--json"}).out);
  CHECK(out["schema"] == 1);
  CHECK(out["target"] == "vecadd");
  CHECK(out["machine"] == run["machine"]);
  REQUIRE(out["kernels"].size() == 1);
  check_sums(out["kernels"][0]);
}

TEST_CASE("annotate: executions, lanes, labels and the costliest lines") {
  Outcome outcome = warptime::test::warptime({"annotate", "matmul:tiled", "--param", "n=64"});
  CAPTURE(outcome.out);
  REQUIRE(outcome.status == 0);
  CHECK_THAT(outcome.out, Contains("kernel tiled_16, 1 launch: ") && Contains("$L__BB4_3:"));
  // 64 x 64 threads are 128 warps; four tiles of 16 steps each.
  CHECK_THAT(outcome.out, Contains(">         8192  32.0") && Contains("@%p2 bra $L__BB4_3;"));
  CHECK_THAT(outcome.out, Contains("no instruction   // drained"));
}

TEST_CASE("annotate: labels of lines with several instructions are those of the source") {
  TempFolder folder;
  std::string file = folder.write("k.ptx", R"(.version 7.0
.target sm_20
.address_size 64
.visible .entry k(.param .u64 a)
{
  .reg .u32 %t; .reg .pred %p;
  mov.u32 %t, %tid.x; setp.ge.u32 %p, %t, 99; @%p bra Skip;
  add.u32 %t, %t, 1; bra.uni Done;
Skip: add.u32 %t, %t, 2;
Done: ret;
}
)");
  std::vector<std::string> words{"annotate", file, "--machine", "geforce-gtx-480", "--grid", "1",
                                 "--block",  "32", "--buffer",  "a=u32:32",        "--arg",  "a"};
  Outcome outcome = warptime::test::warptime(words);
  CHECK_THAT(outcome.out, Catch::Contains("@%p bra Skip;") && Catch::Contains("bra.uni Done;"));
  CHECK_THAT(outcome.out, !Catch::Contains("$L"));
  words.emplace_back("--json");
  CHECK_THAT(warptime::test::warptime(words).out, Catch::Contains("@%p bra Skip;") && !Catch::Contains("$L"));
}

TEST_CASE("annotate: launches of a kernel are added up, CUDA lines stand between the PTX") {
  TempFolder folder;
  std::string cuda = folder.write("k.cu", "__global__ void k() {\n  first();\n  second();\n}\n");
  folder.write("k.ptx",
               ".version 6.4\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<4>;\n"
               ".loc 1 2 3\nmov.u32 %r1, %tid.x;\nadd.s32 %r2, %r1, 1;\n.loc 1 3 3\nadd.s32 %r3, %r2, 1;\n"
               "ret;\n}\n.file 1 \"" +
                   cuda + "\"\n");
  std::string file =
      folder.write("k.yaml", "module: k.ptx\nlaunches:\n  - {kernel: k, grid: [2], block: [32], repeat: 3}\n");
  Outcome outcome = warptime::test::warptime({"annotate", file});
  CAPTURE(outcome.out, outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK_THAT(outcome.out, Contains("kernel k, 3 launches: "));
  CHECK_THAT(outcome.out, Contains("k.cu:2: first();") && Contains("k.cu:3: second();"));
  CHECK(outcome.out.find("first()") < outcome.out.find("mov.u32"));
  CHECK(outcome.out.find("add.s32 %r2") < outcome.out.find("second()"));
  CHECK_THAT(outcome.out, Contains("6  32.0"));  // two warps, three times
}

TEST_CASE("annotate: a relative name of a CUDA source is looked for above the PTX file, then beside it") {
  TempFolder folder;
  std::filesystem::create_directories(folder.path("project/kernels/ptx"));
  const std::string module =
      ".version 6.4\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<4>;\n"
      ".loc 1 2 3\nmov.u32 %r1, %tid.x;\n.loc 2 1 3\nadd.s32 %r2, %r1, 1;\nret;\n}\n"
      ".file 1 \"kernels/k.cu\"\n.file 2 \"/nowhere/else.cuh\"\n";
  std::string file = folder.write("project/kernels/ptx/k.ptx", module);
  folder.write("project/kernels/k.cu", "__global__ void k() {\n  in_the_project();\n}\n");
  folder.write("project/kernels/ptx/else.cuh", "beside();\n");
  const std::vector<std::string> words{"annotate", file, "--grid", "1", "--block", "32"};
  Outcome outcome = warptime::test::warptime(words);
  CAPTURE(outcome.out, outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK_THAT(outcome.out, Contains("kernels/k.cu:2: in_the_project();") && Contains("/nowhere/else.cuh:1: beside();"));
  // The nearest folder counts.
  std::filesystem::create_directories(folder.path("project/kernels/ptx/kernels"));
  folder.write("project/kernels/ptx/kernels/k.cu", "\n  nearer();\n");
  CHECK_THAT(warptime::test::warptime(words).out, Contains("kernels/k.cu:2: nearer();"));
  // Neither is there: the lines have no text.
  std::string alone = folder.write("alone.ptx", module);
  CHECK_THAT(warptime::test::warptime({"annotate", alone, "--grid", "1", "--block", "32"}).out,
             Contains("kernels/k.cu:2") && !Contains("nearer"));
}

TEST_CASE("annotate: a statement of several lines is shown whole, on one") {
  TempFolder folder;
  std::string file = folder.write(
      "k.ptx",
      ".version 6.4\n.target sm_75\n.address_size 64\n"
      ".func (.param .b32 r) f(.param .b32 a, .param .b32 b)\n{\n.reg .b32 %r<4>;\nld.param.u32 %r1, [a];\n"
      "ld.param.u32 %r2, [b];\nadd.s32 %r3, %r1, %r2;\nst.param.b32 [r], %r3;\nret;\n}\n"
      ".visible .entry k()\n{\n.reg .b32 %r<4>;\nmov.u32 \t%r1, %tid.x;  // one line stays as it is\n"
      "{ // callseq 0, 0\n.param .b32 param0;\n.param .b32 param1;\nst.param.b32 [param0+0], %r1;\n"
      "st.param.b32 [param1+0], %r1;\n.param .b32 retval0;\ncall.uni (retval0), // comments go; and what is in them\n"
      "f,\n(\nparam0,\nparam1\n);\nld.param.b32 %r2, [retval0+0];\n}\nret;\n}\n");
  Outcome outcome = warptime::test::warptime({"annotate", file, "--kernel", "k", "--grid", "1", "--block", "32"});
  CAPTURE(outcome.out, outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK_THAT(outcome.out, Contains("  23    call.uni (retval0), f, (param0, param1);"));
  CHECK_THAT(outcome.out, Contains("  16    mov.u32 %r1, %tid.x;  // one line stays as it is"));
}

TEST_CASE("annotate: what it cannot do is bad input") {
  CHECK(warptime::test::warptime({"annotate"}).status == 2);
  CHECK(warptime::test::warptime({"annotate", "matmull"}).status == 2);
  CHECK(warptime::test::warptime({"annotate", "vecadd", "--json=/nonexistent/x"}).status == 2);
}

TEST_CASE("annotate shows the lines of device functions under their names") {
  std::string ptx = WARPTIME_SOURCE_DIR "/tests/unit/host/kernels/ptx/device_functions.ptx";
  std::vector<std::string> words{"annotate", ptx,        "--kernel", "functions", "--grid",   "1",        "--block",
                                 "32",       "--buffer", "o=s32:32", "--buffer",  "i=u32:32", "--buffer", "p=f32:160",
                                 "--buffer", "q=s64:32", "--arg",    "o",         "--arg",    "i",        "--arg",
                                 "p",        "--arg",    "q",        "--arg",     "s32=0"};
  Outcome outcome = warptime::test::warptime(words);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK_THAT(outcome.out, Contains("\nfunction _Z7collatzj\n") && Contains("setp.eq.s32"));
}
