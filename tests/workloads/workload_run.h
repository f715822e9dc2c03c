// Runs a workload as the command would, for the tests that look at its report.
#pragma once

#include <catch2/catch.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "host/report/report.h"
#include "host/workload/workload.h"
#include "sim/gpu/gpu.h"
#include "sim/model/machine_loader.h"

namespace warptime {

/// A machine of configs/.
inline sim::Machine shipped_machine(const std::string& name, const std::vector<std::string>& overrides = {}) {
  Diagnostics diagnostics;
  auto loaded = sim::load_machine(name, overrides, WARPTIME_SOURCE_DIR "/configs", diagnostics);
  INFO(diagnostics.to_text());
  REQUIRE(loaded.has_value());
  return loaded->machine;
}

/// A workload, a variant of it ("": all), its parameters, and a machine that can run it.
struct Target {
  std::string workload, variant;
  std::vector<std::string> parameters;
  std::string machine = "geforce-8800-gtx";

  std::string name() const {
    std::string out = workload;
    if (!variant.empty()) out += ":" + variant;
    for (const std::string& p : parameters) out += " " + p;
    if (machine != "geforce-8800-gtx") out += " on " + machine;
    return out;
  }
};

inline host::RunReport run(const Target& target, const sim::RunOptions& options, const sim::Machine& machine,
                           host::Checkpoints* checkpoints = nullptr) {
  const host::Workload* workload = host::find_workload(target.workload);
  REQUIRE(workload != nullptr);
  host::RunReport report;
  report.machine = machine;
  report.target = target.name();
  host::Device device(report.machine, options);
  device.checkpoint(checkpoints);
  report.checks = host::run_workload(device, *workload,
                                     {.variant = target.variant,
                                      .parameters = target.parameters,
                                      .check = true,
                                      .directory = WARPTIME_SOURCE_DIR "/workloads/" + target.workload});
  report.figures = device.figures();
  report.launches = device.launches();
  report.timeline = device.timeline();
  return report;
}

inline host::RunReport run(const Target& target, const sim::RunOptions& options = {}, const std::string& on = "") {
  return run(target, options, shipped_machine(on.empty() ? target.machine : on));
}

/// The results are those of the CPU reference.
inline void check_results(const host::RunReport& report) {
  REQUIRE_FALSE(report.checks.empty());
  REQUIRE_FALSE(report.launches.empty());
  for (const host::Check& check : report.checks) {
    INFO(report.target << ": " << check.name << ": " << check.first_failure);
    CHECK(check.ok);
    CHECK(check.max_abs_error <= check.bound);
  }
}

/// All reasons' cycles together.
inline uint64_t sum(const sim::StallCounts& stalls) {
  return std::accumulate(stalls.begin(), stalls.end(), uint64_t{0});
}

/// Every kernel that the workloads have, at sizes that take milliseconds: full and ragged grids, padding, part of a
/// grid.
inline std::vector<Target> small_targets() {
  return {
      {"histogram", "", {"n=40000"}},
      {"histogram", "atomics", {"n=20004", "blocks=5"}, "tesla-c1060"},
      {"histogram", "private", {"n=4"}},
      {"reduce-ticket", "", {"n=5000", "blocks=20"}, "tesla-c1060"},
      {"reduce-ticket", "", {"n=5000", "blocks=20"}, "geforce-gtx-480"},
      {"smooth", "", {"width=40", "height=20"}},
      {"smooth", "linear", {"width=17", "height=33"}},
      {"vecadd", "", {"n=4096"}},
      {"vecadd", "", {"n=1001"}},
      {"lbm", "buffered", {"rows=4", "layers=3", "steps=3"}},
      {"lbm", "direct", {"rows=4", "layers=3", "steps=2"}},
      {"lbm", "arrays", {"rows=4", "layers=3", "steps=2"}},
      {"saxpy", "", {"n=4096"}},
      {"saxpy", "", {"n=77"}},
      {"saxpy", "linpack", {"order=48", "steps=0"}},
      {"saxpy", "linpack", {"order=150", "steps=3"}},
      {"matmul", "", {"n=32"}},
      {"matmul", "naive", {"n=48"}},
      {"matmul", "tiled", {"n=32", "tile=4"}},
      {"matmul", "tiled", {"n=32", "tile=8"}},
      {"matmul", "tiled", {"n=32", "tile=12"}},
      {"matmul", "tiled", {"n=64"}},
      {"matmul", "unrolled", {"n=64"}},
      {"matmul", "unrolled", {"n=40"}},
      {"matmul", "prefetch", {"n=64"}},
      {"matmul", "prefetch", {"n=16"}},
      {"matmul", "unrolled", {"n=128", "blocks=11"}},
      // 3 pixels a thread and 160 left over; more threads than pixels.
      {"mandelbrot", "", {"size=40", "blocks=5", "threads=96", "depth=30"}},
      {"mandelbrot", "f32", {"size=9", "blocks=4", "threads=64"}},
      {"mandelbrot", "f64", {"size=40", "blocks=5", "threads=96", "depth=30"}, "tesla-c1060"},
      {"mandelbrot", "f64", {"size=9", "blocks=4", "threads=64"}, "geforce-gtx-480"},
      {"mandelbrot", "f64", {"size=40", "blocks=3", "threads=50", "depth=30"}, "jetson-tk1"},
      {"cp", "", {"size=128", "atoms=40"}},
      {"mri-q", "", {"size=8", "samples=20"}},
      {"mri-q", "constant", {"size=8", "samples=513"}},
      {"mri-fhd", "", {"size=8", "samples=20"}},
      {"mri-fhd", "constant", {"size=8", "samples=401"}},
      // Two tiles, the second ragged; several blocks per row of tiles, and two random sets.
      {"tpacf", "", {"size=300"}},
      {"tpacf", "binary", {"size=515", "sets=2"}},
      {"cp", "one", {"size=128", "atoms=20"}},
      // Sizes that no block divides: rows are longer in memory than the grid is wide.
      {"cp", "", {"size=100", "atoms=7"}},
      {"cp", "one", {"size=37", "atoms=5"}},
      {"fdtd", "", {"size=64", "steps=4"}},
      {"fem", "", {"cells=3", "steps=3"}},
      {"fem", "random", {"cells=4", "steps=2"}},
      {"fem", "four", {"cells=2", "steps=5"}},
      {"fdtd", "", {"size=32", "steps=3", "registers=11"}},
      // Leaves alike, and leaves that differ, some of them empty; part of the tree.
      {"fmm-ulist", "", {"q=5", "levels=1"}},
      {"fmm-ulist", "shmem+pref", {"q=24", "levels=1", "random=1"}},
      {"fmm-ulist", "vecpack+ujam", {"q=7", "levels=2", "random=1", "blocks=30", "nodes=5"}},
      // Two blocks and a part of one; on a machine with caches.
      {"spmv", "", {"rows=600", "elements=4"}},
      {"spmv", "uniform", {"rows=300", "elements=9"}, "geforce-gtx-480"},
      {"softmax", "", {"rows=5", "columns=300"}, "jetson-tk1"},
      {"layer-norm", "", {"rows=5", "columns=300"}, "jetson-tk1"},
      {"gemm-wmma", "", {"n=64"}, "h200-sxm"},
      {"gemm-mma-async", "", {"n=128"}, "h200-sxm"},
      {"gemm-wgmma", "", {"n=128"}, "h200-sxm"},
      {"attention", "", {"n=64", "heads=1"}, "h200-sxm"},
      {"pns", "", {"blocks=2", "stations=3", "ticks=5"}},
      {"pns", "contiguous", {"blocks=1", "stations=2", "ticks=5"}},
      {"h264", "", {"across=2", "down=1"}},
      {"h264", "sads", {"across=1", "down=2"}},
      {"h264", "global", {"across=1", "down=1"}},
      {"h264", "unrolled", {"across=1", "down=1"}, "geforce-gtx-280"},
      {"h264", "rolled", {"across=1", "down=1"}},
      {"rc5", "", {"blocks=2", "keys=2"}},
      {"rc5", "rolled", {"blocks=1", "keys=3"}, "geforce-8800-gtx-rotate"},
      {"rc5", "unrolled", {"blocks=1", "keys=3"}},
      {"micro", "arithmetic", {}},
      {"micro", "f64", {}, "tesla-c1060"},
      {"micro", "overlap", {}},
      {"micro", "shared", {}},
      {"micro", "control", {}},
      {"micro", "caches", {"most=2"}},
      {"micro", "access", {"kilobytes=64"}},
      {"micro", "bandwidth", {"kilobytes=64"}},
      {"micro", "partitions", {"kilobytes=64"}},
      {"micro", "pitches", {"kilobytes=64"}},
      {"micro", "reads", {}},
      {"micro", "chase", {"footprint=64"}},
      {"micro", "ladder", {"kilobytes=64"}},
      // Whole tiles of bodies, a ragged one, and part of them.
      {"nbody", "", {"n=256"}},
      {"nbody", "", {"n=300"}},
      {"nbody", "rolled", {"n=600", "tiles=2"}},
      {"sgemm", "", {"n=64"}},
      {"sgemm", "", {"n=192", "blocks=7"}},
      {"walk", "", {"n=32"}},
      {"walk", "rows", {"n=128", "blocks=9"}},
      {"matmul", "prefetch", {"n=32", "registers=10"}},
      {"reduce", "", {"n=20000"}},
      {"reduce", "several", {"n=1"}},
      {"scan", "", {"n=20000"}},
      {"scan", "", {"n=1"}},
      {"copy", "", {"n=20000"}},
      {"copy", "word", {"n=1001"}, "geforce-gtx-280"},
      {"transpose", "", {"n=96"}},
      {"transpose", "", {"n=64"}, "geforce-gtx-280"},
      {"matvec", "", {"n=256"}},
      {"matvec", "transposed", {"n=512"}},
      {"lookup", "", {"n=4096", "rounds=8"}},
      {"lookup", "scattered", {"n=1000", "rounds=20", "entries=16384"}},
      // One integral; integrals of s and p functions.
      {"rpes", "", {"atoms=1"}},
      {"rpes", "shared", {"atoms=2"}},
  };
}

}  // namespace warptime
