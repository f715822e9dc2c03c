// The rows of a what-if: parameter, value, time_us, change, status, and the identity of the whole; and what they say
// when all are there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/plan/plan_table.h"
#include "cli/whatif/whatif_plan.h"
#include "host/whatif/tornado.h"

namespace warptime::cli {

class WhatIfTable : public PlanTable {
 public:
  explicit WhatIfTable(const WhatIfPlan& plan);

  /// The next point's row. The first one is of the machine as it is.
  void put(size_t point, const PointResult& result);

  /// The bars of the complete table.
  std::vector<host::TornadoBar> bars() const;
  /// "PATH=VALUE" of the points with which the program did not run.
  std::vector<std::string> failed() const;
  std::string own_time_us() const { return rows().front()[kTime]; }
  std::string to_json(const std::string& target) const;

 private:
  enum Column : size_t { kParameter, kValue, kTime, kChange, kStatus };

  const WhatIfPlan& what_if_;
};

/// A time in a row, or in a result; 0: there is none.
double time_of(std::string_view cell);

}  // namespace warptime::cli
