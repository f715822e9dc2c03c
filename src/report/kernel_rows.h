// What each line of each kernel cost, summed over the launches of a run: the content of the page's source view.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "ptx/user/cuda_sources.h"
#include "sim/model/machine.h"
#include "sim/model/statistics.h"

namespace warptime::report {

/// All launches of one kernel.
struct KernelRows {
  std::string kernel;
  std::shared_ptr<const SourceText> ptx;  // nullptr: from a statistics file
  uint64_t launches = 0;
  sim::IssueSlots issue;
  std::vector<sim::InstructionRow> rows;  // as a launch has them: by instruction, slots without one last
};

/// In the order of first launch.
class KernelSums {
 public:
  void add(const sim::LaunchStatistics& launch);
  /// A launch of a statistics file. `launch`: with its `instructions`; without these it adds nothing.
  void add(const nlohmann::ordered_json& launch);
  std::vector<KernelRows> take() { return std::move(kernels_); }

 private:
  KernelRows& of(const std::string& kernel, const std::shared_ptr<const SourceText>& ptx);
  static void add_rows(KernelRows& to, std::vector<sim::InstructionRow> rows);

  std::vector<KernelRows> kernels_;
};

/// Where the CUDA lines of the kernel's rows are looked for.
ptx::CudaSources cuda_sources(const KernelRows& kernel);

/// The kernels as the page reads them, in the order of `kernels`; `machine` nullptr: without native instructions.
/// `with_issues`: what issues for each row, with its cycles and registers, is in `issues`. A row is an object with
/// `line`, `text`, `executions`, `threads`, `issued`, `stalls` (in the order of the table), and where known `function`,
/// `file` (in `files`), `cuda`, `native`, `reads` and `writes` (registers), `memory`, `caches` and `latency`.
nlohmann::ordered_json kernels_json(const std::vector<KernelRows>& kernels, const sim::MachineConfig* machine,
                                    nlohmann::ordered_json& files, bool with_issues = false);

}  // namespace warptime::report
