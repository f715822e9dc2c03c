// Bank conflicts as CUDA C Programming Guide 4.2 describes them: a request is served as often as its conflict degree
// says. On compute capability 1.x (F.3.3.1) each time every lane of one broadcast word, and one lane of each other
// bank. Which word is broadcast is unspecified there; here it is, in the bank with most lanes waiting, the word with
// most lanes waiting (ties: lowest lane). From 2.0 on (F.4.3, F.5.3) each time all lanes of a word of each bank.
#include "sim/mem/shared_banks.h"

#include <algorithm>
#include <array>
#include <bit>

namespace warptime::sim {

namespace {

constexpr uint32_t kMostWords = 128;  // of a request: 32 lanes of 16 bytes

/// Conflict degree of `count` lanes, in lane order, that access these words.
uint32_t degree_by_the_rule(std::span<uint32_t> words, uint32_t count, uint32_t banks) {
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

/// The degree of words that all differ: the most that any bank has. 0: two are the same.
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

/// The degree where every word is broadcast: the most different words that any bank has.
uint32_t degree_of_words(std::span<const uint32_t> words, uint32_t count, uint32_t banks) {
  // Lists of each bank's words, counted from 1, the last one first.
  std::array<uint8_t, 128> last{};
  std::array<uint8_t, kMostWords + 1> before, depth;
  depth[0] = 0;
  uint32_t degree = 0;
  for (uint32_t i = 0; i < count; ++i) {
    uint8_t& in_bank = last[words[i] & (banks - 1)];
    uint8_t same = in_bank;
    while (same != 0 && words[same - 1u] != words[i]) same = before[same];
    if (same != 0) continue;
    auto word = static_cast<uint8_t>(i + 1);
    before[word] = in_bank;
    depth[word] = static_cast<uint8_t>(depth[in_bank] + 1);
    in_bank = word;
    degree = std::max<uint32_t>(degree, depth[word]);
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
                             uint32_t request_lanes, uint32_t word_bytes, DegreeOf degree_of) {
  uint32_t words_per_element = std::max(1u, element_bytes / word_bytes), step = word_bytes / 4;
  ConflictDegree result{0, 0};
  for (uint32_t first = 0; first < 32; first += request_lanes) {
    uint32_t lanes = request_lanes == 32 ? mask : (mask >> first) & ((1u << request_lanes) - 1);
    if (lanes == 0) continue;
    uint32_t degree = 0;
    for (uint32_t word = 0; word < words_per_element; ++word) {
      std::array<uint32_t, 32> words;
      uint32_t count = 0;
      for (uint32_t rest = lanes; rest != 0; rest &= rest - 1)
        words[count++] = addresses[first + static_cast<uint32_t>(std::countr_zero(rest))] / 4 + word * step;
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
/// branch per lane. The number of lanes is a constant so that compilers make vector code of it.
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

/// What a bank serves in one step, as the number of its row times `banks` and its own: of a bank of 8 bytes two words,
/// which are neighbours or, with words in turn in all banks, in the halves of 2 x `banks` words.
uint32_t served_together(uint32_t word, const SharedConfig& shared) {
  if (shared.bank_bytes == 4) return word;
  if (shared.bank_interleave_bytes == 8) return word / 2;
  return word / (2 * shared.banks) * shared.banks + word % shared.banks;
}

/// Every rule, in general. Of `request_lanes` lanes, so many accesses are served one after another: with
/// WideAccess::words one for each word of the elements; else one for as many lanes as all banks have bytes for.
ConflictDegree conflicts_in_general(std::span<const uint32_t, 32> addresses, uint32_t mask, uint32_t element_bytes,
                                    const SharedConfig& shared, bool load) {
  const uint32_t words = std::max(1u, element_bytes / 4), lanes = shared.request_lanes;
  const bool whole = shared.wide_access == WideAccess::fewer_lanes;
  const uint32_t lanes_each =
      whole ? std::clamp(shared.banks * shared.bank_bytes / std::max(element_bytes, 4u), 1u, lanes) : lanes;
  const uint32_t words_each = whole ? words : 1;
  const uint32_t more = whole && load && element_bytes == 16 ? shared.load_128_replays : 0;
  ConflictDegree result{0, 0};
  for (uint32_t request = 0; request < 32; request += lanes) {
    uint32_t degree = 0;
    for (uint32_t first = request; first < request + lanes; first += lanes_each)
      for (uint32_t word = 0; word < words; word += words_each) {
        std::array<uint32_t, kMostWords> served;
        uint32_t count = 0;
        for (uint32_t lane = first; lane < first + lanes_each; ++lane)
          for (uint32_t i = 0; ((mask >> lane) & 1) != 0 && i < words_each; ++i)
            served[count++] = served_together(addresses[lane] / 4 + word + i, shared);
        if (count == 0) continue;
        const uint32_t of_these =
            more + (shared.broadcast == SharedBroadcast::every_word ? degree_of_words(served, count, shared.banks)
                                                                    : degree_by_the_rule(served, count, shared.banks));
        degree += of_these;
        result.replays += of_these - 1;
      }
    result.degree = std::max(result.degree, degree);
  }
  result.degree = std::max(result.degree, 1u);
  return result;
}

}  // namespace

ConflictDegree shared_conflicts(std::span<const uint32_t, 32> addresses, uint32_t mask, uint32_t element_bytes,
                                const SharedConfig& shared, bool load) {
  const uint32_t banks = shared.banks, request_lanes = shared.request_lanes;
  bool simple = mask == 0xffffffffu && element_bytes == 4 && request_lanes <= banks;
  if (simple && request_lanes == 16 && conflict_free<16>(addresses)) return {1, 0};
  if (simple && request_lanes == 32 && conflict_free<32>(addresses)) return {1, 0};
  if (shared.broadcast != SharedBroadcast::one_word || shared.wide_access != WideAccess::words ||
      shared.bank_bytes != 4)
    return conflicts_in_general(addresses, mask, element_bytes, shared, load);
  return over_requests(addresses, mask, element_bytes, request_lanes, 4,
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
                                  const ConstantConfig& constant) {
  return over_requests(addresses, mask, element_bytes, constant.request_lanes, constant.word_bytes,
                       [](std::array<uint32_t, 32>& words, uint32_t count) {
                         return all_same(words, count) ? 1u : distinct_words(words, count);
                       });
}

}  // namespace warptime::sim
