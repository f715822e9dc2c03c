// The memory model on whole machines, by litmus tests (Alglave et al., "GPU Concurrency: Weak Behaviours and
// Programming Assumptions", ASPLOS 2015, give the shapes). x and y lie in different partitions; other blocks may
// congest that of x. What must never be seen is checked over many delays; what an unfenced program may see is checked
// to be seen, so that the tests are known to look where it happens.
#include <catch2/catch.hpp>

#include "host/device/device.h"
#include "sim/gpu/gpu.h"
#include "sim/model/machine_loader.h"

namespace warptime {

namespace {

struct Setting {
  std::string machine;
  bool functional = false;
  bool congested = false;
};

std::vector<Setting> settings() {
  std::vector<Setting> all;
  for (const char* machine : {"geforce-8800-gtx", "tesla-c1060", "geforce-gtx-480"})
    for (bool congested : {false, true}) all.push_back({machine, false, congested});
  all.push_back({"generic", true, true});
  return all;
}

std::string name_of(const Setting& setting) {
  return setting.machine + (setting.congested ? ", x congested" : "") + (setting.functional ? ", functional" : "");
}

/// A kernel with blocks that play the roles 0, 1, ... of the test and, where congested, others that write to x's
/// partition; role 0 spins `lead` times before it begins, role n `delay` x n times. Addresses: x at [%rd1], y at
/// [%rd2], results at [%rd3].
std::string kernel(const std::string& roles) {
  return R"(.version 6.0
.target sm_30
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y, .param .u64 out, .param .u64 noise, .param .u32 stride,
                  .param .u32 lead, .param .u32 delay) {
  .reg .b64 %rd<12>; .reg .b32 %r<20>; .reg .pred %p<9>;
  ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.param.u64 %rd3, [out]; ld.param.u64 %rd4, [noise];
  ld.param.u32 %r1, [stride]; ld.param.u32 %r2, [delay];
  mov.u32 %r3, %ctaid.x; mov.u32 %r4, %tid.x; mov.u32 %r19, 1;
  setp.lt.u32 %p1, %r3, 4;
  @%p1 bra ROLES;
  // Noise: 100 writes of each thread, all in the partition of x.
  mad.lo.u32 %r5, %r3, 32, %r4; mul.lo.u32 %r5, %r5, %r1; cvt.u64.u32 %rd5, %r5; add.u64 %rd5, %rd4, %rd5;
  mov.u32 %r6, 0;
NOISE:
  st.global.u32 [%rd5], %r6;
  add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 100; @%p2 bra NOISE;
  ret;
ROLES:
  setp.ne.u32 %p3, %r4, 0; @%p3 ret;
  mul.lo.u32 %r7, %r2, %r3;
  setp.eq.u32 %p5, %r3, 0; @%p5 ld.param.u32 %r7, [lead];
DELAY:
  setp.eq.u32 %p4, %r7, 0; @%p4 bra BEGIN;
  sub.u32 %r7, %r7, 1; bra DELAY;
BEGIN:
  setp.eq.u32 %p5, %r3, 0; @%p5 bra ROLE0;
  setp.eq.u32 %p5, %r3, 1; @%p5 bra ROLE1;
  setp.eq.u32 %p5, %r3, 2; @%p5 bra ROLE2;
  ret;
)" + roles +
         "}\n";
}

/// Runs it; the words at `out`, which were ~0 before.
std::vector<uint32_t> outcome(const Setting& setting, const std::string& roles, uint32_t delay, uint32_t lead = 0) {
  Diagnostics diagnostics;
  auto loaded =
      sim::load_machine(setting.machine, {"memory.address_map=short"}, WARPTIME_SOURCE_DIR "/configs", diagnostics);
  REQUIRE(loaded.has_value());
  sim::RunOptions options;
  options.functional = setting.functional;
  options.max_cycles = 1'000'000;
  host::Device device(loaded->machine, options);
  const sim::MachineConfig& machine = loaded->machine.config;
  uint32_t stride = machine.memory.interleave_bytes * machine.memory.partitions;
  auto module = device.load_module(std::make_shared<SourceText>("litmus.ptx", kernel(roles)));
  // x at the beginning of a round of the partitions, y in the next one, the noise wherever x is.
  host::Buffer all = device.allocate_bytes(uint64_t{stride} * 2048, "all", 1 << 16);
  host::Buffer out = device.allocate<uint32_t>(256, "out");
  device.copy_to(out, std::vector<uint32_t>(256, ~0u), "out");
  host::Buffer x{all.address, 4}, y{all.address + machine.memory.interleave_bytes, 4};
  host::Buffer noise{all.address + stride, 4};
  device.launch(module, "k", {setting.congested ? 16u : 4u}, {32},
                {x, y, out, noise, host::arg_u32(stride), host::arg_u32(lead), host::arg_u32(delay)});
  std::vector<uint32_t> words(256);
  device.copy_from(words, out, "out");
  return words;
}

constexpr uint32_t kDelays[] = {0, 1, 3, 7, 10, 15, 20, 30, 45, 60};

// Role 0 writes x, then y; role 1 waits for y, then reads x.
std::string message_passing(const std::string& fence) {
  return R"(ROLE0:
  st.volatile.global.u32 [%rd1], %r19;
  )" + fence +
         R"(
  st.volatile.global.u32 [%rd2], %r19;
ROLE2:
  ret;
ROLE1:
  ld.volatile.global.u32 %r8, [%rd2];
  setp.eq.u32 %p6, %r8, 0; @%p6 bra ROLE1;
  )" + fence +
         R"(
  ld.volatile.global.u32 %r9, [%rd1];
  st.global.u32 [%rd3], %r9;
  ret;
)";
}

std::string store_buffering(const std::string& fence) {
  std::string role = R"(
  st.volatile.global.u32 [{}], %r19;
  )" + fence + R"(
  ld.volatile.global.u32 %r9, [{}];
  st.global.u32 [%rd3+{}], %r9;
  ret;
)";
  return "ROLE0:" + fmt::format(fmt::runtime(role), "%rd1", "%rd2", 0) +
         "ROLE1:" + fmt::format(fmt::runtime(role), "%rd2", "%rd1", 4) + "ROLE2:\n  ret;\n";
}

}  // namespace

TEST_CASE("message passing: who sees the flag sees the data", "[litmus]") {
  for (const Setting& setting : settings())
    for (uint32_t delay : {0u, 10u, 100u}) {
      INFO(name_of(setting) << ", delay " << delay);
      CHECK(outcome(setting, message_passing("membar.gl;"), 0, delay)[0] == 1);
    }
}

TEST_CASE("message passing without a fence: the flag may overtake the data", "[litmus]") {
  // The data's partition is congested, the flag's is not.
  bool seen = false;
  for (uint32_t lead : {50u, 100u, 200u}) {
    uint32_t data = outcome({"geforce-8800-gtx", false, true}, message_passing(""), 0, lead)[0];
    CHECK(data <= 1);
    seen |= data == 0;
  }
  CHECK(seen);
}

TEST_CASE("store buffering: with fences one of the two sees the other's store", "[litmus]") {
  for (const Setting& setting : settings())
    for (uint32_t delay : kDelays) {
      INFO(name_of(setting) << ", delay " << delay);
      std::vector<uint32_t> got = outcome(setting, store_buffering("membar.gl;"), delay);
      CHECK(got[0] + got[1] >= 1);
      CHECK(got[0] <= 1);
      CHECK(got[1] <= 1);
    }
}

TEST_CASE("store buffering without fences: neither may see the other's store", "[litmus]") {
  bool seen = false;
  for (uint32_t lead : {0u, 1u, 2u, 4u, 8u}) {
    std::vector<uint32_t> got = outcome({"geforce-8800-gtx", false, false}, store_buffering(""), 0, lead);
    CHECK((got[0] <= 1 && got[1] <= 1));
    seen |= got[0] + got[1] == 0;
  }
  CHECK(seen);
}

TEST_CASE("coherence: all see the stores to one address in one order", "[litmus]") {
  // Role 0 writes 1, 2, ..., 40; role 1 writes 101, ...; role 2 and role 1's own reads note what they see.
  std::string roles = R"(ROLE0:
  mov.u32 %r8, 1;
W0:
  st.volatile.global.u32 [%rd1], %r8;
  add.u32 %r8, %r8, 1; setp.le.u32 %p6, %r8, 40; @%p6 bra W0;
  ret;
ROLE1:
  mov.u32 %r8, 0;
R1:
  ld.volatile.global.u32 %r9, [%rd1];
  mad.wide.u32 %rd5, %r8, 4, %rd3; st.global.u32 [%rd5], %r9;
  add.u32 %r8, %r8, 1; setp.lt.u32 %p6, %r8, 100; @%p6 bra R1;
  ret;
ROLE2:
  mov.u32 %r8, 0;
R2:
  ld.volatile.global.u32 %r9, [%rd1];
  mad.wide.u32 %rd5, %r8, 4, %rd3; st.global.u32 [%rd5+512], %r9;
  add.u32 %r8, %r8, 1; setp.lt.u32 %p6, %r8, 100; @%p6 bra R2;
  ret;
)";
  for (const Setting& setting : settings()) {
    INFO(name_of(setting));
    std::vector<uint32_t> got = outcome(setting, roles, 0);
    bool rises = false;
    for (uint32_t reader : {0u, 128u})
      for (uint32_t i = 1; i < 100; ++i) {
        CHECK(got[reader + i] >= got[reader + i - 1]);
        CHECK(got[reader + i] <= 40);
        rises |= got[reader + i] > got[reader + i - 1];
      }
    if (!setting.functional) CHECK(rises);
  }
}

TEST_CASE("coherence: two writers of one address, and no reader sees them in different orders", "[litmus]") {
  // Roles 0 and 1 write 1 and 2 once; role 2 and role 1 read until they are through. The last value is what both end
  // with, and whoever saw it never sees the other one again.
  std::string roles = R"(ROLE0:
  st.volatile.global.u32 [%rd1], 1;
  mov.u64 %rd6, 0; bra READ;
ROLE1:
  st.volatile.global.u32 [%rd1], 2;
  mov.u64 %rd6, 256; bra READ;
ROLE2:
  mov.u64 %rd6, 512;
READ:
  mov.u32 %r8, 0;
R:
  ld.volatile.global.u32 %r9, [%rd1];
  mad.wide.u32 %rd5, %r8, 4, %rd3; add.u64 %rd5, %rd5, %rd6; st.global.u32 [%rd5], %r9;
  add.u32 %r8, %r8, 1; setp.lt.u32 %p6, %r8, 60; @%p6 bra R;
  ret;
)";
  for (const Setting& setting : settings())
    for (uint32_t delay : {0u, 2u, 5u}) {
      INFO(name_of(setting) << ", delay " << delay);
      std::vector<uint32_t> got = outcome(setting, roles, delay);
      std::vector<uint32_t> order;  // every reader's sequence of values, without repetitions, has to be one of these
      for (uint32_t reader : {0u, 64u, 128u}) {
        std::vector<uint32_t> seen;
        if (reader != 128) CHECK(got[reader] != 0);  // writers see their own store at once
        for (uint32_t i = 0; i < 60; ++i)
          if (uint32_t v = got[reader + i]; v != 0 && (seen.empty() || seen.back() != v)) seen.push_back(v);
        CHECK(seen.size() <= 2);
        if (seen.size() == 2) {
          if (order.empty()) order = seen;
          CHECK(seen == order);
        }
      }
    }
}

TEST_CASE("a kernel that spins on a flag ends", "[litmus]") {
  // Role 1 spins until role 0 has spun long enough; its answer lets role 0 go on.
  std::string roles = R"(ROLE0:
  mov.u32 %r8, 500;
LONG:
  sub.u32 %r8, %r8, 1; setp.ne.u32 %p6, %r8, 0; @%p6 bra LONG;
  st.volatile.global.u32 [%rd1], 7;
BACK:
  ld.volatile.global.u32 %r9, [%rd2]; setp.ne.u32 %p6, %r9, 8; @%p6 bra BACK;
  st.global.u32 [%rd3], %r9;
  ret;
ROLE1:
  ld.volatile.global.u32 %r9, [%rd1]; setp.ne.u32 %p6, %r9, 7; @%p6 bra ROLE1;
  add.u32 %r9, %r9, 1; st.volatile.global.u32 [%rd2], %r9;
ROLE2:
  ret;
)";
  for (const Setting& setting : settings()) {
    INFO(name_of(setting));
    CHECK(outcome(setting, roles, 0)[0] == 8);
  }
}

TEST_CASE("a ticket by atomic operations: the last block sees what all wrote before", "[litmus]") {
  // Every role writes its word behind y, and takes a ticket at x; the last adds the words up.
  std::string take = R"(
  mad.wide.u32 %rd5, %r3, 4, %rd2; add.u32 %r8, %r3, 1; st.volatile.global.u32 [%rd5], %r8;
  membar.gl;
  atom.global.inc.u32 %r9, [%rd1], 2;
  setp.ne.u32 %p6, %r9, 2; @%p6 ret;
  ld.volatile.global.u32 %r10, [%rd2]; ld.volatile.global.u32 %r11, [%rd2+4]; ld.volatile.global.u32 %r12, [%rd2+8];
  add.u32 %r10, %r10, %r11; add.u32 %r10, %r10, %r12; st.global.u32 [%rd3], %r10;
  ret;
)";
  for (const Setting& setting : settings()) {
    if (setting.machine == "geforce-8800-gtx") continue;  // has no atomic operations
    for (uint32_t delay : kDelays) {
      INFO(name_of(setting) << ", delay " << delay);
      CHECK(outcome(setting, "ROLE0: ROLE1: ROLE2:" + take, delay)[0] == 6);
    }
  }
}

}  // namespace warptime
