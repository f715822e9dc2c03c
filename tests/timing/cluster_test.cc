// What passes between the SMs of a cluster, cycle by cycle: latencies, rates, and the barrier. Clocks of all SMs agree,
// so a block can leave when it sent something and another when it came.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "host/device/device.h"
#include "sim/gpu/gpu.h"
#include "sim/model/machine_loader.h"

using namespace warptime;

namespace {

/// Runs one cluster of two blocks: %r1 is the thread, %r2 the block in the cluster, %r4 and %r5 its own `words` and
/// `full`, %r6 and %r7 those of the other; thread 0 of each block leaves %r10.
std::vector<uint32_t> run_pair(const std::vector<std::string>& set, const std::string& body, uint32_t threads = 32) {
  Diagnostics diagnostics;
  std::vector<std::string> all{"native_cost=ptx",
                               "native.schedule=source",
                               "chip.gpc_tpcs=",
                               "cluster.bytes_per_cycle=4",
                               "cluster.request_bytes=4",
                               "cluster.load_latency=300",
                               "cluster.access_latency=150",
                               "sm.shared.load_latency=30"};
  all.insert(all.end(), set.begin(), set.end());
  auto loaded = sim::load_machine("h200-sxm", all, WARPTIME_SOURCE_DIR "/configs", diagnostics);
  INFO(diagnostics.to_text());
  REQUIRE(loaded.has_value());
  host::Device device(loaded->machine, {});
  const std::string text = std::string(R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in)
{
.reg .b32 %r<32>;
.reg .b16 %h<2>;
.reg .b64 %rd<8>;
.reg .pred %p<8>;
.shared .align 16 .b8 words[1024];
.shared .align 8 .b8 full[8];
ld.param.u64 %rd1, [out];
ld.param.u64 %rd2, [in];
mov.u32 %r1, %tid.x;
mov.u32 %r2, %cluster_ctarank;
xor.b32 %r3, %r2, 1;
mov.u32 %r4, words;
mov.u32 %r5, full;
mapa.shared::cluster.u32 %r6, %r4, %r3;
mapa.shared::cluster.u32 %r7, %r5, %r3;
mov.u16 %h1, 3;
mov.u32 %r10, 0;
mov.u32 %r11, 0;
setp.eq.u32 %p0, %r1, 0;
setp.eq.u32 %p1, %r2, 0;
setp.eq.and.u32 %p2, %r2, 0, %p0;
setp.eq.and.u32 %p3, %r2, 1, %p0;
@%p0 mbarrier.init.shared.b64 [%r5], 1;
barrier.cluster.arrive;
barrier.cluster.wait;
)") + body + R"(
barrier.cluster.arrive;
barrier.cluster.wait;
mul.wide.u32 %rd3, %r2, 4;
add.u64 %rd3, %rd1, %rd3;
@%p0 st.global.u32 [%rd3], %r10;
ret;
}
)";
  auto module = device.load_module(std::make_shared<SourceText>("pair.ptx", text));
  auto out = device.allocate<uint32_t>(2, "out"), in = device.allocate<uint32_t>(1024, "in");
  host::LaunchOptions launch;
  launch.cluster = {2, 1, 1};
  device.launch(module, "k", {2}, {threads}, {out, in}, launch);
  std::vector<uint32_t> words(2);
  device.read_bytes(std::as_writable_bytes(std::span(words)), out.address);
  return words;
}

/// Runs it three times: the last time, its instructions are there.
std::string repeated(const std::string& body) {
  return "mov.u32 %r30, 0;\nAGAIN:\n" + body + "\nadd.u32 %r30, %r30, 1;\nsetp.lt.u32 %p7, %r30, 3;\n@%p7 bra AGAIN;\n";
}

/// Cycles from an instruction to the use of its result, of block 0.
uint32_t cycles_of(const std::string& access, const std::vector<std::string>& set = {}) {
  return run_pair(set, repeated("mov.u32 %r20, %clock;\n" + access +
                                "\nadd.u32 %r21, %r21, 1;\nmov.u32 %r22, %clock;\nsub.u32 %r10, %r22, %r20;\n"))[0];
}

constexpr const char* kWaitForFull = R"(
WAIT:
mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r5], %r11;
@!%p4 bra WAIT;
)";

/// Cycles from before an instruction of block 0 to behind a wait of block 1 for its object, which expects `bytes`.
uint32_t cycles_to_other(const std::string& send, const std::vector<std::string>& set, uint32_t bytes = 0) {
  const std::string expect =
      bytes == 0 ? "" : fmt::format("@%p3 mbarrier.arrive.expect_tx.shared.b64 _, [%r5], {};\n", bytes);
  const auto clocks = run_pair(set, expect + "barrier.cluster.arrive;\nbarrier.cluster.wait;\n@!%p1 bra WAIT;\n" +
                                        "mov.u32 %r10, %clock;\n" + send + "\nbra END;\n" + kWaitForFull +
                                        "mov.u32 %r10, %clock;\nEND:\n");
  return clocks[1] - clocks[0];
}

/// The parameter with each of two values: by how much the cycles differ.
template <class F>
int32_t effect_of(const std::string& parameter, uint32_t low, uint32_t high, const F& cycles) {
  auto with = [&](uint32_t value) {
    return static_cast<int32_t>(cycles(std::vector<std::string>{fmt::format("{}={}", parameter, value)}));
  };
  return with(high) - with(low);
}

}  // namespace

TEST_CASE("a load from another block takes its latency and the time of its bytes", "[timing][cluster]") {
  // By how many cycles a load takes longer than the same load of the block's own memory.
  auto longer = [](std::string load) {
    const uint32_t other = cycles_of(load);
    for (const auto& [from, to] : {std::pair{"[%r6]", "[%r4]"}, std::pair{"%r3;", "%r2;"}})
      if (const size_t at = load.find(from); at != std::string::npos) load.replace(at, std::strlen(from), to);
    return other - cycles_of(load, {"cluster.own_load_latency=100"});
  };
  // One thread: four bytes there and four back, a cycle each. All threads: 32 cycles each.
  CHECK(longer("@%p0 ld.shared::cluster.u32 %r21, [%r6];") == 300 - 100 + 2);
  CHECK(longer("ld.shared::cluster.u32 %r21, [%r6];") == 300 - 100 + 64);
  CHECK(longer("@%p0 ld.shared::cluster.v2.u32 {%r21, %r23}, [%r6];") == 300 - 100 + 1 + 2);
  // A generic address reaches it as well; of the own block, it takes the latency of ld.shared.
  CHECK(longer("cvt.u64.u32 %rd4, %r4;\ncvta.shared.u64 %rd4, %rd4;\nmapa.u64 %rd4, %rd4, %r3;\n"
               "mov.u32 %r20, %clock;\n@%p0 ld.u32 %r21, [%rd4];") == 300 - 30 + 2);
  CHECK(effect_of("cluster.own_load_latency", 50, 87,
                  [](const auto& set) { return cycles_of("ld.shared::cluster.u32 %r21, [%r4];", set); }) == 37);
  CHECK(effect_of("cluster.own_load_latency", 50, 87,
                  [](const auto& set) { return cycles_of("ld.shared.u32 %r21, [%r4];", set); }) == 0);
  CHECK(effect_of("cluster.access_latency", 100, 137,
                  [](const auto& set) { return cycles_of("ld.shared::cluster.u32 %r21, [%r6];", set); }) == 0);
}

TEST_CASE("an atomic operation on another block takes its latency", "[timing][cluster]") {
  const char* const atomic = "@%p0 atom.shared::cluster.add.u32 %r21, [%r6], 1;";
  CHECK(effect_of("cluster.atomic_latency", 250, 287, [&](const auto& set) { return cycles_of(atomic, set); }) == 37);
  CHECK(cycles_of(atomic, {"cluster.atomic_latency=300"}) == cycles_of("@%p0 ld.shared::cluster.u32 %r21, [%r6];"));
}

TEST_CASE("a load sees what was there when it arrived", "[timing][cluster]") {
  // Block 1 counts in its shared memory, a step in some cycles; later loads of block 0 find more by as many.
  auto found = [](uint32_t latency) {
    return run_pair(
        {fmt::format("cluster.access_latency={}", latency), "cluster.load_latency=1000", "cluster.atomic_latency=1000"},
        R"(
@!%p1 bra COUNT;
@%p0 ld.shared::cluster.u32 %r10, [%r6];
bra END;
COUNT:
add.u32 %r12, %r12, 1;
st.shared.u32 [%r4], %r12;
setp.lt.u32 %p4, %r12, 60;
@%p4 bra COUNT;
END:
)")[0];
  };
  const uint32_t early = found(100), late = found(900);
  CHECK(early > 0);
  CHECK(late > early + 10);
}

TEST_CASE("stores to another block leave one after the other", "[timing][cluster]") {
  auto cycles = [](uint32_t stores) {
    std::string text;
    for (uint32_t i = 0; i < stores; ++i) text += "st.shared::cluster.u32 [%r6], %r1;\n";
    return cycles_of(text);
  };
  CHECK(cycles(5) - cycles(4) == 32);  // 128 bytes
  CHECK(cycles(9) - cycles(4) == 5 * 32);
}

TEST_CASE("what another block's mbarrier object counts comes after its latency", "[timing][cluster]") {
  const char* const arrive = "@%p0 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r7];";
  CHECK(effect_of("cluster.arrive_latency", 200, 237, [&](const auto& set) { return cycles_to_other(arrive, set); }) ==
        37);
  const char* const store = "@%p0 st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r6+64], %r1, [%r7];";
  CHECK(effect_of("cluster.async_latency", 200, 237, [&](const auto& set) { return cycles_to_other(store, set, 4); }) ==
        37);
  const char* const copy =
      "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r6], [%rd2], 256, [%r7];";
  CHECK(effect_of("cluster.copy_latency", 64, 101, [&](const auto& set) { return cycles_to_other(copy, set, 256); }) ==
        37);
  const char* const multicast =
      "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r4], [%rd2], 256, "
      "[%r5], %h1;";
  const uint32_t alone = cycles_to_other(copy, {"cluster.multicast_latency=100"}, 256);
  CHECK(cycles_to_other(multicast, {"cluster.multicast_latency=100"}, 256) == alone + 100);
}

TEST_CASE("the barrier of a cluster takes its latency and the arrivals of an SM", "[timing][cluster]") {
  const std::string barrier = "barrier.cluster.arrive;\nbarrier.cluster.wait;";
  auto cycles = [&](const std::vector<std::string>& set, uint32_t threads) {
    return run_pair(
        set, repeated("mov.u32 %r20, %clock;\n" + barrier + "\nmov.u32 %r22, %clock;\nsub.u32 %r10, %r22, %r20;\n"),
        threads)[0];
  };
  CHECK(effect_of("cluster.barrier_latency", 100, 137, [&](const auto& set) { return cycles(set, 32); }) == 37);
  CHECK(effect_of("cluster.barrier_arrival_cycles", 10, 47, [&](const auto& set) { return cycles(set, 32); }) == 37);
  CHECK(effect_of("cluster.barrier_arrival_cycles", 20, 57, [&](const auto& set) { return cycles(set, 128); }) ==
        4 * 37);
}

TEST_CASE("an arrival that releases waits for stores to global memory", "[timing][cluster]") {
  auto cycles = [](const std::string& order, const std::string& store) {
    return run_pair({}, repeated("mov.u32 %r20, %clock;\n" + store + "barrier.cluster.arrive." + order +
                                 ";\nmov.u32 %r22, %clock;\nbarrier.cluster.wait;\nsub.u32 %r10, %r22, %r20;\n"))[0];
  };
  const std::string store = "mul.wide.u32 %rd4, %r1, 4;\nadd.u64 %rd4, %rd2, %rd4;\nst.global.u32 [%rd4], %r1;\n";
  CHECK(cycles("relaxed", store) < cycles("relaxed", "") + 50);
  CHECK(cycles("release", store) > cycles("release", "") + 200);
}
