// What findings name besides their place: the variable with its element, the CUDA lines of both accesses, and what
// would mend it; and that one missing barrier is one finding.
#include "unit/debug/check/check_run.h"

namespace warptime::debug {

namespace {

const std::string kFile = ".file 1 \"k.cu\"\n";

/// A statement of CUDA line `line`.
std::string at(int line, const std::string& body) { return fmt::format(".loc 1 {} 1\n{}\n", line, body); }

/// %r2: the address of word %r0 of part.
const std::string kOwnWord = "mov.u32 %r4, part; shl.b32 %r5, %r0, 2; and.b32 %r5, %r5, 127; add.u32 %r2, %r4, %r5;\n";

std::vector<Finding> found(const std::string& body, CheckRun run = {.threads = 32}, const std::string& more = "") {
  return check(body, run, kFile + more).findings;
}

}  // namespace

TEST_CASE(
    "check: an unrolled loop without a barrier is one finding with both CUDA lines and the place of the barrier") {
  std::string reads;
  for (int i = 0; i < 15; ++i) reads += fmt::format("ld.shared.u32 %r6, [part+{}];\n", 4 * i);
  const std::vector<Finding> findings =
      found("mov.u32 %r4, part; shr.u32 %r5, %r0, 1; shl.b32 %r5, %r5, 2; add.u32 %r2, %r4, %r5;\n" +
                at(6, "st.shared.u32 [%r2], %r0;") + at(9, reads),
            {.threads = 64});
  REQUIRE(findings.size() == 2);  // threads 0 and 1 write the same word: that is another race
  const Finding& race = findings[1];
  CHECK(race.kind == Kind::RaceRawShared);
  CHECK(race.cuda_line == 9);
  CHECK(race.variable == "part[0]");
  REQUIRE(race.other);
  CHECK(race.other->cuda_line == 6);
  CHECK(race.other->cuda_file == "k.cu");
  CHECK(race.other->variable == "part[0]");
  CHECK(race.remedy == "a barrier (__syncthreads()) between lines 6 and 9");
}

TEST_CASE("check: a race is mended by a barrier where a path has none") {
  // Lanes of one warp.
  auto remedy = [](const std::string& body) {
    const std::vector<Finding> findings = found(kOwnWord + body);
    REQUIRE(findings.size() == 1);
    return findings[0].remedy;
  };
  const std::string store = "st.shared.u32 [%r2], %r0;", load = "ld.shared.u32 %r6, [part+4];";
  CHECK(remedy(at(6, store) + at(9, load)) == "__syncwarp() between lines 6 and 9");
  // A loop with a barrier between the write and the read, and none between the read and the next write.
  const std::string loop = "mov.u32 %r8, 0;\nL:\n" + at(6, store) + at(7, "bar.sync 0;") + at(9, load) +
                           "add.u32 %r8, %r8, 1;\nsetp.lt.u32 %p1, %r8, 3;\n@%p1 bra L;";
  CHECK(remedy(loop) == "__syncwarp() between line 9 and line 6 of the next pass: at the end of the loop");
  // Without CUDA lines; the text of the kernel has a line more, the .file.
  CHECK(remedy(store + "\n" + load) ==
        fmt::format("bar.warp.sync between lines {} and {}", kFirstLine + 2, kFirstLine + 3));
}

TEST_CASE("check: races that one barrier mends are one finding") {
  // %r3: the word of the other warp's thread; words from 0 on and, if there are two pairs, others from 64 on.
  const std::string words =
      "mov.u32 %r4, part; and.b32 %r5, %r0, 15; shl.b32 %r5, %r5, 2; add.u32 %r4, %r4, %r5; shr.u32 %r6, %r0, 4;\n"
      "and.b32 %r6, %r6, 2; shl.b32 %r6, %r6, 4; add.u32 %r2, %r4, %r6; xor.b32 %r6, %r6, 32; add.u32 %r3, %r4, %r6;\n"
      "mov.u32 %r8, 0; and.b32 %r7, %r0, 31; setp.gt.u32 %p2, %r7, 7; @%p2 bra END;\n";
  const auto write = [](int line, int offset = 0) {
    return at(line, fmt::format("st.shared.u32 [%r2+{}], %r0;", offset));
  };
  const auto read = [](int line, int offset = 0) {
    return at(line, fmt::format("ld.shared.u32 %r9, [%r3+{}];", offset));
  };
  const auto loop = [](const std::string& pass) {
    return "L:\n" + pass + at(20, "add.u32 %r8, %r8, 1;\nsetp.lt.u32 %p1, %r8, 3;\n@%p1 bra L;");
  };
  const std::string barrier = at(8, "barrier.sync 0;");
  const auto unrolled = [](const std::string& pass) { return pass + pass + pass; };
  struct Case {
    std::string body, remedy, more;
  };
  const std::string none = "a barrier (__syncthreads()) ";
  const std::string both =
      none +
      "between lines 7 and 9, and another one between line 10 and line 6 of the next pass: at the end of the loop";
  for (const Case& one : std::vector<Case>{
           // Two pairs of lines around one place.
           {write(6) + write(7, 64) + read(9) + read(10, 64), none + "between lines 7 and 9",
            "between lines 7 and 10 (part)"},
           // A loop without a barrier, and what is written before it.
           {loop(write(6) + write(7, 64) + read(9) + read(10, 64)), both,
            "the same barriers order one more pair: also between lines 7 and 10 (part)"},
           {write(4, 64) + loop(write(6) + read(9) + read(10, 64)),
            none + "between lines 6 and 9, and another one between line 9 and line 6 of the next pass: at the end of "
                   "the loop",
            "between lines 6 and 9 (part)"},
           // The barrier in front of line 9 also orders what was written before the loop, and in the pass before.
           {write(4) + loop(read(9) + write(11)),
            none + "in the loop, in front of line 9, and another one between lines 9 and 11",
            "between lines 9 and 11 (part)"},
           {loop(read(5) + barrier + write(6)) + read(9), none + "in the loop, behind line 6", "one more pair"},
           // A loop that the compiler has unrolled.
           {unrolled(write(6) + write(7, 64) + read(9) + read(10, 64)), both, "one more pair"},
           {unrolled(write(6) + write(7, 64) + barrier + read(9) + read(10, 64)),
            none + "between line 10 and line 6 of the next pass: at the end of the loop", "one more pair"},
           {unrolled(write(6) + write(7, 64) + read(9) + read(10, 64) + barrier), none + "between lines 7 and 9",
            "one more pair"},
       }) {
    INFO(one.body);
    const std::vector<Finding> findings = found(words + one.body + "END:", {.tools = {.racecheck = true}});
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].remedy == one.remedy);
    CHECK_THAT(findings[0].hint, Catch::Contains(one.more));
  }
  // Two places, two findings.
  CHECK(found(words + write(6) + read(7) + barrier + write(9) + read(10) + "END:", {.tools = {.racecheck = true}})
            .size() == 2);
  // In one branch of two the barrier does not order what goes the other way.
  const std::string branches =
      write(4, 64) + "setp.gt.u32 %p3, %r1, 7;\n@%p3 bra OTHER;\n" + write(6) + read(8) + "OTHER:\n" + read(12, 64);
  CHECK(found(words + branches + "END:", {.tools = {.racecheck = true}}).size() == 2);
}

TEST_CASE("check: accesses in two branches of a loop or in a called function need a barrier between them") {
  const std::string begin =
                        "mov.u32 %r8, 0;\nmov.u32 %r4, part;\nsetp.eq.u32 %p0, %r0, 0;\nsetp.eq.u32 %p2, %r0, 32;\n",
                    end = "add.u32 %r8, %r8, 1;\nsetp.lt.u32 %p1, %r8, 3;\n@%p1 bra L;";
  const std::string branches = "L:\nsetp.gt.u32 %p3, %r0, 31;\n@%p3 bra READ;\n" +
                               at(6, "@%p0 st.shared.u32 [%r4], %r8;") + "bra.uni NEXT;\nREAD:\n" +
                               at(8, "@%p2 ld.shared.u32 %r7, [part];") + "NEXT:\n";
  std::vector<Finding> findings = found(begin + branches + end, {.tools = {.racecheck = true}});
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].remedy ==
        "a barrier (__syncthreads()) between the accesses in lines 6 and 8, outside of their branches");
  // Code of functions has no paths of its own.
  const std::string function =
      ".file 1 \"k.cu\"\n.func f(.param .b32 a)\n{\n.reg .b32 %q<3>;\nld.param.u32 %q0, [a];\n" +
      at(2, "st.shared.u32 [%q0], %q0;") + at(3, "ld.shared.u32 %q1, [%q0];") + "ret;\n}\n";
  findings = check(
                 "mov.u32 %r4, part;\nand.b32 %r5, %r0, 31;\nsetp.ne.u32 %p0, %r5, 0;\n@%p0 bra END;\n{ .param .b32 "
                 "q;\nst.param.b32 [q], %r4;\ncall f, (q); }\nEND:",
                 {.tools = {.racecheck = true}}, function)
                 .findings;
  REQUIRE_FALSE(findings.empty());
  for (const Finding& finding : findings) CHECK_FALSE(finding.remedy.empty());
}

TEST_CASE("check: a warning that the barrier of an error mends is part of it") {
  const std::vector<Finding> findings =
      found("mov.u32 %r4, part;\nmov.u32 %r5, part;\nsetp.lt.u32 %p0, %r0, 1;\nsetp.eq.u32 %p1, %r0, 32;\n" +
                at(6, "@%p0 st.shared.u32 [%r4], 7;") + at(8, "@%p1 ld.shared.u32 %r7, [%r5];") +
                at(10, "@%p1 st.shared.u32 [%r4], 7;"),
            {.tools = {.racecheck = true}});
  REQUIRE(findings.size() == 1);
  CHECK(row_of(findings[0].kind).severity == Severity::Error);
  CHECK(findings[0].remedy == "a barrier (__syncthreads()) between lines 6 and 8");
}

TEST_CASE("check: a counter without an atomic operation") {
  const std::string count = "ld.global.u32 %r6, [%rd0];\nadd.u32 %r6, %r6, 1;\nst.global.u32 [%rd0], %r6;";
  std::vector<Finding> findings = found(at(4, count), {.blocks = 2, .threads = 1});
  REQUIRE(findings.size() == 1);
  CHECK(row_of(findings[0].kind).severity == Severity::Error);
  CHECK(findings[0].variable == "x[0]");
  CHECK(findings[0].remedy == "an atomic operation, such as atomicAdd(), instead of the read and the write in line 4");
  // The number is read before the atomic operation, not taken from it.
  findings = found(at(5, "ld.global.u32 %r6, [%rd0];") + at(7, "atom.global.add.u32 %r7, [%rd0], 1;"),
                   {.blocks = 2, .threads = 1});
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].remedy == "the value that the atomic operation in line 7 returns, instead of the read in line 5");
  // One element for all.
  findings = found(at(6, "st.global.u32 [%rd0], %r1;"), {.blocks = 2, .threads = 1});
  REQUIRE(findings.size() == 1);
  CHECK_THAT(findings[0].remedy, Catch::Contains("an element of its own for each thread in line 6"));
}

TEST_CASE("check: an access beyond an array is one, though another array begins there") {
  const std::string arrays = ".shared .align 4 .b8 _ZZ1kPiE1a[128];\n.shared .align 4 .b8 _ZZ1kPiE1b[128];\n";
  const std::string body = "shl.b32 %r5, %r0, 2;\nmov.u32 %r4, _ZZ1kPiE1b;\nadd.u32 %r4, %r4, %r5;\n" +
                           at(6, "st.shared.u32 [%r4], %r0;") + "mov.u32 %r3, _ZZ1kPiE1a;\nadd.u32 %r3, %r3, %r5;\n" +
                           at(7, "st.shared.u32 [%r3+4], %r0;");
  const std::vector<Finding> findings = found(arrays + body);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].kind == Kind::OutOfBoundsShared);
  CHECK(findings[0].variable == "a[32]");
  CHECK(findings[0].cuda_line == 7);
  CHECK(findings[0].place.thread[0] == 31);
  CHECK_THAT(findings[0].hint, Catch::Contains("32 elements of this size; the access is to b[0]"));
  CHECK(findings[0].remedy ==
        "an index from 0 to 31: \"a\" has 32 elements; only element 32 is accessed beyond them: < in place of <=, or "
        "one thread or element fewer");
  // An address that is computed from both is nobody's.
  CHECK(found(arrays + "mov.u32 %r4, _ZZ1kPiE1b;\nsetp.eq.u32 %p0, %r0, 0;\nmov.u32 %r7, _ZZ1kPiE1a;\nselp.u32 %r3, "
                       "%r4, %r7, %p0;\n"
                       "shl.b32 %r5, %r0, 2;\nadd.u32 %r3, %r3, %r5;\nst.shared.u32 [%r3+4], %r0;",
              {.threads = 1})
            .empty());
}

TEST_CASE("check: volatile sums of the last warp race where lanes are independent") {
  const std::string step =
      "ld.volatile.shared.u32 %r6, [%r2];\nld.volatile.shared.u32 %r7, [%r2+{}];\nadd.u32 %r6, %r6, "
      "%r7;\n{}st.volatile.shared.u32 [%r2], %r6;\n";
  const auto sum = [&](const std::string& between) {
    std::string body =
        kOwnWord + "mov.u32 %r3, 0;\nst.shared.u32 [%r2], %r0;\nst.shared.u32 [%r2+64], %r3;\n" + "bar.sync 0;\n";
    for (int bytes : {32, 16, 8, 4}) body += fmt::format(fmt::runtime(step), bytes, between) + between;
    return at(4, body);
  };
  const CheckRun half{.threads = 16};
  std::vector<Finding> findings = found(sum(""), half);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].cuda_line == 4);
  CHECK(findings[0].remedy ==
        "__syncwarp() between the read and the write in line 4, and another one in the loop, behind line 4");
  CHECK(found(sum("bar.warp.sync 0xffff;\n"), half).empty());
  // In lockstep they are right, and a note says what they rely on.
  findings = found(sum(""), {.machine = kLockstep, .threads = 16});
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].kind == Kind::WarpSynchronous);
  CHECK(row_of(findings[0].kind).severity == Severity::Note);
  CHECK_THAT(findings[0].variable, Catch::Contains("part["));
  // A lane that waits for a volatile flag is not a race.
  CHECK(
      found("mov.u32 %r4, part;\nsetp.eq.u32 %p0, %r0, 0;\n@!%p0 bra WAIT;\nst.volatile.shared.u32 [%r4], 1;\nbra.uni "
            "END;\nWAIT:\nld.volatile.shared.u32 %r6, [%r4];\nsetp.eq.u32 %p1, %r6, 0;\n@%p1 bra WAIT;\nEND:",
            {.tools = {.racecheck = true}, .threads = 2})
          .empty());
}

TEST_CASE("check: a shuffle from lanes that do not execute it, where its value is used") {
  // Lanes 0 to 7 add what lanes 8 above hold, which only they execute.
  const auto sum = [](const std::string& mask, const std::string& writers) {
    std::string body = "mov.u32 %r6, %r0;\nsetp.lt.u32 %p0, %r0, 8;\n@!%p0 bra END;\n";
    for (int by : {4, 2, 1})
      body += fmt::format("shfl.sync.down.b32 %r7, %r6, {}, 31, {};\nadd.u32 %r6, %r6, %r7;\n", by, mask);
    return at(3, body) + "setp.lt.u32 %p1, %r0, " + writers + ";\n@!%p1 bra END;\n" +
           at(5, "st.global.u32 [%rd1], %r6;") + "END:";
  };
  CHECK(found(sum("0xff", "1")).empty());  // lane 0 has the sum of lanes 0 to 7
  const std::vector<Finding> findings = found(sum("0xff", "8"));
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].kind == Kind::ShuffleSource);
  CHECK(findings[0].cuda_line == 3);
  CHECK(findings[0].variable == "%r7");
  REQUIRE(findings[0].other);
  CHECK(findings[0].other->cuda_line == 5);
  CHECK_THAT(findings[0].message, Catch::Contains("a shuffle from lane 8, which does not execute it: lane 4"));
  CHECK_FALSE(findings[0].remedy.empty());
  // The value of the right lane is chosen.
  CHECK(found("shfl.sync.down.b32 %r7, %r0, 1, 31, 3;\nsetp.lt.u32 %p0, %r0, 1;\nselp.u32 %r7, %r7, 0, %p0;\n"
              "st.global.u32 [%rd1], %r7;",
              {.threads = 2})
            .empty());
}

TEST_CASE("check: a carry that nobody wrote") {
  const std::vector<Finding> findings = found(at(7, "addc.cc.u32 %r6, %r0, %r0;"), {.threads = 1});
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].kind == Kind::UninitializedCarry);
  CHECK(findings[0].cuda_line == 7);
  CHECK(findings[0].remedy == "add.cc, sub.cc or mad.cc before it, in the same asm statement");
  CHECK(found("add.cc.u32 %r6, %r0, %r0;\naddc.u32 %r7, %r0, %r0;", {.threads = 1}).empty());
}

TEST_CASE("check: a lock that a warp takes lane by lane gets a note on independent lanes") {
  const std::string lock =
      at(4, "SPIN:\natom.global.cas.b32 %r6, [%rd0], 0, 1;\nsetp.ne.u32 %p0, %r6, 0;\n@%p0 bra SPIN;") +
      at(6, "atom.global.exch.b32 %r7, [%rd0], 0;");
  const CheckRun warp{.tools = {.synccheck = true}, .threads = 32};
  const std::vector<Finding> findings = found("setp.ne.u32 %p1, %r0, 99;\n" + lock, warp);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].kind == Kind::SpinWithinWarp);
  CHECK(findings[0].cuda_line == 4);
  CHECK(findings[0].variable == "x[0]");
  // Taken and given back in the loop.
  CHECK(found("SPIN:\natom.global.cas.b32 %r6, [%rd0], 0, 1;\nsetp.ne.u32 %p0, %r6, 0;\n@%p0 bra NEXT;\n"
              "atom.global.exch.b32 %r7, [%rd0], 0;\nNEXT:\n@%p0 bra SPIN;",
              warp)
            .empty());
}

TEST_CASE("check: barriers that threads do not reach name the branch and the shared variable") {
  const std::string guarded = kOwnWord + at(5, "setp.ge.u32 %p0, %r0, 40;\n@%p0 bra END;") +
                              at(6, "st.shared.u32 [%r2], 1;") + at(7, "bar.sync 0;") + "END:";
  const std::vector<Finding> findings = found(guarded, {.tools = {.synccheck = true}, .threads = 64});
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].cuda_line == 7);
  CHECK(findings[0].variable == "part");
  CHECK_THAT(findings[0].remedy, Catch::Contains("the condition in line 5 around the accesses alone"));
}

TEST_CASE("check: every kind has a remedy or computes one") {
  for (const KindRow& row : kKinds)
    CHECK((!row.remedy.empty() || row.tool == Tool::Racecheck || row.kind == Kind::Fault));
}

}  // namespace warptime::debug
