#include "analysis/memory/lru_cache.h"

#include <catch2/catch.hpp>

using namespace warptime;
using analysis::LruCache;

namespace {

sim::CacheConfig cache_config(uint32_t bytes, uint32_t line, uint32_t ways) {
  sim::CacheConfig out;
  out.bytes = bytes;
  out.line_bytes = line;
  out.ways = ways;
  return out;
}

}  // namespace

TEST_CASE("cache tags: the least recently used line of a set goes") {
  LruCache cache(cache_config(256, 32, 2));  // four sets
  Addr evicted = 0;
  CHECK_FALSE(cache.find(0));
  CHECK_FALSE(cache.fill(0, false, evicted));
  CHECK_FALSE(cache.fill(128, false, evicted));  // the same set
  CHECK(cache.find(31));                         // the same line as 0, now the most recently used
  CHECK_FALSE(cache.fill(256, false, evicted));  // 128 goes
  CHECK(cache.find(0));
  CHECK_FALSE(cache.find(128));
  CHECK(cache.find(256));
  CHECK_FALSE(cache.find(32));  // another set
}

TEST_CASE("cache tags: a dirty line is written when it goes, and not once it was evicted") {
  LruCache cache(cache_config(64, 32, 1));
  Addr evicted = 0;
  cache.fill(64, true, evicted);
  CHECK(cache.fill(0, false, evicted));
  CHECK(evicted == 64);
  cache.fill(32, true, evicted);
  cache.evict(40);
  CHECK_FALSE(cache.find(32));
  CHECK_FALSE(cache.fill(96, false, evicted));
  cache.fill(96, true, evicted);  // becomes dirty while it is there
  CHECK(cache.fill(32, false, evicted));
  CHECK(evicted == 96);
}

TEST_CASE("cache tags: a cache of no bytes has nothing") {
  LruCache cache(cache_config(0, 32, 2));
  Addr evicted = 0;
  CHECK_FALSE(cache.exists());
  CHECK_FALSE(cache.fill(0, true, evicted));
  CHECK_FALSE(cache.find(0));
  cache.evict(0);
}
