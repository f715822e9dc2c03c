// Asynchronous copies and mbarrier objects in small programs whose results are worked out from the manual, on `generic`
// (lanes scheduled independently, no time) and on a machine with timing that has been given the features.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "host/device/device.h"
#include "sim/gpu/gpu.h"
#include "sim/model/machine_loader.h"

namespace warptime {

namespace {

constexpr const char* kAsyncMachines[] = {"generic", "jetson-tk1"};
constexpr uint32_t kAsyncWords = 256;

/// Runs a block of the kernel whose body is given: %r0 is the thread, %rd1 the address of 256 words that are their
/// numbers, %r8 that of `tile` (2048 bytes), %r9 of its word %r0; `full` is an mbarrier. It leaves its result in %r1.
/// `in` gets the words afterwards.
std::vector<uint32_t> run_async(const std::string& machine, uint32_t threads, const std::string& body,
                                std::vector<uint32_t>* in = nullptr) {
  Diagnostics diagnostics;
  auto loaded = sim::load_machine(machine, {}, WARPTIME_SOURCE_DIR "/configs", diagnostics);
  REQUIRE(loaded.has_value());
  for (const char* feature : {"async_copies", "mbarriers", "bulk_copies"})
    loaded->machine.config.features.push_back(feature);
  sim::RunOptions options;
  options.functional = machine == "generic";
  host::Device device(loaded->machine, options);
  const std::string text = fmt::format(
      ".version 8.6\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 out, .param .u64 in)\n{{\n"
      "  .reg .b32 %r<16>;\n  .reg .b64 %rd<16>;\n  .reg .pred %p<8>;\n"
      "  .shared .align 128 .b8 tile[2048];\n  .shared .align 8 .b64 full;\n"
      "  mov.u32 %r0, %tid.x;\n  mov.u32 %r1, 0;\n  ld.param.u64 %rd1, [in];\n"
      "  mov.u32 %r8, tile;\n  mad.lo.u32 %r9, %r0, 4, %r8;\n  mad.wide.u32 %rd2, %r0, 4, %rd1;\n{}\n"
      "  ld.param.u64 %rd0, [out];\n  mad.wide.u32 %rd0, %r0, 4, %rd0;\n  st.global.u32 [%rd0], %r1;\n  ret;\n}}\n",
      body);
  auto module = device.load_module(std::make_shared<SourceText>("k.ptx", text));
  std::vector<uint32_t> out(threads), words(kAsyncWords);
  for (uint32_t i = 0; i < kAsyncWords; ++i) words[i] = i;
  auto buffer = device.allocate<uint32_t>(threads, "out");
  auto source = device.allocate<uint32_t>(kAsyncWords, "in");
  device.write_bytes(source.address, std::as_bytes(std::span(words)));
  device.launch(module, "k", {1}, {threads}, {buffer, source});
  device.read_bytes(std::as_writable_bytes(std::span(out)), buffer.address);
  device.read_bytes(std::as_writable_bytes(std::span(words)), source.address);
  if (in != nullptr) *in = words;
  return out;
}

const std::string kAsyncInit = "setp.eq.u32 %p7, %r0, 0;\n@%p7 mbarrier.init.shared.b64 [full], {};\nbar.sync 0;\n";
std::string init_mbarrier(uint32_t count) { return fmt::format(fmt::runtime(kAsyncInit), count); }

}  // namespace

TEST_CASE("cp.async: bytes arrive with the wait, and not before", "[async]") {
  for (const char* machine : kAsyncMachines) {
    INFO(machine);
    const auto got = run_async(machine, 64, R"(
      st.shared.u32 [%r9], 1000;
      cp.async.ca.shared.global [%r9], [%rd2], 4;
      cp.async.commit_group;
      ld.shared.u32 %r2, [%r9];
      cp.async.wait_group 0;
      ld.shared.u32 %r3, [%r9];
      mad.lo.u32 %r1, %r2, 1000, %r3;)");
    for (uint32_t i = 0; i < 64; ++i) CHECK(got[i] == 1000 * 1000 + i);
  }
}

TEST_CASE("cp.async: what is beyond the source's size, or ignored, is zero", "[async]") {
  for (const char* machine : kAsyncMachines) {
    INFO(machine);
    // Thread i copies 16 bytes to its own place, of which i % 5 words are read; threads from 16 on read none.
    const auto got = run_async(machine, 32, R"(
      mad.lo.u32 %r10, %r0, 16, %r8;
      rem.u32 %r2, %r0, 5;
      shl.b32 %r2, %r2, 2;
      mad.wide.u32 %rd3, %r0, 16, %rd1;
      cp.async.cg.shared.global [%r10], [%rd3], 16, %r2;
      setp.ge.u32 %p1, %r0, 16;
      cp.async.ca.shared.global [%r10+512], [%rd3], 8, %p1;
      cp.async.ca.shared.global [%r10+520], [%rd3], 8, !%p1;
      cp.async.wait_all;
      ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r10];
      add.u32 %r1, %r3, %r4; add.u32 %r1, %r1, %r5; add.u32 %r1, %r1, %r6;
      ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r10+512];
      add.u32 %r3, %r3, %r4; add.u32 %r5, %r5, %r6;
      mad.lo.u32 %r1, %r3, 1000, %r1;
      mad.lo.u32 %r1, %r5, 1000000, %r1;)");
    for (uint32_t i = 0; i < 32; ++i) {
      uint32_t sum = 0;
      for (uint32_t word = 0; word < i % 5; ++word) sum += 4 * i + word;
      const uint32_t pair = 8 * i + 1;
      CHECK(got[i] == sum + (i < 16 ? 1000 * pair : 1000000 * pair));
    }
  }
}

TEST_CASE("cp.async.wait_group: each thread waits for its own groups", "[async]") {
  for (const char* machine : kAsyncMachines) {
    INFO(machine);
    // Two groups of even threads, one of odd ones: all but the last group of each have arrived.
    const auto got = run_async(machine, 32, R"(
      and.b32 %r2, %r0, 1;
      setp.eq.u32 %p1, %r2, 0;
      st.shared.u32 [%r9], 500; st.shared.u32 [%r9+256], 500;
      cp.async.ca.shared.global [%r9], [%rd2], 4;
      @%p1 cp.async.commit_group;
      cp.async.ca.shared.global [%r9+256], [%rd2], 4;
      cp.async.commit_group;
      cp.async.wait_group 1;
      ld.shared.u32 %r3, [%r9]; ld.shared.u32 %r4, [%r9+256];
      mad.lo.u32 %r1, %r3, 1000, %r4;
      cp.async.wait_group 0;)");
    for (uint32_t i = 0; i < 32; ++i) CHECK(got[i] == (i % 2 == 0 ? i : 500) * 1000 + 500);
  }
}

TEST_CASE("mbarrier: arrivals complete a phase, whose state says so", "[async]") {
  for (const char* machine : kAsyncMachines) {
    INFO(machine);
    const auto got = run_async(machine, 64, init_mbarrier(64) + R"(
      mul.lo.u32 %r2, %r0, 3;
      st.shared.u32 [%r9], %r2;
      mbarrier.arrive.shared.b64 %rd3, [full];
    WAIT:
      mbarrier.test_wait.shared.b64 %p1, [full], %rd3;
      @!%p1 bra WAIT;
      xor.b32 %r3, %r9, 252;
      ld.shared.u32 %r1, [%r3];
      mbarrier.test_wait.parity.shared.b64 %p2, [full], 0;
      @!%p2 add.u32 %r1, %r1, 1000;
      mbarrier.test_wait.parity.shared.b64 %p2, [full], 1;
      @%p2 add.u32 %r1, %r1, 1000;)");
    for (uint32_t i = 0; i < 64; ++i) CHECK(got[i] == (i ^ 63) * 3);
  }
}

TEST_CASE("mbarrier: counts, dropped arrivals and bytes", "[async]") {
  for (const char* machine : kAsyncMachines) {
    INFO(machine);
    const auto got = run_async(machine, 1, R"(
      mbarrier.init.shared.b64 [full], 5;
      mbarrier.arrive.shared.b64 %rd3, [full], 2;
      mbarrier.pending_count.b64 %r2, %rd3;
      mbarrier.arrive_drop.shared.b64 %rd4, [full];
      mbarrier.pending_count.b64 %r3, %rd4;
      mbarrier.arrive.expect_tx.shared.b64 %rd5, [full], 48;
      mbarrier.arrive.shared.b64 %rd6, [full];
      mbarrier.test_wait.shared.b64 %p1, [full], %rd6;
      mbarrier.complete_tx.shared.b64 [full], 32;
      mbarrier.test_wait.shared.b64 %p2, [full], %rd6;
      mbarrier.complete_tx.shared.b64 [full], 16;
      mbarrier.test_wait.shared.b64 %p3, [full], %rd6;
      mbarrier.arrive.shared.b64 %rd7, [full];
      mbarrier.pending_count.b64 %r4, %rd7;
      mad.lo.u32 %r1, %r2, 10, %r3;
      mad.lo.u32 %r1, %r1, 10, %r4;
      @%p1 add.u32 %r1, %r1, 1000;
      @%p2 add.u32 %r1, %r1, 2000;
      @!%p3 add.u32 %r1, %r1, 4000;)");
    CHECK(got[0] == 534);  // 5 pending, then 3; 4 in the next phase
  }
}

TEST_CASE("cp.async.mbarrier.arrive: a phase is complete when the copies are", "[async]") {
  for (const char* machine : kAsyncMachines)
    for (const char* noinc : {"", ".noinc"}) {
      INFO(machine << noinc);
      const std::string arrives = *noinc == 0 ? "mbarrier.arrive.shared.b64 %rd3, [full];\n" : "";
      const auto got = run_async(machine, 64, init_mbarrier(64) + R"(
      cp.async.ca.shared.global [%r9], [%rd2], 4;
      cp.async.mbarrier.arrive)" + noinc + R"(.shared.b64 [full];
      )" + arrives + R"(
    WAIT:
      mbarrier.try_wait.parity.shared.b64 %p1, [full], 0, 1000;
      @!%p1 bra WAIT;
      xor.b32 %r3, %r9, 252;
      ld.shared.u32 %r1, [%r3];)");
      for (uint32_t i = 0; i < 64; ++i) CHECK(got[i] == (i ^ 63));
    }
}

TEST_CASE("cp.async.bulk: ranges to shared memory, and back", "[async]") {
  for (const char* machine : kAsyncMachines) {
    INFO(machine);
    std::vector<uint32_t> in;
    // Thread 0 copies 640 bytes; all add their number to a word; thread 0 writes 256 bytes back, and adds 256 more.
    const auto got = run_async(machine, 64, init_mbarrier(1) + R"(
      setp.ne.u32 %p1, %r0, 0;
      @%p1 bra WAIT;
      mbarrier.arrive.expect_tx.shared.b64 _, [full], 640;
      cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1+64], 640, [full];
    WAIT:
      mbarrier.try_wait.parity.shared.b64 %p2, [full], 0;
      @!%p2 bra WAIT;
      ld.shared.u32 %r1, [%r9+384];
      ld.shared.u32 %r2, [%r9];
      add.u32 %r2, %r2, %r0;
      st.shared.u32 [%r9], %r2;
      fence.proxy.async.shared::cta;
      bar.sync 0;
      @%p1 bra END;
      cp.async.bulk.global.shared::cta.bulk_group [%rd1], [tile], 256;
      cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1+512], [tile], 256;
      cp.async.bulk.commit_group;
      cp.async.bulk.wait_group 0;
    END:)",
                               &in);
    for (uint32_t i = 0; i < 64; ++i) {
      CHECK(got[i] == 16 + 96 + i);
      CHECK(in[i] == 16 + 2 * i);
      CHECK(in[128 + i] == 128 + i + 16 + 2 * i);
    }
  }
}

}  // namespace warptime
