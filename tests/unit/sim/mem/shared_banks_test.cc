// Bank conflicts (CUDA C Programming Guide 4.2, F.3.3): 16 banks of 4 bytes, requests of a half-warp.
#include "sim/mem/shared_banks.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <random>
#include <set>
#include <vector>

using namespace warptime::sim;

namespace {

template <class F>
std::array<uint32_t, 32> lanes(F offset_of) {
  std::array<uint32_t, 32> offsets;
  for (uint32_t k = 0; k < 32; ++k) offsets[k] = offset_of(k);
  return offsets;
}
template <class F>
ConflictDegree shared(uint32_t element_bytes, F offset_of, uint32_t mask = ~0u) {
  return shared_conflicts(lanes(offset_of), mask, element_bytes, 16, 16);
}
template <class F>
ConflictDegree constant(uint32_t element_bytes, F offset_of, uint32_t mask = ~0u) {
  return constant_conflicts(lanes(offset_of), mask, element_bytes, 16);
}

/// The rule as it is written, step by step, for the words of a request.
uint32_t steps_by_the_rule(std::vector<uint32_t> words) {
  uint32_t steps = 0;
  for (; !words.empty(); ++steps) {
    auto lanes_of = [&](uint32_t word) {
      auto in_bank = std::count_if(words.begin(), words.end(), [&](uint32_t w) { return w % 16 == word % 16; });
      return std::pair(in_bank, std::count(words.begin(), words.end(), word));
    };
    uint32_t broadcast = *std::max_element(words.begin(), words.end(),
                                           [&](uint32_t a, uint32_t b) { return lanes_of(a) < lanes_of(b); });
    std::set<uint32_t> busy{broadcast % 16};
    std::erase_if(words, [&](uint32_t w) { return w == broadcast || busy.insert(w % 16).second; });
  }
  return steps;
}

}  // namespace

TEST_CASE("words drawn by chance, many of them the same or none, take the steps of the rule", "[shared]") {
  std::mt19937 random(1);
  for (uint32_t most : {8u, 32u, 100u, 1000u, 4096u})
    for (int i = 0; i < 300; ++i) {
      uint32_t mask = i % 2 == 0 ? ~0u : static_cast<uint32_t>(random()) | 1;
      auto offsets = lanes([&](uint32_t) { return static_cast<uint32_t>(random()) % most * 4; });
      ConflictDegree expected{1, 0};
      for (uint32_t half = 0; half < 2; ++half) {
        std::vector<uint32_t> words;
        for (uint32_t k = half * 16; k < half * 16 + 16; ++k)
          if (((mask >> k) & 1) != 0) words.push_back(offsets[k] / 4);
        uint32_t steps = steps_by_the_rule(words);
        expected.degree = std::max(expected.degree, steps);
        expected.replays += std::max(steps, 1u) - 1;
      }
      ConflictDegree conflicts = shared_conflicts(offsets, mask, 4, 16, 16);
      CHECK(conflicts.degree == expected.degree);
      CHECK(conflicts.replays == expected.replays);
    }
}

TEST_CASE("a word each in sequence, and any permutation, is free of conflicts", "[shared]") {
  CHECK(shared(4, [](uint32_t k) { return 4 * k; }).degree == 1);
  CHECK(shared(4, [](uint32_t k) { return 4 * k; }).replays == 0);
  CHECK(shared(4, [](uint32_t k) { return 4 * (k ^ 5); }).degree == 1);
  CHECK(shared(4, [](uint32_t k) { return 4 * (k * 17); }).degree == 1);
  // The halves are separate requests: lanes 0 and 16 share a bank without conflict.
  CHECK(shared(4, [](uint32_t k) { return 64 * (k / 16) + 4 * (k % 16); }).degree == 1);
}

TEST_CASE("conflict degree 1 to 16", "[shared]") {
  // `degree` lanes of each half-warp in bank 0, different words; the others in banks of their own.
  for (uint32_t degree = 1; degree <= 16; ++degree) {
    auto offset = [=](uint32_t k) { return k % 16 < degree ? 64 * k : 4 * (k % 16) + 64 * k; };
    CHECK(shared(4, offset).degree == degree);
    CHECK(shared(4, offset).replays == 2 * (degree - 1));
    CHECK(shared(4, offset, 0xffff).replays == degree - 1);
  }
  // Strides: 2 -> 2, 4 -> 4, 8 -> 8, 16 -> 16, odd -> 1.
  for (uint32_t stride : {2u, 4u, 8u, 16u})
    CHECK(shared(4, [=](uint32_t k) { return 4 * stride * k; }).degree == stride);
  for (uint32_t stride : {1u, 3u, 7u, 15u}) CHECK(shared(4, [=](uint32_t k) { return 4 * stride * k; }).degree == 1);
}

TEST_CASE("one word for all is a broadcast", "[shared]") {
  CHECK(shared(4, [](uint32_t) { return 100; }).degree == 1);
  CHECK(shared(4, [](uint32_t) { return 100; }).replays == 0);
  // Lanes 0-7 one word, 8-15 each another bank: one step, with that word broadcast.
  CHECK(shared(4, [](uint32_t k) { return k % 16 < 8 ? 0 : 4 * (k % 16); }).degree == 1);
  // Two words of different banks, eight lanes each: step 1 broadcasts the first and serves one lane of the other, step
  // 2 broadcasts the other.
  CHECK(shared(4, [](uint32_t k) { return k % 2 * 4; }).degree == 2);
  // Two words of one bank: two steps as well.
  CHECK(shared(4, [](uint32_t k) { return k % 2 * 64; }).degree == 2);
}

TEST_CASE("inactive lanes do not count", "[shared]") {
  CHECK(shared(
            4, [](uint32_t k) { return 64 * k; }, 0x1)
            .degree == 1);
  CHECK(shared(
            4, [](uint32_t k) { return 64 * k; }, 0x10007)
            .degree == 3);
  CHECK(shared(
            4, [](uint32_t) { return 0; }, 0)
            .degree == 1);
}

TEST_CASE("64- and 128-bit elements are one request a word", "[shared]") {
  // Each request has stride 2: 2-way; two of them: 4 steps, of which 2 a half-warp are extra.
  ConflictDegree wide = shared(8, [](uint32_t k) { return 8 * k; });
  CHECK(wide.degree == 4);
  CHECK(wide.replays == 4);
  // Four requests of stride 4: 4-way each.
  ConflictDegree four = shared(16, [](uint32_t k) { return 16 * k; });
  CHECK(four.degree == 16);
  CHECK(four.replays == 24);
  CHECK(shared(8, [](uint32_t) { return 8; }).degree == 2);
}

TEST_CASE("bytes of one word conflict unless they are the broadcast word", "[shared]") {
  // 16 bytes in 4 words: step 1 serves a whole word and one lane of each other, so 4 steps (1 + 3, 3, 3; 2, 2; 1).
  CHECK(shared(1, [](uint32_t k) { return k; }).degree == 4);
  CHECK(shared(2, [](uint32_t k) { return 2 * k; }).degree == 2);
}

TEST_CASE("32 banks and requests of 32 lanes", "[shared]") {
  auto degree = [](uint32_t stride) {
    return shared_conflicts(lanes([=](uint32_t k) { return 4 * stride * k; }), ~0u, 4, 32, 32).degree;
  };
  CHECK(degree(1) == 1);
  CHECK(degree(2) == 2);
  CHECK(degree(32) == 32);
}

TEST_CASE("constant memory serves one address at a time", "[constant]") {
  CHECK(constant(4, [](uint32_t) { return 40; }).degree == 1);
  CHECK(constant(4, [](uint32_t) { return 40; }).replays == 0);
  CHECK(constant(4, [](uint32_t k) { return 4 * k; }).degree == 16);
  CHECK(constant(4, [](uint32_t k) { return 4 * k; }).replays == 30);
  CHECK(constant(4, [](uint32_t k) { return 4 * (k % 3); }).degree == 3);
  CHECK(constant(4, [](uint32_t k) { return 4 * (k / 16); }).degree == 1);
  CHECK(constant(1, [](uint32_t k) { return k % 4; }).degree == 1);  // the same word
  CHECK(constant(16, [](uint32_t) { return 16; }).degree == 4);      // a vector: four words
}
