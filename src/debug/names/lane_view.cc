#include "debug/names/lane_view.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <utility>

#include "sim/exec/lanes_of_mask.h"
#include "sim/model/address_space.h"
#include "sim/state/launch_rows.h"
#include "sim/state/load_store.h"

namespace warptime::debug {

using ptx::Space, ptx::Special, ptx::Type;

Value register_value(const LaneView& lane, uint32_t reg) {
  Type type = lane.names->kernel().registers[reg].type;
  sim::RowRef row = lane.names->row_of(reg);
  if (type == Type::Pred) return {type, (lane.warp().values.predicates[row.bits] >> lane.lane) & 1};
  Value value{type, 0};
  uint32_t bytes = ptx::bytes(type);  // of .b128 the low half
  std::memcpy(&value.bits, row.in(lane.warp().values) + size_t{lane.lane} * bytes, std::min(bytes, 8u));
  value.type = lane.names->shown_type(reg);
  return value;
}

std::optional<Value> special_value(const LaneView& lane, std::string_view name) {
  const sim::LaunchContext& launch = lane.sm->launch();
  const sim::Warp& warp = lane.warp();
  for (unsigned i = 0; i < static_cast<unsigned>(Special::Count); ++i) {
    auto special = static_cast<Special>(i);
    if (ptx::name(special) != name) continue;
    if (special == Special::SmId) return Value{Type::U32, lane.sm->index()};
    if (special == Special::WarpId) return Value{Type::U32, lane.slot};
    auto ctaid = position_of(lane.sm->block_of(warp).index, launch.grid);
    if (special == Special::CtaidX) return Value{Type::U32, ctaid[0]};
    if (special == Special::CtaidY) return Value{Type::U32, ctaid[1]};
    if (special == Special::CtaidZ) return Value{Type::U32, ctaid[2]};
    if (special == Special::Clock) return Value{Type::U32, lane.cycle};
    if (special == Special::ClockHi) return Value{Type::U32, lane.cycle >> 32};
    if (special == Special::Clock64) return Value{Type::U64, lane.cycle};
    if (ptx::is_clock(special)) return std::nullopt;
    return Value{Type::U32, sim::special_value(launch, special, warp.index_in_block, lane.lane)};
  }
  return std::nullopt;
}

std::optional<Value> built_in_value(const LaneView& lane, std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kNames{
      {{"threadIdx.", "%tid."}, {"blockIdx.", "%ctaid."}, {"blockDim.", "%ntid."}, {"gridDim.", "%nctaid."}}};
  if (name == "warpSize") return Value{Type::U32, sim::kWarpSize};
  for (const auto& [cuda, special] : kNames)
    if (name.starts_with(cuda))
      return special_value(lane, std::string(special) + std::string(name.substr(cuda.size())));
  return std::nullopt;
}

size_t read_memory(const LaneView& lane, Space space, Addr address, std::span<std::byte> out) {
  auto times = lane.session->times(lane.sm->index());
  if (!times) return 0;
  auto windows = sim::GenericWindows::for_address_bytes(lane.names->module().address_bytes);
  constexpr Addr kBytes = sim::GenericWindows::kBytes;
  Addr base = 0;
  switch (space) {
    case Space::Shared: base = windows.shared_base; break;
    case Space::Local: base = windows.local_base; break;
    case Space::Const: base = windows.const_base; break;
    case Space::Param: base = windows.param_base(); break;
    case Space::None:
    case Space::Reg:
    case Space::Global:
    case Space::Sreg:
    case Space::Tex:
    case Space::Generic: return times->load_store->read(lane.warp(), lane.lane, address, out);
  }
  if (address >= kBytes) return 0;
  return times->load_store->read(lane.warp(), lane.lane, base + address, out);
}

std::optional<Value> read_value(const LaneView& lane, Space space, Addr address, Type type) {
  Value value{type, 0};
  std::array<std::byte, 8> bytes{};
  size_t count = type == Type::Pred ? 1 : std::min(8u, ptx::bytes(type));
  if (read_memory(lane, space, address, std::span(bytes).first(count)) < count) return std::nullopt;
  std::memcpy(&value.bits, bytes.data(), count);
  return value;
}

std::string position_text(const std::array<uint32_t, 3>& position) {
  return fmt::format("({},{},{})", position[0], position[1], position[2]);
}

std::string block_text(const LaneView& lane) {
  return position_text(position_of(lane.sm->block_of(lane.warp()).index, lane.sm->launch().grid));
}

std::string thread_text(const LaneView& lane) {
  return position_text(
      position_of(uint64_t{lane.warp().index_in_block} * sim::kWarpSize + lane.lane, lane.sm->launch().block));
}

}  // namespace warptime::debug
