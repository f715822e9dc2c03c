// `warptime run --checkpoint-at`, `--checkpoint-every` and `--from`: checkpoint files (host/checkpoint/) on the command
// line.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command_line.h"
#include "host/checkpoint/checkpoints.h"
#include "sim/gpu/gpu.h"
#include "sim/model/machine.h"

namespace warptime::cli {

/// Their rows of the table.
std::vector<Option> checkpoint_options();

class RunCheckpoints {
 public:
  /// Checks the options, reads the file of --from and refuses one of another run; throws host::InputError.
  RunCheckpoints(const Arguments& arguments, const sim::Machine& machine, const sim::RunOptions& options);

  /// nullptr: none of the options was given.
  host::Checkpoints* get() { return wanted_ ? &checkpoints_ : nullptr; }
  /// After a run that was not cut short: throws host::InputError if what was asked for was not done.
  void finish() const;
  /// After a run that was cut short: where the checkpoint of an interrupted run is, and how it goes on.
  void note_interruption() const;

 private:
  void read(const ArgumentText& file, const host::RunIdentity& now, const Arguments& arguments, Cycle most);
  host::Checkpoints::Write writer(const ArgumentText& file, std::string_view option, const Arguments& arguments);

  bool wanted_ = false;
  host::Checkpoints checkpoints_;
  std::optional<ArgumentText> from_, at_, every_;
  bool last_written_ = false;
  std::optional<std::pair<ArgumentText, std::string>> failed_;  // a file that could not be written, and why
  std::optional<uint64_t> at_launch_;
  Cycle at_cycle_ = 0;
  std::string_view unit_;  // of at_cycle_
};

}  // namespace warptime::cli
