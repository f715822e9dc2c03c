// racecheck: what orders two accesses and what does not, in shared and global memory, by architecture.
#include "debug/check/race_shadow.h"
#include "unit/debug/check/check_run.h"

namespace warptime::debug {

namespace {

Outcome racecheck(const std::string& body, CheckRun run = {}) {
  run.tools = {.racecheck = true};
  return check(body, run);
}

/// %r2: the address of word %r0 of part, %r3: that of the word of the other half of the block.
const std::string kWords =
    "mov.u32 %r4, part; shl.b32 %r5, %r0, 2; and.b32 %r5, %r5, 127; add.u32 %r2, %r4, %r5; xor.b32 %r6, %r5, 64; "
    "add.u32 %r3, %r4, %r6;\n";

/// Each thread writes a word of part, something, and reads the word of another one. 32 threads.
std::string exchange(const std::string& between) {
  return kWords + "st.shared.u32 [%r2], %r0;\n" + between + "\nld.shared.u32 %r7, [%r3];";
}

/// Warp 0 writes a word, warp 1 reads it.
std::string from_warp_0(const std::string& after_write, const std::string& before_read) {
  return "setp.gt.u32 %p0, %r0, 31;\nmov.u32 %r4, part;\n@%p0 bra READ;\nst.shared.u32 [%r4], 5;\n" + after_write +
         "\nbra DONE;\nREAD:\n" + before_read + "\nld.shared.u32 %r7, [%r4];\nDONE:";
}

/// Block 0 writes x[0] and then the flag x[1]; block 1 reads the flag until it is set, and then x[0].
std::string message(const std::string& before_flag, const std::string& set_flag, const std::string& read_flag,
                    const std::string& after_flag) {
  return "setp.ne.u32 %p0, %r1, 0;\n@%p0 bra READ;\nst.global.u32 [%rd0], 5;\n" + before_flag + "\n" + set_flag +
         "\nbra DONE;\nREAD:\n" + read_flag + "\nsetp.ne.u32 %p1, %r3, 9;\n@%p1 bra READ;\n" + after_flag +
         "\nld.global.u32 %r4, [%rd0];\nDONE:";
}

Kinds message_kinds(const std::string& a, const std::string& b, const std::string& c, const std::string& d) {
  return racecheck(message(a, b, c, d), {.blocks = 2, .threads = 1}).kinds();
}

}  // namespace

TEST_CASE("racecheck: barriers order warps") {
  // The stores of one warp's lanes at one address have the same value. Of lanes that read one address two are looked
  // at.
  auto races = [](const std::string& after_write, const std::string& before_read) {
    Kinds kinds = racecheck(from_warp_0(after_write, before_read)).kinds();
    REQUIRE_FALSE(kinds.empty());
    CHECK(kinds[0] == "race_same_value_shared:3 x31");
    kinds.erase(kinds.begin());
    return kinds;
  };
  CHECK(races("", "") == Kinds{"race_raw_shared:8 x2"});
  CHECK(races("bar.sync 0;", "bar.sync 0;").empty());
  CHECK(races("bar.sync 1, 64;", "bar.sync 1, 64;").empty());
  CHECK(races("bar.arrive 1, 64;", "bar.sync 1, 64;").empty());
  CHECK(races("bar.sync 1, 32;", "bar.sync 2, 32;") == Kinds{"race_raw_shared:8 x2"});
  CHECK(races("barrier.sync 3;", "barrier.sync 3;").empty());
  CHECK(races("bar.red.popc.u32 %r9, 0, %p0;", "bar.red.popc.u32 %r9, 0, %p0;").empty());
}

TEST_CASE("racecheck: a barrier that an exit releases orders the warps that wait at it") {
  // The last warp of three exits when the others have long been waiting.
  const std::string late =
      "mov.u32 %r8, 0;\nsetp.gt.u32 %p2, %r0, 63;\n@!%p2 bra BODY;\nWAIT:\nadd.u32 %r8, %r8, 1;\n"
      "setp.lt.u32 %p3, %r8, 100;\n@%p3 bra WAIT;\nexit;\nBODY:\n";
  const CheckRun three{.threads = 96};
  CHECK(racecheck(late + from_warp_0("bar.sync 0;", "bar.sync 0;"), three).kinds() ==
        Kinds{"race_same_value_shared:12 x31"});
}

TEST_CASE("racecheck: a block begins with shared memory that nobody has accessed") {
  // Warp 1 reads what warp 0 writes later: also in blocks whose place on an SM another block had before.
  const std::string body =
      "setp.gt.u32 %p0, %r0, 31;\nsetp.eq.u32 %p1, %r0, 0;\n@%p0 ld.shared.u32 %r7, [part];\nbar.sync 0;\n"
      "@%p1 st.shared.u32 [part], 5;";
  CHECK(racecheck(body, {.blocks = 4000}).kinds().empty());
}

TEST_CASE("racecheck: a launch is ordered after the one before it") {
  Checker checker({.racecheck = true});
  sim::RunOptions options;
  options.functional = true;
  options.listener = &checker;
  host::Device device(machine_named(kIndependent), options);
  auto module = device.load_module(std::make_shared<SourceText>(
      "k.ptx", kernel_with("shl.b32 %r2, %r1, 2;\ncvt.u64.u32 %rd2, %r2;\nadd.u64 %rd3, %rd0, %rd2;\n"
                           "ld.global.u32 %r4, [%rd3];\nst.global.u32 [%rd3], 5;")));
  host::Buffer x = device.allocate<uint32_t>(8, "x");
  const host::Buffer later{x.address + 4, x.bytes - 4};
  device.launch(module, "k", {4}, {1}, {x});
  device.launch(module, "k", {4}, {1}, {later});  // block n has the word that block n + 1 had
  CHECK(checker.findings().all().empty());
}

TEST_CASE("racecheck: what comes after an arrival is not ordered") {
  const std::string body =
      "setp.gt.u32 %p0, %r0, 31;\nmov.u32 %r4, part;\n@%p0 bra READ;\nbar.arrive 1, 64;\nsetp.eq.u32 %p1, %r0, "
      "0;\n@%p1 st.shared.u32 [%r4], 5;\nbra DONE;\nREAD:\nbar.sync 1, 64;\nld.shared.u32 %r7, [%r4];\nDONE:";
  CHECK(racecheck(body).kinds() == Kinds{"race_raw_shared:9 x2"});
}

TEST_CASE("racecheck: lanes of a warp are ordered by instructions in lockstep and by bar.warp.sync otherwise") {
  const CheckRun independent{.threads = 32}, lockstep{.machine = kLockstep, .threads = 32};
  CHECK(racecheck(exchange(""), independent).kinds() == Kinds{"race_raw_shared:3 x32"});
  CHECK(racecheck(exchange("bar.warp.sync 0xffffffff;"), independent).kinds().empty());
  CHECK(racecheck(exchange("bar.sync 0;"), independent).kinds().empty());
  CHECK(racecheck(exchange(""), lockstep).kinds() == Kinds{"warp_synchronous:3 x1"});  // a note
  // shfl.sync waits for lanes but orders no memory.
  CHECK(racecheck(exchange("shfl.sync.idx.b32 %r8, %r0, 0, 31, 0xffffffff;"), independent).kinds() ==
        Kinds{"race_raw_shared:3 x32"});
}

TEST_CASE("racecheck: a member mask orders its lanes alone") {
  const std::string in_halves =
      "setp.lt.u32 %p0, %r0, 16;\nmov.u32 %r9, 0xffff0000;\n@%p0 mov.u32 %r9, "
      "0xffff;\nbar.warp.sync %r9;";
  // The other word is that of the other half.
  CHECK(racecheck(exchange(in_halves), {.threads = 32}).kinds() == Kinds{"race_raw_shared:6 x32"});
  const std::string within = kWords + "xor.b32 %r6, %r5, 4; add.u32 %r3, %r4, %r6;\nst.shared.u32 [%r2], %r0;\n" +
                             in_halves + "\nld.shared.u32 %r7, [%r3];";
  CHECK(racecheck(within, {.threads = 32}).kinds().empty());
}

TEST_CASE("racecheck: in lockstep the lanes that bar.warp.sync names exchange values without a note") {
  auto notes = [](const std::string& between, const std::string& other_word = "") {
    std::string body = exchange(between);
    body.insert(kWords.size(), other_word);
    return racecheck(body, {.machine = kLockstep, .threads = 32}).kinds();
  };
  const std::string all = "mov.u32 %r9, 0xffffffff;\nbar.warp.sync %r9;",
                    halves = "setp.lt.u32 %p0, %r0, 16;\nselp.b32 %r9, 0xffff, 0xffff0000, %p0;\nbar.warp.sync %r9;",
                    neighbour = "xor.b32 %r6, %r5, 4; add.u32 %r3, %r4, %r6;\n";
  CHECK(notes("bar.warp.sync 0xffffffff;").empty());
  CHECK(notes(all).empty());
  CHECK(notes(halves, neighbour).empty());
  CHECK(notes(halves) == Kinds{"warp_synchronous:5 x1"});  // the other word is that of the other half
  // These order no memory.
  CHECK(notes("vote.sync.any.pred %p1, %p0, 0xffffffff;") == Kinds{"warp_synchronous:3 x1"});
  CHECK(racecheck(exchange("shfl.sync.idx.b32 %r8, %r0, 0, 31, 0xffffffff;"), {.machine = "jetson-tk1", .threads = 32})
            .kinds() == Kinds{"warp_synchronous:3 x1"});
  // A warp that is not full.
  CHECK(racecheck(kWords + neighbour + "st.shared.u32 [%r2], %r0;\nbar.warp.sync 0xffff;\nld.shared.u32 %r7, [%r3];",
                  {.machine = kLockstep, .threads = 16})
            .kinds()
            .empty());
  // Threads of two warps race, which is an error and not this note.
  for (const Finding& finding : racecheck(from_warp_0("", ""), {.machine = kLockstep}).findings)
    CHECK(finding.kind != Kind::WarpSynchronous);
}

TEST_CASE("racecheck: a read before another thread's write and two writes") {
  const std::string same_word =
      "mov.u32 %r4, part;\nshr.u32 %r5, %r0, 5;\nsetp.eq.u32 %p0, %r5, 0;\nand.b32 %r6, %r0, "
      "31;\nsetp.eq.u32 %p1, %r6, 0;\n";
  CHECK(racecheck(same_word + "@%p0 ld.shared.u32 %r7, [%r4];\n@!%p0 bra A;\nbra B;\nA:\n@%p1 st.shared.u32 [%r4], "
                              "%r0;\nB:")
            .kinds() == Kinds{"race_war_shared:9 x1"});
  CHECK(racecheck(same_word + "@%p1 st.shared.u32 [%r4], %r0;").kinds() == Kinds{"race_waw_shared:5 x1"});
  CHECK(racecheck(same_word + "@%p1 st.shared.u32 [%r4], 7;").kinds() == Kinds{"race_same_value_shared:5 x1"});
  Outcome out = racecheck("st.global.u32 [%rd0], %r0;", {.threads = 2});
  CHECK(out.kinds() == Kinds{"race_waw_global:0 x1"});  // lanes of one store
  CHECK(out.findings[0].place.thread[0] == 1);
  REQUIRE(out.findings[0].other.has_value());
  CHECK(out.findings[0].other->place.thread[0] == 0);
  CHECK(out.findings[0].buffer == "x");
}

TEST_CASE("racecheck: lanes of one store at one address race in lockstep too and from address 0 on") {
  const CheckRun lockstep{.machine = kLockstep, .threads = 32};
  for (const char* offset : {"0", "8"}) {
    INFO(offset);
    CHECK(racecheck(fmt::format("mov.u32 %r4, part;\nst.shared.u32 [%r4+{}], %r0;", offset), lockstep).kinds() ==
          Kinds{"race_waw_shared:1 x31"});
    CHECK(racecheck(fmt::format("mov.u32 %r4, part;\nst.shared.u32 [%r4+{}], 7;", offset), lockstep).kinds() ==
          Kinds{"race_same_value_shared:1 x31"});
  }
  // For a store of two words the message has the first word that differs.
  Outcome pair = racecheck("mov.u32 %r4, part;\nst.shared.v2.u32 [%r4+8], {9, %r0};", lockstep);
  REQUIRE(pair.kinds() == Kinds{"race_waw_shared:1 x31"});
  CHECK_THAT(pair.findings[0].message, Catch::StartsWith("a write of 0x1 in shared memory, and a write of 0x0 "));
}

TEST_CASE("racecheck: bytes of a word are apart") {
  const std::string bytes = "mov.u32 %r4, part;\nadd.u32 %r4, %r4, %r0;\nst.shared.u8 [%r4], %r0;\n";
  CHECK(racecheck(bytes).kinds().empty());
  CHECK(racecheck(bytes + "mov.u32 %r5, part;\nsetp.eq.u32 %p0, %r0, 40;\n@%p0 ld.shared.u32 %r6, [%r5+4];").kinds() ==
        Kinds{"race_raw_shared:5 x4"});
  CHECK(racecheck("add.u64 %rd2, %rd0, 2;\nsetp.eq.u32 %p0, %r0, 32;\nsetp.eq.u32 %p1, %r0, 0;\n@%p1 st.global.u16 "
                  "[%rd0], 1;\n@%p0 st.global.u16 [%rd2], 2;")
            .kinds()
            .empty());
}

TEST_CASE("racecheck: atomic operations do not race with each other but with loads and stores") {
  CHECK(racecheck("atom.global.add.u32 %r2, [%rd0], 1;", {.blocks = 4}).kinds().empty());
  CHECK(racecheck("red.global.add.u32 [%rd0], 1;\nld.global.u32 %r3, [%rd0];", {.blocks = 2, .threads = 1}).kinds() ==
        Kinds{"race_raw_global:1 x1"});
  CHECK(
      racecheck("ld.volatile.global.u32 %r3, [%rd0];\nst.volatile.global.u32 [%rd0], %r1;", {.blocks = 2, .threads = 1})
          .kinds()
          .empty());
  // Block scope does not order accesses of different blocks.
  CHECK(racecheck("atom.cta.global.add.u32 %r2, [%rd0], 1;", {.blocks = 2, .threads = 1}).kinds() ==
        Kinds{"race_waw_global:0 x1"});
}

TEST_CASE("racecheck: a message by a flag needs a fence on both sides") {
  const std::string set = "st.volatile.global.u32 [%rd0+4], 9;", get = "ld.volatile.global.u32 %r3, [%rd0+4];",
                    fence = "membar.gl;", of_block = "membar.cta;";
  CHECK(message_kinds(fence, set, get, fence).empty());
  CHECK(message_kinds("", set, get, fence) == Kinds{"race_raw_global:11 x1"});
  CHECK(message_kinds(fence, set, get, "") == Kinds{"race_raw_global:11 x1"});
  CHECK(message_kinds(of_block, set, get, fence) == Kinds{"race_raw_global:11 x1"});
  CHECK(message_kinds(fence, set, get, of_block) == Kinds{"race_raw_global:11 x1"});
  CHECK(message_kinds("fence.acq_rel.gpu;", set, get, "fence.acq_rel.gpu;").empty());
  CHECK(message_kinds("", "st.release.gpu.global.u32 [%rd0+4], 9;", "ld.acquire.gpu.global.u32 %r3, [%rd0+4];", "")
            .empty());
  CHECK(message_kinds("", "st.release.gpu.global.u32 [%rd0+4], 9;", get, fence).empty());
  CHECK(message_kinds(fence, "atom.global.exch.b32 %r2, [%rd0+4], 9;", "atom.global.add.u32 %r3, [%rd0+4], 0;", fence)
            .empty());
  // A weak flag synchronises nothing, and is a race itself.
  CHECK(message_kinds(fence, "st.global.u32 [%rd0+4], 9;", get, fence).size() >= 2);
}

TEST_CASE("racecheck: a fence hands over what a barrier has told") {
  // The whole block writes; after a barrier thread 0 raises the flag; another block's thread 0 sees it, and its whole
  // block reads.
  const std::string body =
      "setp.ne.u32 %p0, %r1, 0;\nsetp.ne.u32 %p2, %r0, 0;\n@%p0 bra READ;\nst.global.u32 [%rd1], %r0;\nbar.sync "
      "0;\n@%p2 bra DONE;\nmembar.gl;\natom.global.exch.b32 %r2, [%rd0+252], 77;\nbra DONE;\nREAD:\n@%p2 bra "
      "SEEN;\nSPIN:\natom.global.add.u32 %r3, [%rd0+252], 0;\nsetp.ne.u32 %p1, %r3, 77;\n@%p1 bra "
      "SPIN;\nmembar.gl;\nSEEN:\nbar.sync 0;\nld.global.u32 %r4, [%rd1];\nDONE:";
  CHECK(racecheck(body, {.blocks = 2, .threads = 48}).kinds().empty());
  std::string without = body;
  without.replace(without.find("membar.gl;"), 10, "");
  CHECK(racecheck(without, {.blocks = 2, .threads = 48}).kinds() == Kinds{"race_raw_global:18 x48"});
}

TEST_CASE("racecheck: the end of a kernel orders all") {
  Checker checker({.racecheck = true});
  sim::RunOptions options;
  options.functional = true;
  options.listener = &checker;
  host::Device device(machine_named(kIndependent), options);
  auto module = device.load_module(std::make_shared<SourceText>("k.ptx", kernel_with("st.global.u32 [%rd1], %r0;")));
  host::Buffer x = device.allocate<uint32_t>(64, "x");
  for (int i = 0; i < 3; ++i) device.launch(module, "k", {1}, {64}, {x});
  CHECK(checker.findings().all().empty());
  device.launch(module, "k", {2}, {64}, {x});
  CHECK(checker.findings().all().size() == 1);
}

TEST_CASE("racecheck: findings do not depend on host threads") {
  const std::string body = exchange("") + "\nst.global.u32 [%rd1], %r1;";
  Outcome one = racecheck(body, {.blocks = 40, .threads = 64}),
          many = racecheck(body, {.blocks = 40, .threads = 64, .threads_of_host = 8});
  CHECK(one.kinds() == many.kinds());
  CHECK(one.findings.size() >= 2);
}

TEST_CASE("race shadow: pages beyond the bound take the place of the oldest") {
  RaceShadow shadow(2);
  for (Addr page = 1; page < 3; ++page) shadow.word(page * RaceShadow::kPageBytes).write.time = 1;
  CHECK(shadow.forgotten_pages() == 0);
  shadow.word(3 * RaceShadow::kPageBytes).write.time = 1;
  CHECK(shadow.forgotten_pages() == 1);
  CHECK(shadow.word(2 * RaceShadow::kPageBytes).write.time == 1);
  CHECK(shadow.word(0).write.time == 0);
  shadow.restart();
  CHECK(shadow.word(2 * RaceShadow::kPageBytes).write.time == 0);
}

TEST_CASE("race clock: a barrier hands on the fences of those that arrived at it and of no earlier ones") {
  BlockClock clock;
  clock.start(0, 3, false);
  for (uint32_t warp = 0; warp < 3; ++warp) clock.arrive(0, warp);
  clock.release_all(0);
  clock.fence(2, sim::kFullMask, true);
  for (uint32_t warp = 0; warp < 2; ++warp) clock.arrive(0, warp);
  clock.release(0, 0b011);
  CHECK(clock.fences(0).release_device.empty());
  clock.arrive(1, 0);
  clock.arrive(1, 2);
  clock.release(1, 0b101);
  CHECK_FALSE(clock.fences(0).release_device.empty());
}

TEST_CASE("race clock: joined clocks know the later time of each warp") {
  Clock a, b;
  a.set(1, 0, 5);
  a.set(2, 3, 4);
  b.set(2, 3, 9);
  b.set(0, 1, 2);
  a.join(b);
  CHECK(a.time_of(1, 0) == 5);
  CHECK(a.time_of(2, 3) == 9);
  CHECK(a.time_of(0, 1) == 2);
  CHECK(a.time_of(7, 7) == 0);
}

}  // namespace warptime::debug
