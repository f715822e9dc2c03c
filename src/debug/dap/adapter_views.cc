// Requests that look at the launch.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>

#include "debug/dap/adapter.h"
#include "debug/names/expression.h"

namespace warptime::debug {

namespace {

constexpr int64_t kSlots = 64;    // warps of an SM, at most
constexpr int64_t kFrames = 256;  // of a thread

constexpr std::array<std::string_view, 10> kSpecialsShown{"%tid.x",   "%tid.y",  "%tid.z",  "%ctaid.x", "%ctaid.y",
                                                          "%ctaid.z", "%laneid", "%warpid", "%smid",    "%clock64"};

}  // namespace

int64_t Adapter::thread_of(const WarpPlace& warp) const { return int64_t{warp.sm} * kSlots + warp.slot + 1; }

std::optional<WarpPlace> Adapter::warp_of(int64_t thread) {
  std::optional<WarpPlace> out;
  debugger().for_each_warp([&](const WarpPlace& warp) {
    if (thread_of(warp) == thread) out = warp;
  });
  return out;
}

int64_t Adapter::reference_to(Reference reference) {
  references_.push_back(reference);
  return static_cast<int64_t>(references_.size());
}

/// The thread in focus, of another warp its first active one.
LaneView Adapter::view_of(const WarpPlace& warp) {
  LaneView focus = debugger().focus(), out = debugger().view_of(warp, 0);
  if (focus.sm == out.sm && focus.slot == out.slot) return focus;
  out.lane = static_cast<uint32_t>(std::countr_zero(out.warp().stack.active() | (1u << (sim::kWarpSize - 1))));
  return out;
}

Json Adapter::threads(const Json&) {
  Json out = Json::array();
  if (console_.debugger() != nullptr)
    debugger().for_each_warp([&](const WarpPlace& warp) {
      auto block = position_of(warp.block, debugger().launch().grid);
      uint32_t in_block = debugger().session().sm(warp.sm)->warp(warp.slot).index_in_block;
      out.push_back({{"id", thread_of(warp)},
                     {"name", fmt::format("SM {} warp {}: block {} warp {}", warp.sm, warp.slot, position_text(block),
                                          in_block)}});
    });
  // A client requires a thread, also when no warp is resident.
  if (out.empty()) out.push_back({{"id", 1}, {"name", "no warp is resident"}});
  return {{"threads", std::move(out)}};
}

Json Adapter::source_of(uint32_t file) {
  KernelNames& names = debugger().names();
  std::string path = names.path_of(file);
  std::error_code none;
  Json out{{"name", names.file_name(file)}};
  if (std::filesystem::exists(path, none)) out["path"] = std::filesystem::absolute(path, none).lexically_normal();
  else out["sourceReference"] = file + 1;
  return out;
}

Json Adapter::stack_trace(const Json& arguments) {
  const int64_t thread = arguments.at("threadId").get<int64_t>();
  auto warp = warp_of(thread);
  Json frames = Json::array();
  if (warp) {
    KernelNames& names = debugger().names();
    auto add = [&](uint32_t pc) {
      Line line = names.line_of(pc);
      auto number = static_cast<int64_t>(frames.size());
      if (number >= kFrames) return;
      frames.push_back({{"id", thread * kFrames + number},
                        {"name", names.function_of(pc)},
                        {"source", source_of(line.file)},
                        {"line", line.number},
                        {"column", 1}});
    };
    const sim::ControlFlow& stack = debugger().session().sm(warp->sm)->warp(warp->slot).stack;
    add(stack.pc());
    for (uint32_t call = 0; call < stack.calls(); ++call) add(stack.caller(call));
  }
  const size_t all = frames.size();
  auto first = std::min(arguments.value("startFrame", size_t{0}), all);
  auto levels = arguments.value("levels", size_t{0});
  const size_t end = levels == 0 ? all : std::min(all, first + std::min(levels, all));
  Json list = Json::array();
  for (size_t i = first; i < end; ++i) list.push_back(frames[i]);
  return {{"stackFrames", std::move(list)}, {"totalFrames", all}};
}

Json Adapter::scopes(const Json& arguments) {
  Json out = Json::array();
  if (auto warp = warp_of(arguments.at("frameId").get<int64_t>() / kFrames)) {
    auto add = [&](std::string_view name, Reference::Kind kind) {
      out.push_back({{"name", name}, {"variablesReference", reference_to({kind, *warp, 0})}, {"expensive", false}});
    };
    add("Registers", Reference::Kind::Registers);
    add("Special registers", Reference::Kind::Specials);
    add("Warp", Reference::Kind::Warp);
  }
  return {{"scopes", std::move(out)}};
}

Json Adapter::variable(const LaneView& lane, uint32_t reg, bool with_lanes) {
  const ptx::Register& of = lane.names->kernel().registers[reg];
  Json out{{"name", of.name},
           {"value", format_value(register_value(lane, reg))},
           {"type", fmt::format(".{}", ptx::name(of.type))},
           {"evaluateName", of.name},
           {"variablesReference", 0}};
  if (with_lanes) {
    out["variablesReference"] = reference_to({Reference::Kind::Lanes, {lane.sm->index(), lane.slot, 0}, reg});
    out["indexedVariables"] = sim::kWarpSize;
  }
  return out;
}

Json Adapter::variables(const Json& arguments) {
  Json out = Json::array();
  auto number = arguments.at("variablesReference").get<size_t>();
  if (number == 0 || number > references_.size()) return {{"variables", std::move(out)}};
  const Reference reference = references_[number - 1];
  const sim::SmState* sm = debugger().session().sm(reference.warp.sm);
  if (sm == nullptr || !sm->warp(reference.warp.slot).resident) return {{"variables", std::move(out)}};
  LaneView lane = view_of(reference.warp);
  auto add = [&](std::string_view name, const std::string& value) {
    out.push_back({{"name", name}, {"value", value}, {"evaluateName", name}, {"variablesReference", 0}});
  };
  switch (reference.kind) {
    case Reference::Kind::Registers:
      for (uint32_t reg : lane.names->registers_at(lane.pc())) out.push_back(variable(lane, reg, true));
      break;
    case Reference::Kind::Specials:
      for (std::string_view name : kSpecialsShown)
        if (auto value = special_value(lane, name)) add(name, format_value(*value));
      break;
    case Reference::Kind::Warp:
      add("$cycle", fmt::format("{}", debugger().now()));
      add("$active", fmt::format("0x{:08x}", lane.warp().stack.active()));
      add("$lane", fmt::format("{}", lane.lane));
      add("$pc", fmt::format("{}", lane.pc()));
      out.push_back(
          {{"name", "instruction"}, {"value", lane.names->instruction_text(lane.pc())}, {"variablesReference", 0}});
      out.push_back({{"name", "waits for"}, {"value", console_.wait_text(reference.warp)}, {"variablesReference", 0}});
      break;
    case Reference::Kind::Lanes: {
      size_t first = arguments.value("start", size_t{0}), count = arguments.value("count", size_t{0});
      for (lane.lane = 0; lane.lane < sim::kWarpSize; ++lane.lane) {
        if (lane.lane < first || (count != 0 && lane.lane - first >= count)) continue;
        Json of_lane = variable(lane, reference.reg, false);
        of_lane["name"] = fmt::format("[{}]", lane.lane);
        of_lane.erase("evaluateName");
        if (!lane.is_active()) of_lane["value"] = fmt::format("({})", of_lane["value"].get<std::string>());
        out.push_back(std::move(of_lane));
      }
      break;
    }
  }
  return {{"variables", std::move(out)}};
}

/// In the editor's console a command of the terminal, elsewhere an expression.
Json Adapter::evaluate_request(const Json& arguments) {
  const auto text = arguments.at("expression").get<std::string>();
  if (arguments.value("context", "") == "repl") {
    printed_.clear();
    const Cycle before = console_.debugger() != nullptr ? debugger().now() : 0;
    Console::Next next = console_.execute(text);
    if (next == Console::Next::Launch) {
      next_ = next;
      move_ = [] { return Stop{}; };
    } else if (next == Console::Next::Restart) {
      return {{"result", "`run` is for the terminal; restart the session in the editor\n"}, {"variablesReference", 0}};
    } else if (next == Console::Next::Quit) {
      is_gone_ = true;
    } else if (console_.debugger() != nullptr && debugger().now() != before) {
      move_ = [] { return Stop{Stop::Kind::Step, {}}; };
    }
    return {{"result", std::exchange(printed_, {})}, {"variablesReference", 0}};
  }
  auto warp = warp_of(arguments.value("frameId", int64_t{0}) / kFrames);
  ExpressionResult result = evaluate(text, warp ? view_of(*warp) : debugger().focus());
  if (!result.error.empty()) refuse(result.error);
  return {{"result", format_value(result.value)},
          {"type", std::string(ptx::name(result.value.type))},
          {"variablesReference", 0}};
}

Json Adapter::source(const Json& arguments) {
  KernelNames& names = debugger().names();
  auto number = arguments.value("sourceReference", size_t{0});
  if (number == 0 || number > std::max<size_t>(1, names.module().files.size())) refuse("there is no such source");
  auto file = static_cast<uint32_t>(number - 1);
  std::string text;
  for (uint32_t line = 1; line <= names.line_count(file); ++line)
    text += fmt::format("{}\n", names.text_of({file, line}));
  return {{"content", std::move(text)}};
}

Json Adapter::completions_request(const Json& arguments) {
  auto text = arguments.value("text", "");
  size_t column = arguments.value("column", text.size() + 1);
  Json out = Json::array();
  for (std::string& proposal : completions(std::string_view(text).substr(0, column == 0 ? 0 : column - 1)))
    out.push_back({{"label", proposal}, {"start", 0}, {"length", text.size()}});
  return {{"targets", std::move(out)}};
}

}  // namespace warptime::debug
