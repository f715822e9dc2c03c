// Tags: sets, ways, the least recently used line goes first.
#include "sim/mem/cache_tags.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "base/state_archive.h"

using namespace warptime;
using namespace warptime::sim;

TEST_CASE("a line holds every address in it, from the cycle it is ready", "[cache]") {
  CacheTags cache(CacheConfig{512, 64, 4, 0});
  CHECK(cache.find(130) == nullptr);
  CHECK(cache.fill(130, 77).address == CacheTags::kNowhere);
  REQUIRE(cache.find(128) != nullptr);
  CHECK(cache.find(128)->ready == 77);
  CHECK(cache.find(191) != nullptr);
  CHECK(cache.find(192) == nullptr);
  CHECK(cache.line_of(191) == 128);
}

TEST_CASE("the least recently used line of a set goes", "[cache]") {
  CacheTags cache(CacheConfig{512, 64, 4, 0});  // two sets of four
  for (Addr i = 0; i < 4; ++i) cache.fill(i * 128, i, i == 1);
  cache.find(0);  // now line 128 is the oldest
  CacheTags::Line gone = cache.fill(4 * 128, 9);
  CHECK(gone.address == 128);
  CHECK(gone.dirty);
  CHECK(cache.find(0) != nullptr);
  CHECK(cache.find(128) == nullptr);
  CHECK(cache.fill(64, 9).address == CacheTags::kNowhere);  // the other set is empty
}

TEST_CASE("an evicted line is gone and leaves its place", "[cache]") {
  CacheTags cache(CacheConfig{128, 64, 2, 0});
  cache.fill(0, 0);
  cache.fill(64, 0);
  cache.evict(70);
  CHECK(cache.find(64) == nullptr);
  CHECK(cache.fill(128, 0).address == CacheTags::kNowhere);
  CHECK(cache.find(0) != nullptr);
}

TEST_CASE("a range evicts the lines that hold bytes of it", "[cache]") {
  // A range of few lines is looked up line by line; of a longer one all lines of the cache are compared.
  for (Addr length : {Addr{2}, Addr{66}, Addr{1} << 40}) {
    CAPTURE(length);
    CacheTags cache(CacheConfig{512, 64, 4, 0});
    for (Addr line = 0; line < 8; ++line) cache.fill(line * 64, 5);
    cache.evict_range(127, 127);
    CHECK(cache.find(64) != nullptr);
    cache.evict_range(127, 127 + length);
    CHECK(cache.find(0) != nullptr);
    CHECK(cache.find(64) == nullptr);
    CHECK(cache.find(128) == nullptr);
    CHECK((cache.find(192) == nullptr) == (length > 65));
    CHECK((cache.find(256) == nullptr) == (length > 66));
    CHECK((cache.find(448) == nullptr) == (length > 66));
  }
}

TEST_CASE("settled lines are there at once, and go in the same order", "[cache]") {
  CacheTags cache(CacheConfig{128, 64, 2, 0});
  cache.fill(0, 70, true);
  cache.fill(64, 80);
  cache.find(0);
  cache.settle();
  CHECK(cache.find(64)->ready == 0);
  cache.find(0);
  CHECK(cache.fill(128, 3).address == 64);
  const CacheTags::Line gone = cache.fill(192, 3);
  CHECK(gone.address == 0);
  CHECK(gone.dirty);
}

TEST_CASE("a cache of no bytes is not there", "[cache]") {
  CacheTags cache(CacheConfig{});
  CHECK_FALSE(cache.exists());
  CHECK(cache.fill(0, 0).address == CacheTags::kNowhere);
  CHECK(cache.find(0) == nullptr);
}

TEST_CASE("any number of ways is searched as one after the other would be", "[cache]") {
  for (uint32_t ways : {1u, 2u, 5u, 8u, 20u, 24u}) {
    CacheTags cache(CacheConfig{ways * 32, 32, ways, 0});  // one set
    std::vector<Addr> lines;                               // the least recently used first
    std::mt19937 random(ways);
    for (int i = 0; i < 20000; ++i) {
      Addr line = random() % (2 * ways) * 32 + (random() % 4 == 0 ? Addr{1} << 40 : 0);
      auto known = std::find(lines.begin(), lines.end(), line);
      const CacheTags::Line* found = cache.find(line + random() % 32);
      REQUIRE((found != nullptr) == (known != lines.end()));
      Addr gone = CacheTags::kNowhere;
      if (found != nullptr) {
        REQUIRE(found->address == line);
        lines.erase(known);
      } else {
        if (lines.size() == ways) {
          gone = lines.front();
          lines.erase(lines.begin());
        }
        REQUIRE(cache.fill(line, 0).address == gone);
      }
      lines.push_back(line);
      if (random() % 64 == 0) {
        cache.evict(lines.back());
        lines.pop_back();
      }
    }
  }
}

TEST_CASE("a saved order that does not name each way once is refused", "[cache]") {
  CacheTags cache(CacheConfig{3 * 12 * 64, 64, 12, 0});
  for (Addr i = 0; i < 50; ++i) cache.fill(i * 64, i);
  std::vector<std::byte> saved;
  StateWriter writer(saved);
  cache.serialize(writer);
  CacheTags same(CacheConfig{3 * 12 * 64, 64, 12, 0});
  StateReader reader(saved);
  same.serialize(reader);
  for (Addr i = 0; i < 50; ++i) CHECK((same.find(i * 64) != nullptr) == (cache.find(i * 64) != nullptr));

  const size_t last_order = saved.size() - 8;
  for (size_t at = last_order; at < saved.size(); ++at)
    for (const int way : {0, 200}) {
      auto forged = saved;
      forged[at] = static_cast<std::byte>(forged[at] == std::byte{0} ? 1 : way);
      StateReader of_forged(forged);
      CHECK_THROWS_AS(same.serialize(of_forged), StateError);
    }
}

namespace {

/// Pseudo-LRU as it is built: a bit for each node of a binary tree over the ways of one set, which points to the half
/// that was not used last.
class TreeOfBits {
 public:
  explicit TreeOfBits(uint32_t ways) : lines_(ways, CacheTags::kNowhere), bits_(ways) {}

  bool find(Addr line) {
    for (size_t way = 0; way < lines_.size(); ++way)
      if (lines_[way] == line) return use(way), true;
    return false;
  }
  Addr fill(Addr line) {
    size_t way = std::find(lines_.begin(), lines_.end(), CacheTags::kNowhere) - lines_.begin();
    if (way == lines_.size()) {
      size_t node = 1;
      while (node < lines_.size()) node = node * 2 + (bits_[node] ? 1 : 0);
      way = node - lines_.size();
    }
    use(way);
    return std::exchange(lines_[way], line);
  }

 private:
  void use(size_t way) {
    for (size_t node = way + lines_.size(); node > 1; node /= 2) bits_[node / 2] = node % 2 == 0;
  }
  std::vector<Addr> lines_;  // a power of two of them
  std::vector<bool> bits_;   // by node from 1: the right half is next
};

}  // namespace

TEST_CASE("pseudo-LRU replaces what a tree of bits replaces", "[cache]") {
  for (const uint32_t ways : {2u, 4u, 8u, 16u}) {
    CAPTURE(ways);
    CacheTags cache(CacheConfig{64 * ways, 64, ways, 0}, {.replacement = Replacement::pseudo_lru});
    TreeOfBits tree(ways);
    std::mt19937 random(ways);
    uint32_t replaced = 0;
    for (int i = 0; i < 4000; ++i) {
      const Addr line = random() % (2 * ways) * 64;
      const bool there = cache.find(line) != nullptr;
      REQUIRE(there == tree.find(line));
      if (there) continue;
      const Addr gone = cache.fill(line, 0).address;
      // Which of the empty ways is filled first is free.
      if (gone != CacheTags::kNowhere || replaced != 0) REQUIRE(gone == tree.fill(line));
      else tree.fill(line);
      replaced += gone != CacheTags::kNowhere ? 1 : 0;
    }
    CHECK(replaced > 500);
  }
}

TEST_CASE("random replacement fills empty ways first, then any, and the same ones each time", "[cache]") {
  std::vector<Addr> first;
  for (int run = 0; run < 2; ++run) {
    CacheTags cache(CacheConfig{64 * 8, 64, 8, 0}, {.replacement = Replacement::random});
    for (Addr line = 0; line < 8; ++line) CHECK(cache.fill(line * 64, 0).address == CacheTags::kNowhere);
    std::vector<Addr> gone;
    for (Addr line = 8; line < 200; ++line) gone.push_back(cache.fill(line * 64, 0).address);
    // LRU would replace them in the order in which they came.
    CHECK_FALSE(std::is_sorted(gone.begin(), gone.end()));
    if (run == 0) first = gone;
    CHECK(gone == first);
    std::sort(gone.begin(), gone.end());
    CHECK(std::adjacent_find(gone.begin(), gone.end()) == gone.end());
  }
}

TEST_CASE("hashed sets hold lines at a stride that low bits would send to one set", "[cache]") {
  for (const uint32_t sets : {64u, 48u}) {  // a power of two, and not
    CAPTURE(sets);
    auto kept = [&](SetIndex index, Addr stride) {
      CacheTags cache(CacheConfig{128 * sets, 128, 1, 0}, {.sets = index});
      for (Addr i = 0; i < 32; ++i) cache.fill(i * stride, 0);
      uint32_t there = 0;
      for (Addr i = 0; i < 32; ++i) there += cache.find(i * stride) != nullptr ? 1 : 0;
      return there;
    };
    CHECK(kept(SetIndex::low_bits, Addr{128} * sets) == 1);
    CHECK(kept(SetIndex::hashed, Addr{128} * sets) >= 24);
    CHECK(kept(SetIndex::hashed, 128) == 32);  // neighbours stay apart
  }
}

TEST_CASE("sectors of granules, and back", "[cache]") {
  const CacheTags quarters(CacheConfig{4096, 128, 4, 0}, {.sector_bytes = 32}),
      halves(CacheConfig{4096, 128, 4, 0}, {.sector_bytes = 64}), whole(CacheConfig{4096, 128, 4, 0}),
      short_lines(CacheConfig{4096, 64, 4, 0});
  CHECK(quarters.sectors_of(0b1010) == 0b1010);
  CHECK(halves.sectors_of(0b1000) == 0b10);
  CHECK(halves.granules_of(0b10) == 0b1100);
  CHECK(whole.sectors_of(0b0100) == 1);
  CHECK(whole.granules_of(1) == 0b1111);
  std::vector<std::pair<uint32_t, uint32_t>> parts;
  short_lines.for_each_part(0b1110, [&](uint32_t first, uint32_t part) { parts.push_back({first, part}); });
  CHECK(parts == std::vector<std::pair<uint32_t, uint32_t>>{{0, 0b10}, {2, 0b11}});
}
