// linpack: saxpy where Ryoo et al. 2008 have it from, the Gaussian elimination of LINPACK. A step's saxpys are one
// launch over the columns that are left, so launches become shorter as it goes on.
#include "linpack.h"

#include <fmt/format.h>

#include <algorithm>

#include "cpu/counted.h"
#include "elimination.h"
#include "host/workload/compare.h"
#include "host/workload/random.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kBlock = 128;  // with 40 bytes of shared memory per block: 0.3 per thread, as published
constexpr size_t kAligned = 16;   // rows of a half-warp

/// Entries in [-1, 1], and n more on the diagonal, so that no pivot has to be searched for.
std::vector<float> make_matrix(size_t n, size_t columns, size_t pitch) {
  host::SplitMix64 random(13);
  std::vector<float> a(pitch * columns);
  for (size_t column = 0; column < columns; ++column)
    for (size_t row = 0; row < n; ++row)
      a[column * pitch + row] = random.uniform(-1.0f, 1.0f) + (row == column ? static_cast<float>(n) : 0.0f);
  return a;
}

size_t pitch_of(size_t n) { return (n + kAligned - 1) / kAligned * kAligned; }

template <class Context>
size_t steps_of(const Context& context) {
  auto all = static_cast<size_t>(context["order"]) - 1, steps = static_cast<size_t>(context["steps"]);
  return steps == 0 ? all : std::min(steps, all);
}

/// Elements of all saxpys.
double elements_of(size_t n, size_t steps) {
  double sum = 0;
  for (size_t k = 0; k < steps; ++k) sum += static_cast<double>((n - 1 - k) * (n - 1 - k));
  return sum;
}

}  // namespace

void run_linpack(host::WorkloadContext& context, uint32_t registers) {
  host::Device& device = context.device;
  auto n = static_cast<size_t>(context["order"]);
  size_t steps = steps_of(context), pitch = pitch_of(n);
  std::vector<float> a = make_matrix(n, n, pitch), result(a.size());
  auto module = device.load_module_file(context.directory + "/linpack.ptx");
  host::Buffer device_a = device.allocate<float>(a.size(), "a");
  device.copy_to(device_a, a, "a");

  host::LaunchOptions saxpy_options;
  saxpy_options.registers_per_thread = registers;
  auto pitch_bytes = host::arg_u16(static_cast<uint16_t>(pitch * sizeof(float)));
  double time_us = 0;
  for (size_t k = 0; k < steps; ++k) {
    size_t left = n - 1 - k, skip = (k + 1) % kAligned;  // rows, and columns, behind k; threads before the first
    auto behind_k = [&](size_t column) {
      return host::Buffer{device_a.address + (column * pitch + k + 1) * sizeof(float), left * sizeof(float)};
    };
    auto number = [](size_t value) { return host::arg_u32(static_cast<uint32_t>(value)); };
    auto across = static_cast<uint32_t>((left + skip + kBlock - 1) / kBlock);
    host::Buffer x = behind_k(k), y = behind_k(k + 1);
    device.launch(module, "scale", {across}, {kBlock}, {number(left), number(skip), x});
    time_us += device
                   .launch(module, "update", {across, static_cast<uint32_t>(left)}, {kBlock},
                           {number(left), number(skip), x, y, pitch_bytes}, saxpy_options)
                   .time_us;
  }
  if (time_us > 0)
    device.add_figure({"elements", elements_of(n, steps) / time_us / 1e3, "G elements/s",
                       "of the saxpys, 12 bytes and 2 operations each"});
  device.copy_from(result, device_a, "a");

  if (!context.check) return;
  eliminate(a, n, n, pitch, steps);
  context.checks.push_back(
      host::compare("a", ptx::Type::F32, std::as_bytes(std::span(result)), std::as_bytes(std::span(a)), {}));
}

void run_linpack_on_cpu(cpu::CpuContext& context) {
  auto n = static_cast<size_t>(context["order"]);
  size_t columns = std::min(n, (size_t{1} << 20) / n + 2), pitch = pitch_of(n);
  cpu::CountedArray<float> a(make_matrix(n, columns, pitch));
  eliminate(a, n, columns, pitch, 1);
  context.scale = elements_of(n, steps_of(context)) / static_cast<double>((n - 1) * (columns - 1));
  context.part = fmt::format("a step on {} of {} columns", columns, n);
}

}  // namespace warptime::workloads
