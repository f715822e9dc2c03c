// attention: O = softmax(Q K^T / 8) V of heads of 64 numbers, forward. The README derives the bounds.
#include <algorithm>
#include <cmath>

#include "host/workload/compare.h"
#include "host/workload/half_numbers.h"
#include "host/workload/workload.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kHead = 64, kQueries = 64;

/// A head, in double precision.
void reference(const float* q, const float* k, const float* v, uint32_t n, bool causal, std::vector<double>& o) {
  std::vector<double> weight(n);
  for (uint32_t i = 0; i < n; ++i) {
    const uint32_t keys = causal ? i + 1 : n;
    double most = -INFINITY, sum = 0;
    for (uint32_t j = 0; j < keys; ++j) {
      weight[j] = 0;
      for (uint32_t e = 0; e < kHead; ++e) weight[j] += double{q[i * kHead + e]} * k[j * kHead + e];
      weight[j] /= 8;
      most = std::max(most, weight[j]);
    }
    for (uint32_t j = 0; j < keys; ++j) sum += weight[j] = std::exp(weight[j] - most);
    for (uint32_t e = 0; e < kHead; ++e) {
      double value = 0;
      for (uint32_t j = 0; j < keys; ++j) value += weight[j] * v[j * kHead + e];
      o[i * kHead + e] = value / sum;
    }
  }
}

void run(host::WorkloadContext& context) {
  host::Device& device = context.device;
  const auto heads = static_cast<uint32_t>(context["heads"]);
  const uint32_t n = static_cast<uint32_t>(context["n"]) / kQueries * kQueries;
  const auto causal = static_cast<uint32_t>(context["causal"]);
  const size_t of_head = size_t{n} * kHead, count = of_head * heads;
  host::SplitMix64 random(1);
  const host::HalfNumbers q = host::random_halves(count, random), k = host::random_halves(count, random),
                          v = host::random_halves(count, random);
  auto module = device.load_module_file(context.directory + "/attention.ptx");
  host::Buffer device_q = device.allocate<uint16_t>(count, "q");
  host::Buffer device_k = device.allocate<uint16_t>(count, "k");
  host::Buffer device_v = device.allocate<uint16_t>(count, "v");
  device.copy_to(device_q, q.bits, "q");
  device.copy_to(device_k, k.bits, "k");
  device.copy_to(device_v, v.bits, "v");
  std::vector<double> expected(of_head);
  for (const std::string variant : {"mma", "plain"}) {
    if (!context.runs(variant)) continue;
    const bool on_tensor_cores = variant == "mma";
    host::Buffer device_o = device.allocate<float>(count, "o of " + variant);
    device.launch(module, "attention_" + variant, {n / kQueries, heads}, {on_tensor_cores ? 128u : kQueries},
                  {device_q, device_k, device_v, device_o, host::arg_u32(n), host::arg_u32(causal)});
    std::vector<float> o(count);
    device.copy_from(o, device_o, "o of " + variant);
    if (!context.check) continue;
    host::Comparison comparison("o of " + variant, ptx::Type::F32,
                                {.max_abs_error = std::ldexp(1.0, on_tensor_cores ? -10 : -14)});
    for (uint32_t head = 0; head < heads; ++head) {
      const size_t first = head * of_head;
      reference(&q.values[first], &k.values[first], &v.values[first], n, causal != 0, expected);
      for (size_t i = 0; i < of_head; ++i)
        comparison.element_f32(o[first + i], static_cast<float>(expected[i]), head * n + i / kHead, i % kHead);
    }
    context.checks.push_back(comparison.result());
  }
}

const bool kRegistered = host::register_workload({
    .name = "attention",
    .summary = "softmax(Q K^T / 8) V block by block, on tensor cores and in f32",
    .variants = {"mma", "plain"},
    .parameters =
        {{.name = "n", .default_value = 256, .low = 64, .high = 16384, .choices = {}, .what = "queries and keys"},
         {.name = "heads", .default_value = 2, .low = 1, .high = 1024, .choices = {}, .what = "heads of 64 numbers"},
         {.name = "causal",
          .default_value = 0,
          .low = 0,
          .high = 1,
          .choices = {},
          .what = "1: a query attends to no later key"}},
    .published = {},
    .needs = {{"mma", {"tensor", "async_copies"}}, {"plain", {"f16"}}},
    .run = run,
});

}  // namespace
}  // namespace warptime::workloads
