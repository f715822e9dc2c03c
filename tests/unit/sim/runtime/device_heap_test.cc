// The device heap: alignment, exhaustion, reuse, and what is not taken back.
#include "sim/runtime/device_heap.h"

#include <catch2/catch.hpp>

#include "base/random.h"

namespace warptime::sim {

namespace {

DeviceHeap heap_of(uint64_t bytes, Addr begin = 0x1000) {
  DeviceHeap heap;
  heap.place(begin, bytes);
  return heap;
}

}  // namespace

TEST_CASE("blocks are at multiples of 16 bytes, and do not overlap") {
  DeviceHeap heap = heap_of(4096, 0x1008);
  Addr end = 0;
  for (uint64_t bytes : {0, 1, 15, 16, 17, 100, 1000}) {
    Addr address = heap.allocate(bytes);
    CHECK(address % 16 == 0);
    CHECK(address >= end);
    end = address + std::max<uint64_t>(bytes, 1);
  }
}

TEST_CASE("every byte can be given away, and not one more") {
  DeviceHeap heap = heap_of(1024);
  CHECK(heap.allocate(1025) == 0);
  CHECK(heap.allocate(~uint64_t{0}) == 0);
  CHECK(heap.allocate(~uint64_t{0} - 7) == 0);
  Addr all = heap.allocate(1024);
  CHECK(all == 0x1000);
  CHECK(heap.allocate(0) == 0);
  CHECK(heap.free(all));
  for (int i = 0; i < 64; ++i) CHECK(heap.allocate(16) != 0);
  CHECK(heap.allocate(1) == 0);
  CHECK(heap_of(0).allocate(1) == 0);
  CHECK(heap_of(8, 0x1008).allocate(1) == 0);  // no multiple of 16 within
}

TEST_CASE("freed neighbours become one range again, in any order") {
  for (auto order : {std::array{0, 1, 2}, std::array{2, 1, 0}, std::array{0, 2, 1}, std::array{1, 0, 2}}) {
    DeviceHeap heap = heap_of(48);
    std::array<Addr, 3> blocks{heap.allocate(16), heap.allocate(16), heap.allocate(16)};
    for (int i : order) CHECK(heap.free(blocks[static_cast<size_t>(i)]));
    CHECK(heap.allocate(48) == 0x1000);
  }
}

TEST_CASE("the smallest range that is large enough is taken, of equal ones the lowest") {
  DeviceHeap heap = heap_of(1024);
  Addr a = heap.allocate(64), b = heap.allocate(16), c = heap.allocate(32), d = heap.allocate(16),
       e = heap.allocate(32);
  CHECK(heap.allocate(16) != 0);
  CHECK((b != 0 && d != 0));
  for (Addr block : {a, e, c}) CHECK(heap.free(block));
  CHECK(heap.allocate(20) == c);
  CHECK(heap.allocate(20) == e);
  CHECK(heap.allocate(20) == a);
}

TEST_CASE("only what malloc returned is taken back, once") {
  DeviceHeap heap = heap_of(1024);
  Addr block = heap.allocate(64);
  CHECK_FALSE(heap.free(block + 16));
  CHECK(heap.place_of(block + 16) == DeviceHeap::Place::WithinBlock);
  CHECK_FALSE(heap.free(0x500));
  CHECK(heap.place_of(0x500) == DeviceHeap::Place::Outside);
  CHECK(heap.place_of(0x1000 + 1024) == DeviceHeap::Place::Outside);
  CHECK(heap.free(block));
  CHECK_FALSE(heap.free(block));
  CHECK(heap.place_of(block) == DeviceHeap::Place::Free);
}

TEST_CASE("thousands of random calls lose no byte and give none away twice") {
  SplitMix64 random(29);
  DeviceHeap heap = heap_of(1 << 16);
  std::map<Addr, uint64_t> blocks;
  for (int i = 0; i < 20'000; ++i) {
    if (blocks.empty() || random.next() % 2 == 0) {
      uint64_t bytes = 1 + random.next() % 700;
      Addr address = heap.allocate(bytes);
      if (address == 0) continue;
      auto after = blocks.lower_bound(address);
      REQUIRE((after == blocks.end() || address + bytes <= after->first));
      REQUIRE((after == blocks.begin() || std::prev(after)->first + std::prev(after)->second <= address));
      blocks[address] = bytes;
    } else {
      auto block = blocks.lower_bound(0x1000 + random.next() % (1 << 16));
      if (block == blocks.end()) continue;
      REQUIRE(heap.free(block->first));
      blocks.erase(block);
    }
  }
  for (auto [address, bytes] : blocks) CHECK(heap.free(address));
  CHECK(heap.bytes_free() == 1 << 16);
  CHECK(heap.allocate(1 << 16) == 0x1000);
}

}  // namespace warptime::sim
