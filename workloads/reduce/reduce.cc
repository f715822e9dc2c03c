// reduce: the sum of an array by the seven kernels of Harris's parallel reduction. Each launch adds up pieces, a block
// each, until one sum is left.
#include <numeric>

#include "host/workload/compare.h"
#include "host/workload/random.h"
#include "host/workload/workload.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kBlock = 128, kMostBlocksOfSeveral = 64;

struct Variant {
  const char* name;
  const char* kernel;
  uint32_t words;  // per thread; 0: as many as there are for the blocks of the grid
};
constexpr Variant kVariants[] = {
    {"interleaved-divergent", "interleaved_divergent", 1},
    {"interleaved-conflicts", "interleaved_conflicts", 1},
    {"sequential", "sequential", 1},
    {"first-add", "first_add", 2},
    {"last-warp", "last_warp", 2},
    {"unrolled", "unrolled", 2},
    {"several", "several", 0},
};

/// One launch: `words` numbers in `from`, behind them zeros up to a whole number of pieces.
struct Level {
  uint32_t words, blocks;
};

std::vector<Level> levels(const Variant& variant, uint32_t n) {
  std::vector<Level> out;
  uint32_t piece = kBlock * std::max(variant.words, 1u) * (variant.words == 0 ? 2 : 1);
  for (uint32_t left = n; out.empty() || left > 1; left = out.back().blocks) {
    uint32_t pieces = (left + piece - 1) / piece;
    uint32_t blocks = variant.words == 0 ? std::min(pieces, kMostBlocksOfSeveral) : pieces;
    out.push_back({pieces * piece, blocks});
  }
  return out;
}

void run_variant(host::WorkloadContext& context, const Variant& variant, const host::ModuleRef& module,
                 const std::vector<int32_t>& values) {
  host::Device& device = context.device;
  std::vector<Level> all = levels(variant, static_cast<uint32_t>(values.size()));
  std::vector<int32_t> padded = values;
  padded.resize(all[0].words);
  host::Buffer from = device.allocate<int32_t>(padded.size(), "in");
  device.copy_to(from, padded, "in");
  host::LaunchOptions options;
  options.dynamic_shared_bytes = kBlock * sizeof(int32_t);
  double time_us = 0;
  bool timed = true;
  for (size_t level = 0; level < all.size(); ++level) {
    uint32_t size = level + 1 < all.size() ? all[level + 1].words : 1;
    host::Buffer to = device.allocate<int32_t>(size, "sums");
    std::vector<int32_t> zeros(size);
    device.write_bytes(to.address, std::as_bytes(std::span(zeros)));
    std::vector<host::Argument> arguments{to, from};
    if (variant.words == 0) arguments.push_back(host::arg_u32(all[level].words));
    const auto& launch = device.launch(module, variant.kernel, {all[level].blocks}, {kBlock}, arguments, options);
    time_us += launch.time_us;
    timed = timed && launch.timed;
    if (level == 0 && context.check && variant.words != 0) {
      std::vector<int32_t> sums(all[0].blocks), expected(all[0].blocks);
      device.read_bytes(std::as_writable_bytes(std::span(sums)), to.address);
      uint32_t piece = kBlock * variant.words;
      for (uint32_t block = 0; block < all[0].blocks; ++block)
        expected[block] = std::accumulate(padded.begin() + block * piece, padded.begin() + (block + 1) * piece, 0);
      context.checks.push_back(host::compare(std::string(variant.name) + ": sums of the blocks", ptx::Type::S32,
                                             std::as_bytes(std::span(sums)), std::as_bytes(std::span(expected)), {}));
    }
    from = to;
  }
  if (timed) {
    device.add_figure({std::string(variant.kernel) + "_ms", time_us / 1e3, "ms", "all launches, their kernels alone"});
    device.add_figure({std::string(variant.kernel) + "_gb_s", 4.0 * static_cast<double>(values.size()) / time_us / 1e3,
                       "GB/s", "bytes of the array over that time"});
  }
  std::vector<int32_t> sum(1), expected{std::accumulate(values.begin(), values.end(), 0)};
  device.copy_from(sum, from, "sum");
  if (context.check)
    context.checks.push_back(host::compare(std::string(variant.name) + ": sum", ptx::Type::S32,
                                           std::as_bytes(std::span(sum)), std::as_bytes(std::span(expected)), {}));
}

void run(host::WorkloadContext& context) {
  std::vector<int32_t> values(static_cast<size_t>(context["n"]));
  host::SplitMix64 random(22);
  for (int32_t& value : values) value = static_cast<int32_t>(random.next() & 0xff);  // no sum overflows
  auto module = context.device.load_module_file(context.directory + "/reduce.ptx");
  for (const Variant& variant : kVariants)
    if (context.runs(variant.name)) run_variant(context, variant, module, values);
}

host::Workload describe() {
  host::Workload workload;
  workload.name = "reduce";
  workload.summary = "the sum of an array: seven steps of optimising a parallel reduction";
  for (const Variant& variant : kVariants) workload.variants.emplace_back(variant.name);
  workload.parameters = {
      {.name = "n", .default_value = 1 << 22, .low = 1, .high = 65535 * kBlock, .choices = {}, .what = "words"}};
  workload.run = run;
  return workload;
}

const bool kRegistered = host::register_workload(describe());

}  // namespace
}  // namespace warptime::workloads
