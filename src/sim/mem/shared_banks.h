// Bank conflicts of shared memory, and serialisation of constant memory: how many passes a warp's addresses need.
#pragma once

#include <cstdint>
#include <span>

namespace warptime::sim {

struct BankPasses {
  uint32_t degree = 1;  // the worst request's passes; 1: conflict-free
  uint32_t extra = 0;   // passes beyond the first, summed over requests (conflict_passes)
};

/// Requests of `request_lanes` lanes over `banks` 4-byte banks; one word may be broadcast in each pass. Elements wider
/// than 4 bytes are split into one request a word (they multiply the degree). `addresses`: byte offsets of 32 lanes;
/// those outside `mask` are ignored. CUDA C Programming Guide 4.2, F.3.3.
BankPasses shared_passes(std::span<const uint32_t, 32> addresses, uint32_t mask, uint32_t element_bytes, uint32_t banks,
                         uint32_t request_lanes);

/// Distinct word addresses per request (constant memory is single-ported), as passes. A vector element counts each
/// word.
BankPasses constant_passes(std::span<const uint32_t, 32> addresses, uint32_t mask, uint32_t element_bytes,
                           uint32_t request_lanes);

}  // namespace warptime::sim
