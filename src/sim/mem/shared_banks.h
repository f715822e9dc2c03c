// Bank conflicts of shared memory, and serialisation of constant memory: the conflict degree of a warp's addresses. A
// request of degree n is served n times: once, and n - 1 replays.
#pragma once

#include <cstdint>
#include <span>

namespace warptime::sim {

struct ConflictDegree {
  uint32_t degree = 1;   // of the worst request; 1: conflict-free
  uint32_t replays = 0;  // summed over requests
};

/// Requests of `request_lanes` lanes over `banks` 4-byte banks; one word may be broadcast each time. Elements wider
/// than 4 bytes are split into one request per word (they multiply the degree). `addresses`: byte offsets of 32 lanes;
/// those outside `mask` are ignored. CUDA C Programming Guide 4.2, F.3.3.
ConflictDegree shared_conflicts(std::span<const uint32_t, 32> addresses, uint32_t mask, uint32_t element_bytes,
                                uint32_t banks, uint32_t request_lanes);

/// The same of constant memory, which is single-ported: the distinct words of a request. A vector element counts each
/// word.
ConflictDegree constant_conflicts(std::span<const uint32_t, 32> addresses, uint32_t mask, uint32_t element_bytes,
                                  uint32_t request_lanes);

}  // namespace warptime::sim
