// layer-norm: (x - mean) / sqrt(variance + epsilon) * weight + bias of each row. The README derives the bound.
#include <cmath>

#include "../softmax/rows.h"
#include "host/workload/compare.h"
#include "host/workload/random.h"
#include "host/workload/workload.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kBlock = 256;
constexpr float kEpsilon = 1e-5f;

void run(host::WorkloadContext& context) {
  host::Device& device = context.device;
  const auto rows = static_cast<uint32_t>(context["rows"]), columns = static_cast<uint32_t>(context["columns"]);
  const size_t count = size_t{rows} * columns;
  host::SplitMix64 random(1);
  std::vector<float> x(count), y(count), weight(columns), bias(columns);
  for (float& value : x) value = random.uniform(-2.0f, 3.0f);
  for (float& value : weight) value = random.uniform(0.5f, 1.5f);
  for (float& value : bias) value = random.uniform(-1.0f, 1.0f);

  auto module = device.load_module_file(context.directory + "/layer-norm.ptx");
  host::Buffer device_x = device.allocate<float>(count, "x");
  host::Buffer device_weight = device.allocate<float>(columns, "weight");
  host::Buffer device_bias = device.allocate<float>(columns, "bias");
  host::Buffer device_y = device.allocate<float>(count, "y");
  device.copy_to(device_x, x, "x");
  device.copy_to(device_weight, weight, "weight");
  device.copy_to(device_bias, bias, "bias");
  device.launch(module, "layer_norm", {rows}, {kBlock},
                {device_x, device_weight, device_bias, device_y, host::arg_u32(columns), host::arg_f32(kEpsilon)});
  device.copy_from(y, device_y, "y");

  if (!context.check) return;
  host::Comparison comparison("y", ptx::Type::F32, {.max_abs_error = std::ldexp(columns / 256 + 64, -23)});  // README
  for (uint32_t row = 0; row < rows; ++row) {
    const float* in = &x[size_t{row} * columns];
    double mean = 0, squares = 0;
    for (uint32_t i = 0; i < columns; ++i) mean += in[i];
    mean /= columns;
    for (uint32_t i = 0; i < columns; ++i) squares += (in[i] - mean) * (in[i] - mean);
    const double scale = 1 / std::sqrt(squares / columns + kEpsilon);
    for (uint32_t i = 0; i < columns; ++i)
      comparison.element_f32(y[size_t{row} * columns + i],
                             static_cast<float>((in[i] - mean) * scale * weight[i] + bias[i]), row, i);
  }
  context.checks.push_back(comparison.result());
}

const bool kRegistered = host::register_workload({
    .name = "layer-norm",
    .summary = "layer normalization of each row, a block per row",
    .variants = {},
    .parameters = row_parameters(),
    .published = {},
    .run = run,
});

}  // namespace
}  // namespace warptime::workloads
