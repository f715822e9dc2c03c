#include "base/ring.h"

#include <catch2/catch.hpp>

using namespace warptime;

TEST_CASE("a ring gives back in order, across its end and across growth", "[ring]") {
  Ring<int> ring(4);
  CHECK(ring.empty());
  int in = 0, out = 0;
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 3; ++i) ring.push_back(in++);
    for (int i = 0; i < 2; ++i) {
      REQUIRE(ring.front() == out++);
      ring.pop_front();
    }
  }
  REQUIRE(ring.size() == 10);
  CHECK(ring.capacity() == 16);
  CHECK(ring.back() == in - 1);
  for (size_t i = 0; i < ring.size(); ++i) CHECK(ring[i] == out + static_cast<int>(i));
  ring.clear();
  CHECK(ring.empty());
}

TEST_CASE("a ring that is never fuller than its capacity does not grow", "[ring]") {
  Ring<int> ring(8);
  for (int i = 0; i < 8; ++i) ring.push_back(i);
  CHECK(ring.capacity() == 8);
  for (int i = 8; i < 1000; ++i) {
    ring.pop_front();
    ring.push_back(i);
  }
  CHECK(ring.capacity() == 8);
  ring.push_back(1000);
  CHECK(ring.capacity() == 16);
  CHECK(ring.front() == 992);
}
