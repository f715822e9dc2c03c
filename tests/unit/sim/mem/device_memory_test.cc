#include "sim/mem/device_memory.h"

#include <catch2/catch.hpp>

using namespace warptime;
using namespace warptime::sim;

TEST_CASE("allocations are aligned, in order, with a gap", "[device_memory]") {
  DeviceMemory memory(1 << 20, 256);
  Addr a = memory.allocate(100, "a").value();
  Addr b = memory.allocate(256, "b").value();
  Addr c = memory.allocate(1, "c", 4096).value();
  CHECK(a == kDeviceBase);
  CHECK(b == kDeviceBase + 512);  // 100 + 256 of gap, rounded up
  CHECK(c == kDeviceBase + 4096);
  CHECK(memory.allocations().size() == 3);
  CHECK(memory.allocations()[1].name == "b");
}

TEST_CASE("find knows every byte of an allocation and none beside it", "[device_memory]") {
  DeviceMemory memory(1 << 20, 256);
  for (int i = 0; i < 50; ++i) memory.allocate(100, "x" + std::to_string(i));
  for (const DeviceMemory::Allocation& allocation : memory.allocations()) {
    CHECK(memory.find(allocation.begin, 100) == &allocation);
    CHECK(memory.find(allocation.begin, 101) == nullptr);
    CHECK(memory.find(allocation.begin + 99, 1) == &allocation);
    CHECK(memory.find(allocation.begin + 99, 2) == nullptr);
    CHECK(memory.find(allocation.end(), 1) == nullptr);
    CHECK(memory.find(allocation.begin - 1, 1) == nullptr);
    CHECK(memory.find(allocation.begin - 1, 2) == nullptr);
  }
  CHECK(memory.find(0, 4) == nullptr);
  CHECK(memory.find(~Addr{0}, 4) == nullptr);
  CHECK(memory.find(kDeviceBase, ~uint64_t{0}) == nullptr);
}

TEST_CASE("the capacity is all there, and no more", "[device_memory]") {
  DeviceMemory memory(1 << 20, 256);
  CHECK(memory.bytes_free() == 1 << 20);
  CHECK_FALSE(memory.allocate((1 << 20) + 1, "too much"));
  CHECK_FALSE(memory.allocate(~uint64_t{0}, "far too much"));
  Addr all = memory.allocate(1 << 20, "all").value();
  *memory.at(all + (1 << 20) - 1) = std::byte{1};
  CHECK(memory.bytes_free() == 0);
  CHECK_FALSE(memory.allocate(1, "one more"));
}

TEST_CASE("an allocation of nothing holds nothing", "[device_memory]") {
  DeviceMemory memory(1 << 20, 256);
  Addr nothing = memory.allocate(0, "nothing").value();
  Addr next = memory.allocate(4, "next").value();
  CHECK(nothing != next);
  CHECK(memory.find(nothing, 1) == nullptr);
}

TEST_CASE("memory is zero at first", "[device_memory]") {
  DeviceMemory memory(64 << 20, 256);
  Addr a = memory.allocate(1 << 20, "a").value();
  CHECK(*memory.at(a) == std::byte{0});
  CHECK(*memory.at(a + 12345) == std::byte{0});
}

TEST_CASE("a capacity that the host cannot map leaves nothing to allocate", "[device_memory]") {
  DeviceMemory memory(uint64_t{1} << 62, 256);
  CHECK(memory.bytes_free() == 0);
  CHECK_FALSE(memory.allocate(1, "x"));
}
