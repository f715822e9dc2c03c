// The checkers of a graded run, which also note which store wrote each element of the buffers with expected values:
// a wrong value then has a line.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "debug/check/checker.h"
#include "host/launch_file/launch_plan.h"

namespace warptime::cli {

/// The store that wrote an element last.
struct ElementWriter {
  const ptx::Instruction* at = nullptr;  // nullptr: none has
  uint64_t block = 0;
  uint32_t thread = 0, launch = 0;
};

class GradingChecker final : public debug::Checker {
 public:
  explicit GradingChecker(const host::LaunchPlan& plan);
  GradingChecker(const GradingChecker&) = delete;
  GradingChecker& operator=(const GradingChecker&) = delete;

  void begins(const sim::LaunchContext& launch) override;
  uint32_t accesses(const sim::WarpEvent& event, const std::array<Addr, sim::kWarpSize>& addresses) override;

  /// The writer of an element, by the plan's expectation; nullptr: very large buffers are not noted.
  const ElementWriter* writer(size_t expectation, uint64_t element) const;
  /// "block (1,0,0) thread (3,0,0)" of that store, and its module.
  std::string thread_text(const ElementWriter& writer) const;
  const ptx::Module& module(const ElementWriter& writer) const { return *launches_[writer.launch].module; }

 private:
  struct Watched {
    std::string name;
    Addr begin = 0;
    uint64_t bytes = 0;
    uint32_t element_bytes = 1;
    std::vector<ElementWriter> writers;
  };
  struct Launch {
    std::shared_ptr<const ptx::Module> module;
    std::array<uint32_t, 3> grid{}, block{};
  };
  std::vector<Watched> watched_;  // by expectation
  std::vector<Launch> launches_;
};

}  // namespace warptime::cli
