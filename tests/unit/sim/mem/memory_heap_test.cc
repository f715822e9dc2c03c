// A warm memory system allocates nothing: every operator new of this test program is counted.
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <new>

#include "unit/sim/mem/traffic.h"

namespace {
std::atomic<uint64_t> allocations{0};
}

void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(bytes == 0 ? 1 : bytes);
}
void* operator new(std::size_t bytes) {
  if (void* memory = operator new(bytes, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

using namespace warptime;
using namespace warptime::sim;

TEST_CASE("10,000 warm cycles under heavy traffic allocate nothing", "[heap]") {
  Traffic traffic(traffic_machine(), {.seed = 1, .until = 1'000'000, .gap = 2});
  Cycle begin = 0;
  for (; begin < 20'000; begin += 64) traffic.step(begin, begin + 64);
  uint64_t reads_before = traffic.system.dram_statistics(kLate).read_bytes;
  uint64_t before = allocations;
  for (Cycle end = begin + 10'000; begin < end; begin += 64) traffic.step(begin, begin + 64);
  CHECK(allocations - before == 0);
  CHECK(traffic.system.dram_statistics(kLate).read_bytes > reads_before + 50'000);
  // The counter counts: a new system allocates.
  before = allocations;
  traffic.system.reset();
  CHECK(allocations > before);
}
