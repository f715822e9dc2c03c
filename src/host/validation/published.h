// A published figure as it is written: a number; a number with its uncertainty, `100 +- 5`; a range, `90..110`, whose
// middle is compared; samples, `[98, 101, 103]`, whose mean and sample standard deviation are.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptime::host {

/// Where the figure may be.
struct FigureRange {
  double low = 0, high = 0;
  size_t samples = 0;  // that it was computed from; 0: it was published as it is
};

struct PublishedNumber {
  double value = 0;
  std::optional<FigureRange> range;  // nullopt: a number alone
  std::string mistake;               // one sentence; empty: none
};

/// nullopt: the text is not a number and does not look like one with an uncertainty.
std::optional<PublishedNumber> published_number(std::string_view text);
/// The published number that at least two samples give.
PublishedNumber published_samples(const std::vector<double>& samples);

}  // namespace warptime::host
