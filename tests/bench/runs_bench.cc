// Whole runs: the rows of runs.csv by the built program, or by the one that WARPTIME names, an older one for example.
// The time is what the program says its simulation took: from decode to the end of the last launch.
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "bench/count.h"
#include "tools/run_program.h"

namespace warptime::bench {
namespace {

void run(benchmark::State& state, const std::string& words, uint32_t threads) {
  const char* other = std::getenv("WARPTIME");
  std::vector<std::string> command{other != nullptr ? other : WARPTIME_BINARY, "run"};
  std::istringstream in(words);
  for (std::string word; in >> word;) command.push_back(word);
  for (const std::string& word : {std::string("--threads"), std::to_string(threads), std::string("--no-check"),
                                  std::string("--quiet"), std::string("--json")})
    command.push_back(word);
  uint64_t instructions = 0;
  for (auto _ : state) {
    test::Outcome outcome = test::run_program(command);
    if (outcome.status != 0) return state.SkipWithError(outcome.err.c_str());
    auto report = nlohmann::json::parse(outcome.out);
    instructions = report["total"]["warp_instructions"].get<uint64_t>();
    state.SetIterationTime(report["host"]["simulate_seconds"].get<double>());
  }
  count(state, instructions, "warp instruction");
}

const bool kRegistered = [] {
  std::ifstream file(WARPTIME_SOURCE_DIR "/tests/bench/runs.csv");
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::string name, words;
    std::getline(fields, name, ';');
    std::getline(fields, words, ';');
    if (words.empty()) continue;
    for (uint32_t threads = 1; threads <= std::min(2u, std::thread::hardware_concurrency()); ++threads) {
      std::string full = "runs/" + name + (threads == 1 ? "" : ", 2 threads");
      benchmark::RegisterBenchmark(full.c_str(), run, words, threads)->UseManualTime()->Iterations(1);
    }
  }
  return true;
}();

}  // namespace
}  // namespace warptime::bench
