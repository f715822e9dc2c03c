#include "sim/mem/device_memory.h"

#include <catch2/catch.hpp>
#include <new>

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

TEST_CASE("a capacity that the host cannot map is an error that says how much it was", "[device_memory]") {
  CHECK_THROWS_WITH(DeviceMemory(uint64_t{1} << 62, 256),
                    Catch::Contains("device memory (memory.bytes) needs 46116860184274") &&
                        Catch::Contains("bytes of host memory, which this process cannot get"));
  CHECK_THROWS_AS(DeviceMemory(uint64_t{1} << 62, 256), std::bad_alloc);
}

TEST_CASE("released memory is zero and used again only when no other is left", "[device_memory]") {
  DeviceMemory memory(1 << 20, 256);
  Addr a = memory.allocate(300'000, "a").value();
  Addr b = memory.allocate(300'000, "b").value();
  for (uint64_t i = 0; i < 300'000; ++i) *memory.at(a + i) = std::byte{1};
  for (uint64_t i = 0; i < 300'000; ++i) *memory.at(b + i) = std::byte{2};
  CHECK(memory.release(a));
  CHECK_FALSE(memory.release(a));
  CHECK_FALSE(memory.release(b + 1));
  CHECK(memory.find(a, 1) == nullptr);
  CHECK(memory.released_at(a + 299'999)->name == "a");
  CHECK(memory.released_at(a + 300'000) == nullptr);

  Addr c = memory.allocate(300'000, "c").value();
  CHECK(c > b);
  CHECK(memory.allocate(300'000, "d").value() == a);
  CHECK(memory.find(a, 300'000)->name == "d");
  uint64_t ones = 0, twos = 0;
  for (uint64_t i = 0; i < 300'000; ++i) ones += *memory.at(a + i) != std::byte{0};
  for (uint64_t i = 0; i < 300'000; ++i) twos += *memory.at(b + i) == std::byte{2};
  CHECK(ones == 0);
  CHECK(twos == 300'000);
}

TEST_CASE("gaps keep their distance, whatever is released and allocated", "[device_memory]") {
  DeviceMemory memory(100'000, 256);
  uint32_t random = 1;
  auto next = [&random](uint32_t below) { return (random = random * 1664525u + 1013904223u) / 65536 % below; };
  std::vector<Addr> live;
  size_t refused = 0;
  for (int i = 0; i < 5000; ++i) {
    if (!live.empty() && next(2) == 0) {
      size_t which = next(static_cast<uint32_t>(live.size()));
      CHECK(memory.release(live[which]));
      live.erase(live.begin() + static_cast<ptrdiff_t>(which));
    } else {
      const uint64_t most = memory.bytes_free(), bytes = next(20'000);
      auto at = memory.allocate(bytes, "x", next(3) == 0 ? 1024 : 0);
      if (at) live.push_back(*at);
      else ++refused;
      if (!at && bytes > 0) CHECK((bytes > most || most < 20'000));
      if (bytes > most) CHECK_FALSE(at);
    }
    auto all = memory.allocations();
    REQUIRE(all.size() == live.size());
    for (size_t k = 0; k < all.size(); ++k) {
      REQUIRE(all[k].begin % 256 == 0);
      REQUIRE(all[k].end() <= kDeviceBase + 100'000);
      if (k > 0) REQUIRE(all[k].begin >= all[k - 1].end() + 256);
    }
  }
  CHECK(refused > 0);
  while (!live.empty()) {
    CHECK(memory.release(live.back()));
    live.pop_back();
  }
  CHECK(memory.bytes_free() == 100'000);
}

TEST_CASE("messages know the last releases only", "[device_memory]") {
  DeviceMemory memory(1 << 20, 256);
  Addr first = memory.allocate(1, "first").value();
  memory.release(first);
  for (size_t i = 0; i < DeviceMemory::kReleasesKept; ++i) {
    CHECK(memory.released_at(first) != nullptr);
    memory.release(memory.allocate(1, "x").value());
  }
  CHECK(memory.released_at(first) == nullptr);
}

// Both ways to have the host's bytes, whichever this host uses.
TEMPLATE_TEST_CASE("bytes are zero until they are written, and after they are cleared", "[device_memory]", MappedBytes,
                   GrownBytes) {
  constexpr Addr kEnd = Addr{64} << 20;
  TestType bytes(kEnd);
  std::byte* at = bytes.reach(kDeviceBase + 100);
  at[kDeviceBase + 99] = std::byte{7};
  // What was written stays when more is asked for, wherever the bytes are then.
  at = bytes.reach(kDeviceBase + 20'000'000);
  CHECK(at[kDeviceBase + 99] == std::byte{7});
  CHECK(at[kDeviceBase + 19'999'999] == std::byte{0});
  at = bytes.reach(kEnd);
  at[kEnd - 1] = std::byte{9};
  bytes.clear(kDeviceBase + 50, kEnd - kDeviceBase - 50);
  CHECK(at[kDeviceBase + 99] == std::byte{0});
  CHECK(at[kEnd - 1] == std::byte{0});
}

TEST_CASE("an array grows to what is asked for, and by steps", "[device_memory]") {
  GrownBytes bytes(Addr{1} << 40);
  bytes.reach(kDeviceBase);
  const uint64_t first = bytes.size();
  CHECK(first <= 2 << 20);  // not the whole terabyte
  size_t times = 0;
  uint64_t size = first;
  for (Addr end = kDeviceBase; end < (Addr{32} << 20); end += 4096) {
    bytes.reach(end);
    if (bytes.size() != size) ++times;
    size = bytes.size();
    REQUIRE(size >= end);
  }
  CHECK(times < 20);
  CHECK(size <= (Addr{48} << 20));
}
