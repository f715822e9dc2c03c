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

std::optional<sim::Fault> Driver::drive(sim::Gpu& gpu, const sim::Launch& launch, const sim::RunOptions& options,
                                        sim::LaunchStatistics& statistics) {
  auto interrupted = [this] { return front_end_.interrupted(); };
  std::vector<LocatedFinding> found;
  if (checker_ != nullptr) found = checker_->check(gpu, launch, options, interrupted);
  Debugger debugger(gpu, launch, options, console_.settings(), std::move(found), interrupted);
  Attached attached(console_, debugger);
  const bool stops = reach_launch(console_.settings(), launch.kernel->kernel->name) || options.launch == 0;
  Console::Next next = front_end_.launch(debugger, stops);
  if (next != Console::Next::Launch) throw Leave{next};
  statistics = debugger.replay().statistics();
  return debugger.replay().fault();
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
