// The programs of Ryoo et al. 2008, section 5: their references are the methods that they claim to be, they run with
// the occupancy of table 3, and what section 5 says of them holds.
#include <cmath>

#include "../../workloads/fdtd/reference.h"
#include "../../workloads/rc5/reference.h"
#include "../../workloads/saxpy/elimination.h"
#include "host/workload/random.h"
#include "workloads/workload_run.h"

namespace warptime {

namespace {

/// Threads that the machine holds at a time.
uint64_t active_threads(const sim::LaunchStatistics& launch) {
  return uint64_t{launch.occupancy.blocks_per_sm} * launch.block[0] * launch.block[1] * 16;
}

double figure(const host::RunReport& report, const std::string& name) {
  for (const host::Figure& f : report.figures)
    if (f.name == name) return f.value;
  FAIL("no figure " << name);
  return 0;
}

}  // namespace

TEST_CASE("RC5 encrypts the examples of Rivest 1994 (32 bits, 12 rounds, 16-byte keys)") {
  using Key = std::array<uint32_t, 4>;
  using Block = std::array<uint32_t, 2>;
  auto encrypt = [](const Block& plain, const Key& key) {
    std::array<uint32_t, workloads::kRc5Subkeys> subkeys;
    workloads::expand_key(key, subkeys);
    return workloads::encrypt(plain, subkeys);
  };
  Block first = encrypt(Block{0, 0}, Key{0, 0, 0, 0});
  CHECK(first == Block{0xeedba521, 0x6d8f4b15});
  Block second = encrypt(first, Key{0x19465f91, 0x51b241be, 0x01a55563, 0x91cea910});
  CHECK(second == Block{0xac13c0f7, 0x52892b5b});
}

TEST_CASE("Keys of RC5 carry from word to word") {
  std::array<uint32_t, 3> key{0xffffffff, 0xffffffff, 7};
  workloads::increment(key);
  CHECK(key == std::array<uint32_t, 3>{0, 0, 8});
}

TEST_CASE("A wave crosses the grid of FDTD at the speed of light") {
  // A plane pulse along x between walls that are symmetric: at Courant number 1/2 its front, and its peak, move half a
  // cell a step; half of it goes each way.
  constexpr size_t kRows = 4, kWidth = 400, kStart = 200, kSteps = 200;
  std::vector<double> ez((kRows + 2) * kWidth), hx(ez.size()), hy(ez.size()), medium(2 * kRows * kWidth);
  for (size_t cell = 0; cell < kRows * kWidth; ++cell) {
    medium[2 * cell] = 1;
    medium[2 * cell + 1] = 0.5;
  }
  std::vector<double> magnetic = medium;
  for (size_t y = 0; y < kRows + 2; ++y)
    for (size_t x = 0; x < kWidth; ++x)
      ez[y * kWidth + x] = std::exp(-std::pow((static_cast<double>(x) - kStart) / 10, 2));
  for (size_t step = 0; step < kSteps; ++step) {
    workloads::update_h(ez, hx, hy, magnetic, kRows, kWidth);
    workloads::update_e(ez, hx, hy, medium, kRows, kWidth);
    for (size_t x = 0; x < kWidth; ++x) {  // rows beyond are as those within: the wave is plane
      ez[x] = ez[kWidth + x];
      ez[(kRows + 1) * kWidth + x] = ez[kRows * kWidth + x];
      hx[x] = hx[kWidth + x];
    }
  }
  auto row = ez.begin() + 2 * kWidth;
  auto peak = std::max_element(row + kStart, row + kWidth - 1);
  CHECK(std::abs(static_cast<double>(peak - row) - (kStart + 0.5 * kSteps)) <= 1);
  CHECK(*peak == Approx(0.5).epsilon(0.01));
}

TEST_CASE("Elimination leaves factors whose product is the matrix") {
  constexpr size_t kN = 12, kPitch = 16;
  host::SplitMix64 random(1);
  std::vector<double> a(kPitch * kN);
  for (size_t column = 0; column < kN; ++column)
    for (size_t row = 0; row < kN; ++row) a[column * kPitch + row] = random.uniform() + (row == column ? 12.0 : 0.0);
  std::vector<double> factors = a;
  workloads::eliminate(factors, kN, kN, kPitch, kN - 1);
  for (size_t row = 0; row < kN; ++row)
    for (size_t column = 0; column < kN; ++column) {
      // L has 1 on its diagonal, and the negated multipliers below.
      double sum = row <= column ? factors[column * kPitch + row] : 0;
      for (size_t k = 0; k < std::min(row, column + 1); ++k)
        sum -= factors[k * kPitch + row] * factors[column * kPitch + k];
      CHECK(sum == Approx(a[column * kPitch + row]));
    }
}

TEST_CASE("Programs run with the active threads and shared memory of table 3") {
  auto launch = [](const Target& target, size_t i) { return run(target).launches.at(i); };
  sim::LaunchStatistics rc5 = launch({"rc5", "", {"blocks=1", "keys=1"}}, 0);
  CHECK(active_threads(rc5) == 3072);
  CHECK(rc5.occupancy.limiter == "registers");
  CHECK(rc5.occupancy.shared_bytes_per_block == 16 + 10 * 4);  // 0.3 bytes per thread
  // Hx and Hy: 11 registers leave room for two blocks of 256, so it runs with 10.
  CHECK(active_threads(launch({"fdtd", "", {"size=32", "steps=1"}}, 1)) == 12288);
  CHECK(active_threads(launch({"fdtd", "", {"size=32", "steps=1", "registers=11"}}, 1)) == 8192);
  CHECK(launch({"fdtd", "", {"size=32", "steps=1"}}, 1).occupancy.shared_bytes_per_block ==
        2048 + 16 + 4 * 4);  // 8.1 bytes per thread
  sim::LaunchStatistics saxpy = launch({"saxpy", "linpack", {"order=32", "steps=1"}}, 1);
  CHECK(active_threads(saxpy) == 12288);
  CHECK(saxpy.occupancy.shared_bytes_per_block == 4 + 16 + 4 * 4 + 2);  // 0.3 bytes per thread
  sim::LaunchStatistics cp = launch({"cp", "several", {"size=128", "atoms=1"}}, 0);
  CHECK(active_threads(cp) == 6144);
  CHECK(cp.occupancy.shared_bytes_per_block == 16 + 8 * 4);  // 0.4 bytes per thread
}

TEST_CASE("Without a rotation the RC5 search takes twice the slots, and nearly twice the time (Ryoo 2008, 5.1)") {
  // A step of the expansion: 4 additions and rotations of 3 and 5 slots, or of 1 each; of half a round: an addition, an
  // exclusive or, a rotation.
  constexpr double kMost = (78 * 12 + 24 * 7) / (78 * 6 + 24 * 3.0);
  auto slots = [](const host::RunReport& r) {
    return static_cast<double>(r.launches.front().counts.native_warp_instructions);
  };
  // Rolled: 26 first subkeys, places to change, a loop besides.
  for (auto [variant, share] : {std::pair("unrolled", 0.95), std::pair("rolled", 0.9)}) {
    INFO(variant);
    auto report = [variant = variant](const char* machine) {
      return run({"rc5", variant, {"blocks=16", "keys=4"}, machine});
    };
    host::RunReport without = report("geforce-8800-gtx"), with = report("geforce-8800-gtx-rotate");
    CHECK(slots(without) / slots(with) < kMost);
    CHECK(slots(without) / slots(with) > share * kMost);
    CHECK(figure(with, "keys") > 1.7 * figure(without, "keys"));
    CHECK(without.launches.front().counts.warp_instructions == with.launches.front().counts.warp_instructions);
  }
}

TEST_CASE("The rolled RC5 search fits the instruction cache of a TPC, the unrolled one is fetched ahead") {
  auto waiting = [](const char* variant, const char* lines) {
    const sim::Machine machine = shipped_machine("geforce-8800-gtx", {lines, "instruction.short_bytes=8"});
    const sim::LaunchStatistics launch = run({"rc5", variant, {"blocks=16", "keys=32"}}, {}, machine).launches.front();
    const auto fetch = static_cast<double>(launch.issue.stalls[static_cast<size_t>(sim::Stall::InstructionFetch)]);
    return fetch / static_cast<double>(launch.issue.slots);
  };
  CHECK(waiting("rolled", "instruction.prefetch_lines=0") < 0.05);
  CHECK(waiting("unrolled", "instruction.prefetch_lines=0") > 0.2);
  CHECK(waiting("unrolled", "instruction.prefetch_lines=1") < 0.1);
}

TEST_CASE("Several points per thread make the Coulomb potential faster (Kirk & Hwu 2010, chapter 9)") {
  auto rate = [](const char* variant) { return figure(run({"cp", variant, {"size=256", "atoms=60"}}), "evaluations"); };
  CHECK(rate("several") > 1.3 * rate("one"));
}

TEST_CASE("FDTD and saxpy are bound by memory (Ryoo 2008, table 3)") {
  auto share = [](const Target& target) {
    host::RunReport report = run(target);
    double bytes = 0, time_us = 0;
    for (const auto& launch : report.launches) {
      bytes += static_cast<double>(launch.dram.read_bytes + launch.dram.write_bytes);
      time_us += launch.time_us;
    }
    return bytes / time_us / 1e3 / 86.4;  // of the peak, GB/s
  };
  CHECK(share({"fdtd", "", {"size=256", "steps=1"}}) > 0.5);
  CHECK(share({"saxpy", "linpack", {"order=512", "steps=1"}}) > 0.5);
}

}  // namespace warptime
