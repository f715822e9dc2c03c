// Every kind of mistake a user can make, through the program itself: exit status, the place, and the words that matter.
// One row each; a PTX mistake is a one-line change of a kernel that runs.
#include <catch2/catch.hpp>

#include "tools/run_program.h"

using namespace warptime::test;
using Catch::Contains;

namespace {

// A kernel of 32-bit PTX 1.4 around `body` (its first line is line 10 of the file).
std::string kernel(const std::string& body) {
  return ".version 1.4\n"
         ".target sm_10\n"
         ".entry k (.param .u32 p, .param .u32 n) {\n"
         "  .reg .pred %p<4>;\n"
         "  .reg .u32 %r<8>;\n"
         "  .reg .f32 %f<4>;\n"
         "  .shared .align 4 .b8 tile[64];\n"
         "  ld.param.u32 %r1, [p];\n"
         "  mov.u32 %r2, %tid.x;\n" +
         body + "  exit;\n}\n";
}

const std::vector<std::string> kFlags{"--grid", "1", "--block", "64",     "--buffer",     "a=u32:64",
                                      "--arg",  "a", "--arg",   "u32=64", "--max-cycles", "200000"};

Outcome run_ptx(const std::string& text, const std::vector<std::string>& flags = kFlags) {
  TempFolder folder;
  std::vector<std::string> words{"run", folder.write("k.ptx", text), "--quiet"};
  words.insert(words.end(), flags.begin(), flags.end());
  return warptime::test::warptime(words);
}

Outcome run_launch_file(const std::string& launch_file) {
  TempFolder folder;
  folder.write("k.ptx", kernel("  st.global.u32 [%r1], %r2;\n"));
  return warptime::test::warptime({"run", folder.write("k.yaml", launch_file), "--quiet"});
}

void check(const Outcome& outcome, int status, const std::string& place, const std::string& message) {
  CAPTURE(outcome.err);
  CHECK(outcome.status == status);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err, Contains(place));
  CHECK_THAT(outcome.err, Contains("error: "));
  CHECK_THAT(outcome.err, Contains("^"));
  CHECK_THAT(outcome.err, Contains(message, Catch::CaseSensitive::No));
}

}  // namespace

TEST_CASE("the kernel that the mistakes are made in runs") {
  Outcome outcome = run_ptx(kernel("  st.global.u32 [%r1], %r2;\n"));
  CAPTURE(outcome.err);
  CHECK(outcome.status == 0);
}

TEST_CASE("PTX mistakes are exit 2 with place, line, caret and hint") {
  auto [body, place, message] = GENERATE(table<std::string, std::string, std::string>({
      {"  addd.u32 %r3, %r1, %r2;\n", "k.ptx:10:3", "\"add\""},         // unknown instruction
      {"  add.u33 %r3, %r1, %r2;\n", "k.ptx:10:6", ".u33"},             // illegal type
      {"  add.rn.u32 %r3, %r1, %r2;\n", "k.ptx:10:", ".rn"},            // illegal modifier
      {"  add.u32 %r3, %r1;\n", "k.ptx:10:", "operand"},                // wrong operand count
      {"  add.u32 %r3, %r1, %r2, %r2;\n", "k.ptx:10:", "operand"},      // too many
      {"  add.u32 %r9, %r1, %r2;\n", "k.ptx:10:11", "%r9"},             // undeclared register
      {"L: mov.u32 %r3, 1;\nL: mov.u32 %r3, 2;\n", "k.ptx:11:1", "L"},  // duplicate label
      {"  bra nowhere;\n", "k.ptx:10:7", "nowhere"},                    // missing label
      {"  add.f32 %f1, %f1, %r2;\n", "k.ptx:10:", "f32"},               // type mismatch
      {"  setp.lt.u32 %r3, %r1, %r2;\n", "k.ptx:10:", "pred"},          // type mismatch of a predicate
      {"  mov.u32 %r3, 1\n", "k.ptx:1", "expected"},                    // missing semicolon
      {"  sub.f32 %f1, %f2, 0f3F80000;\n", "k.ptx:10:", "0f3F80000"},   // short hex float
  }));
  check(run_ptx(kernel(body)), 2, place, message);
}

TEST_CASE("truncated and binary PTX files are exit 2") {
  std::string whole = kernel("  add.u32 %r3, %r1, %r2;\n");
  size_t cut = GENERATE(5, 20, 60, 150, 235, 240);
  Outcome outcome = run_ptx(whole.substr(0, cut));
  CAPTURE(cut, outcome.err);
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Contains("error: "));

  std::string binary = whole;
  binary[120] = '\0';
  binary[121] = '\xff';
  CHECK(run_ptx(binary).status == 2);
  CHECK(run_ptx("\x7f"
                "ELF\x02\x01\x01")
            .status == 2);
  CHECK(run_ptx("").status == 2);
}

TEST_CASE("several mistakes are told in one run") {
  Outcome outcome = run_ptx(kernel("  addd.u32 %r3, %r1, %r2;\n  add.u32 %r9, %r1, %r2;\n"));
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Contains("k.ptx:10:3") && Contains("k.ptx:11:11") && Contains("2 errors"));
}

TEST_CASE("machine files and --set are strict") {
  TempFolder folder;
  auto [yaml, place, message] = GENERATE(table<std::string, std::string, std::string>({
      {"chip:\n  tpsc: 4\n", "m.yaml:2:3", "tpcs"},                        // unknown key, nearest one named
      {"chip:\n  tpcs: 0\n", "m.yaml:2:9", "1 to 256"},                    // out of range
      {"chip:\n  tpcs: many\n", "m.yaml:2:9", "number"},                   // wrong type
      {"chip:\n  tpcs: 4x\n", "m.yaml:2:9", "4x"},                         // trailing junk
      {"chip:\n  tpcs: 4\n  tpcs: 5\n", "m.yaml:3:3", "tpcs"},             // duplicate key
      {"extends: geforce-8800-gtz\n", "m.yaml:1:10", "geforce-8800-gtx"},  // unknown parent
      {"issue:\n  policy: round_robbin\n", "m.yaml:2:11", "round_robin"},  // unknown word
      {"chip: [\n", "m.yaml:", "error"},                                   // no YAML
  }));
  std::string file = folder.write("m.yaml", yaml);
  check(warptime::test::warptime({"machine", "show", file}), 2, place, message);
}

TEST_CASE("names of variants and machines are pointed at on the command line") {
  check(warptime::test::warptime({"run", "matmul:foo"}), 2, "command line:1:14", "no variant \"foo\"");
  check(warptime::test::warptime({"run", "vecadd", "--machine", "g80"}), 2, "command line:1:31", "no machine \"g80\"");
}

TEST_CASE("a missing file is pointed at where the user named it, with the nearest one that is there") {
  TempFolder folder;
  std::string file = folder.write("saxpy.ptx", kernel("")), dir = file.substr(0, file.rfind('/') + 1);
  folder.write("stats.json", "{}");
  folder.write("machine.yaml", "extends: geforce-8800-gtx\n");
  const std::vector<std::pair<std::vector<std::string>, std::string>> rows{
      {{"run", dir + "saxpi.ptx", "--grid", "1", "--block", "32"}, "did you mean \"" + file + "\"?"},
      {{"run", dir + "saxpy.yaml"}, "did you mean the workload \"saxpy\"?"},
      {{"run", "nowhere/vecadd.yaml"}, "there is no folder \"nowhere\""},
      {{"run", "vecad.ptx"}, "did you mean the workload \"vecadd\"?"},
      {{"annotate", "vecad.ptx"}, "did you mean the workload \"vecadd\"?"},
      {{"trace", "vecad.yaml"}, "did you mean the workload \"vecadd\"?"},
      {{"sweep", "vecad.yaml", "--set", "chip.tpcs=1,2"}, "did you mean the workload \"vecadd\"?"},
      {{"ptx", dir + "saxpy.pt"}, "did you mean \"" + file + "\"?"},
      {{"occupancy", dir + "saxp.ptx", "--block", "32"}, "did you mean \"" + file + "\"?"},
      {{"compare", dir + "stat.json", dir + "stats.json"}, "did you mean \"" + dir + "stats.json\"?"},
      {{"machine", "show", dir + "machin.yaml"}, "did you mean \"" + dir + "machine.yaml\"?"},
      {{"validate", dir + "machin.yaml"}, "did you mean \"" + dir + "machine.yaml\"?"},
      {{"machine", "show", "tesla-c86.yaml"}, "did you mean the machine \"tesla-c870\"?"},
  };
  for (const auto& [words, hint] : rows) {
    size_t at = words[0] == "machine" ? 2 : 1;  // `machine show FILE`
    size_t column = std::string("warptime  ").size() + words[0].size() + (at == 2 ? words[1].size() + 1 : 0) + 1;
    std::string place = "command line:1:" + std::to_string(column) + ": error: cannot read \"" + words[at] + "\"";
    check(warptime::test::warptime(words), 2, place, hint);
  }
}

TEST_CASE("a missing machine file and the grid that a PTX file needs are pointed at, too") {
  check(warptime::test::warptime({"run", "vecadd", "--machine", "nowhere.yaml"}), 2, "command line:1:31",
        "cannot read \"nowhere.yaml\"");
  TempFolder folder;
  check(warptime::test::warptime({"run", folder.write("k.ptx", kernel(""))}), 2, "command line:1:14", "needs --grid");
}

TEST_CASE("a file that a launch file names and that is missing is pointed at there") {
  check(run_launch_file("module: kk.ptx\nlaunches:\n  - {kernel: k, grid: [1], block: [1]}\n"), 2, "k.yaml:1:9",
        "k.ptx\"?");
  check(run_launch_file("module: k.ptx\nbuffers:\n  a: {type: u8, file: k.pt}\nlaunches:\n"
                        "  - {kernel: k, grid: [1], block: [1]}\n"),
        2, "k.yaml:3:23", "k.ptx\"?");
}

TEST_CASE("launch files are strict") {
  const std::string head = "module: k.ptx\nbuffers:\n  a: {type: u32, count: 64}\nlaunches:\n";
  auto [launch, place, message] = GENERATE(table<std::string, std::string, std::string>({
      {"  - {kernel: k, grid: [1], block: [64], args: [b, {u32: 1}]}\n", "k.yaml:5:", "\"b\""},   // missing buffer
      {"  - {kernel: k, grid: [1], block: [64], args: [a]}\n", "k.yaml:5:", "argument"},          // wrong count
      {"  - {kernel: k, grid: [1], block: [64], args: [a, {f32: 1.0}]}\n", "k.yaml:5:", "f32"},   // wrong type
      {"  - {kernel: k, grid: [1], block: [64], args: [a, {u32: 1.5}]}\n", "k.yaml:5:", "1.5"},   // wrong value
      {"  - {kernel: kk, grid: [1], block: [64], args: [a, {u32: 1}]}\n", "k.yaml:5:", "\"k\""},  // unknown kernel
      {"  - {kernel: k, gird: [1], block: [64], args: [a, {u32: 1}]}\n", "k.yaml:5:", "grid"},    // unknown key
      {"  - {kernel: k, grid: [1], block: [64], registers_per_thread: 500, args: [a, {u32: 1}]}\n",
       "k.yaml:5:", "registers"},
  }));
  check(run_launch_file(head + launch), 2, place, message);
}

TEST_CASE("launches beyond the machine are exit 2 and name the limit") {
  const std::string good = kernel("  st.global.u32 [%r1], %r2;\n");
  auto [flags, message] = GENERATE(table<std::vector<std::string>, std::string>({
      {{"--grid", "70000", "--block", "64"}, "65535"},
      {{"--grid", "1,1,2", "--block", "64"}, "grid"},
      {{"--grid", "1", "--block", "513"}, "512"},
      {{"--grid", "1", "--block", "1,1,65"}, "64"},
      {{"--grid", "1,0", "--block", "64"}, "grid"},
      {{"--grid", "1", "--block", "512", "--registers", "17"}, "registers"},  // 16 warps x 32 x 17 = 8704 > 8192
      {{"--grid", "1", "--block", "64", "--shared", "16384"}, "shared"},      // and the header does not fit beside it
      {{"--grid", "x", "--block", "64"}, "grid"},
      {{"--grid", "1"}, "--block"},
  }));
  std::vector<std::string> all = flags;
  all.insert(all.end(), {"--buffer", "a=u32:64", "--arg", "a", "--arg", "u32=64"});
  Outcome outcome = run_ptx(good, all);
  CAPTURE(flags, outcome.err);
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Contains("error: ") && Contains(message));
}

TEST_CASE("flags of a bare PTX file point into themselves") {
  const std::string good = kernel("  st.global.u32 [%r1], %r2;\n");
  auto [flags, message] = GENERATE(table<std::vector<std::string>, std::string>({
      {{"--arg", "a", "--arg", "u32=64"}, "\"a\""},                             // no such buffer
      {{"--buffer", "a=u32:64", "--arg", "a"}, "argument"},                     // too few
      {{"--buffer", "a=u32:64", "--arg", "a", "--arg", "f32=1"}, "f32"},        // wrong type
      {{"--buffer", "a=u32:64", "--arg", "a", "--arg", "u32=-1"}, "-1"},        // wrong value
      {{"--buffer", "a=u33:64", "--arg", "a", "--arg", "u32=1"}, "u33"},        // unknown type
      {{"--buffer", "a=u32:x", "--arg", "a", "--arg", "u32=1"}, "x"},           // no count
      {{"--buffer", "a=u32:64:ones", "--arg", "a", "--arg", "u32=1"}, "ones"},  // unknown filling
      {{"--buffer", "a=u32:64:@/nonexistent", "--arg", "a", "--arg", "u32=1"}, "/nonexistent"},
      {{"--buffer", "a=u32:64", "--arg", "a", "--arg", "u32=1", "--output", "b=/tmp/x"}, "\"b\""},
      {{"--buffer", "a=u32:64", "--arg", "a", "--arg", "u32=1", "--output", "a=/nonexistent/x"}, "/nonexistent/x"},
      {{"--buffer", "a=u32:300000000", "--arg", "a", "--arg", "u32=1"}, "memory"},  // 1.2 GB of 768 MB
      {{"--buffer", "a=u32:64", "--arg", "a", "--arg", "u32=1", "--kernel", "kk"}, "kk"},
  }));
  std::vector<std::string> all{"--grid", "1", "--block", "64"};
  all.insert(all.end(), flags.begin(), flags.end());
  Outcome outcome = run_ptx(good, all);
  CAPTURE(flags, outcome.err);
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Contains("error: ") && Contains(message));
}

TEST_CASE("an instruction that the machine lacks is exit 2 with its line") {
  std::string text =
      ".version 1.4\n.target sm_13\n.entry k {\n  .reg .f64 %d<3>;\n  add.rn.f64 %d1, %d2, %d2;\n  exit;\n}\n";
  check(run_ptx(text, {"--grid", "1", "--block", "32"}), 2, "k.ptx:5:3",
        "\"add.rn.f64\" needs a machine with the feature f64 (double precision arithmetic)");
  CHECK_THAT(
      run_ptx(text, {"--grid", "1", "--block", "32"}).err,
      Contains("hint: machines with it: a100-sxm, geforce-gtx-280, geforce-gtx-480, generic, h100-sxm, h200-sxm, "
               "jetson-tk1, rtx-3070, rtx-4090, t4, tesla-c1060, v100-sxm; without it, map_f64"));
  CHECK(run_ptx(text, {"--grid", "1", "--block", "32", "--machine", "tesla-c1060"}).status == 0);
  // A feature is told once, with its first line.
  text =
      ".version 1.4\n.target sm_13\n.entry k {\n  .reg .f64 %d<3>;\n  neg.f64 %d1, %d2;\n  abs.f64 %d1, %d1;\n  "
      "exit;\n}\n";
  Outcome twice = run_ptx(text, {"--grid", "1", "--block", "32"});
  check(twice, 2, "k.ptx:5:3", "(double precision arithmetic); 1 more need it");
  CHECK_THAT(twice.err, !Contains("k.ptx:6"));
  // Data move as on any machine: 64 bits are 64 bits.
  text = ".version 1.4\n.target sm_13\n.entry k {\n  .reg .f64 %d<3>;\n  mov.f64 %d1, %d2;\n  exit;\n}\n";
  CHECK(run_ptx(text, {"--grid", "1", "--block", "32"}).status == 0);
}

TEST_CASE("an instruction whose feature the machine lacks names both, a machine that has it runs it") {
  TempFolder folder;
  std::string file = folder.write("k.ptx",
                                  ".version 6.4\n.target sm_75\n.address_size 64\n"
                                  ".visible .entry k() {\n  bar.arrive 0, 64;\n  ret;\n}\n");
  std::vector<std::string> words{"run", file, "--grid", "1", "--block", "64", "--quiet"};
  check(warptime::test::warptime(words), 2, "k.ptx:5:3",
        "\"bar.arrive\" needs a machine with the feature barrier_reduction");
  words.insert(words.end(), {"--machine", "generic"});
  CHECK(warptime::test::warptime(words).status == 0);
}

TEST_CASE("barrier.sync runs wherever bar.sync does") {
  TempFolder folder;
  std::string file =
      folder.write("k.ptx",
                   ".version 7.8\n.target sm_75\n.address_size 64\n"
                   ".visible .entry k() {\n  barrier.sync 0;\n  barrier.cta.sync.aligned 1, 64;\n  ret;\n}\n");
  for (const char* machine : {"geforce-8800-gtx", "tesla-c1060", "jetson-tk1", "generic"}) {
    Outcome outcome =
        warptime::test::warptime({"run", file, "--grid", "1", "--block", "64", "--quiet", "--machine", machine});
    CAPTURE(machine, outcome.err);
    CHECK(outcome.status == 0);
  }
}

TEST_CASE("faults of the simulated program are exit 3 with line, block, thread, address and cycle") {
  // Thread 63 of the block of 64 is the first beyond what each kernel may touch, or the one that misbehaves.
  auto [body, place, message] = GENERATE(table<std::string, std::string, std::string>({
      {"  shl.b32 %r3, %r2, 3;\n  add.u32 %r3, %r3, %r1;\n  ld.global.u32 %r4, [%r3];\n", "k.ptx:12:3",
       "thread (32,0,0)"},  // 8 bytes per thread: thread 32 is past 256 bytes
      {"  mov.u32 %r3, 0;\n  st.global.u32 [%r3], %r2;\n", "k.ptx:11:3", "address 0x0"},
      {"  add.u32 %r3, %r1, 2;\n  ld.global.u32 %r4, [%r3];\n", "k.ptx:11:3", "aligned"},
      {"  mov.u32 %r3, 65000;\n  st.shared.u32 [%r3], %r2;\n", "k.ptx:11:3", "shared"},
      // Warp 0 waits at one barrier, warp 1 at another: neither can ever be reached by the other.
      {"  setp.lt.u32 %p1, %r2, 32;\n  @%p1 bra A;\n  bar.sync 1;\n  bra B;\nA: bar.sync 0;\nB: mov.u32 %r3, 0;\n",
       "k.ptx:", "barrier"},
  }));
  Outcome outcome = run_ptx(kernel(body));
  check(outcome, 3, place, message);
  CHECK_THAT(outcome.err, Contains("block (0,0,0)") && Contains("cycle "));
}

TEST_CASE("a fault of an atomic operation calls it that") {
  auto fault_of = [](const std::string& address) {
    std::string text =
        ".version 6.4\n.target sm_75\n.address_size 64\n.visible .entry k() {\n  .reg .u64 %rd<2>;\n  .reg .u32 "
        "%r<2>;\n"
        "  mov.u64 %rd1, " +
        address + ";\n  atom.global.add.u32 %r1, [%rd1], 1;\n  ret;\n}\n";
    return run_ptx(text, {"--grid", "1", "--block", "32", "--machine", "generic"});
  };
  check(fault_of("0"), 3, "k.ptx:8:3", "out-of-bounds atomic operation of 4 bytes in global memory");
  check(fault_of("2"), 3, "k.ptx:8:3", "misaligned atomic operation of 4 bytes in global memory");
}

TEST_CASE("lines that end in a carriage return alone are counted") {
  Outcome outcome = run_ptx(".version 6.4\r.target sm_75\r.address_size 64\r// c\r\n.entry k() {\r  bad.u32;\r}\r",
                            {"--grid", "1", "--block", "32"});
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Contains("k.ptx:6:3: error: ") && Contains("     6 |   bad.u32;\n"));
}

TEST_CASE("names from outside cannot upset a terminal, nor fill it") {
  TempFolder folder;
  std::string machine = folder.write("m.yaml", "\"\\e[2Jkey\": 1\n");
  Outcome outcome = warptime::test::warptime({"machine", "show", machine});
  check(outcome, 2, "m.yaml:1:1", "unknown key \"\\x1b[2Jkey\"");
  outcome = warptime::test::warptime({"run", "no\x1b[31mne" + std::string(200, 'x')});
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Contains("there is no workload \"no\\x1b[31mne") && Contains("...\"") && !Contains("\x1b") &&
                              !Contains(std::string(61, 'x') + "\""));
  // On standard output, too: a buffer's name in the summary of a failed check.
  folder.write("k.ptx", ".version 6.4\n.target sm_75\n.address_size 64\n.visible .entry k() {\n  ret;\n}\n");
  std::string launch = folder.write("l.yaml",
                                    "module: k.ptx\nbuffers:\n  \"\\e[31mb\": {type: u32, count: 4}\n"
                                    "launches:\n  - {kernel: k, grid: [1], block: [32]}\n"
                                    "expect:\n  \"\\e[31mb\": {file: e.bin, max_abs_error: 0}\n");
  folder.write("e.bin", std::string(16, '\1'));
  outcome = warptime::test::warptime({"run", launch});
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.out, Contains("\\x1b[31mb") && !Contains("\x1b"));
}

TEST_CASE("WARPTIME_ISA is an instruction set that the host has") {
  Outcome wrong = warptime::test::warptime({"list", "machines"}, {{"WARPTIME_ISA", "zzz"}});
  CHECK(wrong.status == 2);
  CHECK_THAT(wrong.err, Contains("error: WARPTIME_ISA is \"zzz\"") && Contains("hint: available: baseline"));
  for (const char* legal : {"baseline", ""})
    CHECK(warptime::test::warptime({"list", "machines"}, {{"WARPTIME_ISA", legal}}).status == 0);
}

TEST_CASE("an endless loop ends at --max-cycles with exit 3") {
  Outcome outcome = run_ptx(kernel("L: bra L;\n"));
  CAPTURE(outcome.err);
  CHECK(outcome.status == 3);
  CHECK_THAT(outcome.err, Contains("200000") && Contains("warp 1: "));
}

TEST_CASE("without time --max-cycles counts warp instructions") {
  for (const std::vector<std::string>& how : {std::vector<std::string>{"--functional"}, {"--machine", "generic"}}) {
    std::vector<std::string> flags = kFlags;
    flags.insert(flags.end(), how.begin(), how.end());
    Outcome outcome =
        run_ptx(kernel("L: ld.global.u32 %r3, [%r1];\n  add.u32 %r3, %r3, 1;\n  st.global.u32 [%r1], %r3;\n"
                       "  bra L;\n"),
                flags);
    CAPTURE(outcome.err);
    CHECK(outcome.status == 3);
    CHECK_THAT(outcome.err, Contains("200000 warp instructions") && Contains("warp 1: runs, PTX line 1"));
  }
}

TEST_CASE("a result that differs from what is expected is exit 1") {
  TempFolder folder;
  folder.write("k.ptx", kernel("  shl.b32 %r3, %r2, 2;\n  add.u32 %r3, %r3, %r1;\n  st.global.u32 [%r3], %r2;\n"));
  folder.write("zeros.bin", std::string(256, '\0'));
  std::string file = folder.write("k.yaml",
                                  "module: k.ptx\nbuffers:\n  a: {type: u32, count: 64}\nlaunches:\n"
                                  "  - {kernel: k, grid: [1], block: [64], args: [a, {u32: 64}]}\n"
                                  "expect:\n  a: {file: zeros.bin, max_abs_error: 0}\n");
  Outcome outcome = warptime::test::warptime({"run", file, "--quiet"});
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.err, Contains("error: result a differs from the reference"));
  CHECK(warptime::test::warptime({"run", file, "--quiet", "--no-check"}).status == 0);
}
