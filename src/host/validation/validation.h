// The tables of `warptime validate`: published figures, one per row, and the runs that simulate them
// (validation/GROUP.yaml), with the roles of rows and the arithmetic of the summary. Rows may come from a CSV
// (measured_rows.h).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/expression.h"
#include "host/validation/published.h"

namespace warptime::host {

using FigureValue = ExpressionValue;
using warptime::evaluate;
using warptime::Evaluated;

/// The significance of a row for the model.
/// Recalled: the printed source could not be read, so that the published figure is as doubtful as the simulated one.
/// Assumed: the source does not print the program, so that parts of it are assumed.
enum class Role : uint8_t { Input, Fitted, Predicted, Alternative, Recalled, Assumed };
inline constexpr std::array<std::string_view, 6> kRoles{"input",       "fitted",   "predicted",
                                                        "alternative", "recalled", "assumed"};
inline std::string_view role_name(Role role) { return kRoles[static_cast<size_t>(role)]; }

/// The CPU baseline with which a run is compared.
struct CpuBaselineSpec {
  std::string processor;    // "cpu-opteron-248"; empty: none
  bool simd = false;        // SIMD and fast math, or compiled scalar code
  double kernel_share = 1;  // of the application's CPU time
  SourceSpan where;         // of the processor's name

  bool operator==(const CpuBaselineSpec& other) const {
    return processor == other.processor && simd == other.simd && kernel_share == other.kernel_share;
  }
};

/// A target on a machine. All rows that name it share one run.
struct ValidationRun {
  std::string name;
  std::string target;                   // "matmul:tiled"
  SourceSpan target_where;              // in the table
  std::vector<std::string> parameters;  // "n=4096"
  std::vector<SettingPlace> parameter_places;
  std::string machine;
  SourceSpan machine_where;
  std::vector<std::string> overrides;  // "memory.address_map=long"
  // Parameters that say how a figure was measured, not what the machine is ("chip.caches_between_launches.l2=empty").
  std::vector<std::string> conditions = {};
  CpuBaselineSpec cpu;
};

struct ValidationRow {
  std::string name, quantity;
  FigureValue published;             // a number, or a text
  std::optional<FigureRange> range;  // of a number with an uncertainty
  Role role = Role::Predicted;
  std::string source;        // of the publication
  std::string note;          // for readers of the figure; may be empty
  std::string value;         // expression over figures of runs: RUN.FIGURE
  std::string launch;        // that was measured: its kernel, or its number; empty: a figure of no one launch
  SourceSpan value_where;    // of the expression
  std::vector<size_t> runs;  // needed runs; the first one's machine is the row's
};

struct ValidationTable {
  std::string group;
  std::shared_ptr<const SourceText> source;
  std::vector<std::shared_ptr<const SourceText>> csv_files = {};  // of `measured`
  bool only_if_named = false;                                     // not one of the groups that run without a name
  std::vector<ValidationRun> runs;
  std::vector<ValidationRow> rows;
};

/// Reads a table; `group` is its name. Errors are in the diagnostics.
ValidationTable load_validation_table(std::shared_ptr<const SourceText> source, std::string group,
                                      Diagnostics& diagnostics);

/// A row with its simulated figure.
struct ValidationOutcome {
  std::string group;
  const ValidationRow* row = nullptr;
  Role role = Role::Predicted;           // that of the row, unless its run overrides the machine
  std::string machine;                   // name
  std::vector<std::string> overrides;    // of the machine, by the row's run
  std::vector<std::string> conditions;   // of the measurement
  std::string run;                       // its targets: "matmul:tiled n=64"
  std::string kernel_class;              // of the row's launch (host/report/kernel_class.h); empty: it has none
  std::optional<FigureValue> simulated;  // nullopt: it could not be run
  std::string failure;                   // the reason

  /// simulated / published - 1; 1 where it could not be run; nullopt for a text and for a recalled figure.
  std::optional<double> error() const;
  /// published / simulated of a recalled number, in place of an error; nullopt for all others.
  std::optional<double> factor() const;
  /// Whether the simulated figure is where the published one may be; nullopt for a figure without an uncertainty.
  std::optional<bool> is_within_range() const;
};

/// Over the rows with numbers (including failed ones).
struct Agreement {
  size_t rows = 0;
  std::optional<double> mean_abs_error, max_abs_error;  // nullopt: no rows
  std::optional<double> rank_correlation;               // Spearman, equal values share their mean rank
  std::optional<double> geometric_mean_factor;          // exp of the mean of |ln(simulated / published)|
  std::optional<double> pearson_correlation;
  std::optional<double> within_10_percent, within_20_percent;  // share of the rows
  size_t with_range = 0, within_range = 0;                     // rows with an uncertainty, and those within it
};

/// The summary of the predicted rows among these.
Agreement agreement(const std::vector<const ValidationOutcome*>& outcomes);

/// The ranks of values, from 1; equal values share their mean rank.
std::vector<double> average_ranks(const std::vector<double>& values);

}  // namespace warptime::host
