// Which lane a shuffle reads (PTX ISA 9.0, 9.7.9.6).
#pragma once

#include <cstdint>

namespace warptime::sim {

enum class Shuffle : uint8_t { Up, Down, Butterfly, Index };

struct ShuffleSource {
  uint32_t from;   // the lane itself where there is none
  bool is_inside;  // of the segment of lanes
};

/// b and c: the instruction's operands. c: bits 0 to 4 are the last lane of a segment (of .up the first), bits 8 to 12
/// the lane bits that segments differ in.
inline ShuffleSource shuffle_source(Shuffle how, uint32_t lane, uint32_t b, uint32_t c) {
  const uint32_t by = b & 31, clamp = c & 31, segment = c >> 8 & 31;
  const uint32_t first = lane & segment, limit = first | (clamp & ~segment);
  uint32_t from = lane;
  bool is_inside = false;
  switch (how) {
    case Shuffle::Up:
      from = lane - by;
      is_inside = static_cast<int32_t>(from) >= static_cast<int32_t>(limit);
      break;
    case Shuffle::Down:
      from = lane + by;
      is_inside = from <= limit;
      break;
    case Shuffle::Butterfly:
      from = lane ^ by;
      is_inside = from <= limit;
      break;
    case Shuffle::Index:
      from = first | (by & ~segment);
      is_inside = from <= limit;
      break;
  }
  return {is_inside ? from : lane, is_inside};
}

}  // namespace warptime::sim
