// The same bytes for any number of host threads, any step of the simulation, and every run.
#include <nlohmann/json.hpp>

#include "workloads/workload_run.h"

namespace warptime {

namespace {

std::string report_of(const Target& target, uint32_t threads, sim::Step step, bool functional = false) {
  sim::RunOptions options;
  options.threads = threads;
  options.step = step;
  options.functional = functional;
  options.per_instruction = true;
  nlohmann::ordered_json json = host::to_json(run(target, options));
  json.erase("host");
  return json.dump();
}

const std::vector<Target>& targets() {
  static const std::vector<Target> list{{"vecadd", "", {"n=20001"}},
                                        {"saxpy", "", {"n=20001"}},
                                        {"matmul", "", {"n=64"}},
                                        {"matmul", "tiled", {"n=60", "tile=12"}}};
  return list;
}

void check_all(const std::vector<uint32_t>& thread_counts, const Target& target) {
  std::string expected = report_of(target, 1, sim::Step::Whole);
  for (uint32_t threads : thread_counts)
    for (sim::Step step : {sim::Step::Whole, sim::Step::Half, sim::Step::Quarter}) {
      INFO(target.name() << ", " << threads << " threads, step 1/" << static_cast<int>(step));
      CHECK((report_of(target, threads, step) == expected));
    }
}

}  // namespace

TEST_CASE("Reports are the same for 1 and 3 threads and for every step") {
  for (const Target& target : targets()) check_all({1, 3}, target);
}

TEST_CASE("Functional reports are the same for 1 and 3 threads") {
  for (const Target& target : targets()) {
    INFO(target.name());
    CHECK((report_of(target, 3, sim::Step::Whole, true) == report_of(target, 1, sim::Step::Whole, true)));
  }
}

// Blocks of one SM that end within one window must be followed as if each had ended in a step of its own.
TEST_CASE("Reports are the same for every step over many waves of blocks", "[full]") {
  Target target{"matmul", "unrolled", {"n=256"}};
  std::string expected = report_of(target, 1, sim::Step::Whole);
  CHECK((report_of(target, 1, sim::Step::Half) == expected));
  CHECK((report_of(target, 1, sim::Step::Quarter) == expected));
}

TEST_CASE("Reports are the same for 1, 2, 3 and 8 threads and when repeated", "[all]") {
  for (const Target& target : {Target{"matmul", "", {"n=96"}}, Target{"vecadd", "", {"n=100001"}}})
    for (int repeat = 0; repeat < 2; ++repeat) check_all({1, 2, 3, 8}, target);
}

}  // namespace warptime
