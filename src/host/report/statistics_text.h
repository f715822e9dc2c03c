// The statistics of a run as text, written during the run: the statistics of each launch are written when it ends, so
// that memory does not grow with the number of launches.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "host/device/device.h"
#include "host/report/error_bands.h"
#include "host/report/report.h"

namespace warptime::host {

class StatisticsText : public RunObserver {
 public:
  using Write = std::function<void(std::string_view)>;

  /// After all launches and events: `report` has the rest, `total` the sum of the launches.
  virtual void end(const RunReport& report, const sim::LaunchStatistics& total) = 0;
};

enum class StatisticsFormat : uint8_t {
  Json,          // the document of `--stats`
  Launches,      // CSV, one row per launch
  Instructions,  // CSV, one row for each PTX instruction of each launch
};

/// `may_sample`: the run is sampled, so launches may have different parts; the rows of a table are then written at its
/// end. `bands`: JSON has them of each launch.
std::unique_ptr<StatisticsText> statistics_text(StatisticsFormat format, const sim::Machine& machine,
                                                const std::string& target, bool may_sample, StatisticsText::Write write,
                                                ErrorBands bands = {});

}  // namespace warptime::host
