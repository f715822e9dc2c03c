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
