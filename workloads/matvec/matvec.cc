// matvec: y = A x and y = A^T x, with the access patterns that Baskaran et al. 2008 compare.
#include "host/workload/compare.h"
#include "host/workload/multiply_add.h"
#include "host/workload/random.h"
#include "host/workload/workload.h"

namespace warptime::workloads {
namespace {

struct Variant {
  const char* name;
  const char* kernel;
  uint32_t threads;  // per block
  bool transposed;
};
constexpr Variant kVariants[] = {
    {"direct", "direct", 256, false},
    {"transposed", "transposed", 256, true},
    {"shared", "shared", 64, false},
    {"shared-padded", "shared_padded", 64, false},
};

/// In the kernels' order and with their one rounding per term.
std::vector<float> reference(bool transposed, const std::vector<float>& matrix, const std::vector<float>& x) {
  size_t n = x.size();
  std::vector<float> y(n);
  for (size_t row = 0; row < n; ++row)
    for (size_t column = 0; column < n; ++column) {
      float& sum = y[transposed ? column : row];
      sum = host::multiply_add(matrix[row * n + column], x[transposed ? row : column], sum);
    }
  return y;
}

void run(host::WorkloadContext& context) {
  host::Device& device = context.device;
  auto n = static_cast<uint32_t>(context["n"]);
  std::vector<float> matrix(size_t{n} * n), x(n), result(n), zeros(n);
  host::SplitMix64 random(23);
  for (std::vector<float>* values : {&matrix, &x})
    for (float& value : *values) value = random.uniform(-1.0f, 1.0f);
  auto module = device.load_module_file(context.directory + "/matvec.ptx");
  host::Buffer device_a = device.allocate<float>(matrix.size(), "A");
  host::Buffer device_x = device.allocate<float>(n, "x"), device_y = device.allocate<float>(n, "y");
  device.copy_to(device_a, matrix, "A");
  device.copy_to(device_x, x, "x");

  for (const Variant& variant : kVariants) {
    if (!context.variant.empty() && context.variant != variant.name) continue;
    device.write_bytes(device_y.address, std::as_bytes(std::span(zeros)));
    device.launch(module, variant.kernel, {n / variant.threads}, {variant.threads},
                  {device_y, device_a, device_x, host::arg_u32(n)});
    device.copy_from(result, device_y, "y");
    if (!context.check) continue;
    std::vector<float> expected = reference(variant.transposed, matrix, x);
    context.checks.push_back(host::compare(std::string("y of ") + variant.name, ptx::Type::F32,
                                           std::as_bytes(std::span(result)), std::as_bytes(std::span(expected)), {}));
  }
}

host::Workload describe() {
  host::Workload workload;
  workload.name = "matvec";
  workload.summary = "y = A x and y = A^T x: uncoalesced, coalesced, through shared memory";
  for (const Variant& variant : kVariants) workload.variants.emplace_back(variant.name);
  workload.parameters = {{.name = "n",
                          .default_value = 1024,
                          .low = 256,
                          .high = 8192,
                          .choices = {256, 512, 768, 1024, 2048, 3072, 4096, 5120, 6144, 7168, 8192},
                          .what = "rows and columns"}};
  workload.run = run;
  return workload;
}

const bool kRegistered = host::register_workload(describe());

}  // namespace
}  // namespace warptime::workloads
