// cp: the Coulomb potential of point charges on a plane of grid points, summed directly (Kirk & Hwu 2010, chapter 9).
// The figure is the rate of evaluations, an atom's share at a point. README.md counts the work and derives the bound.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/workload/compare.h"
#include "host/workload/random.h"
#include "host/workload/workload.h"
#include "reference.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kAtoms = 4000;                           // of the constant array
constexpr uint32_t kBlockX = 16, kBlockY = 8, kPoints = 8;  // threads of a block, points of a thread (several)
constexpr uint32_t kRegisters = 20;                         // Ryoo et al. 2008, table 3 (several)
constexpr float kSpacing = 0.25f;
constexpr uint64_t kCheckedEvaluations = uint64_t{1} << 24;  // that a check may cost on the CPU

struct Atom {
  float x, y, dz2, charge;
};

/// Position of the grid's first point: not zero, and multiples of 2^-6.
struct Origin {
  float x, y;
};

Origin make_origin() {
  host::SplitMix64 random(7);
  auto coordinate = [&] { return std::floor(random.uniform(-64.0f, -1.0f) * 64) / 64; };
  float x = coordinate();
  return {x, coordinate()};
}

// Coordinates are multiples of 2^-6, as those of the grid are, so that differences are exact.
std::vector<Atom> make_atoms(uint32_t count, uint32_t size, Origin origin) {
  host::SplitMix64 random(6);
  auto multiple = [&](float width) { return std::floor(random.uniform(0.0f, width) * 64) / 64; };
  std::vector<Atom> atoms(count);
  for (Atom& atom : atoms) {
    float extent = kSpacing * static_cast<float>(size), dz = 0.5f + multiple(8.0f);
    atom = {origin.x + multiple(extent), origin.y + multiple(extent), dz * dz, random.uniform(-1.0f, 1.0f)};
  }
  return atoms;
}

/// Points of a row in memory: a multiple of a half-warp, so that all rows are in line.
uint32_t pitch_of(uint32_t size) { return (size + kBlockX - 1) / kBlockX * kBlockX; }

/// Potentials at evenly spread points, held against sums in double precision.
host::Check check(const std::vector<float>& grid, const std::vector<Atom>& atoms, uint32_t size, Origin origin) {
  uint64_t points = uint64_t{size} * size;
  uint64_t stride = std::max<uint64_t>(1, points * atoms.size() / kCheckedEvaluations) | 1;  // odd: every column comes
  std::vector<std::pair<uint64_t, double>> expected;
  double bound = 0;
  for (uint64_t at = 0; at < points; at += stride) {
    double x = origin.x + kSpacing * static_cast<double>(at % size),
           y = origin.y + kSpacing * static_cast<double>(at / size);
    double sum = 0, magnitude = 0;
    for (const Atom& atom : atoms) {
      double dx = x - atom.x, dy = y - atom.y;
      double share = atom.charge / std::sqrt(dx * dx + dy * dy + atom.dz2);
      sum += share;
      magnitude += std::abs(share);
    }
    expected.emplace_back(at, sum);
    bound = std::max(bound, magnitude * static_cast<double>(atoms.size() + 8) * 0x1p-24);
  }
  host::Comparison comparison("potential", ptx::Type::F32, {bound, 0});
  for (auto [at, value] : expected) {
    auto row = static_cast<size_t>(at / size), column = static_cast<size_t>(at % size);
    comparison.element_f32(grid[row * pitch_of(size) + column], static_cast<float>(value), row, column);
  }
  for (size_t row = 0; row < size; ++row)  // what fills a row up stays as it was
    for (size_t column = size; column < pitch_of(size); ++column)
      comparison.element_f32(grid[row * pitch_of(size) + column], 0, row, column);
  return comparison.result();
}

/// Without a variant: several points per thread, what is published.
void run(host::WorkloadContext& context) {
  host::Device& device = context.device;
  bool one = context.variant == "one";
  uint32_t points = one ? 1 : kPoints;
  auto size = static_cast<uint32_t>(context["size"]);
  Origin origin = make_origin();
  std::vector<Atom> atoms = make_atoms(static_cast<uint32_t>(context["atoms"]), size, origin), table = atoms;
  table.resize(kAtoms);
  auto module = device.load_module_file(context.directory + "/cp.ptx");
  device.set_symbol(module, "atoms", std::as_bytes(std::span(table)));
  std::vector<float> grid(size_t{size} * pitch_of(size));
  host::Buffer out = device.allocate<float>(grid.size(), "grid");
  device.copy_to(out, grid, "grid");

  host::LaunchOptions options;
  if (!one) options.registers_per_thread = kRegisters;
  auto blocks = [size](uint32_t points_of_a_block) { return (size + points_of_a_block - 1) / points_of_a_block; };
  host::Argument lines = host::arg_u32(size);
  const auto& launch = device.launch(
      module, one ? "one_point" : "potential", {blocks(kBlockX * points), blocks(kBlockY)}, {kBlockX, kBlockY},
      {out, host::arg_u32(static_cast<uint32_t>(atoms.size())), host::arg_f32(kSpacing), host::arg_f32(origin.x),
       host::arg_f32(origin.y), lines, lines, host::arg_u32(pitch_of(size))},
      options);
  double evaluations = static_cast<double>(size) * size * static_cast<double>(atoms.size());
  if (launch.timed)
    device.add_figure({"evaluations", evaluations / launch.time_us / 1e3, "G evaluations/s", "atoms times points"});
  device.copy_from(grid, out, "grid");
  if (context.check) context.checks.push_back(check(grid, atoms, size, origin));
}

// Points of the first row: at most a million evaluations.
void run_on_cpu(cpu::CpuContext& context) {
  auto size = static_cast<uint32_t>(context["size"]), count = static_cast<uint32_t>(context["atoms"]);
  Origin origin = make_origin();
  std::vector<Atom> atoms = make_atoms(count, size, origin);
  uint32_t points = std::min(size, (1u << 20) / count + 1);
  auto member = [&](float Atom::*which) {
    std::vector<float> values;
    for (const Atom& atom : atoms) values.push_back(atom.*which);
    return cpu::CountedArray<float>(values);
  };
  cpu::CountedArray<float> x = member(&Atom::x), y = member(&Atom::y), dz2 = member(&Atom::dz2),
                           charge = member(&Atom::charge), row(points);
  potential_row(x, y, dz2, charge, origin.x, origin.y, kSpacing, row);
  context.scale = static_cast<double>(size) * size / points;
  context.part = fmt::format("{} of {} x {} points", points, size, size);
}

host::Published published(const char* variant) {
  return {variant,           "G evaluations/s", 39.5, "512 x 512 points, 4000 atoms", "Kirk & Hwu 2010, chapter 9",
          "geforce-8800-gtx"};
}

const bool kRegistered = host::register_workload({
    .name = "cp",
    .summary = "Coulomb potential on a plane of points, summed directly: special functions beside arithmetic",
    .variants = {"several", "one"},
    .parameters = {{.name = "size",
                    .default_value = 256,
                    .low = 1,
                    .high = 4096,
                    .choices = {},
                    .what = "rows and columns of grid points"},
                   {.name = "atoms", .default_value = 1000, .low = 1, .high = kAtoms, .choices = {}, .what = "atoms"}},
    .published = {published(""), published("several")},
    .run = run,
    .cpu = run_on_cpu,
});

}  // namespace
}  // namespace warptime::workloads
