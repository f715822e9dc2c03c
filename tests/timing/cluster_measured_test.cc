// Clusters of h200-sxm beside those of an H200 (h200_clusters.csv, which says what its rows are). The kernels are those
// of the measurement, written down in PTX.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "host/device/device.h"
#include "sim/gpu/block_scheduler.h"
#include "sim/gpu/gpu.h"
#include "sim/model/machine_loader.h"

using namespace warptime;

namespace {

struct ClusterRow {
  std::string name;
  uint32_t p1 = 0, p2 = 0, p3 = 0;
  double value = 0;
};

std::vector<ClusterRow> cluster_rows(const std::string& name) {
  std::ifstream file(WARPTIME_SOURCE_DIR "/tests/timing/h200_clusters.csv");
  std::vector<ClusterRow> out;
  for (std::string line; std::getline(file, line);) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream in(line);
    ClusterRow row;
    in >> row.name >> row.p1 >> row.p2 >> row.p3 >> row.value;
    if (in && row.name == name) out.push_back(row);
  }
  REQUIRE(!out.empty());
  return out;
}

constexpr const char* kClusterHead = R"(.version 8.6
.target sm_90
.address_size 64
.extern .shared .align 1024 .b8 tile[];
.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 to, .param .u32 bytes)
{
.reg .b32 %r<32>;
.reg .b16 %h<2>;
.reg .b64 %rd<8>;
.reg .pred %p<8>;
.shared .align 8 .b8 full[8];
.shared .align 16 .b8 words[256];
ld.param.u64 %rd1, [out];
ld.param.u64 %rd2, [in];
ld.param.u32 %r2, [to];
ld.param.u32 %r3, [bytes];
mov.u32 %r0, %tid.x;
mov.u32 %r4, %cluster_ctarank;
mov.u32 %r5, full;
mov.u32 %r6, words;
mov.u32 %r7, tile;
mov.u32 %r20, 0;
mov.u32 %r21, 0;
setp.eq.u32 %p0, %r0, 0;
setp.eq.and.u32 %p1, %r4, 0, %p0;
setp.eq.and.u32 %p2, %r4, %r2, %p0;
@%p0 mbarrier.init.shared.b64 [%r5], 1;
barrier.cluster.arrive.aligned;
barrier.cluster.wait.aligned;
)";
constexpr const char* kClusterTail = R"(
mov.u32 %r22, %clock;
sub.u32 %r22, %r22, %r20;
END:
barrier.cluster.arrive.aligned;
barrier.cluster.wait.aligned;
mov.u32 %r23, %ctaid.x;
mul.wide.u32 %rd3, %r23, 4;
add.u64 %rd3, %rd1, %rd3;
@%p0 st.global.u32 [%rd3], %r22;
ret;
}
)";
constexpr uint32_t kClusterRounds = 32;

/// One thread of block 0: a chain of accesses to block `to`.
std::string chain_text(const std::string& access) {
  return std::string(kClusterHead) +
         "@!%p1 bra END;\nmapa.shared::cluster.u32 %r8, %r6, %r2;\nmov.u32 %r20, %clock;\nLOOP:\n" +
         "add.u32 %r9, %r8, %r21;\n" + access +
         fmt::format("add.u32 %r21, %r21, %r10;\nadd.u32 %r11, %r11, 1;\nsetp.lt.u32 %p3, %r11, {};\n@%p3 bra LOOP;\n",
                     kClusterRounds) +
         kClusterTail;
}

constexpr const char* kWaitForPhase = R"(
{label}:
mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p4, [%r5], %r12;
@!%p4 bra {label};
)";

/// One thread each of block 0 and block `to`: what block 0 sends is answered by the same.
std::string round_text(const std::string& expects, const std::string& send) {
  std::string wait = kWaitForPhase;
  auto wait_as = [&](const char* label) {
    std::string out = wait;
    for (size_t at; (at = out.find("{label}")) != std::string::npos;) out.replace(at, 7, label);
    return out;
  };
  return std::string(kClusterHead) + R"(
or.pred %p5, %p1, %p2;
@!%p5 bra END;
sub.u32 %r13, %r2, %r4;
mapa.shared::cluster.u32 %r8, %r6, %r13;
mapa.shared::cluster.u32 %r14, %r5, %r13;
mapa.shared::cluster.u32 %r15, %r7, %r13;
add.u32 %r15, %r15, 65536;
mov.u32 %r12, 0;
mov.u32 %r20, %clock;
LOOP:
)" + expects +
         "@!%p2 bra SEND;\n" + wait_as("WAIT1") + "SEND:\n" + send + "@!%p1 bra NEXT;\n" + wait_as("WAIT0") +
         fmt::format(
             "NEXT:\nxor.b32 %r12, %r12, 1;\nadd.u32 %r11, %r11, 1;\nsetp.lt.u32 %p3, %r11, {};\n@%p3 bra LOOP;\n",
             kClusterRounds) +
         kClusterTail;
}

class ClusterCard {
 public:
  explicit ClusterCard(uint32_t threads = 1) : device_(machine(), options(threads)) {
    out_ = device_.allocate<uint32_t>(256, "out");
    in_ = device_.allocate<uint32_t>(1 << 16, "in");
  }
  /// The word of a block.
  double run(const std::string& text, uint32_t blocks, uint32_t cluster, uint32_t threads, uint32_t to,
             uint32_t bytes = 0, uint32_t block = 0, uint32_t shared = 200 * 1024) {
    auto& module = modules_[text];
    if (module == nullptr) module = device_.load_module(std::make_shared<SourceText>("cluster.ptx", text));
    host::LaunchOptions launch;
    launch.cluster = {cluster, 1, 1};
    launch.dynamic_shared_bytes = shared;
    device_.launch(module, "k", {blocks}, {threads}, {out_, in_, host::arg_u32(to), host::arg_u32(bytes)}, launch);
    std::vector<uint32_t> words(256);
    device_.read_bytes(std::as_writable_bytes(std::span(words)), out_.address);
    return words[block];
  }

 private:
  static sim::Machine machine() {
    Diagnostics diagnostics;
    auto loaded = sim::load_machine("h200-sxm", {}, WARPTIME_SOURCE_DIR "/configs", diagnostics);
    REQUIRE(loaded.has_value());
    return loaded->machine;
  }
  static sim::RunOptions options(uint32_t threads) {
    sim::RunOptions out;
    out.threads = threads;
    return out;
  }
  host::Device device_;
  host::Buffer out_, in_;
  std::map<std::string, host::ModuleRef> modules_;
};

/// Compares, and prints all rows where asked (WARPTIME_CLUSTERS in the environment).
class ClusterComparison {
 public:
  void add(const ClusterRow& row, double simulated, double within = 0.05) {
    const double error = simulated / row.value - 1;
    if (std::getenv("WARPTIME_CLUSTERS") != nullptr)
      fmt::print("{},{},{},{},{:.1f},{:.1f},{:+.1f} %\n", row.name, row.p1, row.p2, row.p3, row.value, simulated,
                 100 * error);
    if (std::abs(simulated - row.value) <= 2 || std::abs(error) <= within) return;
    beyond_ += fmt::format("{} {} {} {}: {} instead of {}\n", row.name, row.p1, row.p2, row.p3, simulated, row.value);
  }
  const std::string& beyond() const { return beyond_; }

 private:
  std::string beyond_;
};

}  // namespace

// On the card, how far another block is depends on where its SM is: loads of the nearest and of the farthest differ by
// 12 %. The model has one distance, between them.
TEST_CASE("chains of accesses to other blocks take the cycles measured on an H200", "[timing][cluster]") {
  ClusterCard card;
  ClusterComparison comparison;
  const std::string load = chain_text("ld.shared::cluster.u32 %r10, [%r9];\n"),
                    atomic = chain_text("atom.shared::cluster.add.u32 %r10, [%r9], 0;\n");
  for (const ClusterRow& row : cluster_rows("dsm_ld"))
    comparison.add(row, card.run(load, row.p1, row.p1, 32, row.p2) / kClusterRounds, row.p2 == 0 ? 0.05 : 0.06);
  for (const ClusterRow& row : cluster_rows("dsm_atom"))
    comparison.add(row, card.run(atomic, row.p1, row.p1, 32, row.p2) / kClusterRounds,
                   row.p2 == 0   ? 0.05
                   : row.p1 == 2 ? 0.085
                                 : 0.05);
  CHECK(comparison.beyond() == "");
}

TEST_CASE("messages there and back take the cycles measured on an H200", "[timing][cluster]") {
  ClusterCard card;
  ClusterComparison comparison;
  const std::string store =
      round_text("mbarrier.arrive.expect_tx.shared.b64 _, [%r5], 4;\n",
                 "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r8+32], %r0, [%r14];\n");
  const std::string arrive = round_text("", "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r14];\n");
  const std::string copy = round_text(
      "mbarrier.arrive.expect_tx.shared.b64 _, [%r5], %r3;\n",
      "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r15], [%r7], %r3, [%r14];\n");
  // The card's st.async takes 443 to 545 cycles there and back, with no order in the blocks.
  for (const ClusterRow& row : cluster_rows("st_async_round"))
    comparison.add(row, card.run(store, row.p1, row.p1, 32, row.p2) / kClusterRounds, 0.12);
  for (const ClusterRow& row : cluster_rows("arrive_round"))
    comparison.add(row, card.run(arrive, row.p1, row.p1, 32, row.p2) / kClusterRounds);
  // Waits on the card end at multiples of some 150 cycles.
  for (const ClusterRow& row : cluster_rows("dsm_bulk_round"))
    if (row.p2 == 1)
      comparison.add(row, card.run(copy, 4, 4, 32, row.p3, row.p1) / kClusterRounds, row.p1 < 8192 ? 0.25 : 0.1);
  CHECK(comparison.beyond() == "");
}

TEST_CASE("the barrier of a cluster takes the cycles measured on an H200", "[timing][cluster]") {
  ClusterCard card;
  ClusterComparison comparison;
  std::string text = std::string(kClusterHead) + "mov.u32 %r20, %clock;\n";
  for (uint32_t i = 0; i < kClusterRounds; ++i)
    text += "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";
  text += kClusterTail;
  for (const ClusterRow& row : cluster_rows("cluster_barrier"))
    comparison.add(row, card.run(text, row.p1, row.p1, row.p2, 0) / kClusterRounds);
  CHECK(comparison.beyond() == "");
}

TEST_CASE("copies to all blocks of a cluster take the cycles measured on an H200", "[timing][cluster]") {
  ClusterCard card;
  ClusterComparison comparison;
  std::string text = std::string(kClusterHead) + R"(
mov.u32 %r12, %cluster_nctarank;
mov.u32 %r13, 1;
shl.b32 %r13, %r13, %r12;
sub.u32 %r13, %r13, 1;
cvt.u16.u32 %h0, %r13;
mov.u32 %r12, 0;
LOOP:
@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r5], %r3;
barrier.cluster.arrive.aligned;
barrier.cluster.wait.aligned;
mov.u32 %r20, %clock;
@!%p0 bra NEXT;
@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r7], [%rd2], %r3, [%r5], %h0;
WAIT:
mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p4, [%r5], %r12;
@!%p4 bra WAIT;
mov.u32 %r22, %clock;
sub.u32 %r22, %r22, %r20;
NEXT:
xor.b32 %r12, %r12, 1;
add.u32 %r11, %r11, 1;
setp.lt.u32 %p3, %r11, 4;
@%p3 bra LOOP;
bra END;
)" + kClusterTail;
  for (const ClusterRow& row : cluster_rows("multicast"))
    if (row.p1 >= 1024)
      comparison.add(row, card.run(text, row.p2, row.p2, 32, 0, row.p1, row.p3), row.p1 == 1024 ? 0.065 : 0.18);
  CHECK(comparison.beyond() == "");
}

TEST_CASE("distributed shared memory has the rates measured on an H200", "[timing][cluster]") {
  ClusterCard card(2);
  ClusterComparison comparison;
  // Each warp another row each time; loads keep up with what they load.
  auto text = [](bool stores) {
    return std::string(kClusterHead) + R"(
mov.u32 %r12, %cluster_nctarank;
add.u32 %r13, %r4, 1;
rem.u32 %r13, %r13, %r12;
mapa.shared::cluster.u32 %r8, %r7, %r13;
shl.b32 %r14, %r0, 4;
mov.u32 %r20, %clock;
LOOP:
shl.b32 %r9, %r11, 9;
add.u32 %r9, %r9, %r14;
add.u32 %r9, %r9, %r21;
and.b32 %r9, %r9, 131071;
add.u32 %r9, %r9, %r8;
)" +
           (stores ? "st.shared::cluster.v4.u32 [%r9], {%r2, %r2, %r2, %r2};\n"
                   : "ld.shared::cluster.v4.u32 {%r15, %r16, %r17, %r18}, [%r9];\nand.b32 %r15, %r15, %r16;\n"
                     "and.b32 %r15, %r15, %r17;\nand.b32 %r15, %r15, %r18;\nadd.u32 %r21, %r21, %r15;\n") +
           "add.u32 %r11, %r11, 1;\nsetp.lt.u32 %p3, %r11, 64;\n@%p3 bra LOOP;\n" +
           (stores ? "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n" : "bar.sync 0;\n") +
           kClusterTail;
  };
  for (const bool stores : {false, true})
    for (const ClusterRow& row : cluster_rows(stores ? "dsm_st16" : "dsm_ld16")) {
      if (row.p1 < 2 || row.p3 < 256) continue;
      const double cycles = card.run(text(stores), row.p2, row.p1, row.p3, 0, 0, 0, 140000);
      comparison.add(row, 64.0 * 16 * row.p3 / cycles, 0.2);
    }
  CHECK(comparison.beyond() == "");
}

TEST_CASE("as many clusters are resident as on an H200", "[timing][cluster]") {
  Diagnostics diagnostics;
  auto loaded = sim::load_machine("h200-sxm", {}, WARPTIME_SOURCE_DIR "/configs", diagnostics);
  REQUIRE(loaded.has_value());
  for (const ClusterRow& row : cluster_rows("max_active_clusters")) {
    INFO(row.p1);
    sim::BlockScheduler scheduler(loaded->machine.config);
    scheduler.add({.blocks = 1024, .blocks_per_sm = 1, .need = {.shared_bytes = row.p2}, .cluster_blocks = row.p1});
    CHECK(static_cast<double>(scheduler.arrives(0, 0).size()) / row.p1 == row.value);
  }
}
