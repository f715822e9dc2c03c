// Lines that a user types: on a terminal with history and completion by libedit, if the program was built with it.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace warptime::cli {

/// Reads a line of standard input; nullopt at its end.
std::optional<std::string> read_line(const std::string& prompt);

/// Ctrl-C while it exists: stops the launch that runs, instead of the program.
class InterruptKey {
 public:
  InterruptKey();
  ~InterruptKey();
  InterruptKey(const InterruptKey&) = delete;
  InterruptKey& operator=(const InterruptKey&) = delete;
  /// Whether it was pressed since the last call.
  static bool pressed();

 private:
  void (*before_)(int);
};

}  // namespace warptime::cli
