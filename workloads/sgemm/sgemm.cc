// sgemm: C = alpha A B + beta C by blocks of 64 threads with 64 x 16 elements of C in registers (Volkov and Demmel
// 2008). `blocks` runs the first blocks of the full-size grid on the full-size arrays. README.md derives the bound of
// the check.
#include <algorithm>
#include <cmath>

#include "host/workload/compare.h"
#include "host/workload/random.h"
#include "host/workload/workload.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kRows = 64, kColumns = 16;  // of C, in a block; a thread for each row
constexpr float kAlpha = 1.5f, kBeta = -0.5f;
constexpr size_t kCheckedProducts = size_t{1} << 26;  // that a check may cost on the CPU

/// n x n elements, column by column.
std::vector<float> make_matrix(size_t n, uint64_t seed) {
  host::SplitMix64 random(seed);
  std::vector<float> matrix(n * n);
  for (float& x : matrix) x = random.uniform(-1.0f, 1.0f);
  return matrix;
}

/// The first `blocks` blocks, which go down the rows of C first: evenly spread elements, against double precision.
host::Check check(const std::vector<float>& got, const std::vector<float>& a, const std::vector<float>& b,
                  const std::vector<float>& c, size_t n, uint64_t blocks) {
  struct Element {
    size_t row, column;
    double value;
  };
  std::vector<Element> expected;
  double largest = 0;
  size_t elements = blocks * kRows * kColumns, down = n / kRows;
  size_t step = std::max<size_t>(1, elements * n / kCheckedProducts) | 1;  // odd: every row and column comes
  for (size_t at = 0; at < elements; at += step) {
    size_t block = at / (kRows * kColumns);
    size_t row = block % down * kRows + at % kRows, column = block / down * kColumns + at / kRows % kColumns;
    double sum = 0, magnitude = 0, old = double{kBeta} * c[column * n + row];
    for (size_t k = 0; k < n; ++k) {
      double product = double{a[k * n + row]} * b[column * n + k];
      sum += product;
      magnitude += std::abs(product);
    }
    expected.push_back({row, column, kAlpha * sum + old});
    largest = std::max(largest, kAlpha * magnitude + std::abs(old));
  }
  host::Comparison comparison("C", ptx::Type::F32, {largest * static_cast<double>(n + 4) * 0x1p-24, 0});
  for (const Element& e : expected)
    comparison.element_f32(got[e.column * n + e.row], static_cast<float>(e.value), e.row, e.column);
  return comparison.result();
}

void run(host::WorkloadContext& context) {
  host::Device& device = context.device;
  auto module = device.load_module_file(context.directory + "/sgemm.ptx");
  auto n = static_cast<size_t>(context["n"]);
  std::vector<float> a = make_matrix(n, 9), b = make_matrix(n, 10), c = make_matrix(n, 11);
  host::Buffer in_a = device.allocate<float>(n * n, "A"), in_b = device.allocate<float>(n * n, "B"),
               out = device.allocate<float>(n * n, "C");
  device.copy_to(in_a, a, "A");
  device.copy_to(in_b, b, "B");
  device.copy_to(out, c, "C");
  auto down = static_cast<uint32_t>(n) / kRows, across = static_cast<uint32_t>(n) / kColumns;
  uint64_t all = uint64_t{down} * across, blocks = static_cast<uint64_t>(context["blocks"]);
  if (blocks == 0 || blocks > all) blocks = all;
  host::LaunchOptions options;
  options.registers_per_thread = static_cast<uint32_t>(context["registers"]);
  for (uint64_t i = 0; blocks < all && i < blocks; ++i) options.blocks.push_back(i);
  device.launch(module, "sgemm", {down, across}, {kRows},
                {in_a, in_b, out, host::arg_s32(static_cast<int32_t>(n)), host::arg_f32(kAlpha), host::arg_f32(kBeta)},
                options);
  std::vector<float> result(std::min<size_t>(n, (blocks + down - 1) / down * kColumns) * n);
  device.copy_from(result, out, "C");
  if (context.check) context.checks.push_back(check(result, a, b, c, n, blocks));
}

const bool kRegistered = host::register_workload({
    .name = "sgemm",
    .summary = "C = alpha A B + beta C with C in registers, A from global memory, B in shared memory",
    .variants = {},
    .parameters = {{.name = "n",
                    .default_value = 256,
                    .low = 64,
                    .high = 8192,
                    .choices = {64, 128, 192, 256, 512, 1024, 2048, 4096, 6144, 8192},
                    .what = "rows and columns"},
                   {.name = "blocks",
                    .default_value = 0,
                    .low = 0,
                    .high = 1 << 22,
                    .choices = {},
                    .what = "run only the first blocks of the grid; 0: all"},
                   {.name = "registers",
                    .default_value = 0,
                    .low = 0,
                    .high = 128,
                    .choices = {},
                    .what = "registers per thread; 0: the estimate"}},
    .published = {{"", "GFLOP/s", 206, "n = 4096", "Volkov 2008", "geforce-8800-gtx"}},
    .run = run,
});

}  // namespace
}  // namespace warptime::workloads
