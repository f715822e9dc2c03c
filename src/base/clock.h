// Time in several clock domains, in exact ratios: no floating point, so nothing drifts over a long run.
#pragma once

#include <cstdint>
#include <numeric>

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
    shader_ = shader_khz / g;
    domain_ = domain_khz / g;
  }
  /// First edge of the domain at or after this shader cycle.
  uint64_t from_shader(Cycle shader) const { return (shader * domain_ + shader_ - 1) / shader_; }
  /// First shader cycle at or after this edge of the domain.
  Cycle to_shader(uint64_t domain) const { return (domain * shader_ + domain_ - 1) / domain_; }

 private:
  uint64_t shader_ = 1;
  uint64_t domain_ = 1;
};

}  // namespace warptime
