// What a program did on the device: reported to `warptime exec` where that has started it (cuda/record.h), which is
// then there also of a program that was killed; else its statistics (WARPTIME_STATS), written at its end.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>

#include "base/output_file.h"
#include "cuda/record.h"
#include "cuda/settings.h"
#include "host/report/report.h"
#include "host/report/statistics_text.h"

namespace warptime::cuda {

class Recorder : public host::RunObserver {
 public:
  Recorder();
  ~Recorder() override;
  /// A device begins to work for this process.
  void begin(const sim::Machine& machine, const Settings& settings);
  void launch(const sim::LaunchStatistics& launch) override;
  void event(const host::TimelineEvent& event) override;
  /// So many have run, or begun to.
  uint64_t launches() const { return launches_; }
  void fault(const host::FaultError& error);
  /// The device ends.
  void leave(host::Device& device);
  /// The program ends: the statistics get their place.
  void finish();
  /// What is recorded while a launch runs; nullptr: nothing.
  sim::LaunchListener* listener();

 private:
  class Listener;

  pid_t process_ = 0;  // that has the device; a child that it forks records nothing
  RecordSender sender_;
  std::unique_ptr<Listener> listener_;
  uint64_t launches_ = 0;  // of the device
  std::unique_ptr<OutputFile> file_;
  std::unique_ptr<host::StatisticsText> text_;
  host::RunReport report_;
  host::PartlyTimed counts_;
  sim::LaunchStatistics total_;
};

}  // namespace warptime::cuda
