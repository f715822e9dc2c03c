// Bank conflicts (CUDA C Programming Guide 4.2, F.3.3): 16 banks of 4 bytes, requests of a half-warp; and those of
// compute capability 2.x and 3.0 (F.4.3, F.5.3), 32 banks.
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
  return shared_conflicts(lanes(offset_of), mask, element_bytes, SharedConfig{}, true);
}
template <class F>
ConflictDegree constant(uint32_t element_bytes, F offset_of, uint32_t mask = ~0u) {
  return constant_conflicts(lanes(offset_of), mask, element_bytes, ConstantConfig{});
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
      ConflictDegree conflicts = shared_conflicts(offsets, mask, 4, SharedConfig{}, true);
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
  // Each request has stride 2: 2-way; two of them: 4 steps, of which 2 per half-warp are extra.
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
  SharedConfig wide;
  wide.banks = wide.request_lanes = 32;
  auto degree = [&](uint32_t stride) {
    return shared_conflicts(lanes([=](uint32_t k) { return 4 * stride * k; }), ~0u, 4, wide, true).degree;
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

namespace {

/// 2.x: the replay of a quarter-warp's load is F.4.3.2's "one must add 1".
SharedConfig fermi() {
  SharedConfig shared;
  shared.banks = shared.request_lanes = 32;
  shared.broadcast = SharedBroadcast::every_word;
  shared.wide_access = WideAccess::fewer_lanes;
  shared.load_128_replays = 1;
  return shared;
}
/// 3.0, in its mode of 32 or 64 bits.
SharedConfig kepler(uint32_t interleave_bytes) {
  SharedConfig shared = fermi();
  shared.load_128_replays = 0;
  shared.bank_bytes = 8;
  shared.bank_interleave_bytes = interleave_bytes;
  return shared;
}
template <class F>
ConflictDegree on(const SharedConfig& shared, uint32_t element_bytes, F offset_of, bool load = true,
                  uint32_t mask = ~0u) {
  return shared_conflicts(lanes(offset_of), mask, element_bytes, shared, load);
}

}  // namespace

TEST_CASE("from compute capability 2.0 on every word is broadcast", "[shared]") {
  auto two_words = [](uint32_t k) { return k % 2 * 4; };
  CHECK(on(fermi(), 4, two_words).degree == 1);
  CHECK(on(fermi(), 4, two_words).replays == 0);
  SharedConfig one_word = fermi();
  one_word.broadcast = SharedBroadcast::one_word;
  CHECK(on(one_word, 4, two_words).degree == 2);
  CHECK(on(fermi(), 1, [](uint32_t k) { return k; }).degree == 1);  // an array of char: F.4.3
  // Different words of a bank still conflict, each of them read by several lanes.
  CHECK(on(fermi(), 4, [](uint32_t k) { return k % 4 * 128; }).degree == 4);
  CHECK(on(fermi(), 4, [](uint32_t k) { return k % 4 * 128; }).replays == 3);
  CHECK(on(fermi(), 4, [](uint32_t k) { return k * 8; }).degree == 2);
}

TEST_CASE("words drawn by chance: the most different words of a bank", "[shared]") {
  std::mt19937 random(2);
  for (uint32_t most : {8u, 100u, 4096u})
    for (int i = 0; i < 300; ++i) {
      uint32_t mask = i % 2 == 0 ? ~0u : static_cast<uint32_t>(random()) | 1;
      auto offsets = lanes([&](uint32_t) { return static_cast<uint32_t>(random()) % most * 4; });
      std::array<std::set<uint32_t>, 32> words;
      for (uint32_t k = 0; k < 32; ++k)
        if (((mask >> k) & 1) != 0) words[offsets[k] / 4 % 32].insert(offsets[k]);
      size_t expected = 0;
      for (const auto& bank : words) expected = std::max(expected, bank.size());
      CHECK(shared_conflicts(offsets, mask, 4, fermi(), true).degree == expected);
    }
}

TEST_CASE("64 bits are requests of half-warps, 128 bits of quarter-warps", "[shared]") {
  CHECK(on(fermi(), 8, [](uint32_t k) { return 8 * k; }).degree == 2);  // one each
  CHECK(on(fermi(), 8, [](uint32_t k) { return 8 * k; }).replays == 0);
  // Lanes 0 and 16 share a bank, but not a request; lanes 0 and 8 share both.
  CHECK(on(fermi(), 8, [](uint32_t k) { return 8 * (k % 16) + 1024 * (k / 16); }).replays == 0);
  CHECK(on(fermi(), 8, [](uint32_t k) { return 8 * (k % 8) + 1024 * (k / 8); }).degree == 4);
  CHECK(on(fermi(), 8, [](uint32_t k) { return 8 * (k % 8) + 1024 * (k / 8); }).replays == 2);
  CHECK(on(
            fermi(), 8, [](uint32_t k) { return 8 * k; }, true, 0xffff)
            .degree == 1);
  auto in_sequence = [](uint32_t k) { return 16 * k; };
  CHECK(on(fermi(), 16, in_sequence, false).degree == 4);
  CHECK(on(fermi(), 16, in_sequence, false).replays == 0);
  CHECK(on(fermi(), 16, in_sequence, true).degree == 8);  // a load: one more for each quarter
  CHECK(on(fermi(), 16, in_sequence, true).replays == 4);
}

TEST_CASE("compute capability 3.0: banks of 64 bits in two modes", "[shared]") {
  for (uint32_t mode : {4u, 8u}) {
    INFO("mode of " << 8 * mode << " bits");
    CHECK(on(kepler(mode), 4, [](uint32_t k) { return 4 * k; }).degree == 1);
    CHECK(on(kepler(mode), 8, [](uint32_t k) { return 8 * k; }).degree == 1);
    CHECK(on(kepler(mode), 16, [](uint32_t k) { return 16 * k; }).degree == 2);
    CHECK(on(kepler(mode), 4, [](uint32_t k) { return 8 * k; }).degree == 1);  // figure F-2, middle
  }
  // Words i and i + 32 of an aligned segment of 64 do not conflict in 32-bit mode; those of two segments do.
  auto halves = [](uint32_t k) { return 4 * (k % 2 * 32); };
  CHECK(on(kepler(4), 4, halves).degree == 1);
  CHECK(on(kepler(4), 4, [](uint32_t k) { return 4 * (32 + k % 2 * 32); }).degree == 2);
  // In 64-bit mode it is two neighbours that are served together, and words i and i + 64 that conflict.
  CHECK(on(kepler(8), 4, [](uint32_t k) { return 4 * (k % 2); }).degree == 1);
  CHECK(on(kepler(8), 4, [](uint32_t k) { return 4 * (k % 2 * 64); }).degree == 2);
  CHECK(on(kepler(8), 4, halves).degree == 1);  // other banks
  auto words_1_and_64 = [](uint32_t k) { return k % 2 == 0 ? 4 * 1 : 4 * 64; };
  CHECK(on(kepler(8), 4, words_1_and_64).degree == 2);
  CHECK(on(kepler(4), 4, words_1_and_64).degree == 1);
  CHECK(on(kepler(8), 4, [](uint32_t k) { return 4 * (k % 3 * 64); }).degree == 3);
}

TEST_CASE("constants that are served 8 bytes at a time", "[constant]") {
  ConstantConfig constant;
  constant.request_lanes = 32;
  constant.word_bytes = 8;
  auto degree = [&](uint32_t element_bytes, auto offset_of) {
    return constant_conflicts(lanes(offset_of), ~0u, element_bytes, constant).degree;
  };
  CHECK(degree(4, [](uint32_t) { return 40; }) == 1);
  CHECK(degree(8, [](uint32_t) { return 40; }) == 1);
  CHECK(degree(16, [](uint32_t) { return 32; }) == 2);
  CHECK(degree(4, [](uint32_t k) { return 4 * (k % 2); }) == 2);  // addresses, not words of 8 bytes
}
