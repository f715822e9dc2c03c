// Variant pitches: all SMs, a block on each, read a matrix whose rows lie different distances apart in memory: down its
// columns, all SMs in the same row; along its rows, all warps in the same columns; and only 32 of its columns, a row
// for each warp. Where the pitch puts what they read together on few partitions, bandwidth is lost (partition camping).
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "host/device/model.h"
#include "host/workload/compare.h"
#include "micro.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kColumns = 4096, kLargest = 8192, kThreads = 256, kWarp = 32, kFewestRounds = 8;

struct Pattern {
  const char* name;
  const char* kernel;
  uint32_t reads;  // of each thread
  const char* what;
  size_t (*word)(uint32_t thread, uint32_t read, uint32_t warps, uint32_t pitch);
};

/// In words: steps of 64, which are 256 bytes, the block of a partition; then longer ones.
std::vector<uint32_t> pitches() {
  std::vector<uint32_t> out;
  for (uint32_t pitch = kColumns; pitch < kColumns + 16 * 64; pitch += 64) out.push_back(pitch);
  for (uint32_t pitch = kColumns + 1024; pitch <= kLargest; pitch += 512) out.push_back(pitch);
  return out;
}

}  // namespace

void measure_pitches(host::WorkloadContext& context) {
  host::Device& device = context.device;
  auto module = device.load_module_file(context.directory + "/micro.ptx");
  uint32_t blocks = std::min(kColumns / kWarp, sim::sm_count(device.machine().config));
  uint32_t threads = std::min(kThreads, kColumns / blocks / kWarp * kWarp), warps = blocks * threads / kWarp;
  uint32_t rows = static_cast<uint32_t>(context["kilobytes"]) * 256 / kLargest;
  uint32_t reads = std::clamp(rows, 2u, kColumns / kWarp), rounds = std::max(kFewestRounds, rows / warps);
  std::vector<uint32_t> values(size_t{std::max(reads, warps * rounds)} * kLargest), result(size_t{blocks} * threads);
  std::iota(values.begin(), values.end(), 1u);
  host::Buffer in = device.allocate<uint32_t>(values.size(), "in"),
               out = device.allocate<uint32_t>(result.size(), "out");
  device.copy_to(in, values, "in");
  const Pattern patterns[] = {
      {"columns", "columns", reads, "a column for each thread",
       [](uint32_t thread, uint32_t read, uint32_t, uint32_t pitch) { return size_t{read} * pitch + thread; }},
      {"rows", "rows", reads, "a row for each warp",
       [](uint32_t thread, uint32_t read, uint32_t, uint32_t pitch) {
         return size_t{thread / kWarp} * pitch + read * kWarp + thread % kWarp;
       }},
      {"strip", "pieces", rounds, "32 columns, a row for each warp",
       [](uint32_t thread, uint32_t read, uint32_t warps_of_all, uint32_t pitch) {
         return (thread / kWarp + size_t{read} * warps_of_all) * pitch + thread % kWarp;
       }},
  };
  for (const Pattern& pattern : patterns)
    for (uint32_t pitch : pitches()) {
      std::string name = pattern.name + ("_" + fmt::to_string(pitch));
      const auto& launch = device.launch(module, pattern.kernel, {blocks}, {threads},
                                         {in, out, host::arg_u32(pattern.reads), host::arg_u32(pitch)}, {});
      device.copy_from(result, out, "out");
      double bytes = 4.0 * static_cast<double>(result.size()) * pattern.reads;
      device.add_figure({name, bytes / launch.time_us / 1e3, "GB/s", pattern.what});
      if (!context.check) continue;
      std::vector<uint32_t> expected(result.size(), 0);
      for (uint32_t read = 0; read < pattern.reads; ++read)
        for (uint32_t i = 0; i < expected.size(); ++i) expected[i] += values[pattern.word(i, read, warps, pitch)];
      context.checks.push_back(host::compare(name, ptx::Type::U32, std::as_bytes(std::span(result)),
                                             std::as_bytes(std::span(expected)), {}));
    }
}

}  // namespace warptime::workloads
