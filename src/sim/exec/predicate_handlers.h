// Instructions whose values are whole predicate masks, and moves that pack and unpack registers: no lane code, so they
// are compiled once for every host.
#pragma once

#include "sim/exec/handler_table.h"

namespace warptime::sim {

/// and, or, xor, not, mov on predicates.
void add_predicate_handlers(HandlerTable& table);

/// All lanes of a predicate that an instruction reads, as it reads them.
inline uint32_t predicate_source(const WarpValues& warp, const Insn& insn, size_t i) {
  uint32_t bits = warp.predicates[insn.src[i].bits];
  return insn.src_negated[i] ? ~bits : bits;
}
/// Writes the lanes of `mask`; kNoPredicate: nothing.
inline void write_predicate(const WarpValues& warp, uint32_t predicate, uint32_t mask, uint32_t bits) {
  if (predicate == kNoPredicate) return;
  uint32_t& out = warp.predicates[predicate];
  out = (out & ~mask) | (bits & mask);
}

/// mov d, {a, b, ...}: `element_bytes` is an element's width. mov {a, b, ...}, d with `unpack`.
Handler pack_handler(uint32_t element_bytes, uint32_t count);
Handler unpack_handler(uint32_t element_bytes, uint32_t count);
/// mov.v2, mov.v4.
Handler move_vector_handler(uint32_t element_bytes, uint32_t count);

/// The lanes of `mask` from `from` to `to`, which do not overlap; lanes are `lane_bytes` wide.
void copy_lanes(std::byte* to, const std::byte* from, uint32_t lane_bytes, uint32_t mask);

}  // namespace warptime::sim
