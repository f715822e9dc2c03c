// Waits for instructions: lines of 64 bytes, eight instructions of 8 bytes each, worked out by hand.
#include "analysis/program/code_fetch.h"

#include "../counted_kernel.h"

using namespace warptime;
using namespace warptime::analysis;

namespace {

double cycles_of(test::CountedKernel& k, uint32_t cache_bytes, double rounds) {
  k.machine.instruction.sm_cache.bytes = cache_bytes;
  return fetch_cycles(k.machine, {20, 300, 400}, k.kernel(), k.blocks(), k.costs(), 1, rounds);
}

}  // namespace

TEST_CASE("code fetch: each line comes from DRAM once") {
  test::CountedKernel k = test::loop_kernel();  // 11 instructions: two lines
  CHECK(cycles_of(k, 4096, 1) == 800);
  CHECK(cycles_of(k, 4096, 7) == 800);
}

TEST_CASE("code fetch: code that is larger than the SM's cache comes again") {
  test::CountedKernel k = test::loop_kernel();
  // The loop's instructions 2 to 8 begin one line only, which the cache of 64 bytes holds; the kernel has two, for each
  // of 7 rounds but the first from the TPC.
  CHECK(cycles_of(k, 64, 7) == 800 + 2 * 6 * 20);
  k.machine.instruction.tpc_cache.bytes = 64;
  CHECK(cycles_of(k, 64, 7) == 800 + 2 * 6 * 300);
}

TEST_CASE("code fetch: what nobody executes is not fetched") {
  test::CountedKernel k = test::loop_kernel();
  for (size_t i = 0; i < k.rows.size(); ++i) k.rows[i].warp_instructions = i < 2 ? 1 : 0;
  CHECK(cycles_of(k, 4096, 1) == 400);
}
