#include "sim/exec/predicate_handlers.h"

#include <bit>
#include <cstring>

#include "base/assert.h"
#include "ptx/isa/cards.h"

namespace warptime::sim {

namespace {

enum class Logic { And, Or, Xor, Not, Move };

template <Logic kLogic>
void run_logic(const WarpValues& warp, const Insn& insn, uint32_t mask) {
  uint32_t value = predicate_source(warp, insn, 0);
  if constexpr (kLogic == Logic::And) value &= predicate_source(warp, insn, 1);
  if constexpr (kLogic == Logic::Or) value |= predicate_source(warp, insn, 1);
  if constexpr (kLogic == Logic::Xor) value ^= predicate_source(warp, insn, 1);
  if constexpr (kLogic == Logic::Not) value = ~value;
  write_predicate(warp, insn.dst, mask, value);
}

template <uint32_t kBytes>
void copy_lanes_of(std::byte* to, const std::byte* from, uint32_t mask) {
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    size_t at = static_cast<size_t>(std::countr_zero(rest)) * kBytes;
    std::memcpy(to + at, from + at, kBytes);
  }
}

/// Elements are computed aside: the destination may lie on a source.
template <uint32_t kBytes, uint32_t kCount>
void run_pack(const WarpValues& warp, const Insn& insn, uint32_t mask) {
  std::byte aside[kWarpSize * kBytes * kCount];
  for (uint32_t e = 0; e < kCount; ++e) {
    const std::byte* from = insn.src[e].in(warp);
    for (uint32_t lane = 0; lane < kWarpSize; ++lane)
      std::memcpy(aside + (lane * kCount + e) * kBytes, from + lane * kBytes, kBytes);
  }
  copy_lanes(warp.rows() + insn.dst, aside, kBytes * kCount, mask);
}

template <uint32_t kBytes, uint32_t kCount>
void run_unpack(const WarpValues& warp, const Insn& insn, uint32_t mask) {
  std::byte aside[kCount][kWarpSize * kBytes];
  const auto& rows = insn.registers().rows;
  const std::byte* from = insn.src[0].in(warp);
  for (uint32_t e = 0; e < kCount; ++e)
    for (uint32_t lane = 0; lane < kWarpSize; ++lane)
      std::memcpy(aside[e] + lane * kBytes, from + (lane * kCount + e) * kBytes, kBytes);
  for (uint32_t e = 0; e < kCount; ++e) copy_lanes(warp.rows() + rows[e].bits, aside[e], kBytes, mask);
}

/// All sources are read before a destination is written: they may be the same registers in another order.
template <uint32_t kBytes, uint32_t kCount>
void run_move_vector(const WarpValues& warp, const Insn& insn, uint32_t mask) {
  std::byte aside[kCount][kWarpSize * kBytes];
  const auto& rows = insn.registers().rows;
  for (uint32_t e = 0; e < kCount; ++e) std::memcpy(aside[e], rows[kCount + e].in(warp), sizeof(aside[e]));
  for (uint32_t e = 0; e < kCount; ++e) copy_lanes(warp.rows() + rows[e].bits, aside[e], kBytes, mask);
}

template <template <uint32_t, uint32_t> class Run>
Handler choose(uint32_t element_bytes, uint32_t count) {
  switch (element_bytes * 8 + count) {
    case 1 * 8 + 2: return Run<1, 2>::run;
    case 1 * 8 + 4: return Run<1, 4>::run;
    case 2 * 8 + 2: return Run<2, 2>::run;
    case 2 * 8 + 4: return Run<2, 4>::run;
    case 4 * 8 + 2: return Run<4, 2>::run;
  }
  SIM_ASSERT(false, "mov of {} elements of {} bytes", count, element_bytes);
  return nullptr;
}

template <uint32_t kBytes, uint32_t kCount>
struct Pack {
  static constexpr Handler run = run_pack<kBytes, kCount>;
};
template <uint32_t kBytes, uint32_t kCount>
struct Unpack {
  static constexpr Handler run = run_unpack<kBytes, kCount>;
};

}  // namespace

void add_predicate_handlers(HandlerTable& table) {
  auto add = [&table](ptx::CardId card, Handler handler) {
    std::span<const ptx::Form> forms = ptx::cards()[card].forms;
    for (size_t form = 0; form < forms.size(); ++form) {
      if (!forms[form].types.has(ptx::Type::Pred)) continue;
      table.add({.card = card, .form = static_cast<uint8_t>(form), .type = ptx::Type::Pred}, handler);
    }
  };
  add(ptx::kCardId<ptx::And>, run_logic<Logic::And>);
  add(ptx::kCardId<ptx::Or>, run_logic<Logic::Or>);
  add(ptx::kCardId<ptx::Xor>, run_logic<Logic::Xor>);
  add(ptx::kCardId<ptx::Not>, run_logic<Logic::Not>);
  add(ptx::kCardId<ptx::Mov>, run_logic<Logic::Move>);
}

Handler move_vector_handler(uint32_t element_bytes, uint32_t count) {
  switch (element_bytes * 8 + count) {
    case 2 * 8 + 2: return run_move_vector<2, 2>;
    case 2 * 8 + 4: return run_move_vector<2, 4>;
    case 4 * 8 + 2: return run_move_vector<4, 2>;
    case 4 * 8 + 4: return run_move_vector<4, 4>;
    case 8 * 8 + 2: return run_move_vector<8, 2>;
  }
  SIM_ASSERT(false, "mov of a vector of {} elements of {} bytes", count, element_bytes);
  return nullptr;
}

Handler pack_handler(uint32_t element_bytes, uint32_t count) { return choose<Pack>(element_bytes, count); }
Handler unpack_handler(uint32_t element_bytes, uint32_t count) { return choose<Unpack>(element_bytes, count); }

void copy_lanes(std::byte* to, const std::byte* from, uint32_t lane_bytes, uint32_t mask) {
  if (mask == kFullMask) {
    std::memcpy(to, from, size_t{kWarpSize} * lane_bytes);
    return;
  }
  switch (lane_bytes) {
    case 1: return copy_lanes_of<1>(to, from, mask);
    case 2: return copy_lanes_of<2>(to, from, mask);
    case 4: return copy_lanes_of<4>(to, from, mask);
    case 8: return copy_lanes_of<8>(to, from, mask);
  }
  SIM_ASSERT(false, "lanes of {} bytes", lane_bytes);
}

}  // namespace warptime::sim
