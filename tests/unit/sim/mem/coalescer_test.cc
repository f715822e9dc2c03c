// The compute capability 1.0 rule (CUDA C Programming Guide 4.2, F.3.2.1 and figures F-1, F-2), half-warp by half-warp.
#include "sim/mem/coalescer.h"

#include <array>
#include <catch2/catch.hpp>

using namespace warptime;
using namespace warptime::sim;

namespace {

constexpr Addr kBase = 0x10000;
constexpr uint32_t kLowHalf = 0xffff;

struct Result : Coalesced {
  std::array<Transaction, kMaxTransactions> list;
};

/// Lane k at address_of(k).
template <class F>
Result coalesce(uint32_t element_bytes, uint32_t mask, F address_of) {
  std::array<Addr, 32> addresses;
  for (uint32_t k = 0; k < 32; ++k) addresses[k] = (mask >> k) & 1 ? address_of(k) : ~Addr{0} - k * 3;  // ignored
  Result result;
  static_cast<Coalesced&>(result) = coalesce_1_0(addresses, mask, element_bytes, result.list);
  return result;
}

}  // namespace

TEST_CASE("aligned words in sequence: one 64-byte transaction a half-warp", "[coalescer]") {
  Result result = coalesce(4, ~0u, [](uint32_t k) { return kBase + 4 * k; });
  REQUIRE(result.count == 2);
  CHECK(result.coalesced_halves == 2);
  CHECK(result.uncoalesced_halves == 0);
  for (uint32_t half = 0; half < 2; ++half) {
    CHECK(result.list[half].address == kBase + 64 * half);
    CHECK(result.list[half].word == kBase + 64 * half);
    CHECK(result.list[half].bytes == 64);
    CHECK(result.list[half].lanes == 0xffffu << (16 * half));
    CHECK(result.list[half].half == half);
  }
}

TEST_CASE("8-byte elements: one 128-byte transaction; 16-byte elements: two", "[coalescer]") {
  Result eight = coalesce(8, kLowHalf, [](uint32_t k) { return kBase + 128 + 8 * k; });
  REQUIRE(eight.count == 1);
  CHECK(eight.list[0].address == kBase + 128);
  CHECK(eight.list[0].bytes == 128);
  // The first eight lanes in one 128-byte segment, the others in the next; they need not be aligned to 256 bytes.
  Result sixteen = coalesce(16, kLowHalf, [](uint32_t k) { return kBase + 128 + 16 * k; });
  REQUIRE(sixteen.count == 2);
  CHECK(sixteen.coalesced_halves == 1);
  CHECK(sixteen.list[0].address == kBase + 128);
  CHECK(sixteen.list[0].lanes == 0x00ff);
  CHECK(sixteen.list[1].address == kBase + 256);
  CHECK(sixteen.list[1].lanes == 0xff00);
  CHECK(sixteen.list[1].bytes == 128);
}

TEST_CASE("lanes may be inactive", "[coalescer]") {
  Result holes = coalesce(4, 0xa5a0, [](uint32_t k) { return kBase + 4 * k; });
  REQUIRE(holes.count == 1);
  CHECK(holes.coalesced_halves == 1);
  CHECK(holes.list[0].address == kBase);
  CHECK(holes.list[0].lanes == 0xa5a0);
  // A half-warp without active lanes sends nothing; nor does half of a 16-byte half-warp.
  CHECK(coalesce(4, 0xffff0000, [](uint32_t k) { return kBase + 4 * k; }).count == 1);
  CHECK(coalesce(4, 0, [](uint32_t) { return kBase; }).count == 0);
  Result upper = coalesce(16, 0xff00, [](uint32_t k) { return kBase + 16 * k; });
  REQUIRE(upper.count == 1);
  CHECK(upper.list[0].address == kBase + 128);
}

TEST_CASE("shifted by one word: a 32-byte transaction for each lane", "[coalescer]") {
  Result result = coalesce(4, kLowHalf, [](uint32_t k) { return kBase + 4 + 4 * k; });
  REQUIRE(result.count == 16);
  CHECK(result.coalesced_halves == 0);
  CHECK(result.uncoalesced_halves == 1);
  for (uint32_t k = 0; k < 16; ++k) {
    CHECK(result.list[k].address == (kBase + 4 + 4 * k) / 32 * 32);
    CHECK(result.list[k].word == kBase + 4 + 4 * k);
    CHECK(result.list[k].bytes == 32);
    CHECK(result.list[k].lanes == 1u << k);
  }
  // 8-byte elements must begin at 128 bytes, not at 64.
  CHECK(coalesce(8, kLowHalf, [](uint32_t k) { return kBase + 64 + 8 * k; }).count == 16);
  CHECK(coalesce(16, kLowHalf, [](uint32_t k) { return kBase + 64 + 16 * k; }).count == 16);
}

TEST_CASE("strided, permuted, same word: a transaction for each active lane", "[coalescer]") {
  CHECK(coalesce(4, kLowHalf, [](uint32_t k) { return kBase + 8 * k; }).count == 16);
  CHECK(coalesce(4, kLowHalf, [](uint32_t k) { return kBase + 4 * (k ^ 1); }).count == 16);
  Result same = coalesce(4, kLowHalf, [](uint32_t) { return kBase + 68; });
  REQUIRE(same.count == 16);
  for (uint32_t k = 0; k < 16; ++k) {
    CHECK(same.list[k].address == kBase + 64);
    CHECK(same.list[k].word == kBase + 68);
  }
  CHECK(coalesce(4, 0x0f0f, [](uint32_t) { return kBase; }).count == 8);
  // One lane alone in its place coalesces; out of its place it does not, and costs one transaction as well.
  CHECK(coalesce(4, 0x0008, [](uint32_t k) { return kBase + 4 * k; }).coalesced_halves == 1);
  Result alone = coalesce(4, 0x0008, [](uint32_t) { return kBase; });
  CHECK(alone.uncoalesced_halves == 1);
  CHECK(alone.count == 1);
}

TEST_CASE("a lane in another segment spoils its half-warp only", "[coalescer]") {
  Result result = coalesce(4, ~0u, [](uint32_t k) { return kBase + 4 * k + (k == 31 ? 64 : 0); });
  CHECK(result.count == 17);
  CHECK(result.coalesced_halves == 1);
  CHECK(result.uncoalesced_halves == 1);
  CHECK(result.list[16].address == kBase + 64 + 124 - 124 % 32);
  CHECK(result.list[16].half == 1);
}

TEST_CASE("8- and 16-bit elements never coalesce", "[coalescer]") {
  CHECK(coalesce(1, kLowHalf, [](uint32_t k) { return kBase + k; }).count == 16);
  CHECK(coalesce(2, ~0u, [](uint32_t k) { return kBase + 2 * k; }).count == 32);
  CHECK(coalesce(2, ~0u, [](uint32_t k) { return kBase + 2 * k; }).uncoalesced_halves == 2);
  CHECK(coalesce(1, 2, [](uint32_t) { return kBase + 35; }).list[0].word == kBase + 32);
}

TEST_CASE("32-byte elements: one or two transactions a lane, by alignment", "[coalescer]") {
  CHECK(coalesce(32, ~0u, [](uint32_t k) { return kBase + 32 * k; }).count == 32);
  Result crossing = coalesce(32, ~0u, [](uint32_t k) { return kBase + 16 + 32 * k; });
  REQUIRE(crossing.count == 64);
  CHECK(crossing.list[1].address == kBase + 32);
  CHECK(crossing.list[1].word == kBase + 32);
  CHECK(crossing.list[1].lanes == 1);
}
