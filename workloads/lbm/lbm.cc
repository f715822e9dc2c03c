// lbm: a fluid in a box whose lid moves, by the lattice Boltzmann method; what a half-warp reads of cells that are
// structures is in line only through shared memory. The figure is the rate of cells. README.md tells method and layout.
#include <fmt/format.h>

#include <algorithm>

#include "host/workload/compare.h"
#include "host/workload/random.h"
#include "host/workload/workload.h"
#include "reference.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kRegisters = 32;                   // Ryoo et al. 2008, table 3
constexpr size_t kPitch = 112;                        // of a row in the order of arrays
constexpr double kBytes = 4 * (2 * lbm::kWords - 1);  // a cell and step: 20 words are read, 19 written
constexpr size_t kCountedCells = size_t{1} << 16;     // of the CPU baseline

/// Two lattices, cells as structures.
struct Problem {
  size_t rows, layers;
  std::vector<float> from, to;

  Problem(size_t r, size_t l) : rows(r), layers(l), from(cells() * lbm::kWords), to(from.size()) {
    // Nearly at rest: the equilibrium, and up to a hundredth of it for each distribution.
    host::SplitMix64 random(29);
    size_t word = 0;
    for (size_t z = 0; z < layers; ++z)
      for (size_t y = 0; y < rows; ++y)
        for (size_t x = 0; x < lbm::kWidth; ++x) {
          for (size_t d = 0; d < lbm::kDirections; ++d)
            from[word++] = lbm::weight(d) * (1 + 0.01f * random.uniform(-1.0f, 1.0f));
          from[word] = to[word] = static_cast<float>(lbm::walls_of(x, y, z, rows, layers));
          ++word;
        }
  }

  size_t cells() const { return lbm::kWidth * rows * layers; }
  void step() {
    lbm::step(from, to, rows, 0, cells());
    std::swap(from, to);
  }
};

/// Where the order of arrays has word `d` of a cell.
size_t array_word(const Problem& problem, size_t cell, size_t d) {
  size_t lines = problem.rows * problem.layers;
  return (d * lines + cell / lbm::kWidth) * kPitch + cell % lbm::kWidth;
}
std::vector<float> to_arrays(const Problem& problem, const std::vector<float>& structures) {
  std::vector<float> arrays(problem.rows * problem.layers * kPitch * lbm::kWords);
  for (size_t i = 0; i < structures.size(); ++i)
    arrays[array_word(problem, i / lbm::kWords, i % lbm::kWords)] = structures[i];
  return arrays;
}
std::vector<float> to_structures(const Problem& problem, const std::vector<float>& arrays) {
  std::vector<float> structures(problem.cells() * lbm::kWords);
  for (size_t i = 0; i < structures.size(); ++i)
    structures[i] = arrays[array_word(problem, i / lbm::kWords, i % lbm::kWords)];
  return structures;
}

/// Without a variant: buffered, what is published.
void run(host::WorkloadContext& context) {
  host::Device& device = context.device;
  std::string variant = context.variant.empty() ? "buffered" : context.variant;
  bool arrays = variant == "arrays";
  int64_t steps = context["steps"];
  Problem problem(static_cast<size_t>(context["rows"]), static_cast<size_t>(context["layers"]));
  auto module = device.load_module_file(context.directory + "/lbm.ptx");
  auto upload = [&](const std::vector<float>& lattice, const char* name) {
    std::vector<float> words = arrays ? to_arrays(problem, lattice) : lattice;
    host::Buffer buffer = device.allocate<float>(words.size(), name);
    device.copy_to(buffer, words, name);
    return buffer;
  };
  host::Buffer from = upload(problem.from, "from"), to = upload(problem.to, "to");

  host::LaunchOptions options;
  options.registers_per_thread = kRegisters;
  auto rows = static_cast<uint32_t>(problem.rows), layers = static_cast<uint32_t>(problem.layers);
  double time_us = 0;
  for (int64_t i = 0; i < steps; ++i) {
    time_us += device.launch(module, "step_" + variant, {rows, layers}, {lbm::kWidth}, {from, to}, options).time_us;
    std::swap(from, to);
  }
  if (time_us > 0) {
    double cells = static_cast<double>(problem.cells()) * static_cast<double>(steps);
    device.add_figure({"cells", cells / time_us, "M cells/s", "a step of 19 distributions each"});
    device.add_figure({"bandwidth", cells * kBytes / time_us / 1e3, "GB/s", "of use: 156 bytes per cell and step"});
  }

  std::vector<float> result(arrays ? problem.rows * problem.layers * kPitch * lbm::kWords : problem.from.size());
  device.copy_from(result, from, "from");
  if (!context.check) return;
  for (int64_t i = 0; i < steps; ++i) problem.step();
  if (arrays) result = to_structures(problem, result);
  context.checks.push_back(host::compare("distributions", ptx::Type::F32, std::as_bytes(std::span(result)),
                                         std::as_bytes(std::span(problem.from)), {}));
}

/// A step of layers between two others, after one that is not counted; of a small lattice, all.
void run_on_cpu(cpu::CpuContext& context) {
  auto rows = static_cast<size_t>(context["rows"]), layers = static_cast<size_t>(context["layers"]);
  size_t layer = lbm::kWidth * rows, counted = std::max<size_t>(1, kCountedCells / layer), begin = 1;
  if (layers <= counted + 2) {
    counted = layers;
    begin = 0;
  }
  Problem problem(rows, begin == 0 ? layers : counted + 2);
  cpu::CountedArray<float> from(problem.from), to(problem.to);
  auto step = [&] { lbm::step(from, to, rows, begin * layer, (begin + counted) * layer); };
  step();
  context.core.restart();
  step();
  context.scale = static_cast<double>(context["steps"]) * static_cast<double>(layers) / static_cast<double>(counted);
  context.part = fmt::format("a step of {} of {} layers", counted, layers);
}

const bool kRegistered = host::register_workload({
    .name = "lbm",
    .summary = "a fluid on a lattice: structures of 20 words, read through shared memory in lines",
    .variants = {"buffered", "direct", "arrays"},
    .parameters =
        {{.name = "rows",
          .default_value = 100,
          .low = 2,
          .high = 512,
          .choices = {},
          .what = "rows of 100 cells per layer"},
         {.name = "layers",
          .default_value = 10,
          .low = 2,
          .high = 512,
          .choices = {},
          .what = "layers; the last is under the lid"},
         {.name = "steps", .default_value = 4, .low = 1, .high = 100000, .choices = {}, .what = "time steps"}},
    .published = {{"", "registers per thread", kRegisters, "", "Ryoo et al. 2008, table 3", "geforce-8800-gtx"},
                  {"buffered", "registers per thread", kRegisters, "", "Ryoo et al. 2008, table 3",
                   "geforce-8800-gtx"}},
    .run = run,
    .cpu = run_on_cpu,
});

}  // namespace
}  // namespace warptime::workloads
