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

void run_single_for_double(const WarpValues& warp, const Insn& insn, uint32_t mask) {
  constexpr uint32_t kRow = kWarpSize * 8, kResult = 4 * kRow;
  const SingleForDouble& single = *insn.single;
  alignas(64) std::byte rows[kResult + kRow];
  Insn narrow = insn;
  narrow.staged = false;
  for (uint32_t i = 0; i < single.source_bytes.size(); ++i) {
    uint32_t width = single.source_bytes[i];
    if (width == 0) continue;
    const std::byte* from = insn.src[i].in(warp);
    std::byte* to = rows + i * kRow;
    narrow.src[i].bits = i * kRow;
    if (!single.source_is_double[i]) {
      std::memcpy(to, from, width * kWarpSize);
      continue;
    }
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
      double value = 0;
      std::memcpy(&value, from + 8 * lane, 8);
      auto rounded = static_cast<float>(value);
      std::memcpy(to + 4 * lane, &rounded, 4);
    }
  }
  if (single.result_bytes != 0) narrow.dst = kResult;
  WarpValues values = warp;
  values.areas[0] = rows;
  single.run(values, narrow, mask);
  for (uint32_t rest = single.result_bytes != 0 ? mask : 0; rest != 0; rest &= rest - 1) {
    auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    std::byte* to = warp.rows() + insn.dst + lane * single.result_bytes;
    if (!single.result_is_double) {
      std::memcpy(to, rows + kResult + lane * single.result_bytes, single.result_bytes);
      continue;
    }
    float value = 0;
    std::memcpy(&value, rows + kResult + 4 * lane, 4);
    double wide = value;
    std::memcpy(to, &wide, 8);
  }
}

}  // namespace warptime::sim
