// fmm-ulist: the U-list phase of the fast multipole method with every subset of the optimisations of Kim et al. 2012,
// chapter 3, and its arithmetic alone. README.md tells the method and derives the bound.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/device/model.h"
#include "host/workload/compare.h"
#include "host/workload/random.h"
#include "host/workload/workload.h"
#include "octree.h"
#include "reference.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kMostPoints = 256;                         // of a leaf, as in the kernels
constexpr double kOperations = 11;                            // of an interaction (Kim et al. 2012, 3.5)
constexpr uint64_t kCheckedInteractions = uint64_t{1} << 28;  // that a check may cost on the CPU
constexpr uint64_t kCountedInteractions = uint64_t{1} << 18;  // of the CPU baseline
constexpr const char* kOptimisations[] = {"shmem", "rsqrt", "vecpack", "ujam", "pref"};

/// "baseline", "pref", "ujam", "ujam+pref", ... and the loops of arithmetic alone.
std::vector<std::string> variant_names() {
  std::vector<std::string> names{"compute", "compute+rsqrt"};
  for (uint32_t set = 0; set < 32; ++set) {
    std::string name;
    for (uint32_t i = 0; i < 5; ++i)
      if (set >> (4 - i) & 1) name += std::string(name.empty() ? "" : "+") + kOptimisations[i];
    names.push_back(name.empty() ? "baseline" : name);
  }
  return names;
}
bool has(const std::string& variant, const char* optimisation) {
  return variant.find(optimisation) != std::string::npos;
}
std::string with_underscores(std::string name) {
  std::replace(name.begin(), name.end(), '+', '_');
  return name;
}

/// `each` points in every cube of the finest level, or as many anywhere.
std::vector<OctreePoint> make_points(host::SplitMix64& random, uint32_t levels, uint32_t each, bool anywhere) {
  uint32_t across = 1u << levels, width = (1u << kOctreeBits) >> levels;
  std::vector<OctreePoint> points;
  for (uint32_t cube = 0; cube < across * across * across; ++cube)
    for (uint32_t i = 0; i < each; ++i) {
      OctreePoint low{cube % across * width, cube / across % across * width, cube / across / across * width};
      for (uint32_t& at : low)
        at = (anywhere ? 0 : at) + static_cast<uint32_t>(random.below(anywhere ? 1u << kOctreeBits : width));
      points.push_back(low);
    }
  return points;
}

/// Points as the device has them. Coordinates are multiples of 2^-17 from 0 to 1, odd ones of targets and even ones of
/// sources, so that differences are exact and never 0.
struct Problem {
  Octree tree;
  std::vector<float> targets, sources;  // (x, y, z, potential or density) each

  explicit Problem(const std::map<std::string, int64_t>& parameters) {
    auto q = static_cast<uint32_t>(parameters.at("q")), levels = static_cast<uint32_t>(parameters.at("levels"));
    bool anywhere = parameters.at("random") != 0;
    host::SplitMix64 random(17);
    std::vector<OctreePoint> target_points = make_points(random, levels, q, anywhere);
    tree = make_octree(std::move(target_points), make_points(random, levels, q, anywhere), q);
    if (parameters.at("nodes") != 0) keep_first(static_cast<int32_t>(parameters.at("nodes")));
    for (const OctreePoint& point : tree.targets) {
      for (uint32_t at : point) targets.push_back((static_cast<float>(at) + 0.5f) * 0x1p-16f);
      targets.push_back(0);
    }
    for (const OctreePoint& point : tree.sources) {
      for (uint32_t at : point) sources.push_back(static_cast<float>(at) * 0x1p-16f);
      sources.push_back(random.uniform(0.25f, 1.0f));
    }
  }
  /// Sources that act on each target of the leaf.
  uint64_t sources_of(size_t leaf) const {
    uint64_t sum = 0;
    for (auto u = static_cast<size_t>(tree.u_list_from[leaf]); u < static_cast<size_t>(tree.u_list_from[leaf + 1]);
         ++u) {
      auto node = static_cast<size_t>(tree.u_list[u]);
      sum += static_cast<uint64_t>(tree.sources_from[node + 1] - tree.sources_from[node]);
    }
    return sum;
  }
  uint64_t interactions(size_t leaf) const {
    return sources_of(leaf) * static_cast<uint64_t>(tree.targets_from[leaf + 1] - tree.targets_from[leaf]);
  }
  uint64_t interactions_to(size_t leaf) const {
    uint64_t sum = 0;
    for (size_t i = 0; i < leaf; ++i) sum += interactions(i);
    return sum;
  }

 private:
  /// The first source leaves of each U-list.
  void keep_first(int32_t nodes) {
    std::vector<int32_t> list, from{0};
    for (size_t leaf = 0; leaf < tree.leaves(); ++leaf) {
      auto first = tree.u_list.begin() + tree.u_list_from[leaf],
           last = tree.u_list.begin() + tree.u_list_from[leaf + 1];
      list.insert(list.end(), first, std::min(first + nodes, last));
      from.push_back(static_cast<int32_t>(list.size()));
    }
    tree.u_list = std::move(list);
    tree.u_list_from = std::move(from);
  }
};

/// What n sums may be off by, of their magnitude (README.md).
double bound_of(uint64_t n) { return static_cast<double>(n + 12) * 0x1p-24; }

class UList {
 public:
  explicit UList(host::WorkloadContext& context)
      : context_(context),
        device_(context.device),
        problem_(context.parameters),
        module_(device_.load_module_file(context.directory + "/fmm-ulist.ptx")),
        q_(static_cast<uint32_t>(context["q"])),
        blocks_(static_cast<size_t>(context["blocks"])) {
    const Octree& tree = problem_.tree;
    if (blocks_ == 0 || blocks_ > tree.leaves()) blocks_ = tree.leaves();
    for (size_t i = 0; blocks_ < tree.leaves() && i < blocks_; ++i) options_.blocks.push_back(i);
    auto upload = [&](const std::vector<int32_t>& values, const char* name) {
      host::Buffer buffer = device_.allocate<int32_t>(values.size(), name);
      device_.copy_to(buffer, values, name);
      arguments_.emplace_back(buffer);
    };
    upload(tree.targets_from, "Tptr");
    upload(tree.sources_from, "Sptr");
    upload(tree.u_list_from, "Uptr");
    upload(tree.u_list, "Ulist");
  }

  void run(const std::string& variant) {
    bool vecpack = has(variant, "vecpack");
    uint32_t threads = has(variant, "ujam") ? (q_ + 1) / 2 : q_;
    std::vector<float> targets = packed(problem_.targets, vecpack);
    Arrays& arrays = arrays_[vecpack];
    if (!arrays.allocated) {
      std::vector<float> sources = packed(problem_.sources, vecpack);
      arrays = {true, device_.allocate<float>(targets.size(), vecpack ? "T (arrays)" : "T"),
                device_.allocate<float>(sources.size(), vecpack ? "S (arrays)" : "S")};
      device_.copy_to(arrays.sources, sources, "S");
    }
    device_.copy_to(arrays.targets, targets, "T");
    std::vector<host::Argument> arguments = arguments_;
    arguments.insert(arguments.end(), {arrays.targets, arrays.sources, host::arg_u32(pitch_of(problem_.targets)),
                                       host::arg_u32(pitch_of(problem_.sources))});
    std::string kernel = variant == "baseline" ? "u_list" : "u_list_" + with_underscores(variant);
    auto leaves = static_cast<uint32_t>(problem_.tree.leaves());
    launch(variant, kernel, {leaves}, threads, arguments, options_, problem_.interactions_to(blocks_));
    device_.copy_from(targets, arrays.targets, "T");
    if (context_.check) check(variant, targets, vecpack);
  }

  /// Runs enough threads to fill the machine, each with as many interactions as an inner leaf has.
  void run_arithmetic(const std::string& variant) {
    const sim::MachineConfig& machine = device_.machine().config;
    uint32_t count = 27 * q_, blocks = sim::sm_count(machine) * (machine.sm.max_threads / kMostPoints);
    std::vector<float> targets(size_t{4} * blocks * kMostPoints), density(targets.size() / 4);
    host::SplitMix64 random(18);
    for (size_t i = 0; i < targets.size(); ++i) targets[i] = i % 4 == 3 ? 0 : random.uniform(-2.0f, -1.0f);
    for (float& d : density) d = random.uniform(0.25f, 1.0f);
    host::Buffer device_targets = device_.allocate<float>(targets.size(), "T of " + variant),
                 device_density = device_.allocate<float>(density.size(), "density of " + variant);
    device_.copy_to(device_targets, targets, "T");
    device_.copy_to(device_density, density, "density");
    launch(variant, with_underscores(variant), {blocks}, kMostPoints,
           {device_targets, device_density, host::arg_u32(count)}, {}, uint64_t{count} * density.size());
    std::vector<float> result(targets.size());
    device_.copy_from(result, device_targets, "T");
    if (!context_.check) return;
    size_t stride = uint64_t{count} * density.size() / kCheckedInteractions | 1;
    host::Comparison comparison(variant, ptx::Type::F32, {bound_of(count) * std::sqrt(2.0 * count), 0});
    for (size_t i = 0; i < density.size(); i += stride) {
      double expected =
          compute_only<double>(targets[4 * i], targets[4 * i + 1], targets[4 * i + 2], 0, density[i], count);
      comparison.element_f32(result[4 * i + 3], static_cast<float>(expected), i / kMostPoints, i % kMostPoints);
    }
    context_.checks.push_back(comparison.result());
  }

 private:
  struct Arrays {
    bool allocated = false;
    host::Buffer targets = {}, sources = {};
  };

  /// A point more than there are, in whole partitions of memory: `pref` reads it.
  static uint32_t pitch_of(const std::vector<float>& points) {
    return static_cast<uint32_t>(points.size() / 4 + 64) / 64 * 64;
  }
  /// With that point, as points or as four arrays.
  static std::vector<float> packed(const std::vector<float>& points, bool vecpack) {
    size_t pitch = pitch_of(points);
    std::vector<float> out(4 * pitch);
    for (size_t i = 0; i < points.size(); ++i) out[vecpack ? i % 4 * pitch + i / 4 : i] = points[i];
    return out;
  }

  void launch(const std::string& variant, const std::string& kernel, host::Dim3 grid, uint32_t threads,
              const std::vector<host::Argument>& arguments, const host::LaunchOptions& options, uint64_t interactions) {
    const auto& launch = device_.launch(module_, kernel, grid, {threads}, arguments, options);
    if (!launch.timed) return;
    device_.add_figure({with_underscores(variant) + "_gflops",
                        static_cast<double>(interactions) * kOperations / launch.time_us / 1e3, "GFLOP/s",
                        "11 operations per interaction"});
  }

  /// Every target, or those of evenly spread leaves, in double precision.
  void expect() {
    if (!expected_.empty()) return;
    expected_.assign(problem_.targets.begin(), problem_.targets.end());
    std::vector<double> sources(problem_.sources.begin(), problem_.sources.end());
    stride_ = static_cast<size_t>(problem_.interactions_to(blocks_) / kCheckedInteractions) | 1;
    for (size_t leaf = 0; leaf < blocks_; leaf += stride_) {
      add_potentials(problem_.tree, leaf, sources, expected_);
      for_targets(leaf, [&](size_t t) {
        bound_ = std::max(bound_, expected_[4 * t + 3] * bound_of(problem_.sources_of(leaf)));
      });
    }
  }
  template <class Do>
  void for_targets(size_t leaf, const Do& act) const {
    const std::vector<int32_t>& from = problem_.tree.targets_from;
    for (auto t = static_cast<size_t>(from[leaf]); t < static_cast<size_t>(from[leaf + 1]); ++t) act(t);
  }
  void check(const std::string& variant, const std::vector<float>& targets, bool vecpack) {
    expect();
    size_t pitch = pitch_of(problem_.targets);
    host::Comparison comparison("potentials of " + variant, ptx::Type::F32, {bound_, 0});
    for (size_t leaf = 0; leaf < blocks_; leaf += stride_)
      for_targets(leaf, [&](size_t t) {
        comparison.element_f32(targets[vecpack ? 3 * pitch + t : 4 * t + 3], static_cast<float>(expected_[4 * t + 3]),
                               leaf, t);
      });
    context_.checks.push_back(comparison.result());
  }

  host::WorkloadContext& context_;
  host::Device& device_;
  Problem problem_;
  host::ModuleRef module_;
  uint32_t q_;
  size_t blocks_, stride_ = 1;
  host::LaunchOptions options_;
  std::vector<host::Argument> arguments_;
  Arrays arrays_[2];
  std::vector<double> expected_;
  double bound_ = 0;
};

void run(host::WorkloadContext& context) {
  UList program(context);
  for (const std::string& variant : context.workload.variants) {
    if (!context.runs(variant)) continue;
    if (has(variant, "compute")) program.run_arithmetic(variant);
    else program.run(variant);
  }
}

/// The first leaves.
void run_on_cpu(cpu::CpuContext& context) {
  Problem problem(context.parameters);
  cpu::CountedArray<float> sources(problem.sources), targets(problem.targets);
  size_t leaves = 0;
  for (uint64_t counted = 0; leaves < problem.tree.leaves() && counted < kCountedInteractions; ++leaves) {
    add_potentials(problem.tree, leaves, sources, targets);
    counted += problem.interactions(leaves);
  }
  auto launched = static_cast<size_t>(context["blocks"]);
  if (launched == 0 || launched > problem.tree.leaves()) launched = problem.tree.leaves();
  context.scale =
      static_cast<double>(problem.interactions_to(launched)) / static_cast<double>(problem.interactions_to(leaves));
  if (leaves != launched) context.part = fmt::format("{} of {} leaves", leaves, launched);
}

host::Published published(const char* variant, double gflops, const char* source) {
  return {variant, "GFLOP/s", gflops, "points per leaf not published", source, "tesla-c1060"};
}

const bool kRegistered = host::register_workload({
    .name = "fmm-ulist",
    .summary = "the U-list phase of the fast multipole method: potentials of near points, by 32 sets of optimisations",
    .variants = variant_names(),
    .parameters = {{.name = "q",
                    .default_value = 64,
                    .low = 1,
                    .high = kMostPoints,
                    .choices = {},
                    .what = "points per leaf: 256 for the published rates"},
                   {.name = "levels",
                    .default_value = 2,
                    .low = 0,
                    .high = 5,
                    .choices = {},
                    .what = "levels of the octree below its root; 3 for the published rates"},
                   {.name = "random",
                    .default_value = 0,
                    .low = 0,
                    .high = 1,
                    .choices = {},
                    .what = "1: points anywhere, so that leaves differ; 0: q points in every leaf"},
                   {.name = "blocks",
                    .default_value = 0,
                    .low = 0,
                    .high = 1 << 20,
                    .choices = {},
                    .what = "run only the first target leaves; 0: all"},
                   {.name = "nodes",
                    .default_value = 0,
                    .low = 0,
                    .high = 1 << 20,
                    .choices = {},
                    .what = "source leaves of a target leaf, the first of its U-list; 0: all"}},
    .published = {published("baseline", 75, "Kim et al. 2012, figure 3.5"),
                  published("shmem+rsqrt+vecpack", 300, "Kim et al. 2012, 3.5.2"),
                  published("compute+rsqrt", 340, "Kim et al. 2012, 3.5")},
    .run = run,
    .cpu = run_on_cpu,
});

}  // namespace
}  // namespace warptime::workloads
