#include "host/workload/compare.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
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

TEST_CASE("No number of units in the last place reaches a NaN or an infinity that was not expected") {
  float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  float most = std::numeric_limits<float>::max();
  for (uint64_t ulp : {uint64_t{1}, uint64_t{20'000'000}, ~uint64_t{0}}) {
    for (auto [got, expected] : {std::pair(nan, most),
                                 {most, nan},
                                 {nan, infinity},
                                 {infinity, most},
                                 {most, infinity},
                                 {infinity, -infinity},
                                 {nan, 1.0f}})
      CHECK_FALSE(compare_floats({got}, {expected}, {std::numeric_limits<double>::max(), ulp}).ok);
    CHECK(compare_floats({nan, infinity, most}, {nan, infinity, std::nextafter(most, 0.0f)}, {0, ulp}).ok);
  }
  const uint16_t half_nan = 0x7fff, half_most = 0x7bff;
  auto bytes = [](const uint16_t& value) { return std::as_bytes(std::span(&value, 1)); };
  CHECK_FALSE(compare("h", ptx::Type::F16, bytes(half_nan), bytes(half_most), {0, 2000}).ok);
  uint64_t low = 0, high = ~uint64_t{0};  // of integers any distance counts
  CHECK(compare("u", ptx::Type::U64, std::as_bytes(std::span(&low, 1)), std::as_bytes(std::span(&high, 1)), {0, high})
            .ok);
}

}  // namespace warptime::host
