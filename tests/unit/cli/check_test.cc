// `warptime check`: text, JSON and exit status of a run with findings and without; bad options.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tools/run_program.h"

using namespace warptime::test;
using Catch::Contains;
using Json = nlohmann::ordered_json;

namespace {

const char* const kBeyond = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 x)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  mov.u32 %r1, %tid.x;
  ld.param.u64 %rd1, [x];
  mad.wide.u32 %rd2, %r1, 4, %rd1;
  ld.global.u32 %r2, [%rd2];
  st.global.u32 [%rd2], %r2;
  ret;
}
)";

Outcome check_ptx(const TempFolder& folder, std::vector<std::string> more) {
  std::vector<std::string> words{"check",     folder.write("k.ptx", kBeyond),
                                 "--grid",    "1",
                                 "--block",   "70",
                                 "--buffer",  "x=u32:64",
                                 "--arg",     "x",
                                 "--machine", "generic"};
  words.insert(words.end(), more.begin(), more.end());
  return warptime::test::warptime(words);
}

}  // namespace

TEST_CASE("check: findings are printed like faults and end with exit status 3") {
  TempFolder folder;
  Outcome out = check_ptx(folder, {});
  CHECK(out.status == 3);
  CHECK_THAT(out.out,
             Contains("k.ptx:11:3: error: memcheck: out-of-bounds load of 4 bytes in global memory, block (0,0,0) "
                      "thread (64,0,0), address 0x10100 [out_of_bounds_global]") &&
                 Contains("   11 |   ld.global.u32 %r2, [%rd2];") && Contains("0 bytes past the end of \"x\"") &&
                 Contains("6 times; this is the first") && Contains("on generic: 2 errors"));
}

TEST_CASE("check: JSON has every finding") {
  TempFolder folder;
  Outcome out = check_ptx(folder, {"--json"});
  CHECK(out.status == 3);
  Json document = Json::parse(out.out);
  CHECK(document["complete"] == true);
  REQUIRE(document["findings"].size() == 2);
  const Json& finding = document["findings"][0];
  CHECK(finding["tool"] == "memcheck");
  CHECK(finding["kind"] == "out_of_bounds_global");
  CHECK(finding["severity"] == "error");
  CHECK(finding["line"] == 11);
  CHECK(finding["kernel"] == "k");
  CHECK(finding["block"] == Json({0, 0, 0}));
  CHECK(finding["thread"] == Json({64, 0, 0}));
  CHECK(finding["address"] == 0x10100);
  CHECK(finding["buffer"] == "x");
  CHECK(finding["count"] == 6);
  CHECK(finding["other"].is_null());
}

TEST_CASE("check: another tool leaves the fault to the launch") {
  TempFolder folder;
  Outcome out = check_ptx(folder, {"--tool", "synccheck", "--json"});
  CHECK(out.status == 3);
  Json document = Json::parse(out.out);
  CHECK(document["complete"] == false);
  REQUIRE(document["findings"].size() == 1);
  CHECK(document["findings"][0]["tool"] == "launch");
  CHECK(document["findings"][0]["kind"] == "fault");
}

TEST_CASE("check: a clean program ends as run does and threads change nothing") {
  std::vector<std::string> words{"check", "matmul:tiled", "--param", "n=32", "--json"};
  Outcome one = warptime::test::warptime(words);
  words.insert(words.end(), {"--threads", "3"});
  Outcome three = warptime::test::warptime(words);
  CHECK(one.status == 0);
  CHECK(one.out == three.out);
  CHECK(Json::parse(one.out)["findings"].empty());
  CHECK(warptime::test::warptime({"check", "matmul:tiled", "--param", "n=32", "--quiet"}).out.empty());
}

TEST_CASE("check: a warning alone does not change the exit status") {
  TempFolder folder;
  std::string ptx = kBeyond;
  ptx.replace(ptx.find("st.global.u32 [%rd2], %r2;"), 26, "st.global.u32 [%rd1], 1;");
  Outcome out =
      warptime::test::warptime({"check", folder.write("k.ptx", ptx), "--grid", "2", "--block", "1", "--buffer",
                                "x=u32:64", "--arg", "x", "--machine", "generic", "--tool", "racecheck"});
  CHECK(out.status == 3);  // the load races as well
  ptx.replace(ptx.find("ld.global.u32"), 13, "mov.u32 %r2, 1; //");
  out = warptime::test::warptime({"check", folder.write("w.ptx", ptx), "--grid", "2", "--block", "1", "--buffer",
                                  "x=u32:64", "--arg", "x", "--machine", "generic", "--tool", "racecheck"});
  CHECK(out.status == 0);
  CHECK_THAT(out.out, Contains("warning: racecheck: a write of 0x1 in global memory, and a write of 0x1 in line 12") &&
                          Contains("[race_same_value_global]") && Contains("1 warning"));
}

TEST_CASE("check: bad options") {
  Outcome tool = warptime::test::warptime({"check", "vecadd", "--tool", "memchek"});
  CHECK(tool.status == 2);
  CHECK_THAT(tool.err, Contains("memcheck"));
  CHECK(warptime::test::warptime({"check"}).status == 2);
  CHECK(warptime::test::warptime({"check", "vecadd", "--functional"}).status == 2);
  CHECK(warptime::test::warptime({"check", "vecadd", "--stats", "x.json"}).status == 2);
  Outcome help = warptime::test::warptime({"check", "--help"});
  CHECK(help.status == 0);
  CHECK_THAT(help.out, Contains("racecheck") && Contains("docs/checkers.md"));
}

TEST_CASE("run: --check-memory and its like find what check does, and end with its exit status") {
  TempFolder folder;
  auto run_ptx = [&](std::vector<std::string> more) {
    std::vector<std::string> words{
        "run", folder.write("k.ptx", kBeyond), "--grid", "1", "--block", "70", "--buffer", "x=u32:64", "--arg", "x"};
    words.insert(words.end(), more.begin(), more.end());
    return warptime::test::warptime(words);
  };
  Outcome found = run_ptx({"--machine", "generic", "--quiet", "--check-memory"});
  CHECK(found.status == 3);
  CHECK(found.out.empty());
  CHECK_THAT(found.err,
             Contains("k.ptx:11:3: error: memcheck: out-of-bounds load") && Contains("6 times; this is the first"));
  // A wrong access that no checker follows is a fault; those that are there find nothing.
  for (const char* option : {"--check-init", "--check-races", "--check-sync"}) {
    Outcome other = run_ptx({"--machine", "generic", "--quiet", option});
    CAPTURE(option, other.err);
    CHECK(other.status == 3);
    CHECK_THAT(other.err, !Contains("memcheck"));
  }
  Outcome clean = warptime::test::warptime({"run", "vecadd", "--param", "n=100", "--check-memory", "--check-init",
                                            "--check-races", "--check-sync", "--json"});
  CHECK(clean.status == 0);
  CHECK(clean.err.empty());
  CHECK(Json::parse(clean.out)["total"]["cycles"].is_null());
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--sample"}, {"--interval", "10=x.csv"}, {"--checkpoint-at", "5", "x"}}) {
    std::vector<std::string> words{"run", "vecadd", "--check-races"};
    words.insert(words.end(), more.begin(), more.end());
    Outcome refused = warptime::test::warptime(words);
    CHECK(refused.status == 2);
    CHECK_THAT(refused.err, Contains("and --check-races exclude each other"));
  }
}

namespace {

/// Thread i writes y[i] = 2 x[i] if i < n.
const char* const kScale = R"(.version 7.0
.target sm_70
.address_size 64
.file 1 "scale.cu"
.visible .entry scale(.param .u64 x, .param .u64 y, .param .u32 n)
{
  .reg .b32 %r<8>;
  .reg .b64 %rd<6>;
  .reg .pred %p<2>;
  .loc 1 3 3
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r4, %r2, %r3, %r1;
  ld.param.u32 %r5, [n];
  setp.ge.u32 %p1, %r4, %r5;
  @%p1 bra END;
  .loc 1 4 3
  ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y];
  mad.wide.u32 %rd3, %r4, 4, %rd1; mad.wide.u32 %rd4, %r4, 4, %rd2;
  ld.global.u32 %r6, [%rd3];
  shl.b32 %r6, %r6, 1;
  st.global.u32 [%rd4], %r6;
END:
  ret;
}
)";

/// Each block writes its number to the place in which it comes.
const char* const kLucky = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 x)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  mov.u32 %r1, %ctaid.x;
  ld.param.u64 %rd1, [x];
  atom.global.add.u32 %r2, [%rd1], 1;
  mad.wide.u32 %rd2, %r2, 4, %rd1;
  st.global.u32 [%rd2+4], %r1;
  ret;
}
)";

Json findings_of(const Outcome& out) { return Json::parse(out.out)["findings"]; }

}  // namespace

TEST_CASE("check: without --machine it runs on generic") {
  TempFolder folder;
  std::string ptx = kBeyond;
  ptx.replace(ptx.find("ld.global.u32 %r2, [%rd2];"), 26, "atom.global.add.u64 %rd3, [%rd1], 1; mov.u32 %r2, 1;");
  Outcome out = warptime::test::warptime({"check", folder.write("k.ptx", ptx), "--grid", "1", "--block", "1",
                                          "--buffer", "x=u32:64", "--arg", "x", "--json"});
  CHECK(out.status == 0);
  CHECK(Json::parse(out.out)["machine"]["name"] == "generic");
  CHECK_THAT(warptime::test::warptime({"check", "--help"}).out, Catch::Matches("[^]*default\\s+generic[^]*"));
}

TEST_CASE("check: a grid that leaves out the end of a buffer is noted") {
  TempFolder folder;
  const std::string file = folder.write("scale.ptx", kScale);
  auto findings = [&](const std::string& grid, const std::string& n, const std::string& y) {
    Outcome out =
        warptime::test::warptime({"check", file, "--grid", grid, "--block", "256", "--buffer", "x=u32:1000:iota",
                                  "--buffer", "y=u32:" + y, "--arg", "x", "--arg", "y", "--arg", "u32=" + n, "--json"});
    CHECK(out.status == 0);
    return findings_of(out);
  };
  const Json found = findings("3", "1000", "1000");
  REQUIRE(found.size() == 1);
  CHECK(found[0]["severity"] == "note");
  CHECK(found[0]["kind"] == "grid_too_small");
  CHECK(found[0]["variable"] == "y[768]");
  CHECK(found[0]["source_file"] == "scale.cu");
  CHECK(found[0]["source_line"] == 4);
  CHECK(found[0]["remedy"] == "4 blocks: 1000 elements / 256 threads, rounded up");
  CHECK(findings("4", "1000", "1000").empty());
  CHECK(findings("3", "768", "1000").empty());  // so many are meant
  CHECK(findings("3", "1000", "2000").empty());
}

TEST_CASE("check: --adversarial gives each seed another order and the same one every time") {
  TempFolder folder;
  const std::string file = folder.write("k.ptx", kLucky);
  // The blocks' numbers in the order in which they came.
  auto order = [&](const std::string& seed) {
    Outcome out = warptime::test::warptime({"check", file, "--grid", "16", "--block", "1", "--buffer", "x=u32:17",
                                            "--arg", "x", "--tool", "memcheck", "--adversarial", seed, "--print", "x"});
    CHECK(out.status == 0);
    return out.out;
  };
  const std::string one = order("1");
  CHECK(one == order("1"));
  CHECK(one != order("2"));
  Outcome json = warptime::test::warptime({"check", "vecadd", "--param", "n=100", "--adversarial", "5", "--json"});
  CHECK(Json::parse(json.out)["adversarial"] == 5);
  CHECK(warptime::test::warptime({"check", "vecadd", "--adversarial", "x"}).status == 2);
}

TEST_CASE("check: programs that rely on no order give their results in every order") {
  for (const char* target : {"reduce:sequential", "histogram", "matmul:tiled"})
    for (const char* seed : {"1", "2", "3"}) {
      CAPTURE(target, seed);
      std::vector<std::string> words{"check", target, "--adversarial", seed, "--json"};
      if (std::string(target) == "matmul:tiled") words.insert(words.end(), {"--param", "n=32"});
      else words.insert(words.end(), {"--param", "n=4096"});
      CHECK(warptime::test::warptime(words).status == 0);
    }
}
