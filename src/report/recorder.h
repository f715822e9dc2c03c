// Keeps of a run what its page shows: the first launches, the sum of all, and the cost of every line. Memory does not
// grow with the number of launches.
#pragma once

#include "host/device/device.h"
#include "host/report/report.h"
#include "report/kernel_rows.h"

namespace warptime::report {

inline constexpr size_t kMostLaunches = 200;
inline constexpr size_t kMostTimelineEvents = 5'000;

class Recorder : public host::RunObserver {
 public:
  /// `traced`: the number of the launch whose rows a trace refers to.
  explicit Recorder(uint64_t traced) : traced_(traced) {}

  void launch(const sim::LaunchStatistics& launch) override;
  void event(const host::TimelineEvent& event) override;

  /// Hands its launches and timeline over to the report of the run.
  void move_to(host::RunReport& report);
  std::vector<KernelRows> take_kernels() { return kernels_.take(); }
  uint64_t launches() const { return launches_; }
  uint64_t events_left_out() const { return events_left_out_; }
  /// The launch that a trace recorded; nullptr if there was none.
  const sim::LaunchStatistics* traced() const { return traced_ < launches_ ? &traced_launch_ : nullptr; }

 private:
  uint64_t traced_;
  uint64_t launches_ = 0, events_left_out_ = 0;
  std::vector<sim::LaunchStatistics> first_;
  std::vector<host::TimelineEvent> events_;
  sim::LaunchStatistics total_, traced_launch_;
  KernelSums kernels_;
};

}  // namespace warptime::report
