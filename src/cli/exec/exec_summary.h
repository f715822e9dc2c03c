// What a program did on the simulated device, summed up by kernel and direction of copies.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "host/device/device.h"
#include "host/report/report.h"

namespace warptime::cli {

class ExecSummary {
 public:
  void launch(const sim::LaunchStatistics& launch);
  void event(const host::TimelineEvent& event);
  /// `partly`: of the launches only some were timed. Empty: the program used no device.
  std::string text(const std::string& program, const std::string& machine, bool partly) const;
  const host::PartlyTimed& counts() const { return counts_; }
  /// Their names in PTX, in the order of their first launches.
  std::vector<std::string> kernels() const;

 private:
  struct Sum {
    uint64_t count = 0, amount = 0;  // bytes, or warp instructions
    double us = 0;
    void add(uint64_t more, double time_us);
  };
  uint64_t launches() const { return counts_.timed + counts_.extrapolated + counts_.not_timed; }

  std::map<std::string, size_t, std::less<>> place_;  // kernels in the order of their first launches
  std::vector<std::pair<std::string, Sum>> kernels_;
  std::map<std::string, Sum> copies_;
  host::PartlyTimed counts_;
  double end_us_ = 0, busy_us_ = 0;  // of the timeline; its parts, one after the other
};

}  // namespace warptime::cli
