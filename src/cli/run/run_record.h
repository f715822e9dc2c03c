// What a run leaves in files as it goes (--stats, --json), and what its summary needs: of `warptime run`, and of a
// program that `warptime exec` runs.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line.h"
#include "cli/output.h"
#include "host/report/report.h"
#include "host/report/statistics_text.h"

namespace warptime::cli {

/// Writes the statistics to a file during the run.
struct StatisticsSink {
  Output out;
  host::StatisticsFormat format = host::StatisticsFormat::Json;
  std::unique_ptr<host::StatisticsText> text = nullptr;
};

/// Those of --stats (or `by_environment` in its place) and --json.
std::vector<StatisticsSink> statistics_sinks(const Arguments& arguments, const std::string& by_environment = {},
                                             bool json = true);
bool has_standard_output(const std::vector<StatisticsSink>& sinks);

/// Hands launches on as they end; of a run with very many keeps the first ones, for the summary, and their total.
class RunRecord : public host::RunObserver {
 public:
  /// `may_differ`: launches may have different parts, as in a sampled run.
  RunRecord(std::vector<StatisticsSink> sinks, const sim::Machine& machine, const std::string& target, bool may_differ,
            const host::ErrorBands& bands);

  void launch(const sim::LaunchStatistics& launch) override;
  void event(const host::TimelineEvent& event) override;
  void move_to(host::RunReport& report);
  /// The end: the files get their places.
  void finish(const host::RunReport& report);

 private:
  std::vector<StatisticsSink> sinks_;
  std::vector<sim::LaunchStatistics> first_;
  uint64_t left_out_ = 0;
  sim::LaunchStatistics total_;
};

}  // namespace warptime::cli
