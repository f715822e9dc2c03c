#include "sim/state/mbarrier.h"

#include <catch2/catch.hpp>

using warptime::sim::Mbarrier;

TEST_CASE("an mbarrier object survives its 64 bits", "[mbarrier]") {
  for (int32_t bytes : {0, 1, -1, (1 << 20) - 1, -(1 << 20) + 1})
    for (uint32_t phase : {0u, 1u, 7u}) {
      const Mbarrier object{.pending = 3, .expected = Mbarrier::kMostCount, .bytes = bytes, .phase = phase};
      const Mbarrier again = Mbarrier::of(object.word());
      CHECK(again.pending == 3);
      CHECK(again.expected == Mbarrier::kMostCount);
      CHECK(again.bytes == bytes);
      CHECK(again.phase == phase);
    }
}

TEST_CASE("a phase is complete without pending arrivals and bytes, in any order", "[mbarrier]") {
  Mbarrier object = Mbarrier::with(2);
  const uint64_t first = object.word();
  object.complete_bytes(16);  // before they are expected
  object.arrive(2);
  CHECK_FALSE(object.has_completed(first));
  CHECK_FALSE(object.has_completed_parity(0));
  CHECK(object.has_completed_parity(1));  // the phase before the first counts as complete
  object.bytes += 16;
  object.complete_if_done();
  CHECK(object.has_completed(first));
  CHECK(object.has_completed_parity(0));
  CHECK(object.pending == 2);
  for (uint32_t phase = 0; phase < 8; ++phase) object.arrive(2);
  CHECK(object.phase == 1);  // modulo 8
}
