// The reference of lbm is the method that it claims to be: a viscous fluid that a wall drags along, and loses nothing
// of.
#include <cmath>
#include <numeric>

#include "../../workloads/lbm/reference.h"
#include "workloads/workload_run.h"

namespace warptime {

namespace {

/// A box at rest, as Problem of lbm.cc without its noise.
std::vector<double> box_at_rest(size_t rows, size_t layers) {
  std::vector<double> lattice;
  for (size_t z = 0; z < layers; ++z)
    for (size_t y = 0; y < rows; ++y)
      for (size_t x = 0; x < workloads::lbm::kWidth; ++x) {
        for (size_t d = 0; d < workloads::lbm::kDirections; ++d) lattice.push_back(workloads::lbm::weight(d));
        lattice.push_back(workloads::lbm::walls_of(x, y, z, rows, layers));
      }
  return lattice;
}

}  // namespace

TEST_CASE("Under the lid of lbm the flow begins as that of a wall set in motion (Stokes' first problem)") {
  using namespace workloads::lbm;
  constexpr size_t kRows = 24, kLayers = 20, kSteps = 60;
  std::vector<double> from = box_at_rest(kRows, kLayers), to = from;
  auto mass = [&] {
    double sum = 0;
    for (size_t i = 0; i < from.size(); ++i)
      if (i % kWords != kDirections) sum += from[i];
    return sum;
  };
  double mass_before = mass();  // weights and constants are rounded to f32: a 10^-6 in 60 steps
  for (size_t i = 0; i < kSteps; ++i) {
    step(from, to, kRows, 0, kWidth * kRows * kLayers);
    std::swap(from, to);
  }
  CHECK(mass() == Approx(mass_before).epsilon(1e-5));

  // In the middle, which nothing has yet reached from the sides.
  const double viscosity = (1 / kOmega - 0.5) / 3;
  for (size_t z = 0; z < kLayers; ++z) {
    const double* f = &from[kWords * ((z * kRows + kRows / 2) * kWidth + kWidth / 2)];
    double momentum = 0;
    for (size_t d = 0; d < kDirections; ++d) momentum += kVelocity[d][0] * f[d];
    double depth = static_cast<double>(kLayers - z) - 0.5;
    double expected = kLidVelocity * std::erfc(depth / (2 * std::sqrt(viscosity * kSteps)));
    INFO("layer " << z << ": " << momentum << ", expected " << expected);
    CHECK(std::abs(momentum - expected) < 0.01 * kLidVelocity);
  }
}

TEST_CASE("lbm runs with the active threads of table 3 of Ryoo 2008, in each order of its lattice") {
  for (auto [variant, shared] :
       {std::pair("buffered", 8100 + 24), std::pair("direct", 24), std::pair("arrays", 4400 + 24)}) {
    INFO(variant);
    sim::LaunchStatistics launch = run({"lbm", variant, {"rows=4", "layers=2", "steps=1"}}).launches.front();
    CHECK(launch.occupancy.blocks_per_sm * launch.block[0] * 16 == 3200);
    CHECK(launch.occupancy.shared_bytes_per_block == static_cast<uint64_t>(shared));
  }
}

TEST_CASE("Lines through shared memory, and arrays, make lbm faster than structures (Ryoo 2008, 5.2 and figure 5)") {
  auto time_us = [](const char* variant) {
    return run({"lbm", variant, {"rows=16", "layers=8", "steps=1"}}).launches.front().time_us;
  };
  double direct = time_us("direct"), buffered = time_us("buffered"), arrays = time_us("arrays");
  CHECK(direct > 1.3 * buffered);
  CHECK(buffered > 1.3 * arrays);
}

}  // namespace warptime
