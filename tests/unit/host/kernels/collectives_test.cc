// vote, activemask, and atomic operations as whole instructions, on every way to run them: timed, and functional.
#include "sim/gpu/gpu.h"
#include "unit/host/host_test.h"

namespace warptime::host {

namespace {

sim::Machine capable_machine(bool has_timing) {
  sim::Machine machine = default_machine();
  machine.config.features = {"vote", "global_atomics", "shared_atomics", "atomics_64", "float_atomics"};
  machine.config.has_timing = has_timing;
  return machine;
}

/// Runs `body` in one block of 32 threads, timed or not; the words that it leaves at [%rd1 + 4 * thread].
std::vector<uint32_t> words_after(const std::string& body, bool has_timing) {
  sim::RunOptions options;
  options.functional = !has_timing;
  Device device(capable_machine(has_timing), options);
  std::string text = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .b64 %rd<9>; .reg .b32 %r<20>; .reg .pred %p<9>; .reg .f32 %f<4>;
  .shared .align 8 .b8 sh[256];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mad.wide.u32 %rd2, %r1, 4, %rd1;
)" + body + "\n}\n";
  auto module = device.load_module(std::make_shared<SourceText>("k.ptx", text));
  Buffer out = device.allocate<uint32_t>(64, "out");
  device.launch(module, "k", {1}, {32}, {out});
  std::vector<uint32_t> words(64);
  device.copy_from(words, out, "out");
  return words;
}

}  // namespace

TEST_CASE("vote looks at the active lanes whose guard is true") {
  for (bool timed : {true, false}) {
    // Lanes 0-7 go one way, where %p2 is true in lanes 0-3; %p3 guards lanes 0-2.
    std::vector<uint32_t> got = words_after(R"(
  setp.lt.u32 %p1, %r1, 8; setp.lt.u32 %p2, %r1, 4; setp.lt.u32 %p3, %r1, 3;
  mov.u32 %r3, 0; mov.u32 %r2, 7777;
  @!%p1 bra REST;
  vote.sync.all.pred %p4, %p2, 255;
  vote.sync.any.pred %p5, %p2, 255;
  vote.sync.uni.pred %p6, %p2, 255;
  vote.sync.uni.pred %p7, !%p1, 255;
  vote.sync.ballot.b32 %r2, !%p2, 255;
  selp.u32 %r4, 1, 0, %p4; selp.u32 %r5, 2, 0, %p5; selp.u32 %r6, 4, 0, %p6; selp.u32 %r7, 8, 0, %p7;
  @%p3 vote.sync.all.pred %p4, %p2, 7;
  selp.u32 %r8, 16, 0, %p4;
  or.b32 %r3, %r4, %r5; or.b32 %r3, %r3, %r6; or.b32 %r3, %r3, %r7; or.b32 %r3, %r3, %r8;
  activemask.b32 %r9; shl.b32 %r9, %r9, 8; or.b32 %r3, %r3, %r9;
REST:
  st.global.u32 [%rd2], %r3;
  st.global.u32 [%rd2+128], %r2;
  ret;)",
                                            timed);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      INFO("lane " << lane << (timed ? ", timed" : ", functional"));
      CHECK(got[lane] == (lane >= 8 ? 0 : 0xff00u + 2 + 8 + (lane < 3 ? 16 : 0)));
      CHECK(got[32 + lane] == (lane >= 8 ? 7777 : 0xf0));
    }
  }
}

TEST_CASE("atomic operations in shared memory go lane by lane") {
  for (bool timed : {true, false}) {
    std::vector<uint32_t> got = words_after(R"(
  mov.u32 %r2, 100; st.shared.u32 [sh], %r2;
  atom.shared.add.u32 %r3, [sh], 3;
  st.global.u32 [%rd2], %r3;
  mov.u64 %rd3, 0; st.shared.u64 [sh+8], %rd3;
  cvt.u64.u32 %rd4, %r1; red.shared.add.u64 [sh+8], %rd4;
  mov.u64 %rd5, 0x100000000; atom.shared.add.u64 %rd6, [sh+8], %rd5;
  ld.shared.u32 %r4, [sh+8]; ld.shared.u32 %r5, [sh+12]; add.u32 %r4, %r4, %r5;
  st.global.u32 [%rd2+128], %r4;
  ret;)",
                                            timed);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      CHECK(got[lane] == 100 + 3 * lane);
      CHECK(got[32 + lane] == 31 * 32 / 2 + 32);
    }
  }
}

TEST_CASE("atomic operations in global memory and on generic addresses") {
  for (bool timed : {true, false}) {
    std::vector<uint32_t> got = words_after(R"(
  atom.global.add.u32 %r3, [%rd1+128], 2;
  mov.f32 %f1, 0f3F800000; red.global.add.f32 [%rd1+132], %f1;
  mov.u64 %rd5, sh; cvta.shared.u64 %rd6, %rd5;
  mov.u32 %r2, 0; st.shared.u32 [sh], %r2;
  and.b32 %r4, %r1, 1; setp.eq.u32 %p1, %r4, 0; add.u64 %rd7, %rd1, 136; selp.b64 %rd8, %rd6, %rd7, %p1;
  atom.inc.u32 %r5, [%rd8], 1000;
  membar.gl;
  ld.shared.u32 %r6, [sh]; ld.global.u32 %r7, [%rd1+136];
  mad.lo.u32 %r8, %r5, 65536, %r3; st.global.u32 [%rd2], %r8;
  setp.eq.u32 %p2, %r1, 0; @%p2 st.global.u32 [%rd1+140], %r6; @%p2 st.global.u32 [%rd1+144], %r7;
  atom.global.exch.b32 _, [%rd1+148], 5;
  ret;)",
                                            timed);
    INFO((timed ? "timed" : "functional"));
    for (uint32_t lane = 0; lane < 32; ++lane) CHECK(got[lane] == 65536 * (lane / 2) + 2 * lane);
    CHECK(got[32] == 64);
    CHECK(got[33] == 0x42000000);  // 32.0
    CHECK(got[35] == 16);
    CHECK(got[36] == 16);
    CHECK(got[37] == 5);
  }
}

TEST_CASE("an atomic operation outside of every allocation, or on local memory, is a fault") {
  auto fault_of = [](const std::string& body) {
    try {
      words_after(body, true);
    } catch (const FaultError& error) {
      return error.fault;
    }
    FAIL("no fault");
    return sim::Fault{};
  };
  CHECK(fault_of("red.global.add.u32 [%rd1+4096], 1; ret;").kind == sim::Fault::Kind::OutOfBounds);
  CHECK(fault_of("red.global.add.u32 [%rd1+2], 1; ret;").kind == sim::Fault::Kind::Misaligned);
  CHECK(fault_of("red.shared.add.u32 [sh+256], 1; ret;").kind == sim::Fault::Kind::OutOfBounds);
  CHECK(fault_of(".local .align 4 .b8 mine[8]; mov.u64 %rd3, mine; cvta.local.u64 %rd4, %rd3; st.u32 [%rd4], %r1; "
                 "atom.add.u32 %r3, [%rd4], 1; ret;")
            .kind == sim::Fault::Kind::OutOfBounds);
}

}  // namespace warptime::host
