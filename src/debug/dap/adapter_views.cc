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

/// The thread in focus, of another warp its first active one, in a function of its calls.
LaneView Adapter::view_of(const WarpPlace& warp, uint32_t frame) {
  LaneView focus = debugger().focus(), out = debugger().view_of(warp, 0);
  const bool is_focus = focus.sm == out.sm && focus.slot == out.slot;
  const sim::ControlFlow& stack = out.warp().stack;
  out.lane =
      is_focus ? focus.lane : static_cast<uint32_t>(std::countr_zero(stack.active() | (1u << (sim::kWarpSize - 1))));
  if (frame > 0 && frame <= stack.calls()) out.before = stack.caller(frame - 1);
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
  const auto id = arguments.at("frameId").get<int64_t>();
  auto warp = warp_of(id / kFrames);
  if (!warp) return {{"scopes", std::move(out)}};
  const auto frame = static_cast<uint32_t>(id % kFrames);
  auto add = [&](std::string_view name, Reference::Kind kind, std::string_view hint) {
    Json scope{{"name", name}, {"variablesReference", reference_to({kind, *warp, frame})}, {"expensive", false}};
    if (!hint.empty()) scope["presentationHint"] = hint;
    out.push_back(std::move(scope));
  };
  const LaneView lane = view_of(*warp, frame);
  const auto visible = lane.names->c_names().visible(lane.line());
  auto has = [&](bool parameters) {
    return std::any_of(visible.begin(), visible.end(),
                       [&](const CVariable* v) { return v->is_parameter == parameters; });
  };
  // Editors open the first one.
  if (has(false)) add("Variables", Reference::Kind::Locals, "locals");
  if (has(true)) add("Parameters", Reference::Kind::Parameters, "arguments");
  add("Registers", Reference::Kind::Registers, "registers");
  add("Special registers", Reference::Kind::Specials, "");
  add("Warp", Reference::Kind::Warp, "");
  return {{"scopes", std::move(out)}};
}

/// In the editor's console a command of the terminal, elsewhere an expression.
Json Adapter::evaluate_request(const Json& arguments) {
  const auto text = arguments.at("expression").get<std::string>();
  if (arguments.value("context", "") == "repl") {
    printed_.clear();
    const Cycle before = console_.debugger() != nullptr ? debugger().now() : 0;
    const LaneView focus = console_.debugger() != nullptr ? debugger().focus() : LaneView{};
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
    } else if (console_.debugger() != nullptr) {
      const LaneView now = debugger().focus();
      if (now.sm != focus.sm || now.slot != focus.slot || now.lane != focus.lane) announce_focus();
    }
    return {{"result", std::exchange(printed_, {})}, {"variablesReference", 0}};
  }
  const auto id = arguments.value("frameId", int64_t{0});
  auto warp = warp_of(id / kFrames);
  const auto frame = static_cast<uint32_t>(id % kFrames);
  const LaneView lane = warp ? view_of(*warp, frame) : debugger().focus();
  const ExpressionResult result = evaluate(text, lane);
  if (!result.error.empty()) refuse(result.error);
  Json out{{"result", shown_text(lane, result)}, {"variablesReference", 0}};
  if (result.c_type == 0) {
    out["type"] = std::string(ptx::name(result.value.type));
  } else {
    const Reference of{Reference::Kind::Locals, warp.value_or(WarpPlace{}), frame};
    const Json part =
        c_part(lane, of, text, text, result.c_type, {result.space, result.address.value_or(0), result.reg});
    out["type"] = part["type"];
    if (warp) out["variablesReference"] = part["variablesReference"];
    if (part.contains("indexedVariables")) out["indexedVariables"] = part["indexedVariables"];
  }
  return out;
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
