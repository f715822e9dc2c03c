// Instructions whose values are whole predicate masks, and moves that pack and unpack registers: no lane code, so they
// are compiled once for every host.
#pragma once

#include "sim/exec/handler_table.h"

namespace warptime::sim {

/// and, or, xor, not, mov on predicates.
void add_predicate_handlers(HandlerTable& table);

/// The handler of vote or activemask; nullptr for other instructions.
Handler vote_handler(const ptx::Instruction& instruction);

/// mov d, {a, b, ...}: `element_bytes` is an element's width. mov {a, b, ...}, d with `unpack`.
Handler pack_handler(uint32_t element_bytes, uint32_t count);
Handler unpack_handler(uint32_t element_bytes, uint32_t count);

/// The lanes of `mask` from `from` to `to`, which do not overlap; lanes are `lane_bytes` wide.
void copy_lanes(std::byte* to, const std::byte* from, uint32_t lane_bytes, uint32_t mask);

}  // namespace warptime::sim
