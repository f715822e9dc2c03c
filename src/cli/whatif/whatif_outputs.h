// What `warptime whatif` writes when all values have run: the table, the chart, JSON.
#pragma once

#include <optional>
#include <string>

#include "cli/output.h"
#include "cli/whatif/whatif_plan.h"
#include "cli/whatif/whatif_table.h"

namespace warptime::cli {

inline constexpr uint64_t kWhatIfTop = 20;

/// The file of --plot, and gnuplot; both are looked for before the first run.
struct TornadoOutput {
  TornadoOutput(const ArgumentText& file, const Arguments& arguments);
  std::string gnuplot;
  Output out;
};

class WhatIfOutputs {
 public:
  explicit WhatIfOutputs(const Arguments& arguments);

  /// Writes them, and the CSV where it goes to standard output; returns the exit status.
  int write(const Arguments& arguments, const WhatIfPlan& plan, const WhatIfTable& table, const PointResult& own);

 private:
  size_t top_;
  std::optional<Output> json_;
  std::optional<TornadoOutput> chart_;
};

}  // namespace warptime::cli
