// Which launches of a program are timed; the others are computed only. Launches are numbered from 0, in the order of
// the program's calls.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "host/report/report.h"

namespace warptime::cuda {

struct LaunchChoice {
  std::vector<std::pair<uint64_t, uint64_t>> ranges;  // [first, end); empty: all
  uint64_t functional_before = 0;

  bool is_timed(uint64_t launch) const;
  bool all() const { return ranges.empty() && functional_before == 0; }
};

/// How a launch was timed.
inline void count_launch(host::PartlyTimed& counts, const sim::LaunchStatistics& launch) {
  const bool extrapolated = launch.sampling && launch.sampling->blocks_timed == 0;
  if (!launch.timed) ++counts.not_timed;
  else ++(extrapolated ? counts.extrapolated : counts.timed);
  if (launch.timed) (extrapolated ? counts.extrapolated_us : counts.timed_us) += launch.time_us;
}

/// Reads "0:3,100": launches 0, 1, 2 and 100; of A:B either number may be left out. False: it is not such a list.
bool parse_launches(std::string_view text, LaunchChoice& choice);

}  // namespace warptime::cuda
