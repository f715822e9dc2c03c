#include "measure/times.h"

#include <catch2/catch.hpp>

namespace warptime::measure {

TEST_CASE("The median of repeated times is the one in the middle, or lies between two", "[measure]") {
  CHECK(Times{{3}}.median() == 3);
  CHECK(Times{{9, 1, 3}}.median() == 3);
  CHECK(Times{{9, 1, 4, 3}}.median() == 3.5);
}

TEST_CASE("A quantile lies between two times as its share does", "[measure]") {
  const Times times{{50, 10, 30, 20, 40}};
  CHECK(times.quantile(0.25) == 20);
  CHECK(times.quantile(0.3) == Approx(22));
  CHECK(times.low() == 10);
  CHECK(times.high() == 50);
}

TEST_CASE("The spread is the distance of the quartiles over the median", "[measure]") {
  CHECK(Times{{50, 10, 30, 20, 40}}.spread() == Approx(20.0 / 30));
  CHECK(Times{{5, 5, 5}}.spread() == 0);
  CHECK(Times{{0, 0}}.spread() == 0);
}

}  // namespace warptime::measure
