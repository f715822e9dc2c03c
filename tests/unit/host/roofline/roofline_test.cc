#include <algorithm>
#include <catch2/catch.hpp>

#include "host/roofline/roofline_point.h"
#include "host/roofline/roofs.h"

namespace warptime::host {

namespace {

double rate_of(const std::vector<Roof>& roofs, const std::string& name) {
  for (const Roof& roof : roofs)
    if (roof.name == name) return roof.rate;
  FAIL("no roof " + name);
  return 0;
}

bool has(const std::vector<Roof>& roofs, const std::string& name) {
  return std::any_of(roofs.begin(), roofs.end(), [&](const Roof& roof) { return roof.name == name; });
}

}  // namespace

TEST_CASE("the roofs of a GeForce 8800 GTX follow from its parameters") {
  sim::MachineConfig g80;  // the defaults
  std::vector<Roof> rates = compute_roofs(g80);
  CHECK(rates.front().name == "f32");
  CHECK(rates.front().rate == Approx(345.6));  // 16 SMs x 8 lanes x 2 x 1.35 GHz
  CHECK(rate_of(rates, "f32 without multiply-add") == Approx(172.8));
  CHECK(rate_of(rates, "SFU") == Approx(43.2));                       // 16 SMs x 2 x 1.35 GHz
  CHECK(rate_of(rates, "f32 with one warp per SM") == Approx(57.6));  // 64 in 24 cycles
  CHECK_FALSE(has(rates, "f64"));

  std::vector<Roof> memories = bandwidth_roofs(g80);
  CHECK(memories.front().name == "DRAM");
  CHECK(memories.front().rate == Approx(86.4));
  CHECK(rate_of(memories, "DRAM, coalesced stream") == Approx(72));
  CHECK(rate_of(memories, "DRAM without coalescing") == Approx(10.8));  // 4 of 32 bytes
  // 130 + 130 + 20 cycles and 27 memory cycles of 1.5: 128 bytes per SM in 320.5 cycles.
  CHECK(rate_of(memories, "DRAM with one load per SM") == Approx(16 * 128 * 1.35 / 320.5));
  CHECK(rate_of(memories, "TPC ports") == Approx(73.6));
  CHECK(rate_of(memories, "memory ports") == Approx(345.6));   // 64 bytes in 4 cycles
  CHECK(rate_of(memories, "shared memory") == Approx(460.8));  // 128 bytes in 2 + 4 cycles
  CHECK(rate_of(memories, "constant cache") == Approx(691.2));
  CHECK(rate_of(memories, "texture cache") == Approx(16 * 128 * 1.35 / 38));
  CHECK_FALSE(has(memories, "L1"));
  CHECK_FALSE(has(memories, "L2"));
}

TEST_CASE("a machine with caches and double precision has their roofs") {
  sim::MachineConfig machine;
  machine.features = {"f64"};
  machine.l1.cache = {16384, 128, 4, 0};
  machine.l2.cache = {65536, 128, 4, 0};
  machine.memory.request_cycles = 2;
  machine.sm.shared.pipe = sim::OnChipPipe::memory;
  machine.constant.sm_cache.bytes = 0;
  CHECK(rate_of(compute_roofs(machine), "f64") == Approx(43.2));  // 32 cycles per warp instruction
  std::vector<Roof> memories = bandwidth_roofs(machine);
  CHECK(rate_of(memories, "L1") == Approx(16 * 64 * 1.35));
  CHECK(rate_of(memories, "L2") == Approx(6 * 32 * 0.575));
  CHECK(rate_of(memories, "shared memory") == Approx(16 * 32 * 1.35));
  CHECK_FALSE(has(memories, "memory ports"));
  CHECK_FALSE(has(memories, "constant cache"));
}

TEST_CASE("a ceiling is below the peak that it belongs to") {
  sim::MachineConfig machine;
  for (const std::vector<Roof>& roofs : {compute_roofs(machine), bandwidth_roofs(machine)})
    for (const Roof& roof : roofs) {
      INFO(roof.name);
      CHECK(roof.rate > 0);
      if (roof.kind == Roof::Kind::Ceiling) CHECK(roof.rate < roofs.front().rate);
    }
}

TEST_CASE("a point is under the lower roof at its intensity") {
  sim::MachineConfig machine;
  std::string why;
  auto low = roofline_point(
      "k", {.flops = 2e9, .flops_f64 = 0, .dram_bytes = 1e9, .requested_bytes = 5e8, .time_us = 1e5}, machine, why);
  REQUIRE(low);
  CHECK(*low->by_dram == Approx(2));
  CHECK(*low->by_request == Approx(4));
  CHECK(low->gflops == Approx(20));
  CHECK(low->by_memory);
  CHECK(low->roof == Approx(172.8));
  CHECK(low->share() == Approx(20 / 172.8));

  auto high = roofline_point(
      "k", {.flops = 2e9, .flops_f64 = 1, .dram_bytes = 1e8, .requested_bytes = 0, .time_us = 1e4}, machine, why);
  REQUIRE(high);
  CHECK_FALSE(high->by_memory);
  CHECK_FALSE(high->by_request);
  CHECK(high->roof == Approx(345.6));

  auto twice = roofline_point(
      "k", {.flops = 1, .flops_f64 = 1e9, .dram_bytes = 0, .requested_bytes = 0, .time_us = 1e5}, machine, why);
  REQUIRE(twice);
  CHECK(twice->unit == RooflineUnit::F64);
  CHECK_FALSE(twice->by_dram);
  CHECK(twice->roof == Approx(43.2));

  auto products = roofline_point(
      "k", {.flops = 1e9, .flops_f64 = 0, .flops_tensor = 2e9, .dram_bytes = 0, .requested_bytes = 0, .time_us = 1e5},
      machine, why);
  REQUIRE(products);
  CHECK(products->unit == RooflineUnit::Tensor);
  CHECK(products->gflops == Approx(20));
  CHECK(products->roof == Approx(16 * 1.35 * 2 * 2048 / 4));  // SMs, GHz, a multiply-add is two
  CHECK(why.empty());
}

TEST_CASE("what has no point says why") {
  sim::MachineConfig machine;
  std::string why;
  RooflineCounts counts{.flops = 0, .flops_f64 = 0, .dram_bytes = 5, .requested_bytes = 5, .time_us = 1};
  CHECK_FALSE(roofline_point("k", counts, machine, why));
  CHECK(why == "it executes no floating-point operation in f32 or f64");
  counts.flops = 10;
  counts.time_us = 0;
  CHECK_FALSE(roofline_point("k", counts, machine, why));
  CHECK(why == "its statistics have no time");
}

TEST_CASE("counts of launches add up") {
  RooflineCounts sum;
  for (int i = 0; i < 2; ++i)
    sum.add({.flops = 1, .flops_f64 = 2, .dram_bytes = 3, .requested_bytes = 4, .time_us = 5});
  CHECK(sum.flops == 2);
  CHECK(sum.flops_f64 == 4);
  CHECK(sum.dram_bytes == 6);
  CHECK(sum.requested_bytes == 8);
  CHECK(sum.time_us == 10);
}

}  // namespace warptime::host
