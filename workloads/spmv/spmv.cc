// spmv: a sparse matrix in compressed rows times a vector, whose elements are gathered; matrices of three shapes.
// README.md says how they are made. The CPU does the same operations in the same order, so x must be equal bit by bit.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "host/device/model.h"
#include "host/workload/compare.h"
#include "host/workload/random.h"
#include "host/workload/workload.h"
#include "reference.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kBlock = 256;
constexpr uint64_t kCountedElements = uint64_t{1} << 18;  // of the CPU baseline
constexpr const char* kShapes[] = {"banded", "uniform", "power-law"};

struct Matrix {
  std::vector<float> val;
  std::vector<int32_t> indices, row_ind{0};

  /// A row with these columns, each once.
  void add_row(std::vector<int32_t>& columns, host::SplitMix64& random) {
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    for (int32_t column : columns) {
      indices.push_back(column);
      val.push_back(random.uniform(-1.0f, 1.0f));
    }
    row_ind.push_back(static_cast<int32_t>(indices.size()));
  }
};

/// `each` diagonals around the main one.
void add_banded_row(std::vector<int32_t>& columns, int64_t row, int64_t rows, int64_t each) {
  int64_t first = row - each / 2;
  for (int64_t c = std::max<int64_t>(first, 0); c < std::min(first + each, rows); ++c)
    columns.push_back(static_cast<int32_t>(c));
}

/// How many columns have a degree, and how many elements a row, fall with the third power of the number: scale-free.
class PowerLaw {
 public:
  PowerLaw(host::SplitMix64& random, int64_t rows, int64_t each)
      : rows_(rows), each_(each), columns_(static_cast<size_t>(rows)) {
    std::iota(columns_.begin(), columns_.end(), 0);
    for (size_t i = columns_.size(); i > 1; --i) std::swap(columns_[i - 1], columns_[random.below(i)]);
  }
  void add_row(std::vector<int32_t>& columns, host::SplitMix64& random) const {
    double length = static_cast<double>(each_) / 2 / std::sqrt(1 - random.uniform());
    auto count = std::min<int64_t>(static_cast<int64_t>(length + 0.5), rows_);
    for (int64_t i = 0; i < count; ++i) {
      double u = random.uniform();
      columns.push_back(columns_[static_cast<size_t>(u * u * static_cast<double>(rows_))]);
    }
  }

 private:
  int64_t rows_, each_;
  std::vector<int32_t> columns_;  // the most frequent first
};

Matrix make_matrix(const std::string& shape, int64_t rows, int64_t each) {
  host::SplitMix64 random(19);
  PowerLaw power_law(random, rows, each);
  Matrix matrix;
  std::vector<int32_t> columns;
  for (int64_t row = 0; row < rows; ++row) {
    columns.clear();
    if (shape == "banded") add_banded_row(columns, row, rows, each);
    if (shape == "uniform")
      for (int64_t i = 0; i < each; ++i)
        columns.push_back(static_cast<int32_t>(random.below(static_cast<uint64_t>(rows))));
    if (shape == "power-law") power_law.add_row(columns, random);
    matrix.add_row(columns, random);
  }
  return matrix;
}

std::vector<float> make_vector(int64_t rows) {
  host::SplitMix64 random(20);
  std::vector<float> y(static_cast<size_t>(rows));
  for (float& v : y) v = random.uniform(-1.0f, 1.0f);
  return y;
}

/// A matrix on a device.
class Product {
 public:
  Product(host::WorkloadContext& context, const host::ModuleRef& module, const std::string& shape)
      : context_(context),
        device_(context.device),
        module_(module),
        shape_(shape),
        rows_(static_cast<uint32_t>(context["rows"])),
        matrix_(make_matrix(shape, context["rows"], context["elements"])),
        y_(make_vector(context["rows"])),
        x_(device_.allocate<float>(rows_, "x of " + shape)) {
    arguments_ = {x_, upload(matrix_.val, "val"), upload(matrix_.indices, "indices"),
                  upload(matrix_.row_ind, "rowInd")};
    device_y_ = upload(y_, "y");
  }

  void run(const std::string& variant, bool through_texture) {
    std::vector<host::Argument> arguments = arguments_;
    arguments.push_back(through_texture ? texture_of_y() : host::Argument(device_y_));
    arguments.push_back(host::arg_u32(rows_));
    std::vector<float> x(rows_);
    device_.write_bytes(x_.address, std::as_bytes(std::span(x)));
    const auto& launch = device_.launch(module_, through_texture ? "spmv_texture" : "spmv",
                                        {1, (rows_ + kBlock - 1) / kBlock}, {1, kBlock}, arguments);
    if (launch.timed) add_figures(variant, launch.counted());
    device_.copy_from(x, x_, "x");
    if (!context_.check) return;
    std::vector<float> expected(rows_);
    multiply_rows(matrix_.val, matrix_.indices, matrix_.row_ind, y_, expected);
    context_.checks.push_back(host::compare("x of " + variant, ptx::Type::F32, std::as_bytes(std::span(x)),
                                            std::as_bytes(std::span(expected)), {}));
  }

 private:
  void add_figures(std::string name, const sim::LaunchStatistics& launch) {
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == '+' || c == '-'; }, '_');
    double operations = 2 * static_cast<double>(matrix_.val.size());
    device_.add_figure({name + "_gflops", operations / launch.time_us / 1e3, "GFLOP/s", "2 operations per element"});
    uint64_t hits = launch.caches.l2.hits, misses = launch.caches.l2.misses;
    if (hits + misses > 0)
      device_.add_figure({name + "_l2_hits", 100 * static_cast<double>(hits) / static_cast<double>(hits + misses), "%",
                          "of the reads that reach the L2"});
  }
  template <class T>
  host::Buffer upload(const std::vector<T>& values, const std::string& name) {
    host::Buffer buffer = device_.allocate<T>(std::max<size_t>(values.size(), 1), name + " of " + shape_);
    device_.copy_to(buffer, values, name);
    return buffer;
  }
  host::Argument texture_of_y() {
    sim::Texture texture;
    texture.name = "y";
    texture.base = device_y_.address;
    texture.size = {rows_, 1, 1};
    texture.tiled = false;  // linear memory
    return device_.make_texture(texture);
  }

  host::WorkloadContext& context_;
  host::Device& device_;
  host::ModuleRef module_;
  std::string shape_;
  uint32_t rows_;
  Matrix matrix_;
  std::vector<float> y_;
  host::Buffer x_, device_y_;
  std::vector<host::Argument> arguments_;
};

void run(host::WorkloadContext& context) {
  auto module = context.device.load_module_file(context.directory + "/spmv.ptx");
  for (std::string shape : kShapes) {
    bool plain = context.runs(shape), texture = context.runs(shape + "+texture");
    if (!plain && !texture) continue;
    Product product(context, module, shape);
    if (plain) product.run(shape, false);
    if (texture) product.run(shape + "+texture", true);
  }
}

/// The first rows.
void run_on_cpu(cpu::CpuContext& context) {
  std::string shape = context.variant.empty() ? kShapes[0] : context.variant.substr(0, context.variant.find('+'));
  Matrix matrix = make_matrix(shape, context["rows"], context["elements"]);
  auto rows = static_cast<size_t>(context["rows"]), counted = rows;
  while (counted > 1 && static_cast<uint64_t>(matrix.row_ind[counted]) > kCountedElements) counted = counted / 2;
  cpu::CountedArray<float> val(matrix.val), y(make_vector(context["rows"])), x(counted);
  cpu::CountedArray<int32_t> indices(matrix.indices), row_ind(matrix.row_ind);
  multiply_rows(val, indices, row_ind, y, x);
  context.scale = static_cast<double>(matrix.val.size()) / matrix.row_ind[counted];
  if (counted < rows) context.part = fmt::format("{} of {} rows", counted, rows);
}

std::vector<std::string> variant_names() {
  std::vector<std::string> names;
  for (std::string shape : kShapes) names.insert(names.end(), {shape, shape + "+texture"});
  return names;
}

const bool kRegistered = host::register_workload({
    .name = "spmv",
    .summary = "a sparse matrix in compressed rows times a vector: gathers by plain loads or through a texture",
    .variants = variant_names(),
    .parameters = {{.name = "rows",
                    .default_value = 1 << 16,
                    .low = 1,
                    .high = 1 << 22,
                    .choices = {},
                    .what = "rows and columns"},
                   {.name = "elements",
                    .default_value = 16,
                    .low = 1,
                    .high = 1024,
                    .choices = {},
                    .what = "elements per row, on average"}},
    .published = {},
    .run = run,
    .cpu = run_on_cpu,
});

}  // namespace
}  // namespace warptime::workloads
