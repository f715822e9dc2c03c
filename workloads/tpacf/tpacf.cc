// tpacf: pairs of points on the sky counted by their distance, data with data, data with random points and those with
// one another: what the two-point angular correlation function is estimated from (Landy and Szalay 1993). The figure is
// the rate of pairs. README.md counts the work and derives the bound.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <utility>

#include "cpu/counted.h"
#include "host/workload/compare.h"
#include "host/workload/random.h"
#include "host/workload/workload.h"
#include "reference.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kThreads = 256, kTilesPerBlock = 2;
constexpr uint32_t kBins = 20, kEdges = 31;            // of the constant array; kBins - 1 are used
constexpr uint32_t kRegisters = 24;                    // Ryoo et al. 2008, table 3
constexpr uint64_t kCheckedPairs = uint64_t{1} << 24;  // of a launch that a check may cost on the CPU
constexpr uint64_t kCountedPairs = uint64_t{1} << 17;  // of the CPU baseline, of each kind
constexpr double kCosineError = 4 * 0x1p-24;           // of f32 (README.md)

using Counts = std::vector<uint64_t>;  // by bin
using Points = std::vector<float>;     // (x, y, z) of unit length each

/// 18 bins, six a decade, from 10 to 10,000 arc minutes, and what lies below and beyond: cosines of their edges.
std::vector<float> make_edges() {
  std::vector<float> edges;
  for (int i = 0; i <= 18; ++i)
    edges.push_back(static_cast<float>(std::cos(std::pow(10.0, 1 + i / 6.0) / 60 * std::numbers::pi / 180)));
  return edges;
}

struct Vector {
  float x, y, z;
};
/// Evenly spread in the ball around 0.
Vector in_ball(host::SplitMix64& random, float radius) {
  for (;;) {
    Vector v{random.uniform(-radius, radius), 0, 0};
    v.y = random.uniform(-radius, radius);
    v.z = random.uniform(-radius, radius);
    float square = v.x * v.x + v.y * v.y + v.z * v.z;
    if (square > 0 && square <= radius * radius) return v;
  }
}
void add_point(Points& points, Vector v) {
  float length = std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
  points.insert(points.end(), {v.x / length, v.y / length, v.z / length});
}

/// Evenly spread on the sky.
Points make_random(uint32_t count, uint64_t seed) {
  host::SplitMix64 random(seed);
  Points points;
  while (points.size() < size_t{3} * count) add_point(points, in_ball(random, 1.0f));
  return points;
}
/// In clusters of 16, a few degrees wide, so that small distances are more frequent than by chance.
Points make_data(uint32_t count) {
  host::SplitMix64 random(10);
  Points points, centre;
  for (uint32_t i = 0; i < count; ++i) {
    if (i % 16 == 0) {
      centre.clear();
      add_point(centre, in_ball(random, 1.0f));
    }
    Vector off = in_ball(random, 0.05f);
    add_point(points, {centre[0] + off.x, centre[1] + off.y, centre[2] + off.z});
  }
  return points;
}

uint32_t tiles_of(const Points& points) { return static_cast<uint32_t>((points.size() / 3 + kThreads - 1) / kThreads); }

/// How many pairs lie up to each edge, for evenly spread tiles of `a`: at least, and at most, as far as f32 cosines
/// tell.
struct Expected {
  std::vector<uint32_t> tiles;
  std::vector<Counts> least, most;  // of each tile, by edge
};

Expected expect(const Points& a, const Points& b, bool same, const std::vector<float>& edges) {
  Expected out;
  uint32_t tiles = tiles_of(a);
  auto count = static_cast<uint32_t>(std::clamp<uint64_t>(kCheckedPairs * 3 / (kThreads * b.size()), 1, tiles));
  std::vector<double> exact_a(a.begin(), a.end()), exact_b(b.begin(), b.end());
  auto up_to_edges = [&](uint32_t tile, double shift) {
    std::vector<double> moved;
    for (float edge : edges) moved.push_back(static_cast<double>(edge) + shift);
    Counts counts(kBins);
    count_angles(exact_a, size_t{tile} * kThreads, std::min(size_t{tile + 1} * kThreads, a.size() / 3), exact_b, same,
                 moved, counts);
    std::partial_sum(counts.begin(), counts.end(), counts.begin());
    return counts;
  };
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t tile = count == 1 ? tiles / 2 : static_cast<uint32_t>(uint64_t{i} * (tiles - 1) / (count - 1));
    out.tiles.push_back(tile);
    out.least.push_back(up_to_edges(tile, kCosineError));
    out.most.push_back(up_to_edges(tile, -kCosineError));
  }
  return out;
}

/// One of the three kinds of pairs, as the device counted them.
struct Result {
  uint32_t tiles = 0, pieces = 0;
  std::vector<uint32_t> rows;  // by piece of b, tile of a, bin
  Counts totals;
};

host::Check check_rows(const std::string& name, const Result& result, const Expected& expected) {
  host::Comparison comparison(name, ptx::Type::U64, {0, 0});
  for (size_t i = 0; i < expected.tiles.size(); ++i) {
    Counts got(kBins);
    for (uint32_t piece = 0; piece < result.pieces; ++piece)
      for (uint32_t bin = 0; bin < kBins; ++bin)
        got[bin] += result.rows[(size_t{piece} * result.tiles + expected.tiles[i]) * kBins + bin];
    std::partial_sum(got.begin(), got.end(), got.begin());
    for (uint32_t bin = 0; bin < kBins; ++bin)
      comparison.element(got[bin], std::clamp(got[bin], expected.least[i][bin], expected.most[i][bin]),
                         [&] { return fmt::format("tile {}, up to bin {}", expected.tiles[i], bin); });
  }
  return comparison.result();
}

/// The totals are the rows' sums, and all pairs are there.
host::Check check_totals(const std::string& name, const Result& result, uint64_t pairs) {
  Counts sums(kBins), got = result.totals;
  for (size_t i = 0; i < result.rows.size(); ++i) sums[i % kBins] += result.rows[i];
  sums.push_back(pairs);
  got.push_back(std::accumulate(got.begin(), got.end(), uint64_t{0}));
  return host::compare(name, ptx::Type::U64, std::as_bytes(std::span(got)), std::as_bytes(std::span(sums)), {0, 0});
}

class Program {
 public:
  explicit Program(host::WorkloadContext& context)
      : context_(context),
        device_(context.device),
        module_(device_.load_module_file(context.directory + "/tpacf.ptx")),
        count_(static_cast<uint32_t>(context["size"])),
        edges_(make_edges()) {
    std::vector<float> table = edges_;
    table.resize(kEdges, -2.0f);
    device_.set_symbol(module_, "edges", std::as_bytes(std::span(table)));
    add_set(make_data(count_), "data");
    for (int64_t i = 0; i < context["sets"]; ++i)
      add_set(make_random(count_, 11 + static_cast<uint64_t>(i)), fmt::format("random {}", i));
    uint32_t tiles = tiles_of(sets_[0].points);
    pieces_ = (tiles + kTilesPerBlock - 1) / kTilesPerBlock;
    rows_ = device_.allocate<uint32_t>(uint64_t{tiles} * pieces_ * kBins, "rows");
    totals_ = device_.allocate<uint64_t>(kBins, "totals");
  }

  /// Data with data; data with each random set, and each of these with itself.
  void run(const std::string& variant) {
    double pairs = 0, time_us = 0;
    auto add = [&](size_t a, size_t b) {
      pairs += static_cast<double>(pairs_of(a, b));
      time_us += count(variant, a, b);
    };
    add(0, 0);
    for (size_t i = 1; i < sets_.size(); ++i) {
      add(0, i);
      add(i, i);
    }
    if (time_us > 0)
      device_.add_figure({variant + "_pairs", pairs / time_us / 1e3, "G pairs/s", "cosines computed and counted"});
  }

 private:
  struct Set {
    Points points;
    host::Buffer buffer;
    std::string name;
  };

  void add_set(Points points, const std::string& name) {
    host::Buffer buffer = device_.allocate<float>(points.size(), name);
    device_.copy_to(buffer, points, name);
    sets_.push_back({std::move(points), buffer, name});
  }

  uint64_t pairs_of(size_t a, size_t b) const {
    return a == b ? uint64_t{count_} * (count_ - 1) / 2 : uint64_t{count_} * count_;
  }

  /// Pairs of two sets, or of one with itself; returns the launches' time in us.
  double count(const std::string& variant, size_t a, size_t b) {
    host::LaunchOptions options;
    options.registers_per_thread = kRegisters;
    uint32_t tiles = tiles_of(sets_[a].points);
    double time_us = device_
                         .launch(module_, "count_" + variant, {tiles, pieces_}, {kThreads},
                                 {sets_[a].buffer, host::arg_u32(count_), sets_[b].buffer, host::arg_u32(count_),
                                  host::arg_u32(a == b), rows_},
                                 options)
                         .time_us;
    time_us +=
        device_.launch(module_, "add_rows", {kBins}, {64}, {rows_, host::arg_u32(tiles * pieces_), totals_}).time_us;
    Result result{tiles, pieces_, std::vector<uint32_t>(size_t{tiles} * pieces_ * kBins), Counts(kBins)};
    device_.copy_from(result.totals, totals_, "totals");
    if (!context_.check) return time_us;
    device_.read_bytes(std::as_writable_bytes(std::span(result.rows)), rows_.address);
    std::string name = fmt::format("{} with {} ({})", sets_[a].name, sets_[b].name, variant);
    if (!expected_.contains({a, b})) expected_[{a, b}] = expect(sets_[a].points, sets_[b].points, a == b, edges_);
    context_.checks.push_back(check_rows("tiles of " + name, result, expected_[{a, b}]));
    context_.checks.push_back(check_totals("totals of " + name, result, pairs_of(a, b)));
    return time_us;
  }

  host::WorkloadContext& context_;
  host::Device& device_;
  host::ModuleRef module_;
  uint32_t count_, pieces_ = 0;
  std::vector<float> edges_;
  std::vector<Set> sets_;
  host::Buffer rows_, totals_;
  std::map<std::pair<size_t, size_t>, Expected> expected_;
};

/// Counts, of each kind of pairs, those of the first points, with the first random set only.
void run_on_cpu(cpu::CpuContext& context) {
  auto size = static_cast<uint32_t>(context["size"]);
  uint64_t first = std::clamp<uint64_t>(kCountedPairs / size, 1, size);
  uint64_t with_itself = first * (size - 1) - first * (first - 1) / 2, with_another = first * size;
  auto sets = static_cast<uint64_t>(context["sets"]);
  using Array = cpu::CountedArray<float>;
  std::vector<float> cosines = make_edges(), points = make_data(size), random_points = make_random(size, 11);
  Array edges(cosines), data(points), random(random_points);
  cpu::CountedArray<uint32_t> counts(kBins);
  count_angles(data, 0, first, data, true, edges, counts);
  if (sets > 0) {
    count_angles(data, 0, first, random, false, edges, counts);
    count_angles(random, 0, first, random, true, edges, counts);
  }
  uint64_t counted = with_itself + (sets > 0 ? with_itself + with_another : 0);
  uint64_t all = (1 + sets) * (uint64_t{size} * (size - 1) / 2) + sets * size * size;
  context.scale = static_cast<double>(all) / static_cast<double>(counted);
  if (first < size || sets > 1)
    context.part = fmt::format("{} of {} points, {} of {} random sets", first, size, std::min<uint64_t>(sets, 1), sets);
}

void run(host::WorkloadContext& context) {
  Program program(context);
  for (const std::string& variant : context.workload.variants)
    if (context.runs(variant)) program.run(variant);
}

const bool kRegistered = host::register_workload({
    .name = "tpacf",
    .summary = "pairs of points on the sky by distance: a histogram without atomic operations",
    .variants = {"binary", "linear"},
    .parameters = {{.name = "size",
                    .default_value = 4096,
                    .low = 2,
                    .high = 131072,
                    .choices = {},
                    .what = "points of a set: 300 a test, 4096 the default, 16384 large"},
                   {.name = "sets", .default_value = 1, .low = 0, .high = 100, .choices = {}, .what = "random sets"}},
    .published = {{"binary", "registers per thread", kRegisters, "any size", "Ryoo et al. 2008, table 3",
                   "geforce-8800-gtx"}},
    .run = run,
    .cpu = run_on_cpu,
});

}  // namespace
}  // namespace warptime::workloads
