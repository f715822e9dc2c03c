// Ctrl-C and --timeout during a run: the first SIGINT or SIGTERM sets a flag, which the running launch polls
// (RunOptions::interrupt), so that what was simulated so far is still written. A second one ends the program at once.
#pragma once

#include <csignal>
#include <cstdint>
#include <optional>
#include <string_view>

#include "cli/command_line.h"
#include "sim/gpu/gpu.h"

namespace warptime::cli {

/// --timeout SECONDS.
Option timeout_option(std::string_view of);
std::optional<uint64_t> timeout_of(const Arguments& arguments);

/// In force while it exists; one at a time.
class Interruption {
 public:
  explicit Interruption(std::optional<uint64_t> timeout = {});
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// 0, or the signal that came.
  static const sim::InterruptFlag& flag();
  /// The exit status of a program that this signal ended, as shells have it: 130 after Ctrl-C; kTimedOut.
  static int exit_status();

 private:
  struct sigaction before_int_ {
  }, before_term_{}, before_alarm_{};
};

}  // namespace warptime::cli
