// Modules of which warptime supports a part, and files with several modules, in every command that reads them.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tools/run_program.h"

using namespace warptime::test;
using Catch::Contains;
using Json = nlohmann::ordered_json;

namespace {

Outcome call(std::vector<std::string> words) { return warptime::test::warptime(std::move(words)); }

const std::string kModuleHead = ".version 8.0\n.target sm_80\n.address_size 64\n";
const std::string kGood =
    ".visible .entry good(.param .u64 o) {\n .reg .b64 %rd<2>;\n ld.param.u64 %rd1, [o];\n st.global.u32 [%rd1], 7;\n"
    " ret;\n}\n";
const std::string kBad =
    ".visible .entry bad(.param .u64 o) {\n .reg .b32 %r<2>;\n multimem.st.global.u32 [%r1], %r1;\n ret;\n}\n";

std::vector<std::string> launch(std::string command, const std::string& file, const std::string& kernel) {
  return {std::move(command), file, "--kernel", kernel,    "--grid", "1",
          "--block",          "1",  "--buffer", "o=u32:1", "--arg",  "o"};
}

std::string module_for(const std::string& target, int value) {
  return "Fatbin ptx code:\n================\narch = " + target + "\n\n.version 9.0\n.target " + target +
         "\n.address_size 64\n.visible .entry k(.param .u64 o) {\n .reg .b64 %rd<2>;\n ld.param.u64 %rd1, [o];\n"
         " st.global.u32 [%rd1], " +
         std::to_string(value) + ";\n ret;\n}\n\n";
}

}  // namespace

TEST_CASE("an unsupported instruction is an error of its kernel, in every command") {
  TempFolder folder;
  const std::string file = folder.write("k.ptx", kModuleHead + kGood + kBad);
  for (const char* command : {"run", "check", "explain", "annotate", "trace", "model"}) {
    CAPTURE(command);
    Outcome good = call(launch(command, file, "good"));
    CHECK(good.status == 0);
    CHECK_THAT(good.err, !Contains("multimem"));
    Outcome bad = call(launch(command, file, "bad"));
    CHECK(bad.status == 2);
    CHECK_THAT(bad.err, Contains("kernel \"bad\" cannot run") &&
                            Contains("k.ptx:12:2: error: \"multimem.st\" is not supported: operations on the memory of "
                                     "several GPUs (multimem) are not simulated") &&
                            Contains("^~~~") && Contains("hint: it came with PTX 8.1"));
  }
  CHECK(call({"occupancy", file, "--kernel", "good", "--block", "32"}).status == 0);
  Outcome occupancy = call({"occupancy", file, "--kernel", "bad", "--block", "32"});
  CHECK(occupancy.status == 2);
  CHECK_THAT(occupancy.err, Contains("\"multimem.st\" is not supported"));
  const std::string plan = folder.write("l.yaml",
                                        "module: k.ptx\nbuffers: {o: {type: u32, count: 1}}\nlaunches:\n"
                                        "  - {kernel: good, grid: [1], block: [1], args: [o]}\n"
                                        "  - {kernel: bad, grid: [1], block: [1], args: [o]}\noutputs: {o: out.bin}\n");
  Outcome both = call({"run", plan});
  CHECK(both.status == 2);
  CHECK_THAT(both.err, Contains("kernel \"bad\" cannot run"));
}

TEST_CASE("ptx lists the kernels that cannot run, and fails if none can, or with --all if one cannot") {
  TempFolder folder;
  const std::string some = folder.write("some.ptx", kModuleHead + kGood + kBad),
                    none = folder.write("none.ptx", kModuleHead + kBad);
  Outcome lists = call({"ptx", some});
  CHECK(lists.status == 0);
  CHECK_THAT(lists.out, Contains("1 of 2 kernels cannot run: bad\n") &&
                            Contains("kernel bad\n  cannot run    line 12: \"multimem.st\" is not supported"));
  CHECK_THAT(lists.err, Contains("some.ptx:12:2: warning: \"multimem.st\" is not supported"));
  CHECK(call({"ptx", some, "--kernel", "good"}).status == 0);
  CHECK(call({"ptx", some, "--kernel", "bad"}).status == 2);
  Outcome all = call({"ptx", some, "--all"});
  CHECK(all.status == 2);
  CHECK_THAT(all.err, Contains("some.ptx:12:2: error: \"multimem.st\" is not supported"));
  CHECK(call({"ptx", none}).status == 2);
  CHECK(call({"ptx", some, "--native"}).status == 0);
  Json kernels = Json::parse(call({"ptx", some, "--json"}).out)["kernels"];
  CHECK(kernels[0]["cannot_run"].empty());
  CHECK(kernels[1]["cannot_run"][0]["line"] == 12);
}

TEST_CASE("of several modules in one file, the kernel and its target choose one") {
  TempFolder folder;
  const std::string one = folder.write("one.ptx", "\nFatbin elf code:\n================\n\n" + module_for("sm_75", 7));
  CHECK_THAT(call({"ptx", one}).out, Contains("kernel k\n"));
  const std::string file = folder.write("two.ptx", "\n" + module_for("sm_75", 75) + module_for("sm_80", 80));
  Outcome both = call({"ptx", file});
  CHECK(both.status == 0);
  CHECK_THAT(both.out, Contains("module 1 of 2: PTX 9.0 for sm_75") && Contains("module 2 of 2: PTX 9.0 for sm_80"));
  auto run = [&](const std::string& kernel) {
    std::vector<std::string> words = launch("run", file, kernel);
    words.insert(words.end(), {"--print", "o", "--quiet", "--machine", "generic"});
    return call(words);
  };
  CHECK_THAT(run("k@sm_75").out, Contains("75"));
  CHECK_THAT(run("k@sm_80").out, Contains("80"));
  CHECK_THAT(run("@sm_80").out, Contains("80"));
  CHECK_THAT(run("k@6").out, Contains("75"));
  Outcome which = run("k");
  CHECK(which.status == 2);
  CHECK_THAT(which.err, Contains("two.ptx\" holds 2 modules with kernel \"k\": sm_75 (line 6), sm_80 (line ") &&
                            Contains("name the kernel and its module: k@sm_75 or k@sm_80"));
  CHECK_THAT(run("k@sm_90").err, Contains("no module of"));
}

TEST_CASE("a final NUL, as nvrtc writes it, is not part of the PTX") {
  TempFolder folder;
  const std::string file = folder.write("k.ptx", kModuleHead + kGood + std::string(1, '\0'));
  CHECK(call(launch("run", file, "good")).status == 0);
}

TEST_CASE("values are passed at any address of a parameter") {
  TempFolder folder;
  const std::string file = folder.write(
      "k.ptx",
      kModuleHead +
          ".func (.param .b32 r) f(.param .align 8 .b8 a[16]) {\n .reg .b32 %r<2>;\n ld.param.b32 %r1, [a+6];\n"
          " st.param.b32 [r], %r1;\n ret;\n}\n.visible .entry k(.param .u64 o) {\n .reg .b64 %rd<3>;\n .reg .b32 "
          "%r<2>;\n"
          " ld.param.u64 %rd1, [o];\n mov.u64 %rd2, 0x1122334455667788;\n {\n .param .align 8 .b8 x[16];\n"
          " .param .b32 y;\n st.param.b64 [x+3], %rd2;\n call.uni (y), f, (x);\n ld.param.b32 %r1, [y];\n }\n"
          " st.global.u32 [%rd1], %r1;\n ret;\n}\n");
  std::vector<std::string> words = launch("run", file, "k");
  words.insert(words.end(), {"--print", "o", "--quiet", "--machine", "generic"});
  // Bytes 3 to 10 are 88 77 66 55 44 33 22 11; 6 to 9 are 55 44 33 22.
  CHECK_THAT(call(words).out, Contains(std::to_string(0x22334455)));
}

TEST_CASE("grid.sync() without a cooperative launch is named when it traps") {
  TempFolder folder;
  const std::string file = folder.write(
      "k.ptx", kModuleHead +
                   ".visible .entry k(.param .u64 o) {\n .reg .b32 %r<3>;\n .reg .pred %p;\n mov.u32 %r1, %envreg2;\n"
                   " mov.u32 %r2, %envreg1;\n or.b32 %r1, %r1, %r2;\n setp.ne.u32 %p, %r1, 0;\n @%p bra ok;\n "
                   "trap;\nok:\n ret;\n}\n");
  std::vector<std::string> words = launch("run", file, "k");
  words.insert(words.end(), {"--machine", "generic"});
  Outcome traps = call(words);
  CHECK(traps.status == 3);
  CHECK_THAT(traps.err, Contains("executed trap") && Contains("cooperative launch"));
}

TEST_CASE("occupancy from figures takes no shared memory by default") {
  Json without = Json::parse(call({"occupancy", "--registers", "10", "--block", "256", "--json"}).out);
  CHECK(without["shared_bytes_per_block"] == 0);
  CHECK(without["limiter"] != "shared memory");
}
