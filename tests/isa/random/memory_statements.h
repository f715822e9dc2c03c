// Statements that touch memory which is the thread's own, constant, or changed by operations in any order.
#pragma once

#include "operations.h"

namespace warptime::sim {

// What a routine's head sets up: %rec, %recg (its record in `out`, and as a generic address), %loc, %locg (local
// array), %own, %owng (its part of shared memory), %ctab, %gtab, %gtabg (tables), %in, %sums and %shsums (words for
// everyone).
inline constexpr uint32_t kScratchBytes = 64, kLocalBytes = 64, kOwnBytes = 32, kTableBytes = 128, kSumWords = 18;

/// A load or store of the thread's own memory, or a load of a table or the input; now and then a fence, a prefetch, or
/// the question which space an address is of.
std::string memory_statement(Operations& operations, SplitMix64& random);
/// An atomic operation on a word of everyone, its result unused; or on one of the thread's own.
std::string atomic_statement(Operations& operations, SplitMix64& random);

}  // namespace warptime::sim
