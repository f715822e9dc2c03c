// A target with all that a run of it in the debugger needs, for every front end.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/command_line.h"
#include "cli/exec/captured_launch.h"
#include "cli/output.h"
#include "cli/run/run_target.h"
#include "debug/check/located_findings.h"
#include "debug/program.h"
#include "sim/model/machine_loader.h"

namespace warptime::cli {

class DebuggedProgram {
 public:
  /// Loads what the arguments of `warptime debug` name; throws host::InputError. `captured`: kept, since they name it.
  explicit DebuggedProgram(Arguments arguments, std::shared_ptr<CapturedLaunch> captured = nullptr);
  DebuggedProgram(const DebuggedProgram&) = delete;
  DebuggedProgram& operator=(const DebuggedProgram&) = delete;

  const Arguments& arguments() const { return arguments_; }
  bool is_checked() const { return tools_.has_value(); }
  int status() const { return status_; }
  void set_status(int status) { status_ = status; }
  /// Warnings of the PTX front end; printed once.
  std::string take_warnings() { return std::exchange(warnings_, {}); }

  /// To its end, whose text is returned; throws debug::Leave when the user begins anew or quits.
  std::string run(debug::Console& console, debug::FrontEnd& front_end, sim::LaunchListener& printer);

 private:
  std::string end_of_checks();

  Arguments arguments_;
  std::shared_ptr<CapturedLaunch> captured_;
  sim::LoadedMachine loaded_;
  std::unique_ptr<Target> target_;
  sim::RunOptions options_;
  std::optional<debug::CheckTools> tools_;
  std::optional<Output> stats_;
  std::optional<debug::LocatingChecker> checker_;
  std::string warnings_;
  int status_ = 0;
};

}  // namespace warptime::cli
