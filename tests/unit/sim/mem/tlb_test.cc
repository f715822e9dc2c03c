// Address translation, cycle by cycle: the class by itself, then on the way of a read through the memory system
// (machine of memory_driver.h: an unloaded read takes 246 cycles).
#include "sim/mem/tlb.h"

#include <catch2/catch.hpp>

#include "unit/sim/mem/memory_driver.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

constexpr Addr kPage = 4096;

/// Two pages in the first level, eight in the second one.
TlbConfig two_levels() {
  TlbConfig config;
  config.l1 = {2, 2, kPage, 100};
  config.l2 = {8, 8, kPage, 300};
  return config;
}

TlbConfig one_level() {
  TlbConfig config = two_levels();
  config.l2 = {};
  return config;
}

MachineConfig with(const TlbConfig& tlb) {
  MachineConfig machine = even_machine();
  machine.memory.tlb = tlb;
  return machine;
}

}  // namespace

TEST_CASE("without entries a TLB does not exist", "[tlb]") {
  CHECK_FALSE(Tlb(TlbConfig{}).exists());
  CHECK(Tlb(one_level()).exists());
}

TEST_CASE("a page is walked for once, and later transactions wait for the same walk", "[tlb]") {
  Tlb tlb(one_level());
  CHECK(tlb.translate(0, 10, 1) == 110);
  CHECK(tlb.translate(kPage - 4, 60, 3) == 110);
  CHECK(tlb.translate(64, 200, 1) == 200);
  const TranslationStats& s = tlb.statistics();
  CHECK(s.lookups == 5);
  CHECK(s.l1_hits == 4);
  CHECK(s.walks == 1);
  CHECK(s.waiting == 100 + 3 * 50);
}

TEST_CASE("the least recently used page of a set is replaced", "[tlb]") {
  Tlb tlb(one_level());
  tlb.translate(0 * kPage, 0, 1);
  tlb.translate(1 * kPage, 1000, 1);
  tlb.translate(0 * kPage, 2000, 1);
  tlb.translate(2 * kPage, 3000, 1);  // in the place of page 1
  CHECK(tlb.translate(0 * kPage, 4000, 1) == 4000);
  CHECK(tlb.translate(1 * kPage, 5000, 1) == 5100);
}

TEST_CASE("pages that differ by the number of sets share a set", "[tlb]") {
  TlbConfig config = one_level();
  config.l1 = {4, 1, kPage, 100};
  Tlb tlb(config);
  tlb.translate(0 * kPage, 0, 1);
  tlb.translate(1 * kPage, 0, 1);
  tlb.translate(4 * kPage, 1000, 1);
  CHECK(tlb.translate(1 * kPage, 2000, 1) == 2000);
  CHECK(tlb.translate(0 * kPage, 3000, 1) == 3100);
}

TEST_CASE("the second level answers what the first one does not hold", "[tlb]") {
  Tlb tlb(two_levels());
  CHECK(tlb.translate(0 * kPage, 0, 1) == 400);  // misses both: 100 + 300
  tlb.translate(1 * kPage, 1000, 1);
  tlb.translate(2 * kPage, 2000, 1);
  CHECK(tlb.translate(0 * kPage, 3000, 1) == 3100);  // only in the second
  CHECK(tlb.statistics().l2_hits == 1);
  CHECK(tlb.statistics().walks == 3);
}

TEST_CASE("levels have pages of their own size", "[tlb]") {
  TlbConfig config = two_levels();
  config.l2.page_bytes = 16 * kPage;
  Tlb tlb(config);
  CHECK(tlb.translate(0, 0, 1) == 400);
  CHECK(tlb.translate(15 * kPage, 1000, 1) == 1100);
  CHECK(tlb.translate(16 * kPage, 2000, 1) == 2400);
}

TEST_CASE("walks start an interval apart", "[tlb]") {
  TlbConfig config = one_level();
  config.walk_interval = 40;
  Tlb tlb(config);
  CHECK(tlb.translate(0 * kPage, 0, 1) == 100);
  CHECK(tlb.translate(1 * kPage, 0, 1) == 140);
  CHECK(tlb.translate(2 * kPage, 10, 1) == 180);
  CHECK(tlb.translate(3 * kPage, 500, 1) == 600);
}

TEST_CASE("a read waits for its translation before it enters the port", "[tlb]") {
  CHECK(answers_of(with(one_level()), {read_of(0, 0, kBase, 1)})[1] == 346);
  CHECK(answers_of(with(two_levels()), {read_of(0, 0, kBase, 1)})[1] == 646);
  // The second read finds the page of the first, and its row open: RD without tRCD, 28 cycles less.
  auto answers = answers_of(with(one_level()), {read_of(0, 0, kBase, 1), read_of(0, 600, kBase + 32, 2)});
  CHECK(answers[1] == 346);
  CHECK(answers[2] == 600 + 246 - 28);
}

TEST_CASE("a store waits for its translation, too", "[tlb]") {
  PendingStore store = store_of(kBase, 1);
  CHECK(answers_of(with(one_level()), {write_of(0, 0, store, 1)})[1] == 238 + 100);
}

TEST_CASE("the SMs of a TPC share its TLB, TPCs do not", "[tlb]") {
  auto answers = answers_of(with(one_level()),
                            {read_of(0, 0, kBase, 1), read_of(1, 600, kBase + 32, 2), read_of(2, 1200, kBase + 64, 3)});
  CHECK(answers[2] == 600 + 246 - 28);
  CHECK(answers[3] == 1200 + 246 - 28 + 100);
}
