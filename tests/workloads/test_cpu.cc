// The CPU references of workloads with counted numbers: the values of the plain ones, and the seconds that a part of
// the work stands for.
#include "../../workloads/cp/reference.h"
#include "../../workloads/matmul/reference.h"
#include "../../workloads/mri-fhd/reference.h"
#include "../../workloads/mri-q/reference.h"
#include "../../workloads/saxpy/reference.h"
#include "../../workloads/tpacf/reference.h"
#include "cpu/baseline.h"
#include "host/workload/random.h"
#include "workloads/workload_run.h"

namespace warptime {

namespace {

cpu::Cpu opteron() {
  Diagnostics diagnostics;
  auto cpu = cpu::load_cpu(cpu::kDefaultCpu, WARPTIME_SOURCE_DIR "/configs", diagnostics);
  REQUIRE(cpu.has_value());
  return *cpu;
}

std::vector<float> random_floats(size_t count, uint64_t seed) {
  host::SplitMix64 random(seed);
  std::vector<float> out(count);
  for (float& v : out) v = random.uniform(0.5f, 1.0f);
  return out;
}

std::vector<float> plain(const cpu::CountedArray<float>& array) {
  std::vector<float> out(array.size());
  for (size_t i = 0; i < out.size(); ++i) out[i] = array.plain(i);
  return out;
}

cpu::CpuReport baseline(const std::string& name, const std::vector<std::string>& parameters) {
  const host::Workload* workload = host::find_workload(name);
  REQUIRE(workload != nullptr);
  REQUIRE(workload->cpu);
  return cpu::run_cpu_baseline(opteron(), workload->cpu, "", host::workload_parameters(*workload, parameters));
}

}  // namespace

TEST_CASE("cpu: counted references compute what plain ones do") {
  cpu::Cpu cpu = opteron();
  cpu::CpuCore core(cpu.config, true);
  constexpr size_t n = 100;  // no multiple of the tile
  std::vector<float> a = random_floats(n * n, 1), b = random_floats(n * n, 2), c(n * n), tiled(n * n);
  workloads::multiply_rows(a.data(), b.data(), c.data(), n, n, n, n);
  workloads::TiledProduct(a, b, tiled, n).run();
  CHECK(tiled == c);
  cpu::CountedArray<float> counted_a(a), counted_b(b), counted_c(n * n);
  workloads::TiledProduct(counted_a, counted_b, counted_c, n).run();
  CHECK(plain(counted_c) == c);

  cpu::CountedArray<float> x(a), y(b);
  std::vector<float> result = b;
  workloads::saxpy(2.5f, a, result);
  workloads::saxpy(cpu::Counted<float>(2.5f), x, y);
  CHECK(plain(y) == result);

  std::vector<float> row(20);
  cpu::CountedArray<float> counted_row(row.size());
  workloads::potential_row(a, b, a, b, 1.25f, 0.5f, 0.25f, row);
  workloads::potential_row(counted_a, counted_b, counted_a, counted_b, 1.25f, 0.5f, 0.25f, counted_row);
  CHECK(plain(counted_row) == row);
  double expected = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    double dx = 1.25 + 0.25 * 19 - a[i], dy = 0.5 - b[i];
    expected += b[i] / std::sqrt(dx * dx + dy * dy + a[i]);
  }
  CHECK(row[19] == Approx(expected).epsilon(1e-4));
}

TEST_CASE("cpu: sums over samples and pairs of points, counted, are those of plain numbers") {
  cpu::Cpu cpu = opteron();
  cpu::CpuCore core(cpu.config, true);
  std::vector<float> samples = random_floats(4 * 5 * 3, 1), voxels = random_floats(3 * 4, 2), q(2 * 4), fhd(2 * 4);
  cpu::CountedArray<float> counted_samples(samples), counted_voxels(voxels), counted_q(q.size()),
      counted_fhd(fhd.size());
  workloads::add_q(samples, voxels, q);
  workloads::add_q(counted_samples, counted_voxels, counted_q);
  CHECK(plain(counted_q) == q);
  workloads::add_fhd(samples, voxels, fhd);
  workloads::add_fhd(counted_samples, counted_voxels, counted_fhd);
  CHECK(plain(counted_fhd) == fhd);

  // Cosines from 0.75 to 3 in 20 bins.
  std::vector<float> points = random_floats(3 * 50, 3), edges;
  for (int i = 0; i < 19; ++i) edges.push_back(2.9f - static_cast<float>(i) * 0.1f);
  std::vector<uint32_t> counts(20);
  workloads::count_angles(points, 5, 20, points, true, edges, counts);
  cpu::CountedArray<float> counted_points(points), counted_edges(edges);
  cpu::CountedArray<uint32_t> counted_counts(counts.size());
  workloads::count_angles(counted_points, 5, 20, counted_points, true, counted_edges, counted_counts);
  uint32_t pairs = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    CHECK(counted_counts.plain(i) == counts[i]);
    pairs += counts[i];
  }
  CHECK(pairs == (44 + 30) * 15 / 2);  // of points 5 to 19 with those behind them
}

TEST_CASE("cpu: a part stands for the whole work", "[full]") {
  cpu::CpuReport half = baseline("matmul", {"n=256"}), whole = baseline("matmul", {"n=512"});
  CHECK(whole.scalar_seconds / half.scalar_seconds == Approx(8).epsilon(0.02));
  CHECK(whole.part == "64 of 512 rows of A by a tile of 64 x 64 of B");
  CHECK(whole.operations == half.operations);
  CHECK(baseline("matmul", {"n=1"}).scale == 1);
  cpu::CpuReport all = baseline("saxpy", {"n=1048576"}), more = baseline("saxpy", {"n=4194304"});
  CHECK(more.scalar_seconds == Approx(4 * all.scalar_seconds));
  CHECK(all.part.empty());
  CHECK(more.part == "1048576 of 4194304 elements");
  cpu::CpuReport few = baseline("cp", {"size=128", "atoms=100"}), many = baseline("cp", {"size=256", "atoms=100"});
  CHECK(many.scalar_seconds / few.scalar_seconds == Approx(4).epsilon(0.02));
  for (const char* name : {"mri-q", "mri-fhd"}) {
    cpu::CpuReport one = baseline(name, {"size=8", "samples=512"}), eight = baseline(name, {"size=16", "samples=512"});
    CHECK(one.part.empty());
    CHECK(eight.part == "512 of 4096 voxels");
    CHECK(eight.scalar_seconds / one.scalar_seconds == Approx(8).epsilon(0.02));
  }
  cpu::CpuReport set = baseline("tpacf", {"size=300"}), sets = baseline("tpacf", {"size=300", "sets=2"});
  CHECK(set.scale == 1);
  CHECK(sets.part == "300 of 300 points, 1 of 2 random sets");
  CHECK(sets.scale == Approx((3 * 44850 + 2 * 90000) / (2 * 44850 + 90000.0)));
}

TEST_CASE("cpu: what bounds the references", "[full]") {
  // A chain of additions is 4 cycles per term; the end of one overlaps the start of the next as far as the window
  // reaches.
  cpu::CpuReport matmul = baseline("matmul", {"n=512"});
  double cycles_per_term = matmul.scalar_seconds * 2.2e9 / (512.0 * 512 * 512);
  CHECK(cycles_per_term > 3.5);
  CHECK(cycles_per_term < 4.5);
  CHECK(matmul.simd_seconds < matmul.scalar_seconds / 2);
  // Three lines of 64 bytes for each 16 elements, at 3.2 GB/s; packed code has no more bandwidth.
  cpu::CpuReport saxpy = baseline("saxpy", {"n=1048576"});
  CHECK(saxpy.scalar_seconds == Approx((1 << 20) * 12 / 3.2e9).epsilon(0.1));
  CHECK(saxpy.simd_seconds == Approx(saxpy.scalar_seconds).epsilon(0.1));
}

}  // namespace warptime
