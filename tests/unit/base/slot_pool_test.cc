#include "base/slot_pool.h"

#include <catch2/catch.hpp>
#include <set>

using namespace warptime;

TEST_CASE("a slot pool hands out distinct slots and takes them back", "[slot_pool]") {
  SlotPool<int, 4> pool;
  std::set<uint32_t> taken;
  for (int i = 0; i < 10; ++i) taken.insert(pool.take());
  CHECK(taken.size() == 10);
  CHECK(pool.in_use() == 10);
  CHECK(pool.capacity() == 12);
  pool.give_back(5);
  pool.give_back(2);
  CHECK(pool.take() == 2);  // the last one given back
  CHECK(pool.take() == 5);
}

TEST_CASE("growing does not move what is in a slot pool", "[slot_pool]") {
  SlotPool<int, 4> pool;
  uint32_t first = pool.take();
  int* place = &pool[first];
  *place = 42;
  for (int i = 0; i < 100; ++i) pool.take();
  CHECK(&pool[first] == place);
  CHECK(pool[first] == 42);
}
