#include "host/workload/compare.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

namespace warptime::host {

namespace {

Check compare_floats(const std::vector<float>& got, const std::vector<float>& expected, Tolerance tolerance) {
  return compare("y", ptx::Type::F32, std::as_bytes(std::span(got)), std::as_bytes(std::span(expected)), tolerance);
}

}  // namespace

TEST_CASE("Equal arrays pass with no error") {
  Check check = compare_floats({1, 2, 3}, {1, 2, 3}, {});
  CHECK(check.ok);
  CHECK(check.name == "y");
  CHECK(check.max_abs_error == 0);
  CHECK(check.max_ulp_error == 0);
  CHECK(check.first_failure.empty());
}

TEST_CASE("An element passes by its absolute error or by its units in the last place") {
  float next = std::nextafter(1.0f, 2.0f);
  CHECK_FALSE(compare_floats({next}, {1}, {}).ok);
  CHECK(compare_floats({next}, {1}, {0, 1}).ok);
  CHECK_FALSE(compare_floats({std::nextafter(next, 2.0f)}, {1}, {0, 1}).ok);
  CHECK(compare_floats({1.25f}, {1}, {0.25, 0}).ok);
  CHECK_FALSE(compare_floats({1.25f}, {1}, {0.2499, 0}).ok);
}

TEST_CASE("The first failure and the largest errors are reported") {
  Check check = compare_floats({1, 2.5f, 3, 7}, {1, 2, 3, 4}, {0.1, 0});
  CHECK_FALSE(check.ok);
  CHECK(check.first_failure == "element 1: 2.5, expected 2");
  CHECK(check.max_abs_error == 3);
  CHECK(check.bound == 0.1);
}

TEST_CASE("NaN equals NaN and nothing else, infinities equal themselves") {
  float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  CHECK(compare_floats({nan, infinity}, {-nan, infinity}, {}).ok);
  CHECK_FALSE(compare_floats({nan}, {1}, {1e30, 0}).ok);
  CHECK_FALSE(compare_floats({1}, {nan}, {1e30, 0}).ok);
  CHECK_FALSE(compare_floats({infinity}, {-infinity}, {1e30, 0}).ok);
}

}  // namespace warptime::host
