// Bank conflicts of shared memory, and serialisation of constant memory: the conflict degree of a warp's addresses. A
// request of degree n is served n times: once, and n - 1 replays.
#pragma once

#include <cstdint>
#include <span>

#include "sim/model/machine.h"

namespace warptime::sim {

struct ConflictDegree {
  uint32_t degree = 1;   // of the worst request; 1: conflict-free
  uint32_t replays = 0;  // summed over requests
};

/// Requests of `request_lanes` lanes over the machine's banks. Elements wider than 4 bytes are several accesses, whose
/// degrees add up: one per word, or one per group of lanes (`wide_access`). `addresses`: byte offsets of 32 lanes;
/// those outside `mask` are ignored. CUDA C Programming Guide 4.2, F.3.3, F.4.3, F.5.3.
ConflictDegree shared_conflicts(std::span<const uint32_t, 32> addresses, uint32_t mask, uint32_t element_bytes,
                                const SharedConfig& shared, bool load);

/// Conflicts in constant memory, which is single-ported: the distinct words of a request. Each `word_bytes` of a vector
/// element count.
ConflictDegree constant_conflicts(std::span<const uint32_t, 32> addresses, uint32_t mask, uint32_t element_bytes,
                                  const ConstantConfig& constant);

}  // namespace warptime::sim
