// The checkers of a debugger: a launch runs functionally with them before it runs with time, and each finding is
// located as an execution of an instruction by a warp, at which the timed launch can be stopped.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "debug/check/checker.h"
#include "sim/gpu/gpu.h"

namespace warptime::debug {

struct LocatedFinding {
  std::string text;  // lines: the kind and what was found, then the hint
  uint64_t block = 0;
  uint32_t warp = 0, lane = 0;  // in the block
  uint32_t pc = 0;
  uint64_t execution = 1;  // the first is 1
};

class LocatingChecker final : public Checker {
 public:
  explicit LocatingChecker(CheckTools tools);
  LocatingChecker(const LocatingChecker&) = delete;
  LocatingChecker& operator=(const LocatingChecker&) = delete;

  /// Runs the launch functionally, and leaves device memory as it was. Returns what is found in this launch for the
  /// first time in the program, in the order of the findings, but for faults that are not of one instruction.
  /// `interrupted`: polled; the rest of the launch is then not checked.
  std::vector<LocatedFinding> check(sim::Gpu& gpu, const sim::Launch& launch, const sim::RunOptions& options,
                                    const std::function<bool()>& interrupted);

  void begins(const sim::LaunchContext& launch) override;
  void starts(const sim::SmState& sm, uint64_t slots) override;
  void executes(const sim::WarpEvent& event) override;

 private:
  /// How often each warp of a resident block has executed each instruction: [warp][pc].
  struct Executions {
    uint64_t block = 0;
    std::vector<uint64_t> of;
  };
  Executions& resident(const sim::SmState& sm, uint32_t slot);
  void locate(const Finding& finding);

  std::vector<Executions> resident_;  // by SM and place in it
  std::vector<LocatedFinding> located_;
};

}  // namespace warptime::debug
