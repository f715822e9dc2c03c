// Ctrl-C during a run: the first SIGINT or SIGTERM sets a flag, which the running launch polls (RunOptions::interrupt),
// so that what was simulated so far is still written. A second one ends the program at once.
#pragma once

#include <csignal>

#include "sim/gpu/gpu.h"

namespace warptime::cli {

/// In force while it exists; one at a time.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// 0, or the signal that came.
  static const sim::InterruptFlag& flag();
  /// The exit status of a program that this signal ended, as shells have it: 130 after Ctrl-C.
  static int exit_status() { return 128 + flag(); }

 private:
  struct sigaction before_int_ {
  }, before_term_{};
};

}  // namespace warptime::cli
