// Repeated times of one thing: their median and spread.
#pragma once

#include <vector>

namespace warptime::measure {

struct Times {
  std::vector<double> us;  // in the order of the repetitions; at least one

  double median() const { return quantile(0.5); }
  double low() const { return quantile(0); }
  double high() const { return quantile(1); }
  /// The distance of the quartiles over the median.
  double spread() const;
  /// Between two repetitions as the share lies between them.
  double quantile(double share) const;
};

}  // namespace warptime::measure
