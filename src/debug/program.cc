#include "debug/program.h"

#include <algorithm>
#include <memory>

namespace warptime::debug {

namespace {

/// Whether a point stops the program at this launch of a kernel.
bool reach_launch(Settings& settings, std::string_view kernel) {
  auto is_reached = [&](const Point& point) {
    return point.kind == Point::Kind::Launch && (point.file.empty() || point.file == kernel);
  };
  bool found = false;
  for (Point& point : settings.points)
    if (is_reached(point)) {
      ++point.hits;
      found = true;
    }
  std::erase_if(settings.points, [&](const Point& point) { return point.temporary && is_reached(point); });
  return found;
}

/// The commands are about this launch while it exists.
struct Attached {
  Attached(Console& to, Debugger& debugger) : console(to) { console.attach(&debugger); }
  ~Attached() { console.attach(nullptr); }
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;
  Console& console;
};

}  // namespace

std::function<std::optional<sim::Fault>(sim::Gpu&, const sim::Launch&, const sim::RunOptions&, sim::LaunchStatistics&)>
drive(Console& console, FrontEnd& front_end, LocatingChecker* checker) {
  return [&console, &front_end, checker](sim::Gpu& gpu, const sim::Launch& launch, const sim::RunOptions& options,
                                         sim::LaunchStatistics& statistics) -> std::optional<sim::Fault> {
    auto interrupted = [&front_end] { return front_end.interrupted(); };
    std::vector<LocatedFinding> found;
    if (checker != nullptr) found = checker->check(gpu, launch, options, interrupted);
    Debugger debugger(gpu, launch, options, console.settings(), std::move(found), interrupted);
    Attached attached(console, debugger);
    const bool stops = reach_launch(console.settings(), launch.kernel->kernel->name) || options.launch == 0;
    Console::Next next = front_end.launch(debugger, stops);
    if (next != Console::Next::Launch) throw Leave{next};
    statistics = debugger.replay().statistics();
    return debugger.replay().fault();
  };
}

Console::Next LineFrontEnd::launch(Debugger&, bool stops) {
  if (!stops) {
    if (Console::Next next = console_.execute("continue"); next != Console::Next::Command) return next;
  } else {
    console_.show({Stop::Kind::Begin, {}});
  }
  return converse();
}

Console::Next LineFrontEnd::converse() {
  for (;;) {
    std::optional<std::string> line = read_line_();
    if (!line) return Console::Next::Quit;
    if (Console::Next next = console_.execute(*line); next != Console::Next::Command) return next;
  }
}

}  // namespace warptime::debug
