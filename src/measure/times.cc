#include "measure/times.h"

#include <algorithm>
#include <cmath>

namespace warptime::measure {

double Times::quantile(double share) const {
  std::vector<double> sorted = us;
  std::sort(sorted.begin(), sorted.end());
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(std::floor(place));
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double Times::spread() const { return median() > 0 ? (quantile(0.75) - quantile(0.25)) / median() : 0; }

}  // namespace warptime::measure
