// Variables of the protocol: of C, registers with their lanes, and the warp itself.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/parse_number.h"
#include "debug/dap/adapter.h"
#include "debug/names/expression.h"

namespace warptime::debug {

namespace {

constexpr std::array<std::string_view, 10> kSpecialsShown{"%tid.x",   "%tid.y",  "%tid.z",  "%ctaid.x", "%ctaid.y",
                                                          "%ctaid.z", "%laneid", "%warpid", "%smid",    "%clock64"};

bool is_in(size_t index, size_t first, size_t count) { return index >= first && (count == 0 || index - first < count); }

/// Whether each thread has a value of its own there.
bool is_own_of_thread(const CLocation& at) { return at.reg.has_value() || at.space == ptx::Space::Local; }

}  // namespace

Json Adapter::register_variable(const LaneView& lane, const Reference& of, uint32_t reg) {
  const ptx::Register& is = lane.names->kernel().registers[reg];
  return {{"name", is.name},
          {"value", format_value(register_value(lane, reg))},
          {"type", fmt::format(".{}", ptx::name(is.type))},
          {"evaluateName", is.name},
          {"variablesReference", reference_to({Reference::Kind::Lanes, of.warp, of.frame, is.name})},
          {"indexedVariables", sim::kWarpSize}};
}

/// What can be opened: the parts of an array or a structure, what a pointer points to, and else the lanes of a value
/// that each thread has.
Json Adapter::c_part(const LaneView& lane, const Reference& of, const std::string& name, const std::string& expression,
                     uint32_t type, const CLocation& at) {
  const CTypes& types = lane.names->c_names().types();
  const CType& is = types[type];
  Json out{{"name", name},
           {"value", c_text(lane, type, at)},
           {"type", types.name_of(type)},
           {"evaluateName", expression},
           {"variablesReference", 0}};
  const bool is_pointer = is.kind == CType::Kind::Pointer && types[is.target].bytes != 0;
  if (is.is_aggregate() || is_pointer) {
    out["variablesReference"] = reference_to({Reference::Kind::Parts, of.warp, of.frame, expression, type, at});
    if (is.kind == CType::Kind::Array) out["indexedVariables"] = is.count;
  } else if (is_own_of_thread(at) && is.kind == CType::Kind::Scalar) {
    out["variablesReference"] = reference_to({Reference::Kind::Lanes, of.warp, of.frame, expression});
    out["indexedVariables"] = sim::kWarpSize;
  }
  return out;
}

Json Adapter::c_variable(const LaneView& lane, const Reference& of, const CVariable& variable) {
  std::string why;
  if (const auto at = locate(lane, variable, &why))
    return c_part(lane, of, variable.name, variable.name, variable.type, *at);
  return {{"name", variable.name},
          {"value", "(" + why + ")"},
          {"type", lane.names->c_names().types().name_of(variable.type)},
          {"evaluateName", variable.name},
          {"variablesReference", 0}};
}

/// Those of the file behind those of the function.
Json Adapter::c_variables(const LaneView& lane, const Reference& of) {
  Json out = Json::array();
  for (const bool is_of_module : {false, true})
    for (const CVariable* variable : lane.names->c_names().visible(lane.line()))
      if (variable->is_parameter == (of.kind == Reference::Kind::Parameters) && variable->is_of_module == is_of_module)
        out.push_back(c_variable(lane, of, *variable));
  return out;
}

Json Adapter::lane_variables(LaneView lane, const Reference& of, size_t first, size_t count) {
  Json out = Json::array();
  for (lane.lane = 0; lane.lane < sim::kWarpSize; ++lane.lane) {
    if (!is_in(lane.lane, first, count)) continue;
    const ExpressionResult result = evaluate(of.expression, lane);
    std::string text = result.error.empty() ? shown_text(lane, result) : result.error;
    if (!lane.is_active()) text = "(" + text + ")";
    out.push_back({{"name", fmt::format("[{}]", lane.lane)}, {"value", std::move(text)}, {"variablesReference", 0}});
  }
  return out;
}

Json Adapter::part_variables(const LaneView& lane, const Reference& of, size_t first, size_t count) {
  const CTypes& types = lane.names->c_names().types();
  const CType& is = types[of.c_type];
  Json out = Json::array();
  if (is.kind == CType::Kind::Pointer) {
    const auto value = c_value(lane, of.c_type, of.at);
    const std::string name = "*" + of.expression;
    if (value) out.push_back(c_part(lane, of, name, name, is.target, {ptx::Space::None, value->bits}));
  }
  constexpr uint64_t kMostParts = 1 << 16;
  const uint64_t last =
      count == 0 ? is.count : std::min<uint64_t>(is.count, first + std::min<uint64_t>(count, is.count));
  for (uint64_t i = first; i < last && i - first < kMostParts; ++i)
    out.push_back(c_part(lane, of, fmt::format("[{}]", i), fmt::format("{}[{}]", of.expression, i), is.target,
                         {of.at.space, of.at.address + i * types[is.target].bytes}));
  for (const CType::Member& member : is.members)
    out.push_back(c_part(lane, of, member.name, fmt::format("{}.{}", of.expression, member.name), member.type,
                         {of.at.space, of.at.address + member.offset}));
  return out;
}

Json Adapter::warp_variables(const LaneView& lane, const Reference& of) {
  Json out = Json::array();
  auto add = [&](std::string_view name, const std::string& value, bool is_expression) {
    Json row{{"name", name}, {"value", value}, {"variablesReference", 0}};
    if (is_expression) row["evaluateName"] = name;
    if (name != "$lane") row["presentationHint"] = {{"attributes", {"readOnly"}}};
    out.push_back(std::move(row));
  };
  add("$cycle", fmt::format("{}", debugger().now()), true);
  add("$active", fmt::format("0x{:08x}", lane.warp().stack.active()), true);
  add("$lane", fmt::format("{}", lane.lane), true);
  add("$pc", fmt::format("{}", lane.pc()), true);
  add("instruction", lane.names->instruction_text(lane.pc()), false);
  add("waits for", console_.wait_text(of.warp), false);
  return out;
}

Json Adapter::variables(const Json& arguments) {
  Json none{{"variables", Json::array()}};
  auto number = arguments.at("variablesReference").get<size_t>();
  if (number == 0 || number > references_.size()) return none;
  const Reference of = references_[number - 1];
  const sim::SmState* sm = debugger().session().sm(of.warp.sm);
  if (sm == nullptr || !sm->warp(of.warp.slot).resident) return none;
  const LaneView lane = view_of(of.warp, of.frame);
  const size_t first = arguments.value("start", size_t{0}), count = arguments.value("count", size_t{0});
  Json out = Json::array();
  switch (of.kind) {
    case Reference::Kind::Parameters:
    case Reference::Kind::Locals: out = c_variables(lane, of); break;
    case Reference::Kind::Registers:
      for (uint32_t reg : lane.names->registers_at(lane.pc())) out.push_back(register_variable(lane, of, reg));
      break;
    case Reference::Kind::Specials:
      for (std::string_view name : kSpecialsShown)
        if (auto value = special_value(lane, name))
          out.push_back(
              {{"name", name}, {"value", format_value(*value)}, {"evaluateName", name}, {"variablesReference", 0}});
      break;
    case Reference::Kind::Warp: out = warp_variables(lane, of); break;
    case Reference::Kind::Lanes: out = lane_variables(lane, of, first, count); break;
    case Reference::Kind::Parts: out = part_variables(lane, of, first, count); break;
  }
  return {{"variables", std::move(out)}};
}

/// $lane of a warp: its values are those of this lane from now on.
Json Adapter::set_variable(const Json& arguments) {
  const auto number = arguments.at("variablesReference").get<size_t>();
  if (arguments.value("name", "") != "$lane" || number == 0 || number > references_.size())
    refuse("the past and the values of a simulated program are not changed; only $lane can be set");
  uint32_t lane = 0;
  const auto text = arguments.at("value").get<std::string>();
  if (parse_number(text, lane) != NumberError::Ok || lane >= sim::kWarpSize)
    refuse(fmt::format("\"{}\" is not a lane: 0 to {}", text, sim::kWarpSize - 1));
  const WarpPlace warp = references_[number - 1].warp;
  debugger().set_focus(warp.sm, warp.slot, lane);
  announce_focus();
  return {{"value", fmt::format("{}", lane)}};
}

/// Another thread is in focus: what the client shows is that of the one before.
void Adapter::announce_focus() {
  if (knows_invalidated_) send_event("invalidated", {{"areas", {"variables"}}});
}

}  // namespace warptime::debug
