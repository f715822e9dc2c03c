// What a program did on the device: its statistics (WARPTIME_STATS), and lines for `warptime exec`, which sums them up
// at the end, also of a program that was killed. The lines are fields between tabs:
//
//   kernel  NAME  CYCLES  MICROSECONDS  WARP-INSTRUCTIONS
//   copy  DIRECTION  BYTES  MICROSECONDS          fill  BYTES  MICROSECONDS
//   fault  ERROR                                  time  MICROSECONDS
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/output_file.h"
#include "host/report/report.h"
#include "host/report/statistics_text.h"

namespace warptime::cuda {

/// The variable with the number of the descriptor that the lines go to.
inline constexpr const char* kRecordVariable = "WARPTIME_EXEC_RECORD";

class Recorder : public host::RunObserver {
 public:
  Recorder();
  /// Statistics are of this machine.
  void begin(const sim::Machine& machine);
  void launch(const sim::LaunchStatistics& launch) override;
  void event(const host::TimelineEvent& event) override;
  /// So many have run, or begun to.
  uint64_t launches() const { return launches_; }
  void fault(const host::FaultError& error);
  /// The device ends.
  void leave(host::Device& device);
  /// The program ends: the statistics get their place.
  void finish();

 private:
  void line(const std::string& text) const;

  int process_;  // a child that the program forks records nothing
  int descriptor_ = -1;
  uint64_t launches_ = 0;
  std::unique_ptr<OutputFile> file_;
  std::unique_ptr<host::StatisticsText> text_;
  host::RunReport report_;
  sim::LaunchStatistics total_;
};

}  // namespace warptime::cuda
