// Debugging a whole program: the host program runs as always, and each of its launches goes to a front end, which
// moves it until it has ended.
#pragma once

#include <functional>

#include "debug/commands/console.h"
#include "sim/gpu/gpu.h"

namespace warptime::debug {

class FrontEnd {
 public:
  virtual ~FrontEnd() = default;
  /// A launch, which stands at its beginning. `stops`: the user is to be asked; otherwise it goes on at first. Returns
  /// once it has ended, or what the user wants instead.
  virtual Console::Next launch(Debugger& debugger, bool stops) = 0;
  /// Polled while a launch runs.
  virtual bool interrupted() = 0;
};

/// Thrown through the host program, to leave it before its end.
struct Leave {
  Console::Next next;
};

/// Takes each launch to the front end.
class Driver final : public sim::LaunchListener {
 public:
  /// `checker`: checks each launch before it runs; nullptr: none.
  Driver(Console& console, FrontEnd& front_end, LocatingChecker* checker)
      : LaunchListener({.drives = true}), console_(console), front_end_(front_end), checker_(checker) {}
  std::optional<sim::Fault> drive(sim::Gpu& gpu, const sim::Launch& launch, const sim::RunOptions& options,
                                  sim::LaunchStatistics& statistics) override;

 private:
  Console& console_;
  FrontEnd& front_end_;
  LocatingChecker* checker_;
};

/// A front end of lines: a terminal, a pipe, or a script.
class LineFrontEnd : public FrontEnd {
 public:
  /// `read_line`: nullopt at the end, which quits.
  LineFrontEnd(Console& console, std::function<std::optional<std::string>()> read_line,
               std::function<bool()> interrupted)
      : console_(console), read_line_(std::move(read_line)), interrupted_(std::move(interrupted)) {}

  Console::Next launch(Debugger& debugger, bool stops) override;
  bool interrupted() override { return interrupted_(); }
  /// Executes lines until one leaves the launch or the program.
  Console::Next converse();

 private:
  Console& console_;
  std::function<std::optional<std::string>()> read_line_;
  std::function<bool()> interrupted_;
};

}  // namespace warptime::debug
