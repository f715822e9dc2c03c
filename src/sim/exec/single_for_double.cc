#include "sim/exec/single_for_double.h"

#include <bit>
#include <cstring>

#include "ptx/isa/cards.h"

namespace warptime::sim {

using ptx::Type;

namespace {

/// Whether the form's slots can spell these words.
bool spells(const ptx::Form& form, ptx::ModSet mods) {
  ptx::ModSet known;
  for (size_t i = 0; i < form.slots.count; ++i) {
    const ptx::Slot& slot = form.slots.list[i];
    known = known | slot.choices;
    if (!slot.optional && (mods & slot.choices).empty()) return false;
  }
  return mods.without(known).empty();
}

}  // namespace

std::optional<ptx::Instruction> as_single(const ptx::Instruction& in) {
  ptx::Instruction out = in;
  auto narrow = [](Type type) { return type == Type::F64 ? Type::F32 : type; };
  out.type = narrow(in.type);
  out.type2 = narrow(in.type2);
  // cvt between f32 and f64 has nothing left to round.
  if (out.type == Type::F32 && out.type2 == Type::F32 && ptx::is<ptx::Cvt>(in))
    out.mods = in.mods.without(ptx::kRounding);
  for (const ptx::Form& form : in.card->forms) {
    if (!form.types.has(out.type)) continue;
    if (out.type2 == Type::None ? !form.types2.empty() : !form.types2.has(out.type2)) continue;
    if (!spells(form, out.mods)) continue;
    out.form = &form;
    return out;
  }
  return std::nullopt;
}

void run_with_lane_widths(const WarpValues& warp, const Insn& insn, uint32_t mask) {
  constexpr uint32_t kRow = kWarpSize * 8, kResult = 4 * kRow;
  const LaneWidths& lanes = *insn.conversion().lanes;
  alignas(64) std::byte rows[kResult + kRow];
  Insn inner = insn;
  inner.staged = false;
  for (uint32_t i = 0; i < lanes.sources.size(); ++i) {
    const LaneWidths::Operand& source = lanes.sources[i];
    if (source.in_register == 0) continue;
    const std::byte* from = insn.src[i].in(warp);
    std::byte* to = rows + i * kRow;
    inner.src[i].bits = i * kRow;
    for (uint32_t lane = 0; lane < kWarpSize; ++lane, from += source.in_register, to += source.in_handler) {
      if (!source.is_single_for_double) {
        std::memcpy(to, from, source.in_handler);
        continue;
      }
      double value = 0;
      std::memcpy(&value, from, 8);
      auto rounded = static_cast<float>(value);
      std::memcpy(to, &rounded, 4);
    }
  }
  const LaneWidths::Operand& result = lanes.result;
  if (result.in_register != 0) inner.dst = kResult;
  WarpValues values = warp;
  values.areas[0] = rows;
  lanes.run(values, inner, mask);
  for (uint32_t rest = result.in_register != 0 ? mask : 0; rest != 0; rest &= rest - 1) {
    auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    const std::byte* from = rows + kResult + lane * result.in_handler;
    uint64_t bits = 0;
    std::memcpy(&bits, from, result.in_handler);
    if (result.is_single_for_double)
      bits = std::bit_cast<uint64_t>(double{std::bit_cast<float>(static_cast<uint32_t>(bits))});
    std::memcpy(warp.rows() + insn.dst + lane * result.in_register, &bits, result.in_register);
  }
}

}  // namespace warptime::sim
