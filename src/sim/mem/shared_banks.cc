// Bank conflicts as CUDA C Programming Guide 4.2, F.3.3.1 describes them: a request is served as often as its conflict
// degree says, each time every lane of one broadcast word, and one lane of each other bank. Which word is broadcast is
// unspecified there; here it is, in the bank with most lanes waiting, the word with most lanes waiting (ties: lowest
// lane).
#include "sim/mem/shared_banks.h"

#include <algorithm>
#include <array>
#include <bit>

namespace warptime::sim {

namespace {

/// Conflict degree of `count` lanes, in lane order, that access these words.
uint32_t degree_by_the_rule(std::array<uint32_t, 32>& words, uint32_t count, uint32_t banks) {
  uint32_t degree = 0;
  while (count > 0) {
    ++degree;
    std::array<uint8_t, 128> in_bank{};
    for (uint32_t i = 0; i < count; ++i) ++in_bank[words[i] % banks];
    uint32_t broadcast = words[0], most_in_bank = 0, most_of_word = 0;
    for (uint32_t i = 0; i < count; ++i) {
      uint32_t waiting = in_bank[words[i] % banks];
      if (waiting < most_in_bank) continue;
      auto same = static_cast<uint32_t>(std::count(words.begin(), words.begin() + count, words[i]));
      if (waiting > most_in_bank || same > most_of_word) {
        broadcast = words[i];
        most_in_bank = waiting;
        most_of_word = same;
      }
    }
    std::array<bool, 128> busy{};
    busy[broadcast % banks] = true;
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; ++i) {
      uint32_t word = words[i];
      if (word == broadcast) continue;
      if (busy[word % banks]) words[left++] = word;
      else busy[word % banks] = true;
    }
    count = left;
  }
  return degree;
}

/// The same of words that all differ: the most that any bank has. 0: two are the same.
uint32_t degree_of_different(const std::array<uint32_t, 32>& words, uint32_t count, uint32_t banks) {
  // Lists of each bank's lanes, counted from 1, the last one first.
  std::array<uint8_t, 128> last{};
  std::array<uint8_t, 33> before, depth;
  depth[0] = 0;
  uint32_t degree = 0;
  for (uint32_t i = 0; i < count; ++i) {
    uint8_t& in_bank = last[words[i] & (banks - 1)];
    for (uint8_t lane = in_bank; lane != 0; lane = before[lane])
      if (words[lane - 1u] == words[i]) return 0;
    auto lane = static_cast<uint8_t>(i + 1);
    before[lane] = in_bank;
    depth[lane] = static_cast<uint8_t>(depth[in_bank] + 1);
    in_bank = lane;
    degree = std::max<uint32_t>(degree, depth[lane]);
  }
  return degree;
}

/// Distinct words among the first `count`.
uint32_t distinct_words(std::array<uint32_t, 32>& words, uint32_t count) {
  std::sort(words.begin(), words.begin() + count);
  return static_cast<uint32_t>(std::unique(words.begin(), words.begin() + count) - words.begin());
}

/// Calls degree_of(words, count) for each word position of each group of lanes; sums up what it returns.
template <class DegreeOf>
ConflictDegree over_requests(std::span<const uint32_t, 32> addresses, uint32_t mask, uint32_t element_bytes,
                             uint32_t request_lanes, DegreeOf degree_of) {
  uint32_t words_per_element = std::max(1u, element_bytes / 4);
  ConflictDegree result{0, 0};
  for (uint32_t first = 0; first < 32; first += request_lanes) {
    uint32_t lanes = request_lanes == 32 ? mask : (mask >> first) & ((1u << request_lanes) - 1);
    if (lanes == 0) continue;
    uint32_t degree = 0;
    for (uint32_t word = 0; word < words_per_element; ++word) {
      std::array<uint32_t, 32> words;
      uint32_t count = 0;
      for (uint32_t rest = lanes; rest != 0; rest &= rest - 1)
        words[count++] = addresses[first + static_cast<uint32_t>(std::countr_zero(rest))] / 4 + word;
      uint32_t of_word = degree_of(words, count);
      degree += of_word;
      result.replays += of_word - 1;
    }
    result.degree = std::max(result.degree, degree);
  }
  result.degree = std::max(result.degree, 1u);
  return result;
}

bool all_same(const std::array<uint32_t, 32>& words, uint32_t count) {
  uint32_t differences = 0;
  for (uint32_t i = 1; i < count; ++i) differences |= words[i] ^ words[0];
  return differences == 0;
}

/// Whether each request of a full warp is one address, or consecutive words: nearly all accesses, found without a
/// branch a lane. The number of lanes is a constant so that compilers make vector code of it.
template <uint32_t kRequestLanes>
bool conflict_free(std::span<const uint32_t, 32> addresses) {
  for (uint32_t first = 0; first < 32; first += kRequestLanes) {
    uint32_t same = 0, consecutive = 0, address = addresses[first];
    for (uint32_t i = 0; i < kRequestLanes; ++i) {
      same |= addresses[first + i] ^ address;
      consecutive |= addresses[first + i] ^ (address + 4 * i);
    }
    if (same != 0 && consecutive != 0) return false;
  }
  return true;
}

}  // namespace

ConflictDegree shared_conflicts(std::span<const uint32_t, 32> addresses, uint32_t mask, uint32_t element_bytes,
                                uint32_t banks, uint32_t request_lanes) {
  bool simple = mask == 0xffffffffu && element_bytes == 4 && request_lanes <= banks;
  if (simple && request_lanes == 16 && conflict_free<16>(addresses)) return {1, 0};
  if (simple && request_lanes == 32 && conflict_free<32>(addresses)) return {1, 0};
  return over_requests(addresses, mask, element_bytes, request_lanes,
                       [banks](std::array<uint32_t, 32>& words, uint32_t count) {
                         // The two common cases, a word each from different banks and one word for all, have no
                         // conflict.
                         std::array<uint64_t, 2> used{};
                         for (uint32_t i = 0; i < count; ++i) {
                           uint32_t bank = words[i] & (banks - 1);
                           used[bank / 64] |= uint64_t{1} << (bank % 64);
                         }
                         auto different = static_cast<uint32_t>(std::popcount(used[0]) + std::popcount(used[1]));
                         if (different == count || all_same(words, count)) return 1u;
                         uint32_t degree = degree_of_different(words, count, banks);
                         return degree != 0 ? degree : degree_by_the_rule(words, count, banks);
                       });
}

ConflictDegree constant_conflicts(std::span<const uint32_t, 32> addresses, uint32_t mask, uint32_t element_bytes,
                                  uint32_t request_lanes) {
  return over_requests(addresses, mask, element_bytes, request_lanes,
                       [](std::array<uint32_t, 32>& words, uint32_t count) {
                         return all_same(words, count) ? 1u : distinct_words(words, count);
                       });
}

}  // namespace warptime::sim
