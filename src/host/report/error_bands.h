// How far the simulated times of a machine are from measured ones, by class of kernel: validation/error_bands.csv,
// which tests/hopper/renew.py writes from `warptime validate h200`. A run shows the band of each launch's class.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "host/report/value_writer.h"
#include "sim/model/statistics.h"

namespace warptime::host {

/// The errors of a class of launches on a machine. All are shares: |simulated / measured - 1|, `bias` with its sign.
struct ErrorBandRow {
  std::string machine, kernel_class;  // kAllLaunches: of all classes
  uint64_t launches = 0;              // measured ones, at least 1
  double median = 0, mean = 0;
  double p80 = 0;  // four of five launches are off by at most this
  double bias = 0;
};
inline constexpr std::string_view kAllLaunches = "all";

/// Reads the file; errors are in the diagnostics, at their cells. A machine has each class at most once, and a row
/// of all its launches.
std::vector<ErrorBandRow> read_error_bands(const std::shared_ptr<const SourceText>& source, Diagnostics& diagnostics);

/// What a run on a machine says of the error of its times.
class ErrorBands {
 public:
  ErrorBands() = default;  // nothing
  /// `rows`: of all machines. `names`: of the machine and of its relatives, the nearest one first. `changed`: its
  /// values are not those of its file.
  ErrorBands(std::vector<ErrorBandRow> rows, const std::vector<std::string>& names, bool changed);

  /// Whether launches were measured on the machine, so that each simulated one has a band, or null.
  bool measured() const { return measured_; }
  /// The row of the launch's class, or that of all launches; nullptr: the machine has none, or is changed, or the
  /// launch has no time.
  const ErrorBandRow* of(const sim::LaunchStatistics& launch) const;
  /// "+-12 % for kernels like it (memory: 31 measured launches)"; empty where `of` is null.
  std::string text(const sim::LaunchStatistics& launch) const;
  /// The member "error_band" of a launch: null or an object with class, percent, launches and machine. Nothing on a
  /// machine without measured launches.
  void write(ValueWriter& out, const sim::LaunchStatistics& launch) const;
  /// One sentence for a machine whose launches have no band: that it is changed, or the error of the nearest
  /// relative; empty: nothing is known, or each launch has its band.
  const std::string& note() const { return note_; }

 private:
  std::vector<ErrorBandRow> rows_;  // of the machine
  bool measured_ = false, changed_ = false;
  std::string note_;
};

}  // namespace warptime::host
