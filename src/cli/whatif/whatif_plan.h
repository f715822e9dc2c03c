// The runs of a what-if: the machine as it is, and each other value of each parameter by itself. They follow from the
// table of parameters (sim/model/machine.h) and from the machine's checks.
#pragma once

#include <string>
#include <vector>

#include "cli/plan/run_plan.h"
#include "sim/model/machine.h"

namespace warptime::cli {

/// A parameter with another value.
struct WhatIfPoint {
  std::string parameter, own, value;
  std::string setting() const { return parameter + "=" + value; }
};

class WhatIfPlan : public RunPlan {
 public:
  /// Throws host::InputError. Warnings go to standard error.
  explicit WhatIfPlan(const Arguments& arguments);

  /// Point 0 is the machine as it is, point i + 1 is changes()[i].
  size_t points() const override { return changes_.size() + 1; }
  std::vector<std::string> values(size_t point) const override;
  std::vector<std::string> settings(size_t point) const override;
  std::vector<std::string> parameters(size_t) const override { return parameters_; }

  const std::vector<WhatIfPoint>& changes() const { return changes_; }
  /// "PATH=VALUE" that the machine's checks refuse.
  const std::vector<std::string>& refused() const { return refused_; }
  /// The machine with the user's settings.
  const std::string& target() const { return target_; }
  const sim::Machine& machine() const { return machine_; }

 private:
  void add_changes(const Arguments& arguments);
  bool is_legal(const Arguments& arguments, const std::string& setting) const;

  std::string target_;
  std::vector<std::string> settings_, parameters_;  // the user's
  sim::Machine machine_;
  std::vector<WhatIfPoint> changes_;
  std::vector<std::string> refused_;
};

}  // namespace warptime::cli
