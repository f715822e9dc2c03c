// Compares a result array with the expected one.
#pragma once

#include <span>
#include <string>

#include "host/workload/workload.h"
#include "ptx/isa/types.h"

namespace warptime::host {

/// An element passes if it is within `max_abs_error` or within `max_ulp` of the expected one (0 and 0 require equal
/// values; two NaN are equal, and so are +0 and -0). Both spans hold the same number of elements of `type`.
struct Tolerance {
  double max_abs_error = 0;
  uint64_t max_ulp = 0;
};
Check compare(std::string name, ptx::Type type, std::span<const std::byte> got, std::span<const std::byte> expected,
              Tolerance tolerance);

/// compare() element by element, for results that are not contiguous.
class Comparison {
 public:
  Comparison(std::string name, ptx::Type type, Tolerance tolerance);
  /// `where` names the element in a message: "row 3, column 5".
  template <class Where>
  void element(uint64_t got, uint64_t expected, const Where& where) {
    if (got == expected) return;
    if (!passes(got, expected) && check_.first_failure.empty()) fail(got, expected, where());
  }
  void element_f32(float got, float expected, uint64_t row, uint64_t column);
  const Check& result() const { return check_; }

 private:
  bool passes(uint64_t got, uint64_t expected);
  void fail(uint64_t got, uint64_t expected, const std::string& where);

  ptx::Type type_;
  Tolerance tolerance_;
  Check check_;
};

}  // namespace warptime::host
