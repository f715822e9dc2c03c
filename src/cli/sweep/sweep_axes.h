// The axes of a sweep as a user writes them: lists, ranges ("4096:65536:*2", "16:128:+16", "[a,b],c"), and how the axes
// are combined into points: every combination, in step (--zip), or drawn at random (--random N).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/command_line.h"

namespace warptime::cli {

// Far beyond what anybody waits for; keeps the product of the axes from wrapping.
inline constexpr size_t kMostPoints = 1'000'000;

struct SweepAxis {
  enum class Kind : uint8_t { Machine, Set, Param };
  Kind kind = Kind::Set;
  std::string name;
  std::vector<std::string> values;  // as given, ranges expanded
  ArgumentText given = {};

  /// "machine", "set", "param".
  std::string option() const;
};

/// Splits "a,b,[c,d]" at its commas, except within brackets (a list is one value).
std::vector<std::string> split_values(const std::string& text);

/// The axes of --machine (if it names several), --set and --param, in this order. Throws host::InputError.
std::vector<SweepAxis> read_axes(const Arguments& arguments);

/// For each point, the index of its value on each axis. Throws host::InputError.
std::vector<std::vector<uint32_t>> combine_axes(const Arguments& arguments, const std::vector<SweepAxis>& axes);

/// A Latin hypercube: each axis is cut into as many strata as there are points, and each stratum has one point. The
/// same for a seed on every host. `sizes`: values of each axis.
std::vector<std::vector<uint32_t>> latin_hypercube(const std::vector<size_t>& sizes, size_t points, uint64_t seed);

}  // namespace warptime::cli
