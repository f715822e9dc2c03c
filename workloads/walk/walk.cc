// walk: a matrix read along its rows and down its columns by 16 x 16 blocks, as the naive matrix multiplication reads A
// and B (Cecilia et al. 2009, 3.3). The figure is the bandwidth of the transactions that the manual's rule makes: for a
// half-warp and step 16 of 32 bytes (A), or one of 64 (B).
#include "host/workload/compare.h"
#include "host/workload/random.h"
#include "host/workload/workload.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kTile = 16;

/// What thread (row, column) adds up, in its order.
float sum_of(bool rows, const std::vector<float>& matrix, size_t n, size_t row, size_t column) {
  float sum = 0;
  for (size_t i = 0; i < n; ++i) sum += rows ? matrix[row * n + i] : matrix[i * n + column];
  return sum;
}

void run(host::WorkloadContext& context) {
  host::Device& device = context.device;
  auto n = static_cast<size_t>(context["n"]);
  auto across = static_cast<uint32_t>(n / kTile), blocks = static_cast<uint32_t>(context["blocks"]);
  std::vector<float> matrix(n * n);
  host::SplitMix64 random(5);
  for (float& x : matrix) x = random.uniform(-1.0f, 1.0f);
  auto module = device.load_module_file(context.directory + "/walk.ptx");
  host::Buffer in = device.allocate<float>(n * n, "matrix"), out = device.allocate<float>(n * n, "sums");
  device.copy_to(in, matrix, "matrix");

  host::LaunchOptions options;
  uint32_t all = across * across, count = blocks == 0 ? all : std::min(blocks, all);
  for (uint64_t i = 0; count < all && i < count; ++i) options.blocks.push_back(i);
  for (const char* variant : {"rows", "columns"}) {
    if (!context.variant.empty() && context.variant != variant) continue;
    bool rows = variant == std::string("rows");
    const auto& launch = device.launch(module, rows ? "walk_a" : "walk_b", {across, across}, {kTile, kTile},
                                       {in, out, host::arg_u32(static_cast<uint32_t>(n))}, options);
    double half_warps = static_cast<double>(count) * kTile * kTile / 16;
    double bytes = half_warps * static_cast<double>(n) * (rows ? 16 * 32 : 64);
    if (launch.timed) {
      device.add_figure(
          {std::string(variant) + "_bytes", bytes, "bytes", "of transactions that the manual's rule makes"});
      device.add_figure(
          {std::string(variant) + "_gb_s", bytes / launch.time_us / 1e3, "GB/s",
           rows ? "16 transactions of 32 bytes per half-warp" : "a transaction of 64 bytes per half-warp"});
    }
    std::vector<float> result((count + across - 1) / across * kTile * n), got, expected;
    device.copy_from(result, out, "sums");
    if (!context.check) continue;
    for (uint32_t block = 0; block < count; ++block)  // a diagonal of each: every row and column that there is
      for (uint32_t k = 0; k < kTile; ++k) {
        size_t row = block / across * kTile + k, column = block % across * kTile + k;
        got.push_back(result[row * n + column]);
        expected.push_back(sum_of(rows, matrix, n, row, column));
      }
    context.checks.push_back(host::compare(std::string("sums of ") + variant, ptx::Type::F32,
                                           std::as_bytes(std::span(got)), std::as_bytes(std::span(expected)), {}));
  }
}

const bool kRegistered = host::register_workload({
    .name = "walk",
    .summary = "a matrix read along rows (one word per half-warp) and down columns (one per thread)",
    .variants = {"rows", "columns"},
    .parameters = {{.name = "n",
                    .default_value = 512,
                    .low = 16,
                    .high = 8192,
                    .choices = {16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192},
                    .what = "rows and columns"},
                   {.name = "blocks",
                    .default_value = 0,
                    .low = 0,
                    .high = 1 << 22,
                    .choices = {},
                    .what = "run only the first blocks of the grid; 0: all"}},
    .published = {},
    .run = run,
});

}  // namespace
}  // namespace warptime::workloads
