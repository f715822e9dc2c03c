// What a run prints at its end on standard error: checks that failed, figures that were missed; and its exit status.
#include "base/standard_streams.h"
#include "cli/cli.h"
#include "cli/run/run_target.h"

namespace warptime::cli {

int end_of_run(const host::RunReport& report) {
  int status = status_of_checks(report.checks);
  if (!print_missed_figures(report.figure_checks)) status = kCheckFailed;
  if (report.cut) throw host::FaultError(*report.cut);
  return status;
}

bool print_missed_figures(const std::vector<host::FigureCheck>& checks) {
  bool all_met = true;
  for (const host::FigureCheck& check : checks) {
    all_met = all_met && !check.failed();
    if (check.outcome == host::FigureCheck::Outcome::NotMeasured)
      print_error(fmt::format("note: {} is not checked: {}\n", check.name, check.measured));
    print_error(check.text);
  }
  return all_met;
}

int status_of_checks(const std::vector<host::Check>& checks) {
  std::string failures = failed_checks(checks);
  print_error(failures);
  return failures.empty() ? kDone : kCheckFailed;
}

std::string failed_checks(const std::vector<host::Check>& checks) {
  std::string out;
  for (const host::Check& check : checks)
    if (!check.ok)
      out += fmt::format("error: result {} differs from the reference: {}\n", check.name, check.first_failure);
  return out;
}

}  // namespace warptime::cli
