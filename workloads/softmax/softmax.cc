// softmax: each row of x becomes exp(x - max) / sum. The README derives the bound.
#include <algorithm>
#include <cmath>

#include "host/workload/compare.h"
#include "host/workload/random.h"
#include "host/workload/workload.h"
#include "rows.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kBlock = 256;

std::vector<double> reference(const float* row, size_t columns) {
  const double most = *std::max_element(row, row + columns);
  std::vector<double> out(columns);
  double sum = 0;
  for (size_t i = 0; i < columns; ++i) sum += out[i] = std::exp(double{row[i]} - most);
  for (double& value : out) value /= sum;
  return out;
}

void run(host::WorkloadContext& context) {
  host::Device& device = context.device;
  const auto rows = static_cast<uint32_t>(context["rows"]), columns = static_cast<uint32_t>(context["columns"]);
  const size_t count = size_t{rows} * columns;
  host::SplitMix64 random(1);
  std::vector<float> x(count), y(count);
  for (float& value : x) value = random.uniform(-4.0f, 4.0f);

  auto module = device.load_module_file(context.directory + "/softmax.ptx");
  host::Buffer device_x = device.allocate<float>(count, "x");
  host::Buffer device_y = device.allocate<float>(count, "y");
  device.copy_to(device_x, x, "x");
  device.launch(module, "softmax", {rows}, {kBlock}, {device_x, device_y, host::arg_u32(columns)});
  device.copy_from(y, device_y, "y");

  if (!context.check) return;
  host::Comparison comparison("y", ptx::Type::F32, {.max_abs_error = std::ldexp(1.0, -18)});  // README
  for (uint32_t row = 0; row < rows; ++row) {
    const std::vector<double> expected = reference(&x[size_t{row} * columns], columns);
    for (uint32_t column = 0; column < columns; ++column)
      comparison.element_f32(y[size_t{row} * columns + column], static_cast<float>(expected[column]), row, column);
  }
  context.checks.push_back(comparison.result());
}

const bool kRegistered = host::register_workload({
    .name = "softmax",
    .summary = "exp(x - max) / sum of each row, a block per row",
    .variants = {},
    .parameters = row_parameters(),
    .published = {},
    .run = run,
});

}  // namespace
}  // namespace warptime::workloads
