#include "host/workload/random.h"

#include <catch2/catch.hpp>

namespace warptime::host {

TEST_CASE("SplitMix64 gives the published sequence") {
  // The sequence of seed 1234567 that implementations of the algorithm are commonly compared with.
  SplitMix64 random(1234567);
  CHECK(random.next() == 6457827717110365317u);
  CHECK(random.next() == 3203168211198807973u);
  CHECK(random.next() == 9817491932198370423u);
  CHECK(random.next() == 4593380528125082431u);
}

TEST_CASE("Uniform floats stay in their range and spread over it") {
  SplitMix64 random(7);
  float lowest = 10, highest = -10;
  double sum = 0;
  for (int i = 0; i < 10000; ++i) {
    float v = random.uniform(-2.0f, 3.0f);
    lowest = std::min(lowest, v);
    highest = std::max(highest, v);
    sum += static_cast<double>(v);
  }
  CHECK(lowest >= -2.0f);
  CHECK(highest <= 3.0f);
  CHECK(lowest < -1.99f);
  CHECK(highest > 2.99f);
  // The mean of 10,000 uniform values has a deviation of 5 / sqrt(12 * 10,000) = 0.0144 around 0.5.
  CHECK(sum / 10000 == Approx(0.5).margin(0.06));
}

}  // namespace warptime::host
