// The host program of C = A B with f16 factors and f32 sums on tensor cores; kernels differ in how they do it. Every
// sum is exact in f32 in any order (host/workload/half_numbers.h), so C must equal the reference bit for bit.
#pragma once

#include <fmt/format.h>

#include <functional>

#include "host/workload/compare.h"
#include "host/workload/half_numbers.h"
#include "host/workload/workload.h"

namespace warptime::workloads {

struct HalfGemm {
  std::string module, kernel;
  uint32_t tile = 64;      // rows and columns of C of a block
  uint32_t threads = 128;  // of a block
  uint32_t dynamic_shared_bytes = 0;
  /// What the kernel's parameter for A or B is; empty: the address.
  std::function<host::Argument(const host::Device& device, host::Buffer matrix, uint32_t n, bool is_a)>
      argument_of_factor = {};
};

inline void run_half_gemm(host::WorkloadContext& context, const HalfGemm& gemm) {
  host::Device& device = context.device;
  const uint32_t n = static_cast<uint32_t>(context["n"]) / gemm.tile * gemm.tile;
  const size_t count = size_t{n} * n;
  host::SplitMix64 random(1);
  const host::HalfNumbers a = host::random_halves(count, random), b = host::random_halves(count, random);
  std::vector<float> c(count);

  auto module = device.load_module_file(context.directory + "/" + gemm.module);
  host::Buffer device_a = device.allocate<uint16_t>(count, "a");
  host::Buffer device_b = device.allocate<uint16_t>(count, "b");
  host::Buffer device_c = device.allocate<float>(count, "c");
  device.copy_to(device_a, a.bits, "a");
  device.copy_to(device_b, b.bits, "b");
  auto factor = [&](host::Buffer matrix, bool is_a) {
    return gemm.argument_of_factor ? gemm.argument_of_factor(device, matrix, n, is_a) : host::Argument(matrix);
  };
  host::LaunchOptions options;
  options.dynamic_shared_bytes = gemm.dynamic_shared_bytes;
  device.launch(module, gemm.kernel, {n / gemm.tile, n / gemm.tile}, {gemm.threads},
                {factor(device_a, true), factor(device_b, false), device_c, host::arg_u32(n)}, options);
  device.copy_from(c, device_c, "c");

  if (!context.check) return;
  const std::vector<float> expected = half_product(a, b, n);
  context.checks.push_back(
      host::compare("c", ptx::Type::F32, std::as_bytes(std::span(c)), std::as_bytes(std::span(expected)), {}));
}

/// Its one parameter.
inline host::WorkloadParameter half_gemm_size(uint32_t tile) {
  return {.name = "n",
          .default_value = 256,
          .low = tile,
          .high = 8192,
          .choices = {},
          .what = fmt::format("rows and columns, rounded down to a multiple of {}", tile)};
}

}  // namespace warptime::workloads
