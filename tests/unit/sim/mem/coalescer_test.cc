// The coalescing rules (CUDA C Programming Guide 4.2, F.3.2.1 with figures F-1 and F-2, F.3.2.2, F.4.2).
#include "sim/mem/coalescer.h"

#include <array>
#include <catch2/catch.hpp>

using namespace warptime;
using namespace warptime::sim;

namespace {

constexpr Addr kSegment = 0x10000;
constexpr uint32_t kLowHalf = 0xffff;

struct Result : Coalesced {
  std::array<Transaction, kMaxTransactions> list;
};

/// Lane k at address_of(k).
template <class F>
Result coalesce(uint32_t element_bytes, uint32_t mask, F address_of, CoalescingRule rule = {}) {
  std::array<Addr, 32> addresses;
  for (uint32_t k = 0; k < 32; ++k) addresses[k] = (mask >> k) & 1 ? address_of(k) : ~Addr{0} - k * 3;  // ignored
  Result result;
  static_cast<Coalesced&>(result) = sim::coalesce(rule, addresses, mask, element_bytes, result.list);
  return result;
}

}  // namespace

TEST_CASE("aligned words in sequence: one 64-byte transaction a half-warp", "[coalescer]") {
  Result result = coalesce(4, ~0u, [](uint32_t k) { return kSegment + 4 * k; });
  REQUIRE(result.count == 2);
  CHECK(result.coalesced == 2);
  CHECK(result.uncoalesced == 0);
  for (uint32_t half = 0; half < 2; ++half) {
    CHECK(result.list[half].address == kSegment + 64 * half);
    CHECK(result.list[half].word == kSegment + 64 * half);
    CHECK(result.list[half].bytes == 64);
    CHECK(result.list[half].lanes == 0xffffu << (16 * half));
    CHECK(result.list[half].half == half);
  }
}

TEST_CASE("8-byte elements: one 128-byte transaction, 16-byte elements: two", "[coalescer]") {
  Result eight = coalesce(8, kLowHalf, [](uint32_t k) { return kSegment + 128 + 8 * k; });
  REQUIRE(eight.count == 1);
  CHECK(eight.list[0].address == kSegment + 128);
  CHECK(eight.list[0].bytes == 128);
  // The first eight lanes in one 128-byte segment, the others in the next; they need not be aligned to 256 bytes.
  Result sixteen = coalesce(16, kLowHalf, [](uint32_t k) { return kSegment + 128 + 16 * k; });
  REQUIRE(sixteen.count == 2);
  CHECK(sixteen.coalesced == 1);
  CHECK(sixteen.list[0].address == kSegment + 128);
  CHECK(sixteen.list[0].lanes == 0x00ff);
  CHECK(sixteen.list[1].address == kSegment + 256);
  CHECK(sixteen.list[1].lanes == 0xff00);
  CHECK(sixteen.list[1].bytes == 128);
}

TEST_CASE("lanes may be inactive", "[coalescer]") {
  Result holes = coalesce(4, 0xa5a0, [](uint32_t k) { return kSegment + 4 * k; });
  REQUIRE(holes.count == 1);
  CHECK(holes.coalesced == 1);
  CHECK(holes.list[0].address == kSegment);
  CHECK(holes.list[0].lanes == 0xa5a0);
  // A half-warp without active lanes sends nothing; nor does half of a 16-byte half-warp.
  CHECK(coalesce(4, 0xffff0000, [](uint32_t k) { return kSegment + 4 * k; }).count == 1);
  CHECK(coalesce(4, 0, [](uint32_t) { return kSegment; }).count == 0);
  Result upper = coalesce(16, 0xff00, [](uint32_t k) { return kSegment + 16 * k; });
  REQUIRE(upper.count == 1);
  CHECK(upper.list[0].address == kSegment + 128);
}

TEST_CASE("shifted by one word: a 32-byte transaction for each lane", "[coalescer]") {
  Result result = coalesce(4, kLowHalf, [](uint32_t k) { return kSegment + 4 + 4 * k; });
  REQUIRE(result.count == 16);
  CHECK(result.coalesced == 0);
  CHECK(result.uncoalesced == 1);
  for (uint32_t k = 0; k < 16; ++k) {
    CHECK(result.list[k].address == (kSegment + 4 + 4 * k) / 32 * 32);
    CHECK(result.list[k].word == kSegment + 4 + 4 * k);
    CHECK(result.list[k].bytes == 32);
    CHECK(result.list[k].lanes == 1u << k);
  }
  // 8-byte elements must begin at 128 bytes, not at 64.
  CHECK(coalesce(8, kLowHalf, [](uint32_t k) { return kSegment + 64 + 8 * k; }).count == 16);
  CHECK(coalesce(16, kLowHalf, [](uint32_t k) { return kSegment + 64 + 16 * k; }).count == 16);
}

TEST_CASE("strided, permuted, same word: a transaction for each active lane", "[coalescer]") {
  CHECK(coalesce(4, kLowHalf, [](uint32_t k) { return kSegment + 8 * k; }).count == 16);
  CHECK(coalesce(4, kLowHalf, [](uint32_t k) { return kSegment + 4 * (k ^ 1); }).count == 16);
  Result same = coalesce(4, kLowHalf, [](uint32_t) { return kSegment + 68; });
  REQUIRE(same.count == 16);
  for (uint32_t k = 0; k < 16; ++k) {
    CHECK(same.list[k].address == kSegment + 64);
    CHECK(same.list[k].word == kSegment + 68);
  }
  CHECK(coalesce(4, 0x0f0f, [](uint32_t) { return kSegment; }).count == 8);
  // One lane alone in its place coalesces; out of its place it does not, and costs one transaction as well.
  CHECK(coalesce(4, 0x0008, [](uint32_t k) { return kSegment + 4 * k; }).coalesced == 1);
  Result alone = coalesce(4, 0x0008, [](uint32_t) { return kSegment; });
  CHECK(alone.uncoalesced == 1);
  CHECK(alone.count == 1);
}

TEST_CASE("a lane in another segment spoils its half-warp only", "[coalescer]") {
  Result result = coalesce(4, ~0u, [](uint32_t k) { return kSegment + 4 * k + (k == 31 ? 64 : 0); });
  CHECK(result.count == 17);
  CHECK(result.coalesced == 1);
  CHECK(result.uncoalesced == 1);
  CHECK(result.list[16].address == kSegment + 64 + 124 - 124 % 32);
  CHECK(result.list[16].half == 1);
}

TEST_CASE("8- and 16-bit elements never coalesce", "[coalescer]") {
  CHECK(coalesce(1, kLowHalf, [](uint32_t k) { return kSegment + k; }).count == 16);
  CHECK(coalesce(2, ~0u, [](uint32_t k) { return kSegment + 2 * k; }).count == 32);
  CHECK(coalesce(2, ~0u, [](uint32_t k) { return kSegment + 2 * k; }).uncoalesced == 2);
  CHECK(coalesce(1, 2, [](uint32_t) { return kSegment + 35; }).list[0].word == kSegment + 32);
}

TEST_CASE("32-byte elements: one or two transactions per lane, by alignment", "[coalescer]") {
  CHECK(coalesce(32, ~0u, [](uint32_t k) { return kSegment + 32 * k; }).count == 32);
  Result crossing = coalesce(32, ~0u, [](uint32_t k) { return kSegment + 16 + 32 * k; });
  REQUIRE(crossing.count == 64);
  CHECK(crossing.list[1].address == kSegment + 32);
  CHECK(crossing.list[1].word == kSegment + 32);
  CHECK(crossing.list[1].lanes == 1);
}

namespace {
constexpr CoalescingRule kSegments{CoalescingRule::Kind::Segments};
constexpr CoalescingRule kLines{CoalescingRule::Kind::Lines, 128};
constexpr CoalescingRule kSectors{CoalescingRule::Kind::Lines, 32};
}  // namespace

TEST_CASE("1.2: any order within a segment is one transaction", "[coalescer]") {
  Result result = coalesce(
      4, kLowHalf, [](uint32_t k) { return kSegment + 4 * (15 - k); }, kSegments);
  REQUIRE(result.count == 1);
  CHECK(result.list[0].address == kSegment);
  CHECK(result.list[0].bytes == 64);  // 128 shrunk to the half that is used
  CHECK(result.list[0].lanes == 0xffff);
  CHECK(result.coalesced == 1);
}

TEST_CASE("1.2: one word for all is one transaction of 32 bytes", "[coalescer]") {
  Result result = coalesce(
      4, ~0u, [](uint32_t) { return kSegment + 100; }, kSegments);
  REQUIRE(result.count == 2);  // one per half-warp
  CHECK(result.list[0].address == kSegment + 96);
  CHECK(result.list[0].bytes == 32);
  CHECK(result.list[1].half == 1);
}

TEST_CASE("1.2: a shifted half-warp takes the segments it touches, each shrunk", "[coalescer]") {
  // Words 1 to 16 of a segment lie in one 128-byte segment; used are bytes 4 to 67: both halves, no shrinking.
  Result shifted = coalesce(
      4, kLowHalf, [](uint32_t k) { return kSegment + 4 + 4 * k; }, kSegments);
  REQUIRE(shifted.count == 1);
  CHECK(shifted.list[0].bytes == 128);
  // From byte 96 on: 32 bytes of this segment and 32 of the next.
  Result across = coalesce(
      4, kLowHalf, [](uint32_t k) { return kSegment + 96 + 4 * k; }, kSegments);
  REQUIRE(across.count == 2);
  CHECK(across.list[0].address == kSegment + 96);
  CHECK(across.list[0].bytes == 32);
  CHECK(across.list[1].address == kSegment + 128);
  CHECK(across.list[1].bytes == 32);
  CHECK(across.uncoalesced == 1);
}

TEST_CASE("bytes of lanes: each lane counts, also where several access the same bytes", "[coalescer]") {
  CoalescingRule segments{CoalescingRule::Kind::Segments};
  auto bytes = [](const Result& result, uint32_t i) { return result.list[i].bytes_of_lanes(); };
  Result same = coalesce(
      16, 0x7fff, [](uint32_t) { return kSegment + 16; }, segments);
  REQUIRE(same.count == 1);
  CHECK(same.list[0].bytes == 32);
  CHECK(bytes(same, 0) == 15 * 16);
  Result row = coalesce(
      4, ~0u, [](uint32_t k) { return kSegment + 4 * k; }, segments);
  REQUIRE(row.count == 2);
  CHECK(bytes(row, 1) == 64);
  // Pairs of lanes share a word, in two segments.
  Result pairs = coalesce(
      4, kLowHalf, [](uint32_t k) { return kSegment + k / 2 * 32; }, segments);
  REQUIRE(pairs.count == 2);
  CHECK(bytes(pairs, 0) == 8 * 4);
  CHECK(bytes(pairs, 1) == 8 * 4);
  // 32 bytes of a lane in two transactions: 32 in all. 2.x: a line for each quarter-warp.
  Result split = coalesce(32, 1, [](uint32_t) { return kSegment + 16; });
  REQUIRE(split.count == 2);
  CHECK(bytes(split, 0) == 32);
  Result lines = coalesce(16, 0x07ff, [](uint32_t) { return kSegment; }, {CoalescingRule::Kind::Lines, 32});
  REQUIRE(lines.count == 2);
  CHECK(bytes(lines, 0) == 8 * 16);
  CHECK(bytes(lines, 1) == 3 * 16);
}

TEST_CASE("1.2: segments of small elements are small", "[coalescer]") {
  Result bytes = coalesce(
      1, kLowHalf, [](uint32_t k) { return kSegment + 24 + k; }, kSegments);
  REQUIRE(bytes.count == 2);  // 8 bytes in each of two 32-byte segments
  CHECK(bytes.list[0].bytes == 32);
  Result shorts = coalesce(
      2, kLowHalf, [](uint32_t k) { return kSegment + 2 * k; }, kSegments);
  REQUIRE(shorts.count == 1);
  CHECK(shorts.list[0].bytes == 32);  // 64 shrunk
  Result vectors = coalesce(
      16, kLowHalf, [](uint32_t k) { return kSegment + 16 * k; }, kSegments);
  REQUIRE(vectors.count == 2);
  CHECK(vectors.list[1].bytes == 128);
  CHECK(vectors.coalesced == 1);
}

TEST_CASE("2.x: a warp takes the lines it touches", "[coalescer]") {
  Result aligned = coalesce(
      4, ~0u, [](uint32_t k) { return kSegment + 4 * (31 - k); }, kLines);
  REQUIRE(aligned.count == 1);
  CHECK(aligned.list[0].bytes == 128);
  CHECK(aligned.list[0].lanes == ~0u);
  CHECK(aligned.coalesced == 1);
  Result shifted = coalesce(
      4, ~0u, [](uint32_t k) { return kSegment + 4 + 4 * k; }, kLines);
  REQUIRE(shifted.count == 2);
  CHECK(shifted.list[0].lanes == 0x7fffffff);
  CHECK(shifted.uncoalesced == 1);
  // A stride of 128 bytes: a line per lane, or, past the L1, a segment of 32.
  CHECK(coalesce(
            4, ~0u, [](uint32_t k) { return kSegment + 128 * k; }, kLines)
            .count == 32);
  Result sectors = coalesce(
      4, ~0u, [](uint32_t k) { return kSegment + 4 * k; }, kSectors);
  REQUIRE(sectors.count == 4);
  CHECK(sectors.list[3].address == kSegment + 96);
  CHECK(sectors.coalesced == 1);
}

TEST_CASE("2.x: 8-byte elements are requests of half-warps, 16-byte ones of quarter-warps", "[coalescer]") {
  auto count = [](uint32_t element_bytes, uint32_t stride, uint32_t mask = ~0u) {
    return coalesce(
               element_bytes, mask, [=](uint32_t k) { return kSegment + Addr{stride} * k; }, kLines)
        .count;
  };
  CHECK(count(4, 0) == 1);
  CHECK(count(8, 0) == 2);
  CHECK(count(8, 0, 0xffff) == 1);
  CHECK(count(8, 8) == 2);
  CHECK(count(16, 0) == 4);
  CHECK(count(16, 0, 0x100) == 1);
  CHECK(count(16, 16) == 4);
  Result vectors = coalesce(
      16, ~0u, [](uint32_t k) { return kSegment + 16 * k; }, kLines);
  CHECK(vectors.coalesced == 4);
  for (uint32_t quarter = 0; quarter < 4; ++quarter) {
    CHECK(vectors.list[quarter].address == kSegment + 128 * quarter);
    CHECK(vectors.list[quarter].lanes == 0xffu << (8 * quarter));
  }
}

TEST_CASE("a machine's rule: by compute capability, lines only for loads with an L1", "[coalescer]") {
  MachineConfig machine;
  CHECK(coalescing_rule(machine, true).kind == CoalescingRule::Kind::Strict);
  machine.memory.coalescing = "1.2";
  CHECK(coalescing_rule(machine, true).kind == CoalescingRule::Kind::Segments);
  machine.memory.coalescing = "2.x";
  CHECK(coalescing_rule(machine, true).line_bytes == 32);
  machine.l1.cache = {16384, 128, 4, 0};
  CHECK(coalescing_rule(machine, true).line_bytes == 128);
  CHECK(coalescing_rule(machine, false).line_bytes == 32);
  CHECK_FALSE(coalescing_rule(machine, true).marks);
  machine.l1.sector_bytes = 32;
  CHECK(coalescing_rule(machine, true).marks);
  CHECK_FALSE(coalescing_rule(machine, true).trims);
  machine.memory.request_bytes = 128;
  CHECK(coalescing_rule(machine, false).line_bytes == 128);
  CHECK(coalescing_rule(machine, false).trims);
}

TEST_CASE("2.x: a request of a line has the segments of 32 bytes that its lanes access", "[coalescer]") {
  constexpr CoalescingRule kParts{CoalescingRule::Kind::Lines, 128, true, true};
  Result all = coalesce(
      4, ~0u, [](uint32_t k) { return kSegment + 4 * k; }, kParts);
  REQUIRE(all.count == 1);
  CHECK(all.list[0].bytes == 128);
  CHECK(all.list[0].granules == 0);
  Result gap = coalesce(  // bytes 32 to 63 and 96 to 127
      4, 0xff00ff00, [](uint32_t k) { return kSegment + 4 * k; }, kParts);
  REQUIRE(gap.count == 1);
  CHECK(gap.list[0].address == kSegment + 32);
  CHECK(gap.list[0].bytes == 96);
  CHECK(gap.list[0].granules == 0b101);
  CHECK(gap.list[0].bytes_of_granules() == 64);
  Result two = coalesce(
      4, ~0u, [](uint32_t k) { return kSegment + 64 + 4 * k; }, kParts);
  REQUIRE(two.count == 2);
  CHECK(two.list[0].address == kSegment + 64);
  CHECK(two.list[0].bytes == 64);
  CHECK(two.list[0].granules == 0);
  // A line that is looked up in a cache keeps its size, and says which segments are read.
  Result marked = coalesce(4, 0xff00ff00, [](uint32_t k) { return kSegment + 4 * k; },
                           {CoalescingRule::Kind::Lines, 128, true, false});
  REQUIRE(marked.count == 1);
  CHECK(marked.list[0].address == kSegment);
  CHECK(marked.list[0].bytes == 128);
  CHECK(marked.list[0].granules == 0b1010);
}

TEST_CASE("half-warps at one word each, in short, are what they are lane by lane", "[coalescer]") {
  for (Addr first : {kSegment, kSegment + 4, kSegment + 28, kSegment + 60})
    for (Addr second : {first, kSegment + 64, kSegment + 4096 + 12}) {
      Result all = coalesce(4, ~0u, [&](uint32_t k) { return k < 16 ? first : second; }), in_short;
      REQUIRE(coalesce_same({}, first, second, in_short.list, in_short));
      REQUIRE(in_short.count == all.count);
      CHECK(in_short.coalesced == all.coalesced);
      CHECK(in_short.uncoalesced == all.uncoalesced);
      for (uint32_t i = 0; i < all.count; ++i) {
        CHECK(in_short.list[i].equals_but_lanes(all.list[i]));
        CHECK(in_short.list[i].lanes == all.list[i].lanes);
      }
    }
  Result result;
  CHECK_FALSE(coalesce_same({CoalescingRule::Kind::Segments}, kSegment, kSegment, result.list, result));
  CHECK_FALSE(coalesce_same({CoalescingRule::Kind::Lines}, kSegment, kSegment, result.list, result));
}
