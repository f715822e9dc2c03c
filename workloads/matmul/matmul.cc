// matmul: C = A B as Ryoo et al. 2008, section 4, in four stages. Sizes that the tile does not divide are padded with
// zeros to the next multiple, and the kernels multiply the padded matrices. `blocks` runs the first blocks of the
// full-size grid on the full-size arrays. The bound of the check is derived in README.md.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/workload/compare.h"
#include "host/workload/random.h"
#include "host/workload/workload.h"
#include "reference.h"

namespace warptime::workloads {
namespace {

struct Variant {
  const char* name;
  uint32_t registers;  // published, a thread: they decide how many blocks fit
  double gflops;       // published, n = 4096
  const char* source;
  const char* note;  // on the simulated figure beside the published one; may be empty
};
constexpr const char* kPublishedMachine = "geforce-8800-gtx";
constexpr Variant kVariants[] = {
    {"naive", 10, 10.58, "Ryoo et al. 2008, section 4.1",
     "the machine follows the manual's coalescing rule, as in Cecilia 2009 (3.78); 10.58 needs geforce-8800-gtx-merge"},
    {"tiled", 10, 46.49, "Ryoo et al. 2008, section 4.2", ""},
    {"unrolled", 9, 91.14, "Ryoo et al. 2008, section 4.3", ""},
    {"prefetch", 11, 87.10, "Ryoo et al. 2008, section 4.4", ""},
};

// Multiply-adds of the reference that a check may cost: every row up to n = 1024, evenly spread rows beyond.
constexpr size_t kCheckedProducts = size_t{1} << 30;

/// The matrices on host and device, at one padded width.
class Problem {
 public:
  Problem(host::Device& device, size_t n, size_t width) : device_(device), n_(n), width_(width) {
    a_.resize(width * width);
    b_.resize(width * width);
    host::SplitMix64 random(3);
    for (std::vector<float>* m : {&a_, &b_})
      for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j) (*m)[i * width + j] = random.uniform(-1.0f, 1.0f);
    std::string suffix = width == n ? "" : " (padded)";
    device_a_ = device.allocate<float>(a_.size(), "A" + suffix);
    device_b_ = device.allocate<float>(b_.size(), "B" + suffix);
    device_c_ = device.allocate<float>(width * width, "C" + suffix);
    device.copy_to(device_a_, a_, "A");
    device.copy_to(device_b_, b_, "B");
  }

  size_t width() const { return width_; }

  /// One launch: the first `blocks` blocks, 0 for all.
  void run(const host::ModuleRef& module, const std::string& kernel, uint32_t tile, uint32_t registers,
           uint64_t blocks) {
    auto across = static_cast<uint32_t>(width_ / tile);
    host::LaunchOptions options;
    options.registers_per_thread = registers;
    if (blocks > 0 && blocks < uint64_t{across} * across)
      for (uint64_t i = 0; i < blocks; ++i) options.blocks.push_back(i);
    tile_ = tile;
    blocks_ = options.blocks.empty() ? uint64_t{across} * across : blocks;
    auto w = static_cast<uint32_t>(width_);
    device_.launch(module, kernel, {across, across}, {tile, tile},
                   {device_a_, device_b_, device_c_, host::arg_u32(w), host::arg_u32(w)}, options);
    written_rows_ = std::max(written_rows_, computed_rows());
    result_.resize(computed_rows() * width_);
    device_.copy_from(result_, device_c_, "C");
  }

  host::Check check(const std::string& name) {
    make_reference();
    host::Comparison comparison(name, ptx::Type::F32, {bound(), 0});
    for (size_t s = 0; s < rows_.size(); ++s) {
      size_t i = rows_[s], columns = std::min(n_, computed_columns(i));
      for (size_t j = 0; j < columns; ++j)
        comparison.element_f32(result_[i * width_ + j], reference_[s * width_ + j], i, j);
    }
    return comparison.result();
  }

  /// Forgets all results, so that the next launch is not checked against what an earlier one left behind.
  void clear() {
    std::vector<float> zeros(written_rows_ * width_);
    device_.write_bytes(device_c_.address, std::as_bytes(std::span(zeros)));
  }

 private:
  size_t blocks_across() const { return width_ / tile_; }
  size_t computed_rows() const { return (blocks_ + blocks_across() - 1) / blocks_across() * tile_; }
  size_t computed_columns(size_t row) const {
    size_t before = row / tile_ * blocks_across();
    return std::min<size_t>(blocks_ - before, blocks_across()) * tile_;
  }

  void make_reference() {
    size_t rows = std::min(n_, computed_rows());
    size_t columns = std::min(n_, computed_columns(0));
    size_t count = std::clamp<size_t>(kCheckedProducts / (columns * n_), 1, rows);
    std::vector<size_t> sample(count);
    for (size_t s = 0; s < count; ++s) sample[s] = count == 1 ? rows - 1 : s * (rows - 1) / (count - 1);
    if (sample == rows_ && columns == reference_columns_) return;  // as for the launch before
    rows_ = std::move(sample);
    reference_columns_ = columns;
    std::vector<float> rows_of_a(count * width_);
    for (size_t s = 0; s < count; ++s) std::copy_n(&a_[rows_[s] * width_], width_, &rows_of_a[s * width_]);
    reference_.assign(count * width_, 0.0f);
    multiply_rows(rows_of_a.data(), b_.data(), reference_.data(), count, columns, n_, width_);
  }

  // 2 gamma_n ||row of A|| ||column of B||, the largest over all rows and columns (README.md).
  double bound() const {
    double longest_row = 0, longest_column = 0;
    std::vector<double> column(n_);
    for (size_t i = 0; i < n_; ++i) {
      double row = 0;
      for (size_t j = 0; j < n_; ++j) {
        double x = a_[i * width_ + j], y = b_[i * width_ + j];
        row += x * x;
        column[j] += y * y;
      }
      longest_row = std::max(longest_row, row);
    }
    for (double c : column) longest_column = std::max(longest_column, c);
    double nu = static_cast<double>(n_) * 0x1p-24;
    return 2 * nu / (1 - nu) * std::sqrt(longest_row * longest_column);
  }

  host::Device& device_;
  size_t n_, width_;
  std::vector<float> a_, b_, result_, reference_;
  std::vector<size_t> rows_;  // of C, that the reference has
  size_t reference_columns_ = 0;
  host::Buffer device_a_, device_b_, device_c_;
  // Values of the last launch:
  size_t tile_ = 16;
  uint64_t blocks_ = 0;
  size_t written_rows_ = 0;  // of C, by any launch
};

void run(host::WorkloadContext& context) {
  auto module = context.device.load_module_file(context.directory + "/matmul.ptx");
  auto n = static_cast<size_t>(context["n"]);
  std::optional<Problem> problem;
  for (const Variant& variant : kVariants) {
    std::string name = variant.name;
    if (!context.variant.empty() && context.variant != name) continue;
    size_t tile = name == "tiled" ? static_cast<size_t>(context["tile"]) : 16;
    size_t width = (n + tile - 1) / tile * tile;
    if (problem && problem->width() == width) problem->clear();
    else problem.emplace(context.device, n, width);
    auto registers = static_cast<uint32_t>(context["registers"]);
    problem->run(module, name == "tiled" ? "tiled_" + fmt::to_string(tile) : name, static_cast<uint32_t>(tile),
                 registers == 0 ? variant.registers : registers, static_cast<uint64_t>(context["blocks"]));
    if (context.check) context.checks.push_back(problem->check("C of " + name));
  }
}

// A tile of B with some rows of A; the copy of the tile, an n-th of the work, is left out.
void run_on_cpu(cpu::CpuContext& context) {
  auto n = static_cast<size_t>(context["n"]);
  size_t tile = std::min(TiledProduct<std::vector<float>>::kTile, n), rows = std::min<size_t>(n, 64);
  cpu::CountedArray<float> a(rows * n), b(tile * n), c(rows * n);
  TiledProduct product(a, b, c, n);
  product.copy_tile(0, 0);
  context.core.restart();
  product.add_products(0, 0, rows);
  auto all = static_cast<double>(n);
  context.scale = all * all * all / static_cast<double>(rows * tile * tile);
  context.part = fmt::format("{} of {} rows of A by a tile of {} x {} of B", rows, n, tile, tile);
}

host::Workload describe() {
  host::Workload workload;
  workload.name = "matmul";
  workload.summary = "C = A B in the four stages of Ryoo et al. 2008, section 4";
  workload.parameters = {
      {.name = "n", .default_value = 512, .low = 1, .high = 8192, .choices = {}, .what = "rows and columns"},
      {.name = "tile",
       .default_value = 16,
       .low = 4,
       .high = 16,
       .choices = {4, 8, 12, 16},
       .what = "width of a tile (variant tiled)"},
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
       .what = "registers per thread; 0: as published for the variant"},
  };
  for (const Variant& v : kVariants) {
    workload.variants.emplace_back(v.name);
    workload.published.push_back({v.name, "GFLOP/s", v.gflops, "n = 4096", v.source, kPublishedMachine, v.note});
    workload.published.push_back(
        {v.name, "registers per thread", static_cast<double>(v.registers), "CUDA 0.8", v.source, kPublishedMachine});
  }
  workload.run = run;
  workload.cpu = run_on_cpu;
  return workload;
}

const bool kRegistered = host::register_workload(describe());

}  // namespace
}  // namespace warptime::workloads
