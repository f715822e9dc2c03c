// Equations 4.1 to 4.10, each by a number worked out by hand: a Fermi SM (warp_size = SIMD_width = 32, 4 special
// function lanes, 14 SMs, latency 18), but where a case says otherwise.
#include "analysis/mwp_cwp/computation_cost.h"

#include <catch2/catch.hpp>

using namespace warptime::analysis;

TEST_CASE("mwp-cwp 4.1: execution time is computation and memory less the overlap") {
  // Figure 4.1 as numbers: 8 computation periods of 10, 2 visible memory periods of 40, 50 of them at once.
  CHECK(t_exec(80, 80, 50) == 110);
  CHECK(t_exec(80, 80, 80) == 80);  // all of the memory is hidden
}

TEST_CASE("mwp-cwp 4.2: computation is the base and the overhead") { CHECK(t_comp(1000, 250) == 1250); }

TEST_CASE("mwp-cwp 4.3: instructions of an SM by their effective throughput") {
  // 100 instructions x 2800 warps / 14 SMs = 20,000 per SM; 18 / 9 = 2 cycles each.
  CHECK(w_parallel(100, 2800, 14, 18, 9) == 40000);
}

TEST_CASE("mwp-cwp 4.4: ILP of all warps up to the maximum") {
  CHECK(itilp(1.5, 4, 18) == 6);    // 1.5 x 4
  CHECK(itilp(1.5, 48, 18) == 18);  // 72, of which 18 are of use
}

TEST_CASE("mwp-cwp 4.5: the maximum hides the pipeline") {
  CHECK(itilp_max(18, 32, 32) == 18);  // Fermi: one warp instruction per cycle
  CHECK(itilp_max(24, 32, 8) == 6);    // G80: one in 4 cycles
}

TEST_CASE("mwp-cwp 4.6: four overheads") { CHECK(w_serial(1, 20, 300, 4000) == 4321); }

TEST_CASE("mwp-cwp 4.7: barriers of an SM") {
  // 2 x 2800 / 14 = 400 barriers, 96 cycles each.
  CHECK(o_sync(2, 2800, 14, 96) == 38400);
}

TEST_CASE("mwp-cwp 4.8: a barrier waits for Gamma instructions' share of memory") {
  // 64 x 600 x 5 / 200 = 960.
  CHECK(f_sync(64, 600, 5, 200) == Approx(960));
}

TEST_CASE("mwp-cwp 4.9: special functions that nothing hides") {
  // 10 x 2800 / 14 = 2000, each 32 / 4 = 8 cycles, a quarter of them visible.
  CHECK(o_sfu(10, 2800, 14, 32, 4, 0.25) == 4000);
}

TEST_CASE("mwp-cwp 4.10: the visible part of special functions") {
  CHECK(f_sfu(50, 200, 4, 32) == 0.125);  // 0.25 - 0.125
  CHECK(f_sfu(20, 200, 4, 32) == 0);      // 0.1 of 0.125: hidden
  CHECK(f_sfu(900, 200, 4, 32) == 1);     // 4.5 - 0.125, at most all
}
