// The memory system's parts (src/sim/mem): coalescing, bank conflicts, cache tags, the DRAM scheduler. Their inputs are
// those of real kernels, and numbers drawn by chance, the same every time.
#include <array>
#include <vector>

#include "base/random.h"
#include "bench/count.h"
#include "sim/mem/cache_tags.h"
#include "sim/mem/coalescer.h"
#include "sim/mem/dram.h"
#include "sim/mem/shared_banks.h"

namespace warptime::sim {
namespace {

constexpr uint32_t kSets = 64;  // of lanes' addresses, so that the host cannot learn them by heart

template <class T>
using WarpAddresses = std::vector<std::array<T, 32>>;

template <class T, class Address>
WarpAddresses<T> addresses(Address address) {
  SplitMix64 random(3);
  WarpAddresses<T> out(kSets);
  for (uint32_t i = 0; i < kSets; ++i)
    for (uint32_t lane = 0; lane < 32; ++lane) out[i][lane] = static_cast<T>(address(random, i, lane));
  return out;
}

// --- coalescing: warps of matmul:naive and matmul:tiled of a width of 1024, in blocks of 16 x 16 threads ---

constexpr Addr kArray = 0x100000, kRowBytesOfMatrix = 4096;

Addr element_of_a(SplitMix64&, uint32_t i, uint32_t lane) { return kArray + lane / 16 * kRowBytesOfMatrix + i * 4; }
Addr element_of_b(SplitMix64&, uint32_t i, uint32_t lane) { return kArray + i * kRowBytesOfMatrix + lane % 16 * 4; }
Addr any_element(SplitMix64& random, uint32_t, uint32_t) { return kArray + random.below(1 << 20) * 4; }

using Element = Addr (*)(SplitMix64&, uint32_t, uint32_t);

void coalescing(benchmark::State& state, CoalescingRule::Kind kind, Element element, uint32_t least) {
  CoalescingRule rule{kind, 128};
  auto sets = addresses<Addr>(element);
  std::array<Transaction, kMaxTransactions> transactions;
  uint32_t fewest = kMaxTransactions;
  for (auto _ : state)
    for (const auto& set : sets) {
      Coalesced found = coalesce(rule, set, 0xffffffff, 4, transactions);
      fewest = std::min(fewest, found.count);
      benchmark::DoNotOptimize(transactions.data());
    }
  if (fewest < least) state.SkipWithError("too few transactions");
  bench::count(state, kSets, "warp access");
}

// --- bank conflicts ---

void banks(benchmark::State& state, uint32_t stride_words, uint32_t least) {
  auto sets = addresses<uint32_t>([&](SplitMix64& random, uint32_t i, uint32_t lane) {
    return stride_words != 0 ? (i * 16 + lane * stride_words) * 4 : static_cast<uint32_t>(random.below(4096)) * 4;
  });
  uint32_t least_degree = 32;
  for (auto _ : state)
    for (const auto& set : sets) {
      ConflictDegree conflicts = shared_conflicts(set, 0xffffffff, 4, SharedConfig{}, true);
      least_degree = std::min(least_degree, conflicts.degree);
    }
  if (least_degree < least) state.SkipWithError("too few steps");
  bench::count(state, kSets, "warp access");
}

void constants(benchmark::State& state) {
  auto sets = addresses<uint32_t>([](SplitMix64& random, uint32_t, uint32_t) { return random.below(16) * 4; });
  uint32_t most = 0;
  for (auto _ : state)
    for (const auto& set : sets) most = std::max(most, constant_conflicts(set, 0xffffffff, 4, ConstantConfig{}).degree);
  if (most < 2) state.SkipWithError("too few steps");
  bench::count(state, kSets, "warp access");
}

// --- cache tags: the texture cache of a TPC ---

/// Lines of 8 x 1 texels, in pairs of rows, of a 3 x 3 filter over an image of 512 x 512: warps of 16 x 2 threads,
/// block by block.
std::vector<Addr> lines_of_a_filter() {
  std::vector<Addr> out;
  constexpr uint32_t kSize = 512;
  for (uint32_t y = 0; y < kSize; y += 2)
    for (uint32_t x = 0; x < kSize; x += 16)
      for (uint32_t dy = 0; dy < 4; dy += 2)
        for (uint32_t dx = 0; dx <= 16; dx += 4)
          out.push_back((std::min(y + dy, kSize - 1) / 2 * (kSize / 4) + std::min(x + dx, kSize - 1) / 4) * Addr{32});
  return out;
}
std::vector<Addr> any_lines() {
  SplitMix64 random(4);
  std::vector<Addr> out(20'000);
  for (Addr& line : out) line = random.below(1 << 15) * 32;
  return out;
}

void cache(benchmark::State& state, std::vector<Addr> (*lines)()) {
  CacheTags tags(TextureConfig{}.tpc_cache);
  std::vector<Addr> list = lines();
  uint64_t hits = 0;
  for (auto _ : state)
    for (Addr line : list) {
      if (tags.find(line) != nullptr) ++hits;
      else tags.fill(line, 0);
    }
  if (hits == 0 || hits == list.size() * static_cast<uint64_t>(state.iterations()))
    state.SkipWithError("only one kind");
  bench::count(state, list.size(), "look-up");
}

// --- DRAM: a queue that is kept full ---

/// A stream of 64-byte reads, as of one array.
Addr in_order(SplitMix64&, uint32_t i) { return Addr{i} * 64; }
/// Those of eight TPCs, each in an array of its own.
Addr eight_streams(SplitMix64&, uint32_t i) { return Addr{i % 8} * (1 << 20) + i / 8 * 64; }
Addr any_row(SplitMix64& random, uint32_t) { return random.below(1 << 18) * 64; }

void dram(benchmark::State& state, DramPolicy policy, Addr (*offset)(SplitMix64&, uint32_t)) {
  DramConfig config;
  config.scheduler = policy;
  Dram dram(config);
  SplitMix64 random(6);
  std::vector<Addr> offsets(1 << 14);
  for (uint32_t i = 0; i < offsets.size(); ++i) offsets[i] = offset(random, i);
  uint32_t sent = 0;
  uint64_t now = 0;
  for (auto _ : state) {
    for (; !dram.full(); ++sent) dram.admit(offsets[sent % offsets.size()], 64, false, now);
    for (bool served = false; !served;) {
      now = dram.next_command();
      served = dram.issue().slot != DramServed::kNone;
    }
  }
  if (dram.statistics(now).read_bytes < 64 * static_cast<uint64_t>(state.iterations()))
    state.SkipWithError("too few reads");
  bench::count(state, 1, "request");
}

const bool kRegistered = [] {
  auto add = [](std::string name, auto&&... what) {
    benchmark::RegisterBenchmark(("mem/" + std::move(name)).c_str(), what...);
  };
  using Kind = CoalescingRule::Kind;
  add("coalesce 1.0, a word a half-warp", coalescing, Kind::Strict, element_of_a, 32u);
  add("coalesce 1.0, words in order", coalescing, Kind::Strict, element_of_b, 2u);
  add("coalesce 1.0, any words", coalescing, Kind::Strict, any_element, 32u);
  add("coalesce 1.2, words in order", coalescing, Kind::Segments, element_of_b, 2u);
  add("coalesce 1.2, any words", coalescing, Kind::Segments, any_element, 16u);
  add("coalesce 2.x, any words", coalescing, Kind::Lines, any_element, 16u);
  add("banks, no conflict", banks, 1u, 1u);
  add("banks, two-way conflict", banks, 2u, 2u);
  add("banks, any words", banks, 0u, 2u);
  add("constants, several words", constants);
  add("cache, a 3 x 3 filter", cache, lines_of_a_filter);
  add("cache, any lines", cache, any_lines);
  add("DRAM, one stream", dram, DramPolicy::fr_fcfs, in_order);
  add("DRAM, eight streams", dram, DramPolicy::fr_fcfs, eight_streams);
  add("DRAM, any rows", dram, DramPolicy::fr_fcfs, any_row);
  add("DRAM, any rows, in order of arrival", dram, DramPolicy::fcfs, any_row);
  return true;
}();

}  // namespace
}  // namespace warptime::sim
