// transpose: a square matrix in the stages of Ruetsch and Micikevicius 2009. Two of them are halves of a transpose
// each, and one is a copy, so every variant has a reference of its own. The figures count bytes read and bytes written.
#include "host/workload/compare.h"
#include "host/workload/random.h"
#include "host/workload/workload.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kTile = 32, kRows = 8;

struct Variant {
  const char* name;
  const char* kernel;
  bool elements;  // within their tile are transposed
  bool tiles;     // are
};
constexpr Variant kVariants[] = {
    {"copy", "copy", false, false},
    {"naive", "naive", true, true},
    {"coalesced", "coalesced", true, true},
    {"padded", "padded", true, true},
    {"fine-grained", "fine_grained", true, false},
    {"coarse-grained", "coarse_grained", false, true},
    {"diagonal", "diagonal", true, true},
};

std::vector<float> reference(const Variant& variant, const std::vector<float>& matrix, size_t n) {
  std::vector<float> out(matrix.size());
  for (size_t row = 0; row < n; ++row)
    for (size_t column = 0; column < n; ++column) {
      size_t tile_y = row / kTile, tile_x = column / kTile, y = row % kTile, x = column % kTile;
      if (variant.tiles) std::swap(tile_y, tile_x);
      if (variant.elements) std::swap(y, x);
      out[(tile_y * kTile + y) * n + tile_x * kTile + x] = matrix[row * n + column];
    }
  return out;
}

/// "fine-grained" as the name of a figure.
std::string figure_name(std::string name) {
  for (char& c : name)
    if (c == '-') c = '_';
  return name + "_gb_s";
}

void run(host::WorkloadContext& context) {
  host::Device& device = context.device;
  auto n = static_cast<uint32_t>(context["n"]);
  std::vector<float> matrix(size_t{n} * n), result(matrix.size()), zeros(matrix.size());
  host::SplitMix64 random(19);
  for (float& x : matrix) x = random.uniform(-1.0f, 1.0f);
  auto module = device.load_module_file(context.directory + "/transpose.ptx");
  host::Buffer in = device.allocate<float>(matrix.size(), "in"), out = device.allocate<float>(matrix.size(), "out");
  device.copy_to(in, matrix, "in");

  for (const Variant& variant : kVariants) {
    if (!context.variant.empty() && context.variant != variant.name) continue;
    device.write_bytes(out.address, std::as_bytes(std::span(zeros)));
    const auto& launch =
        device.launch(module, variant.kernel, {n / kTile, n / kTile}, {kTile, kRows}, {out, in, host::arg_u32(n)});
    if (launch.timed)
      device.add_figure({figure_name(variant.name), 8.0 * n * n / launch.time_us / 1e3, "GB/s",
                         "bytes read and bytes written, over the time of the kernel"});
    device.copy_from(result, out, "out");
    if (!context.check) continue;
    std::vector<float> expected = reference(variant, matrix, n);
    context.checks.push_back(host::compare(std::string("result of ") + variant.name, ptx::Type::F32,
                                           std::as_bytes(std::span(result)), std::as_bytes(std::span(expected)), {}));
  }
}

host::Workload describe() {
  host::Workload workload;
  workload.name = "transpose";
  workload.summary = "a matrix transposed in the stages of Ruetsch and Micikevicius 2009";
  for (const Variant& variant : kVariants) workload.variants.emplace_back(variant.name);
  workload.parameters = {{.name = "n",
                          .default_value = 2048,
                          .low = 32,
                          .high = 8192,
                          .choices = {32, 64, 96, 128, 256, 512, 1024, 2048, 2080, 4096, 8192},
                          .what = "rows and columns"}};
  workload.run = run;
  return workload;
}

const bool kRegistered = host::register_workload(describe());

}  // namespace
}  // namespace warptime::workloads
