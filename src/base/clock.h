// Time in several clock domains, in exact ratios: no floating point, so nothing drifts over a long run.
#pragma once

#include <cstdint>
#include <numeric>

#include "base/divider.h"

namespace warptime {

/// Cycles of the shader clock unless a name says otherwise.
using Cycle = uint64_t;
using Addr = uint64_t;

inline constexpr Cycle kNever = ~Cycle{0};

/// Converts between shader cycles and the cycles of another domain. Edge k of a domain of f kHz is at k / f.
class ClockRatio {
 public:
  ClockRatio() = default;
  ClockRatio(uint64_t shader_khz, uint64_t domain_khz) {
    uint64_t g = std::gcd(shader_khz, domain_khz);
    shader_ = Divider(shader_khz / g);
    domain_ = Divider(domain_khz / g);
  }
  /// First edge of the domain at or after this shader cycle.
  uint64_t from_shader(Cycle shader) const {
    return shader_.quotient(shader * domain_.divisor() + shader_.divisor() - 1);
  }
  /// First edge of the domain that to_shader puts at or after this shader cycle.
  uint64_t first_edge_in(Cycle shader) const {
    return shader == 0 ? 0 : shader_.quotient((shader - 1) * domain_.divisor()) + 1;
  }
  /// First shader cycle at or after this edge of the domain.
  Cycle to_shader(uint64_t domain) const {
    return domain_.quotient(domain * shader_.divisor() + domain_.divisor() - 1);
  }

 private:
  Divider shader_;
  Divider domain_;
};

}  // namespace warptime
