// fem: waves in an elastic solid of graded material, by explicit finite elements on an irregular mesh of tetrahedra.
// README.md tells the method.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "host/workload/compare.h"
#include "host/workload/workload.h"
#include "mesh.h"
#include "reference.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kElementThreads = 64, kNodeThreads = 128;
constexpr uint32_t kRegisters = 18;           // Ryoo et al. 2008, table 3
constexpr uint64_t kCountedElements = 30000;  // of the CPU baseline

using Vector3 = std::array<double, 3>;

Vector3 difference(const Vector3& a, const Vector3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double dot(const Vector3& a, const Vector3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// A mesh with its material and its state, in the layout of reference.h: vectors of three words.
struct Solid {
  TetrahedralMesh mesh;
  std::vector<int32_t> corners;  // 3 times the node
  std::vector<float> gradients, moduli, weights, displacement, velocity, forces;
  std::vector<int32_t> boundary;
  std::vector<float> shares;
  float step = 0;

  explicit Solid(TetrahedralMesh m)
      : mesh(std::move(m)), displacement(3 * mesh.nodes.size()), velocity(displacement), forces(displacement) {
    std::vector<double> masses(mesh.nodes.size());
    double least = std::numeric_limits<double>::max();  // time in which a wave crosses an element
    for (const auto& element : mesh.elements) least = std::min(least, add_element(element, masses));
    step = static_cast<float>(0.5 * least);
    for (double mass : masses) weights.push_back(static_cast<float>(static_cast<double>(step) / mass));
    for (size_t n = 0; n < mesh.nodes.size(); ++n) {
      double z = mesh.nodes[n][2];
      if (z != 0 && z != 1) continue;
      boundary.push_back(static_cast<int32_t>(3 * n));
      shares.push_back(static_cast<float>(z));
      weights[n] = 0;
    }
  }

  /// The upper face is pressed in by a hundredth of the height during the first 20 steps.
  static float amount(int64_t time) {
    double share = std::sin(std::numbers::pi / 2 * std::min(1.0, static_cast<double>(time + 1) / 20));
    return static_cast<float>(-0.01 * share * share);
  }
  void advance(int64_t time) {
    add_element_forces(mesh.elements.size(), corners, gradients, moduli, displacement, forces);
    move_nodes(mesh.nodes.size(), weights, step, forces, velocity, displacement);
    set_boundary(boundary.size(), boundary, shares, amount(time), displacement);
  }

 private:
  double add_element(const std::array<uint32_t, 4>& element, std::vector<double>& masses) {
    std::array<Vector3, 3> edge;
    for (size_t k = 0; k < 3; ++k) edge[k] = difference(mesh.nodes[element[k + 1]], mesh.nodes[element[0]]);
    double six_volumes = dot(edge[0], cross(edge[1], edge[2])), volume = six_volumes / 6, height = 0;
    Vector3 first = {};
    double steepest = 0;
    for (size_t k = 0; k < 3; ++k) {
      Vector3 gradient = cross(edge[(k + 1) % 3], edge[(k + 2) % 3]);
      for (double& g : gradient) gradients.push_back(static_cast<float>(g /= six_volumes));
      first = difference(first, gradient);
      steepest = std::max(steepest, dot(gradient, gradient));
    }
    steepest = std::max(steepest, dot(first, first));
    for (uint32_t node : element) {
      corners.push_back(static_cast<int32_t>(3 * node));
      height += mesh.nodes[node][2] / 4;
    }
    // From below upwards four times as stiff and twice as dense; Poisson's ratio 0.3.
    double young = 1 + 3 * height * height, density = 1 + height, poisson = 0.3;
    double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson)), mu = young / (2 * (1 + poisson));
    moduli.push_back(static_cast<float>(lambda * volume));
    moduli.push_back(static_cast<float>(mu * volume));
    for (uint32_t node : element) masses[node] += density * volume / 4;
    return std::sqrt(density / ((lambda + 2 * mu) * steepest));
  }
};

/// `words` of each item side by side -> word by word, in whole blocks of `threads`.
std::vector<float> by_word(const std::vector<float>& values, size_t words, size_t threads) {
  size_t count = values.size() / words, padded = (count + threads - 1) / threads * threads;
  std::vector<float> out(padded * words);
  for (size_t i = 0; i < values.size(); ++i) out[i % words * padded + i / words] = values[i];
  return out;
}
std::vector<int32_t> thirds(std::vector<int32_t> places) {
  for (int32_t& place : places) place /= 3;
  return places;
}

class Program {
 public:
  Program(host::WorkloadContext& context, TetrahedralMesh mesh, bool four)
      : context_(context),
        device_(context.device),
        solid_(std::move(mesh)),
        suffix_(four ? "_four" : ""),
        words_(four ? 4 : 3) {}

  void run() {
    auto module = device_.load_module_file(context_.directory + "/fem.ptx");
    size_t elements = solid_.mesh.elements.size(), nodes = solid_.mesh.nodes.size();
    auto element_blocks = static_cast<uint32_t>((elements + kElementThreads - 1) / kElementThreads);
    auto node_blocks = static_cast<uint32_t>((nodes + kNodeThreads - 1) / kNodeThreads);
    size_t padded_elements = size_t{element_blocks} * kElementThreads,
           padded_nodes = size_t{node_blocks} * kNodeThreads;
    std::vector<int32_t> element_nodes = thirds(solid_.corners);
    element_nodes.resize(4 * padded_elements);
    std::vector<float> still(words_ * padded_nodes);
    std::vector<int32_t> counts(padded_nodes), lists = gather_lists(padded_elements, counts);

    host::Buffer corners = upload(element_nodes, "corners");
    host::Buffer gradients = upload(by_word(solid_.gradients, 9, kElementThreads), "gradients");
    host::Buffer moduli = upload(by_word(solid_.moduli, 2, kElementThreads), "moduli");
    host::Buffer weights = upload(by_word(solid_.weights, 1, kNodeThreads), "weights");
    host::Buffer node_counts = upload(counts, "counts"), node_corners = upload(lists, "node corners");
    host::Buffer displacement = upload(still, "displacement"), velocity = upload(still, "velocity");
    host::Buffer boundary = upload(thirds(solid_.boundary), "boundary"), shares = upload(solid_.shares, "shares");
    host::Buffer forces = device_.allocate<float>(4 * words_ * padded_elements, "forces");

    host::LaunchOptions options;
    options.registers_per_thread = kRegisters;
    auto held = static_cast<uint32_t>(solid_.boundary.size());
    double time_us = 0;
    auto launch = [&](const char* kernel, uint32_t blocks, uint32_t threads,
                      const std::vector<host::Argument>& arguments, const host::LaunchOptions& with = {}) {
      time_us += device_.launch(module, kernel + suffix_, {blocks}, {threads}, arguments, with).time_us;
    };
    for (int64_t time = 0; time < context_["steps"]; ++time) {
      launch("element_forces", element_blocks, kElementThreads, {corners, gradients, moduli, displacement, forces},
             options);
      launch("update_nodes", node_blocks, kNodeThreads,
             {node_counts, node_corners, forces, weights, host::arg_f32(solid_.step), velocity, displacement});
      launch("boundary", (held + kNodeThreads - 1) / kNodeThreads, kNodeThreads,
             {boundary, shares, host::arg_u32(held), host::arg_f32(Solid::amount(time)), displacement});
    }
    if (time_us > 0)
      device_.add_figure({"elements", static_cast<double>(elements) * static_cast<double>(context_["steps"]) / time_us,
                          "M elements/s", "in a time step"});
    std::vector<float> moved(still.size()), speeds(still.size());
    device_.copy_from(moved, displacement, "displacement");
    if (!context_.check) return;
    device_.read_bytes(std::as_writable_bytes(std::span(speeds)), velocity.address);
    for (int64_t time = 0; time < context_["steps"]; ++time) solid_.advance(time);
    check("displacement", moved, solid_.displacement);
    check("velocity", speeds, solid_.velocity);
  }

 private:
  template <class T>
  host::Buffer upload(const std::vector<T>& values, const char* name) {
    host::Buffer buffer = device_.allocate<T>(values.size(), name);
    device_.copy_to(buffer, values, name);
    return buffer;
  }

  /// By node, in the order of elements: where its corners' forces are.
  std::vector<int32_t> gather_lists(size_t padded_elements, std::vector<int32_t>& counts) const {
    std::vector<int32_t> out;
    for (size_t i = 0; i < solid_.corners.size(); ++i) {
      auto node = static_cast<size_t>(solid_.corners[i] / 3);
      size_t at = static_cast<size_t>(counts[node]++) * counts.size() + node;
      if (at >= out.size()) out.resize((at / counts.size() + 1) * counts.size());
      out[at] = static_cast<int32_t>(i % 4 * padded_elements + i / 4);
    }
    return out;
  }

  /// Vectors of the nodes; what fills the arrays up, and a fourth word, stays 0.
  void check(const std::string& name, const std::vector<float>& got, const std::vector<float>& expected) {
    host::Comparison comparison(name, ptx::Type::F32, {});
    for (size_t i = 0; i < got.size(); ++i) {
      size_t node = i / words_, word = i % words_, at = 3 * node + word;
      comparison.element_f32(got[i], word < 3 && at < expected.size() ? expected[at] : 0, node, word);
    }
    context_.checks.push_back(comparison.result());
  }

  host::WorkloadContext& context_;
  host::Device& device_;
  Solid solid_;
  std::string suffix_;
  size_t words_;
};

TetrahedralMesh ordered_mesh(int64_t cells, const std::string& variant) {
  TetrahedralMesh mesh = make_mesh(static_cast<uint32_t>(cells));
  return variant == "random" ? mesh : renumbered(mesh);
}

/// Without a variant: the renumbered mesh, and vectors of three words.
void run(host::WorkloadContext& context) {
  Program(context, ordered_mesh(context["cells"], context.variant), context.variant == "four").run();
}

/// A step of the first elements and of their share of the nodes, after one that is not counted.
void run_on_cpu(cpu::CpuContext& context) {
  Solid solid(ordered_mesh(context["cells"], context.variant));
  size_t all = solid.mesh.elements.size(), elements = std::min<size_t>(all, kCountedElements);
  auto part = [&](size_t count) { return count * elements / all; };
  using Field = cpu::CountedArray<float>;
  cpu::CountedArray<int32_t> corners(solid.corners), boundary(solid.boundary);
  Field gradients(solid.gradients), moduli(solid.moduli), weights(solid.weights), shares(solid.shares);
  Field displacement(solid.displacement), velocity(solid.velocity), forces(solid.forces);
  auto advance = [&](int64_t time) {
    add_element_forces(elements, corners, gradients, moduli, displacement, forces);
    move_nodes(part(solid.mesh.nodes.size()), weights, solid.step, forces, velocity, displacement);
    set_boundary(part(solid.boundary.size()), boundary, shares, Solid::amount(time), displacement);
  };
  advance(0);
  context.core.restart();
  advance(1);
  context.scale = static_cast<double>(context["steps"]) * static_cast<double>(all) / static_cast<double>(elements);
  context.part = fmt::format("a step of {} of {} elements", elements, all);
}

host::Published published_registers(const char* variant) {
  return {variant, "registers per thread", kRegisters, "", "Ryoo et al. 2008, table 3", "geforce-8800-gtx"};
}

const bool kRegistered = host::register_workload({
    .name = "fem",
    .summary = "explicit finite elements on an irregular mesh: gathers that do not coalesce",
    .variants = {"renumbered", "random", "four"},
    .parameters =
        {{.name = "cells",
          .default_value = 16,
          .low = 2,
          .high = 100,
          .choices = {},
          .what = "cells per side of the mesh, six tetrahedra each"},
         {.name = "steps", .default_value = 20, .low = 1, .high = 100000, .choices = {}, .what = "time steps"}},
    .published = {published_registers(""), published_registers("renumbered"), published_registers("random"),
                  published_registers("four")},
    .run = run,
    .cpu = run_on_cpu,
});

}  // namespace
}  // namespace warptime::workloads
