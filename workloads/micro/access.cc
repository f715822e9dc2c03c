// Variant access: what half-warps ask of memory when their threads read in and out of order. The figures are useful
// bandwidth and transactions a half-warp; the kernel reads a step further in each round, so that nothing is read twice.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "host/device/model.h"
#include "host/workload/compare.h"
#include "host/workload/random.h"
#include "micro.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kThreads = 256, kBlocks = 48, kWarp = 32;

struct Pattern {
  std::string name;
  std::vector<uint32_t> places;  // word of each thread of a block
};

std::vector<uint32_t> places(uint32_t (*of_thread)(uint32_t)) {
  std::vector<uint32_t> out(kThreads);
  for (uint32_t i = 0; i < kThreads; ++i) out[i] = of_thread(i);
  return out;
}

std::vector<Pattern> patterns() {
  std::vector<Pattern> out{
      {"in_order", places([](uint32_t i) { return i; })},
      {"shifted", places([](uint32_t i) { return i + 1; })},
      {"swapped", places([](uint32_t i) { return i ^ 1; })},
      {"reversed", places([](uint32_t i) { return i ^ 15; })},
      {"one_word", places([](uint32_t i) { return i / 16 * 16; })},
  };
  for (uint32_t stride : {2, 4, 8, 16, 32}) {
    Pattern pattern{"stride_" + fmt::to_string(stride), {}};
    for (uint32_t i = 0; i < kThreads; ++i) pattern.places.push_back(i * stride);
    out.push_back(pattern);
  }
  host::SplitMix64 random(7);
  Pattern pattern{"random", {}};
  for (uint32_t i = 0; i < kThreads; ++i)
    pattern.places.push_back(static_cast<uint32_t>(random.next() % (kThreads * 32)));
  out.push_back(pattern);
  return out;
}

}  // namespace

void measure_access(host::WorkloadContext& context) {
  host::Device& device = context.device;
  auto module = device.load_module_file(context.directory + "/micro.ptx");
  uint32_t words = static_cast<uint32_t>(context["kilobytes"]) * 256;
  for (const Pattern& pattern : patterns()) {
    // A step is what a block reads in a round, in whole segments of 256 bytes.
    uint32_t step = (*std::max_element(pattern.places.begin(), pattern.places.end()) / 64 + 1) * 64;
    uint32_t rounds = std::max(1u, words / (kBlocks * step));
    std::vector<uint32_t> values(size_t{kBlocks} * rounds * step), result(kBlocks * kThreads);
    std::iota(values.begin(), values.end(), 1u);
    host::Buffer in = device.allocate<uint32_t>(values.size(), "in"),
                 map = device.allocate<uint32_t>(kThreads, "places"),
                 out = device.allocate<uint32_t>(result.size(), "out");
    device.copy_to(in, values, "in");
    device.copy_to(map, pattern.places, "places");
    const sim::LaunchStatistics launch = device.launch(module, "gather", {kBlocks}, {kThreads},
                                                       {in, map, out, host::arg_u32(rounds), host::arg_u32(step)}, {});
    device.copy_from(result, out, "out");
    double loads = static_cast<double>(kBlocks) * kThreads * rounds, half_warps = loads / 16;
    // Two more transactions a half-warp: its places and its sums, which are in order.
    double others = 2.0 * kBlocks * kThreads / 16;
    device.add_figure({"transactions_" + pattern.name,
                       (static_cast<double>(launch.global.transactions) - others) / half_warps, "transactions",
                       "that a half-warp's load makes"});
    device.add_figure({"gather_" + pattern.name, loads * 4 / launch.time_us / 1e3, "GB/s", "of the words asked for"});
    if (!context.check) continue;
    std::vector<uint32_t> expected(result.size(), 0);
    for (uint32_t i = 0; i < expected.size(); ++i)
      for (uint32_t r = 0; r < rounds; ++r)
        expected[i] += values[(i / kThreads * rounds + r) * step + pattern.places[i % kThreads]];
    context.checks.push_back(host::compare("sums " + pattern.name, ptx::Type::U32, std::as_bytes(std::span(result)),
                                           std::as_bytes(std::span(expected)), {}));
  }
}

void measure_partitions(host::WorkloadContext& context) {
  host::Device& device = context.device;
  auto module = device.load_module_file(context.directory + "/micro.ptx");
  uint32_t words = static_cast<uint32_t>(context["kilobytes"]) * 256 * 4;
  constexpr uint32_t kWarps = kBlocks * kThreads / kWarp;
  // In bytes: whole; one half of each block of a partition; every sixth block, which is one partition of six; every
  // seventh, all partitions in turn; another DRAM row each.
  for (uint32_t pitch : {128u, 256u, 6 * 256u, 7 * 256u, 3 * 256u, 24576u + 256u}) {
    uint32_t rounds = std::max(1u, words / (kWarps * pitch / 4));
    rounds = std::min(rounds, 64u);
    std::vector<uint32_t> values(size_t{kWarps} * rounds * pitch / 4), result(kBlocks * kThreads);
    std::iota(values.begin(), values.end(), 1u);
    host::Buffer in = device.allocate<uint32_t>(values.size(), "in"),
                 out = device.allocate<uint32_t>(result.size(), "out");
    device.copy_to(in, values, "in");
    const sim::LaunchStatistics launch = device.launch(module, "pieces", {kBlocks}, {kThreads},
                                                       {in, out, host::arg_u32(rounds), host::arg_u32(pitch / 4)}, {});
    device.copy_from(result, out, "out");
    double bytes = static_cast<double>(result.size()) * rounds * 4;
    device.add_figure({"pitch_" + fmt::to_string(pitch), bytes / launch.time_us / 1e3, "GB/s",
                       "of pieces of 128 bytes that lie so many bytes apart"});
    auto hits = static_cast<double>(launch.dram.row_hits), misses = static_cast<double>(launch.dram.row_misses);
    device.add_figure({"row_hits_" + fmt::to_string(pitch), 100 * hits / std::max(1.0, hits + misses), "%",
                       "of their DRAM accesses find their row open"});
    if (!context.check) continue;
    std::vector<uint32_t> expected(result.size(), 0);
    for (uint32_t i = 0; i < expected.size(); ++i)
      for (uint32_t r = 0; r < rounds; ++r)
        expected[i] += values[size_t{i / kWarp + r * kWarps} * (pitch / 4) + i % kWarp];
    context.checks.push_back(host::compare("sums of pitch " + fmt::to_string(pitch), ptx::Type::U32,
                                           std::as_bytes(std::span(result)), std::as_bytes(std::span(expected)), {}));
  }
}

}  // namespace warptime::workloads
