// Requests that change what is stopped at, or move the launch.
#include <fmt/format.h>

#include <algorithm>

#include "debug/dap/adapter.h"

namespace warptime::debug {

namespace {

/// What the client may switch on as "exceptions", and the points that it stands for. Faults always stop the launch.
struct Filter {
  std::string_view name, label;
  Point::Kind kind;
};
constexpr std::array kFilters{Filter{"finding", "A checker finds an error", Point::Kind::Finding},
                              Filter{"divergence", "The lanes of a warp diverge", Point::Kind::Divergence},
                              Filter{"barrier", "A warp reaches a barrier", Point::Kind::Barrier},
                              Filter{"launch", "A kernel is launched", Point::Kind::Launch}};

bool is_by_instruction(const Json& step) { return step.value("granularity", "") == "instruction"; }

}  // namespace

Json Adapter::initialize(const Json& arguments) {
  Json filters = Json::array();
  // A program that is not known yet may be one that is checked.
  const bool checks = console_.settings().has_checkers || loader_;
  knows_invalidated_ = arguments.value("supportsInvalidatedEvent", false);
  for (const Filter& filter : kFilters)
    if (const bool is_finding = filter.kind == Point::Kind::Finding; checks || !is_finding)
      filters.push_back({{"filter", filter.name}, {"label", filter.label}, {"default", is_finding}});
  return {{"supportsConfigurationDoneRequest", true},
          {"supportsConditionalBreakpoints", true},
          {"supportsEvaluateForHovers", true},
          {"supportsStepBack", true},
          {"supportsSteppingGranularity", true},
          {"supportsCompletionsRequest", true},
          {"supportsTerminateRequest", true},
          {"supportsSetVariable", true},
          {"exceptionBreakpointFilters", std::move(filters)}};
}

Json Adapter::launch_request(const Json& arguments) {
  if (loader_) loader_(arguments);
  else if (arguments.contains("program"))
    refuse("the adapter was started for a program of its own: start `warptime debug --dap` without one");
  has_launch_ = true;
  stops_on_entry_ = arguments.value("stopOnEntry", false);
  return Json::object();
}

Json Adapter::configuration_done(const Json&) {
  is_configured_ = true;
  return Json::object();
}

Json Adapter::set_breakpoints(const Json& arguments) {
  const Json& given = arguments.at("source");
  std::string file =
      given.contains("path") && given["path"].is_string() ? given["path"].get<std::string>() : given.value("name", "");
  auto& points = console_.settings().points;
  std::erase_if(points, [&](const Point& p) { return p.kind == Point::Kind::Line && p.file == file; });
  Json out = Json::array();
  for (const Json& wanted : arguments.value("breakpoints", Json::array())) {
    Point point{.kind = Point::Kind::Line, .file = file, .line = wanted.at("line").get<uint32_t>()};
    point.condition = wanted.value("condition", "");
    point.text = fmt::format("{}:{}", file, point.line);
    Line line{0, point.line};
    Json state{{"id", console_.settings().next_number}, {"verified", false}};
    if (Debugger* debugger = console_.debugger(); debugger == nullptr) {
      state["message"] = "its module is not loaded yet";
    } else if (auto found = debugger->names().find_file(file); !found) {
      state["message"] = "the kernel that runs has no code of this file";
    } else {
      line.file = *found;
      state["verified"] = !debugger->names().places(line).empty();
    }
    state["line"] = line.number;
    out.push_back(std::move(state));
    console_.settings().add(std::move(point));
  }
  return {{"breakpoints", std::move(out)}};
}

/// The module is loaded: which of the breakpoints have code.
void Adapter::announce_points() {
  for (const Point& point : console_.settings().points) {
    if (point.kind != Point::Kind::Line) continue;
    auto file = point.file.empty() ? std::optional<uint32_t>(0) : debugger().names().find_file(point.file);
    if (!file) continue;
    Line line{*file, point.line};
    if (debugger().names().places(line).empty()) continue;
    send_event("breakpoint", {{"reason", "changed"},
                              {"breakpoint", {{"id", point.number}, {"verified", true}, {"line", line.number}}}});
  }
}

Json Adapter::set_exception_breakpoints(const Json& arguments) {
  auto& points = console_.settings().points;
  for (const Filter& filter : kFilters) {
    std::erase_if(points, [&](const Point& p) { return p.kind == filter.kind && p.file.empty(); });
    for (const Json& wanted : arguments.value("filters", Json::array()))
      if (wanted == filter.name) console_.settings().add({.kind = filter.kind, .text = std::string(filter.name)});
  }
  return Json::object();
}

/// The warp that the client has chosen.
void Adapter::focus_on(const Json& arguments) {
  if (auto warp = warp_of(arguments.value("threadId", int64_t{0})))
    debugger().set_focus(warp->sm, warp->slot, view_of(*warp).lane);
}

Json Adapter::resume(const Json&) {
  Debugger& launch = debugger();
  move_ = [this, &launch]() -> Stop {
    if (launch.ended()) {
      next_ = Console::Next::Launch;
      return {};
    }
    Stop stop = launch.run();
    if (launch.is_left_at(stop)) next_ = Console::Next::Launch;
    return stop;
  };
  return {{"allThreadsContinued", true}};
}

Json Adapter::next(const Json& arguments) {
  Debugger& launch = debugger();
  focus_on(arguments);
  move_ = [&launch, by_instruction = is_by_instruction(arguments)] {
    return by_instruction ? launch.step_instructions(1) : launch.step_line(Debugger::Calls::Over);
  };
  return Json::object();
}

Json Adapter::step_in(const Json& arguments) {
  Debugger& launch = debugger();
  focus_on(arguments);
  move_ = [&launch, by_instruction = is_by_instruction(arguments)] {
    return by_instruction ? launch.step_instructions(1) : launch.step_line(Debugger::Calls::Into);
  };
  return Json::object();
}

Json Adapter::step_out(const Json& arguments) {
  Debugger& launch = debugger();
  focus_on(arguments);
  move_ = [&launch] {
    LaneView lane = launch.focus();
    bool in_function = lane.sm != nullptr && lane.warp().stack.calls() != 0;
    return in_function ? launch.step_line(Debugger::Calls::Out) : launch.run();
  };
  return Json::object();
}

Json Adapter::step_back(const Json& arguments) {
  Debugger& launch = debugger();
  focus_on(arguments);
  move_ = [&launch, by_instruction = is_by_instruction(arguments)] {
    return by_instruction ? launch.step_back_instructions(1) : launch.step_back_line(Debugger::Calls::Over);
  };
  return Json::object();
}

Json Adapter::reverse_continue(const Json& arguments) {
  Debugger& launch = debugger();
  focus_on(arguments);
  move_ = [&launch] { return launch.run_back(); };
  return {{"allThreadsContinued", true}};
}

Json Adapter::pause(const Json&) {
  is_paused_ = true;
  return Json::object();
}

Json Adapter::disconnect(const Json&) {
  is_gone_ = true;
  return Json::object();
}

}  // namespace warptime::debug
