#include "report/recorder.h"

#include <utility>

namespace warptime::report {

void Recorder::launch(const sim::LaunchStatistics& launch) {
  host::add_launch(total_, launch);
  kernels_.add(launch);
  if (launches_ == traced_) traced_launch_ = launch;
  if (first_.size() < kMostLaunches) {
    first_.push_back(launch);
    first_.back().instructions.clear();  // their sum is in kernels_
  }
  ++launches_;
}

void Recorder::event(const host::TimelineEvent& event) {
  if (events_.size() < kMostTimelineEvents) events_.push_back(event);
  else ++events_left_out_;
}

void Recorder::move_to(host::RunReport& report) {
  report.launches_left_out = launches_ - first_.size();
  report.launches = std::move(first_);
  report.total = std::move(total_);
  report.timeline = std::move(events_);
}

}  // namespace warptime::report
