// The net on the CPU, for any number type: a transition's turn, and the Mersenne twister MT19937 (Matsumoto and
// Nishimura 1998). All is integers, so the results are the kernel's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/counted.h"

namespace warptime::workloads {

inline constexpr size_t kTwisterWords = 624, kTwisterShift = 397;

/// A transition as in the kernel: arcs lead to places of a station (below its number of places) and of the next one.
struct PetriTransition {
  int32_t inputs, arcs;  // the first `inputs` arcs are those from places
  uint32_t probability;  // of 2^32
  int32_t watched;       // change of the watched tokens
  int32_t arc[4];
};

/// Whether the transition of the station whose places begin at `first` fires; `place` finds an element of the marking.
template <class Marking, class Place, class T>
bool take_turn(const PetriTransition& transition, size_t first, size_t places, const T& word, Marking& marking,
               const Place& place) {
  auto at = [&](int32_t a) {
    size_t i = first + static_cast<size_t>(transition.arc[a]);
    return place(i < places ? i : i - places);
  };
  if (!(word < transition.probability)) return false;
  for (int32_t a = 0; a < transition.inputs; ++a)
    if (!(marking[at(a)] > 0)) return false;
  for (int32_t a = 0; a < transition.arcs; ++a) marking[at(a)] += a < transition.inputs ? -1 : 1;
  return true;
}

/// The next 624 words of the generator's state.
template <class Words>
void make_words(Words& state) {
  using T = typename Words::value_type;
  for (size_t i : cpu::steps<T>(kTwisterWords)) {
    T y = (state[i] & 0x80000000u) | (state[(i + 1) % kTwisterWords] & 0x7fffffffu);
    state[i] = state[(i + kTwisterShift) % kTwisterWords] ^ (y >> 1) ^ ((T(0) - (y & 1u)) & 0x9908b0dfu);
  }
}

template <class T>
T temper(T y) {
  y = y ^ (y >> 11);
  y = y ^ ((y << 7) & 0x9d2c5680u);
  y = y ^ ((y << 15) & 0xefc60000u);
  return y ^ (y >> 18);
}

}  // namespace warptime::workloads
