// Runs give the same bytes for any number of host threads, any step of the simulation, and every run.
#include <nlohmann/json.hpp>

#include "workloads/workload_run.h"

namespace warptime {

namespace {

std::string report_of(const Target& c, uint32_t threads, sim::Step step, bool functional = false) {
  sim::RunOptions options;
  options.threads = threads;
  options.step = step;
  options.functional = functional;
  options.per_instruction = true;
  nlohmann::ordered_json json = host::to_json(run(c, options));
  json.erase("host");
  return json.dump();
}

/// Everything that may go wrong between threads: memory of every kind, atomic operations, several machines.
const std::vector<Target>& cases() {
  static const std::vector<Target> list{
      {"vecadd", "", {"n=20001"}},
      {"saxpy", "", {"n=20001"}},
      {"matmul", "", {"n=64"}},
      {"nbody", "", {"n=600", "tiles=1"}},
      {"sgemm", "", {"n=128", "blocks=12"}},
      {"cp", "one", {"size=128", "atoms=20"}},
      {"fdtd", "", {"size=64", "steps=4"}},
      {"rc5", "", {"blocks=8", "keys=1"}},
      {"saxpy", "linpack", {"order=130", "steps=2"}},
      {"matmul", "tiled", {"n=60", "tile=12"}},
      {"smooth", "", {"width=64", "height=48"}},
      {"lookup", "", {"n=4096", "rounds=8"}},
      {"mandelbrot", "f64", {"size=40", "blocks=6", "threads=96", "depth=30"}, "tesla-c1060"},
      {"histogram", "", {"n=40000", "blocks=20"}, "tesla-c1060"},
      {"reduce-ticket", "", {"n=20000", "blocks=60"}, "tesla-c1060"},
      {"reduce-ticket", "", {"n=20000", "blocks=60"}, "geforce-gtx-480"},
      {"mandelbrot", "f32", {"size=64", "blocks=40", "depth=40"}},
      {"mri-q", "", {"size=16", "samples=10"}},
      {"mri-fhd", "", {"size=16", "samples=10"}},
      {"tpacf", "", {"size=300"}},
      {"mandelbrot", "f64", {"size=64", "blocks=40", "depth=20"}, "jetson-tk1"},
      {"transpose", "diagonal", {"n=128"}, "geforce-gtx-280"},
      {"matvec", "", {"n=256"}},
      {"rpes", "shared", {"atoms=2"}},
      {"h264", "texture", {"across=2", "down=1"}},
      {"lbm", "buffered", {"rows=4", "layers=3", "steps=2"}},
      {"pns", "interleaved", {"blocks=2", "stations=3", "ticks=5"}},
      {"fem", "renumbered", {"cells=4", "steps=2"}},
      {"fmm-ulist", "shmem+rsqrt+vecpack", {"q=24", "levels=1", "random=1"}, "tesla-c1060"},
      {"spmv", "power-law+texture", {"rows=600", "elements=4"}, "geforce-gtx-480"},
      {"lookup", "", {"n=8192", "rounds=8", "entries=16384"}}};
  return list;
}

void check_all(const std::vector<uint32_t>& thread_counts, const Target& c) {
  std::string expected = report_of(c, 1, sim::Step::Whole);
  for (uint32_t threads : thread_counts)
    for (sim::Step step : {sim::Step::Whole, sim::Step::Half, sim::Step::Quarter}) {
      INFO(c.name() << ", " << threads << " threads, step 1/" << static_cast<int>(step));
      CHECK((report_of(c, threads, step) == expected));
    }
}

}  // namespace

TEST_CASE("Reports are the same for 1 and 3 threads and for every step", "[full]") {
  for (const Target& c : cases()) check_all({1, 3}, c);
}

TEST_CASE("Sampled reports are the same for 1 and 3 threads, every step, and twice", "[full]") {
  Target saxpy{"saxpy", "", {"n=1200000"}};  // 87 waves of 54 blocks
  sim::Machine two_sms =
      shipped_machine("geforce-8800-gtx", {"chip.tpcs=2", "chip.sms_per_tpc=1", "memory.partitions=1"});
  for (sim::Sampling mode : {sim::Sampling::FullValues, sim::Sampling::Timing}) {
    auto report = [&](uint32_t threads, sim::Step step) {
      sim::RunOptions options;
      options.threads = threads;
      options.step = step;
      options.sampling = mode;
      options.per_instruction = true;
      host::RunReport result = run(saxpy, options, two_sms);
      REQUIRE(result.launches[0].sampling.has_value());
      nlohmann::ordered_json json = host::to_json(result);
      json.erase("host");
      return json.dump();
    };
    std::string expected = report(1, sim::Step::Whole);
    CHECK((report(1, sim::Step::Whole) == expected));
    CHECK((report(3, sim::Step::Whole) == expected));
    CHECK((report(1, sim::Step::Half) == expected));
  }
}

TEST_CASE("Functional reports are the same for 1 and 3 threads") {
  for (const Target& c : cases()) {
    INFO(c.name());
    CHECK((report_of(c, 3, sim::Step::Whole, true) == report_of(c, 1, sim::Step::Whole, true)));
  }
}

// Blocks of one SM that end within one window must be followed as if each had ended in a step of its own.
TEST_CASE("Reports are the same for every step over many waves of blocks", "[full]") {
  Target target{"matmul", "unrolled", {"n=256"}};
  std::string expected = report_of(target, 1, sim::Step::Whole);
  CHECK((report_of(target, 1, sim::Step::Half) == expected));
  CHECK((report_of(target, 1, sim::Step::Quarter) == expected));
}

TEST_CASE("Reports are the same for 1, 2, 3 and 8 threads and every step", "[all]") {
  for (const Target& c : cases()) check_all({1, 2, 3, 8}, c);
}

TEST_CASE("Reports are the same ten times over", "[all]") {
  for (const Target& c : cases()) {
    INFO(c.name());
    std::string expected = report_of(c, 1, sim::Step::Whole);
    for (int repeat = 0; repeat < 10; ++repeat) CHECK((report_of(c, 3, sim::Step::Whole) == expected));
  }
}

}  // namespace warptime
