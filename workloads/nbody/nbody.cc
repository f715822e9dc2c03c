// nbody: accelerations of bodies by all others, after GPU Gems 3, chapter 31. The figures count 20 operations for an
// interaction, as the chapter does. README.md derives the bound of the check.
#include <algorithm>
#include <array>
#include <cmath>

#include "host/workload/compare.h"
#include "host/workload/random.h"
#include "host/workload/workload.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kTile = 256;  // bodies in shared memory, threads of a block
constexpr float kSoftening = 1.0f / 64;
constexpr double kOperations = 20;                            // that the chapter counts for an interaction
constexpr uint64_t kCheckedInteractions = uint64_t{1} << 24;  // that a check may cost on the CPU

struct Body {
  float x, y, z, mass;
};

/// `count` bodies, then bodies without mass to the end of a tile. Coordinates are multiples of 2^-10 below 1, so that
/// their differences are exact.
std::vector<Body> make_bodies(uint32_t count) {
  host::SplitMix64 random(8);
  auto coordinate = [&] { return std::floor(random.uniform(-1.0f, 1.0f) * 1024) / 1024; };
  std::vector<Body> bodies((count + kTile - 1) / kTile * kTile, Body{0, 0, 0, 0});
  for (uint32_t i = 0; i < count; ++i) {
    float x = coordinate(), y = coordinate(), z = coordinate();
    bodies[i] = {x, y, z, random.uniform(0.5f, 1.0f)};
  }
  return bodies;
}

/// What `bodies` make one at `on` feel along each axis: the sum, and the sum of the magnitudes.
struct Pull {
  std::array<double, 3> sum = {}, magnitude = {};
};
Pull pull_on(const Body& on, std::span<const Body> bodies) {
  Pull pull;
  for (const Body& by : bodies) {
    double distance[3] = {by.x - double{on.x}, by.y - double{on.y}, by.z - double{on.z}}, square = kSoftening;
    for (double d : distance) square += d * d;
    double scale = by.mass / (square * std::sqrt(square));
    for (size_t axis = 0; axis < 3; ++axis) {
      pull.sum[axis] += distance[axis] * scale;
      pull.magnitude[axis] += std::abs(distance[axis] * scale);
    }
  }
  return pull;
}

/// Evenly spread bodies, each held against sums in double precision.
host::Check check(const std::string& name, const std::vector<Body>& got, const std::vector<Body>& bodies,
                  size_t summed) {
  size_t step = std::max<size_t>(1, bodies.size() * summed / kCheckedInteractions) | 1;
  std::vector<Pull> expected;
  double magnitude = 0;
  for (size_t i = 0; i < bodies.size(); i += step) {
    expected.push_back(pull_on(bodies[i], std::span(bodies).first(summed)));
    for (double m : expected.back().magnitude) magnitude = std::max(magnitude, m);
  }
  double bound = magnitude * static_cast<double>(summed + 20) * 0x1p-24;
  host::Comparison comparison("accelerations, " + name, ptx::Type::F32, {bound, 0});
  for (size_t s = 0; s < expected.size(); ++s) {
    const Body& body = got[s * step];
    for (size_t axis = 0; axis < 3; ++axis)
      comparison.element_f32(std::array{body.x, body.y, body.z}[axis], static_cast<float>(expected[s].sum[axis]),
                             s * step, axis);
  }
  return comparison.result();
}

void run(host::WorkloadContext& context) {
  host::Device& device = context.device;
  auto module = device.load_module_file(context.directory + "/nbody.ptx");
  auto count = static_cast<uint32_t>(context["n"]);
  std::vector<Body> bodies = make_bodies(count), result(bodies.size());
  auto blocks = static_cast<uint32_t>(bodies.size()) / kTile, tiles = static_cast<uint32_t>(context["tiles"]);
  if (tiles == 0 || tiles > blocks) tiles = blocks;
  host::Buffer in = device.allocate<Body>(bodies.size(), "bodies"),
               out = device.allocate<Body>(bodies.size(), "accelerations");
  device.copy_to(in, bodies, "bodies");
  host::LaunchOptions options;
  options.registers_per_thread = static_cast<uint32_t>(context["registers"]);
  for (const char* variant : {"unrolled", "rolled"}) {
    if (!context.variant.empty() && context.variant != variant) continue;
    device.write_bytes(out.address, std::as_bytes(std::span(bodies)));  // nothing that a launch would leave
    const auto& launch =
        device.launch(module, std::string("accelerate_") + variant, {blocks}, {kTile},
                      {in, out, host::arg_s32(static_cast<int32_t>(tiles)), host::arg_f32(kSoftening)}, options);
    double interactions = static_cast<double>(count) * std::min(count, tiles * kTile);
    if (launch.timed) {
      device.add_figure(
          {std::string(variant) + "_operations", kOperations * interactions, "operations", "20 for an interaction"});
      device.add_figure({std::string(variant) + "_gflops", kOperations * interactions / launch.time_us / 1e3, "GFLOP/s",
                         "at 20 operations for an interaction"});
    }
    device.copy_from(result, out, "accelerations");
    if (context.check) context.checks.push_back(check(variant, result, bodies, size_t{tiles} * kTile));
  }
}

const bool kRegistered = host::register_workload({
    .name = "nbody",
    .summary = "accelerations of bodies by all others: tiles in shared memory, a reciprocal root for each pair",
    .variants = {"unrolled", "rolled"},
    .parameters = {{.name = "n", .default_value = 1024, .low = 1, .high = 65536, .choices = {}, .what = "bodies"},
                   {.name = "tiles",
                    .default_value = 0,
                    .low = 0,
                    .high = 256,
                    .choices = {},
                    .what = "sum over the first so many tiles of 256 bodies; 0: all"},
                   {.name = "registers",
                    .default_value = 0,
                    .low = 0,
                    .high = 128,
                    .choices = {},
                    .what = "registers per thread; 0: the estimate"}},
    .published = {{"unrolled", "GFLOP/s", 204, "n = 16384, 20 operations for an interaction", "Nyland 2007",
                   "geforce-8800-gtx"},
                  {"rolled", "GFLOP/s", 182, "n = 16384, 20 operations for an interaction", "Nyland 2007",
                   "geforce-8800-gtx"}},
    .run = run,
});

}  // namespace
}  // namespace warptime::workloads
