// `run --interval N=FILE.csv`: a row for every N cycles of each launch, written while it runs.
#pragma once

#include <optional>

#include "cli/command_line.h"
#include "cli/output.h"
#include "sim/gpu/gpu.h"

namespace warptime::cli {

/// Fails where there are no cycles to count in. `option`: --interval as it was given.
void check_interval(const ArgumentText& option, const sim::RunOptions& options);

class IntervalTable final : public sim::LaunchListener {
 public:
  /// Throws host::InputError.
  IntervalTable(const ArgumentText& option, const Arguments& arguments);

  void interval(const sim::LaunchInterval& part) override;
  /// At the end of the run.
  void finish();
  bool is_standard_output() const { return out_.is_standard_output(); }

 private:
  Output out_;
  bool has_header_ = false;
};

/// The table of the option, if it was given.
std::optional<IntervalTable> interval_table(const Arguments& arguments, const sim::RunOptions& options);

}  // namespace warptime::cli
