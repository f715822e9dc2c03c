// The only source of random numbers: inputs of workloads, `random` buffers, and the selection of samples. The same seed
// gives the same values on every host and in every version.
//
// SplitMix64: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014, figure 17.
#pragma once

#include <cstdint>

namespace warptime {

class SplitMix64 {
 public:
  explicit SplitMix64(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// In [0, limit), which is not 0 (the bias is below limit / 2^64).
  uint64_t below(uint64_t limit) { return next() % limit; }
  /// In [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// In [low, high], a float.
  float uniform(float low, float high) {
    return static_cast<float>(static_cast<double>(low) + uniform() * (static_cast<double>(high) - low));
  }

 private:
  uint64_t state_;
};

}  // namespace warptime
