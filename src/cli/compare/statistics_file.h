// A statistics file for `compare`: the numbers of each launch, and their names once for all launches with the same
// names. A launch takes a kilobyte.
#pragma once

#include <array>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "cli/command_line.h"

namespace warptime::cli {

/// Numbers with their dotted names, in the order of the file.
using Numbers = std::vector<std::pair<std::string, double>>;

/// Missing, or null.
inline constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

class StatisticsFile {
 public:
  /// Numbers in `values_`, and their names.
  struct NumberList {
    uint32_t names = 0;
    size_t first = 0;
  };
  struct Instruction {
    uint64_t line = 0;
    uint32_t text = 0;  // see name()
    NumberList issue;
  };
  struct Occupancy {
    std::array<uint64_t, 4> numbers{};  // as kOccupancy
    uint32_t limiter = 0;               // see name()
  };
  /// A launch, or the total.
  struct Part {
    uint32_t kernel = 0;                                           // see name()
    std::array<double, 3> times{kNoNumber, kNoNumber, kNoNumber};  // as kTimes
    uint8_t whole_times = 0;                                       // one bit per time: it is written as a whole number
    bool has_occupancy = false, has_issue = false, has_instructions = false;
    Occupancy occupancy;
    double slots = 0;      // of issue
    NumberList issue;      // `issued`, then each reason for a stall
    NumberList resources;  // the busiest unit's share by resource
    NumberList counters;
    NumberList others;  // only profiles are compared with them: extents and cycles of warps
    size_t first_instruction = 0, end_of_instructions = 0;
  };
  static constexpr std::array<const char*, 3> kTimes{"time_us", "cycles", "gflops"};
  static constexpr std::array<const char*, 4> kOccupancy{"blocks_per_sm", "warps_per_sm", "registers_per_thread",
                                                         "shared_bytes_per_block"};

  std::string file;  // as given by the user
  SourceSpan where;
  std::string target, machine, hash;
  std::vector<Part> launches;
  Part total;

  const std::string& name(uint32_t text) const { return texts_[text]; }
  Numbers numbers(const NumberList& list) const;
  const Instruction& instruction(size_t index) const { return instructions_[index]; }

 private:
  friend class StatisticsReader;
  uint32_t text_number(std::string_view text);

  std::vector<std::string> texts_;
  std::map<std::string, uint32_t, std::less<>> text_numbers_;
  std::vector<std::vector<std::string>> names_;  // of number lists
  std::vector<double> values_;
  std::vector<Instruction> instructions_;
};

/// read(to, most) writes the next bytes to `to` and returns their number. `others`: with Part::others. Throws
/// host::InputError if it is not a statistics file.
StatisticsFile read_statistics(const ArgumentText& name, const std::function<size_t(char*, size_t)>& read,
                               bool others = false);

/// Throws host::InputError if it cannot be read.
std::ifstream open_statistics(const ArgumentText& file);
/// The whole of it.
StatisticsFile read_statistics(const ArgumentText& file);

}  // namespace warptime::cli
