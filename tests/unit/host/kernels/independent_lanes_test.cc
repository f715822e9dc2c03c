// Programs that are legal from compute capability 7.0 on only, where lanes of one warp may wait for each other: they
// end on a machine whose lanes are scheduled independently, with the right values.
#include "sim/model/machine_loader.h"
#include "unit/host/host_test.h"

namespace warptime::host {

namespace {

/// Runs `body` in blocks of 64 threads; the first words at [%rd1].
std::vector<uint32_t> words_of_blocks(const std::string& body, uint32_t blocks = 1, uint32_t threads = 64) {
  sim::Machine machine = default_machine();
  machine.config.features = {"vote", "global_atomics", "shared_atomics"};
  machine.config.has_timing = false;
  machine.config.sm.reconvergence = sim::Reconvergence::independent;
  Device device(machine, {});
  std::string text = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .b64 %rd<9>; .reg .b32 %r<20>; .reg .pred %p<9>;
  .shared .align 8 .b8 sh[512];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mad.wide.u32 %rd2, %r1, 4, %rd1;
)" + body + "\n}\n";
  auto module = device.load_module(std::make_shared<SourceText>("k.ptx", text));
  Buffer out = device.allocate<uint32_t>(128, "out");
  device.launch(module, "k", {blocks}, {threads}, {out});
  std::vector<uint32_t> words(128);
  device.copy_from(words, out, "out");
  return words;
}

}  // namespace

TEST_CASE("a lock that lanes of one warp take one after the other") {
  // By a stack of reconvergence points the lane that holds the lock would wait for those that spin on it.
  std::vector<uint32_t> got = words_of_blocks(R"(
TRY:
  atom.global.cas.b32 %r2, [%rd1], 0, 1;
  setp.ne.u32 %p1, %r2, 0; @%p1 bra TRY;
  ld.volatile.global.u32 %r3, [%rd1+4]; add.u32 %r3, %r3, 1; st.volatile.global.u32 [%rd1+4], %r3;
  membar.gl;
  atom.global.exch.b32 %r4, [%rd1], 0;
  ret;)",
                                              3);
  CHECK(got[0] == 0);
  CHECK(got[1] == 3 * 64);
}

TEST_CASE("a lane waits for another lane's flag in shared memory") {
  std::vector<uint32_t> got = words_of_blocks(R"(
  and.b32 %r2, %r1, 31; shl.b32 %r3, %r1, 2; mov.u32 %r4, sh; add.u32 %r5, %r4, %r3;
  setp.eq.u32 %p1, %r2, 31; @%p1 bra LAST;
WAIT:  // for the lane above
  ld.volatile.shared.u32 %r6, [%r5+4]; setp.eq.u32 %p2, %r6, 0; @%p2 bra WAIT;
  bra SET;
LAST:
  mov.u32 %r6, 100;
SET:
  add.u32 %r6, %r6, 1; st.volatile.shared.u32 [%r5], %r6;
  st.global.u32 [%rd2], %r6;
  ret;)");
  for (uint32_t thread = 0; thread < 64; ++thread) CHECK(got[thread] == 101 + 31 - thread % 32);
}

TEST_CASE("a barrier counts threads, wherever in the warp they reach it") {
  std::vector<uint32_t> got = words_of_blocks(R"(
  shl.b32 %r3, %r1, 2; mov.u32 %r4, sh; add.u32 %r5, %r4, %r3; xor.b32 %r6, %r3, 252; add.u32 %r6, %r4, %r6;
  st.shared.u32 [%r5], %r1;
  and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra EVEN;
  bar.sync 0;
  ld.shared.u32 %r7, [%r6]; bra DONE;
EVEN:
  setp.eq.u32 %p2, %r1, 10; @%p2 ret;  // one thread leaves: it is no longer expected
  bar.sync 0;
  ld.shared.u32 %r7, [%r6]; add.u32 %r7, %r7, 1000;
DONE:
  st.global.u32 [%rd2], %r7;
  ret;)");
  for (uint32_t thread = 0; thread < 64; ++thread)
    CHECK(got[thread] == (thread == 10 ? 0 : 63 - thread + (thread % 2 == 0 ? 1000 : 0)));
}

TEST_CASE("lanes at a barrier stay there when the rest of their warp exits") {
  // Lanes 0-7 of the first warp come to the barrier, then 8-31 exit; the second warp comes much later.
  std::vector<uint32_t> got = words_of_blocks(R"(
  setp.ge.u32 %p1, %r1, 32; @%p1 bra SECOND;
  setp.lt.u32 %p2, %r1, 8; @%p2 bra AT;
  mov.u32 %r4, 20;
LINGER:
  sub.u32 %r4, %r4, 1; setp.ne.u32 %p3, %r4, 0; @%p3 bra LINGER;
  ret;
AT:
  bar.sync 0;
  ld.shared.u32 %r7, [sh]; st.global.u32 [%rd2], %r7;
  ret;
SECOND:
  mov.u32 %r4, 2000;
LATE:
  sub.u32 %r4, %r4, 1; setp.ne.u32 %p3, %r4, 0; @%p3 bra LATE;
  st.shared.u32 [sh], 77;
  bar.sync 0;
  ret;)");
  for (uint32_t thread = 0; thread < 8; ++thread) CHECK(got[thread] == 77);
}

TEST_CASE("votes and warp barriers wait for the lanes of their masks") {
  std::vector<uint32_t> got = words_of_blocks(R"(
  mov.u32 %r3, 0;
  setp.lt.u32 %p1, %r1, 8; @%p1 bra LOW;
  mov.u32 %r4, 3;
SPIN:  // the others come late, and one by one
  sub.u32 %r4, %r4, 1; setp.ne.u32 %p2, %r4, 0; @%p2 bra SPIN;
  bra VOTE;
LOW:
  mov.u32 %r4, %r1;
LOOP:
  setp.eq.u32 %p2, %r4, 0; @%p2 bra VOTE;
  sub.u32 %r4, %r4, 1; bra LOOP;
VOTE:
  setp.eq.u32 %p3, %r4, 0;
  vote.sync.ballot.b32 %r5, %p3, -1;
  st.global.u32 [%rd2], %r5;
  bar.warp.sync -1;
  ret;)",
                                              1, 32);
  for (uint32_t thread = 0; thread < 32; ++thread) CHECK(got[thread] == 0xffffffff);
}

TEST_CASE("independent lanes are not part of timed runs") {
  Diagnostics diagnostics;
  auto machine = sim::load_machine("geforce-8800-gtx", {"sm.reconvergence=independent"}, WARPTIME_SOURCE_DIR "/configs",
                                   diagnostics);
  CHECK_FALSE(machine.has_value());
  CHECK(diagnostics.to_text().find("functional runs only") != std::string::npos);
}

TEST_CASE("lanes that have waited for others, which ended, wait again the next time") {
  // Lanes 0-15 come to the first vote before the others end. Then they part, and meet at the second vote only if those
  // that are there first wait.
  std::vector<uint32_t> got = words_of_blocks(R"(
  setp.ge.u32 %p1, %r1, 16; @%p1 bra END;
  setp.eq.u32 %p2, 0, 0;
  vote.sync.ballot.b32 %r2, %p2, 0xffffffff;
  setp.lt.u32 %p3, %r1, 8; @%p3 bra LOW;
  add.u32 %r2, %r2, 0x10000;
  bra SECOND;
LOW:
  add.u32 %r2, %r2, 0x20000;
SECOND:
  vote.sync.ballot.b32 %r3, %p2, 0xffff;
  shl.b32 %r3, %r3, 16; xor.b32 %r2, %r2, %r3;
  st.global.u32 [%rd2], %r2;
END:
  ret;)",
                                              1, 32);
  for (uint32_t lane = 0; lane < 16; ++lane) CHECK(got[lane] == (0xffffffffu ^ (lane < 8 ? 0x20000u : 0x10000u)));
  CHECK(got[16] == 0);
}

}  // namespace warptime::host
