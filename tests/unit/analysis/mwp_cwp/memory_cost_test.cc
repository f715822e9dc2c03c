// Equations 4.11 to 4.24, each by a number worked out by hand: a Tesla C2050 (14 SMs, 1.15 GHz, 144 GB/s, transactions
// of 128 bytes: the book's examples).
#include "analysis/mwp_cwp/memory_cost.h"

#include <catch2/catch.hpp>

#include "analysis/mwp_cwp/warp_parallelism.h"

using namespace warptime::analysis;

TEST_CASE("mwp-cwp 4.11: requests of an SM, some at once") {
  // 5 x 2800 / 14 = 1000 requests of 460 cycles, 10 at once.
  CHECK(t_mem(5, 2800, 14, 10, 460) == 46000);
}

TEST_CASE("mwp-cwp 4.12: average memory access time") {
  CHECK(amat(440, 0.25, 18) == 128);  // 110 + 18
  CHECK(amat(440, 1, 0) == 440);      // no cache
}

TEST_CASE("mwp-cwp 4.13: every transaction but the first leaves later") {
  CHECK(avg_dram_lat(440, 1, 20) == 440);
  CHECK(avg_dram_lat(440, 32, 20) == 1060);  // 440 + 31 x 20
}

TEST_CASE("mwp-cwp 4.14: requests at once") {
  CHECK(itmlp(2, 3, 10) == 6);
  CHECK(itmlp(2, 8, 10) == 10);  // 16, for which the bandwidth is too small
}

TEST_CASE("mwp-cwp 4.15: warps whose requests overlap") {
  CHECK(mwp_cp(5, 8) == 4);    // CWP - 1
  CHECK(mwp_cp(1.5, 8) == 1);  // at least one
  CHECK(mwp_cp(20, 8) == 8);   // MWP
}

TEST_CASE("mwp-cwp 4.16: no more overlaps than there is memory time") {
  CHECK(t_overlap(1000, 0.75, 2000) == 750);
  CHECK(t_overlap(1000, 0.75, 500) == 500);
}

TEST_CASE("mwp-cwp 4.17: computation that may overlap") {
  CHECK(f_overlap(4, 3, 8) == 0.75);  // CWP <= MWP: (4 - 1) / 4
  CHECK(f_overlap(4, 8, 8) == 0.75);
  CHECK(f_overlap(4, 9, 8) == 1);  // CWP > MWP
}

TEST_CASE("mwp-cwp 4.18 and 4.19: warps that compute while one waits") {
  CHECK(cwp_full(300, 100) == 4);  // 400 / 100
  CHECK(cwp(4, 24) == 4);
  CHECK(cwp(4, 2) == 2);
}

TEST_CASE("mwp-cwp 4.20: cycles in which a warp computes") { CHECK(comp_cycles(200, 18, 9) == 400); }

TEST_CASE("mwp-cwp 4.21: cycles in which a warp waits") { CHECK(mem_cycles(5, 460, 2) == 1150); }

TEST_CASE("mwp-cwp 4.22: warps that can access memory at once") {
  CHECK(mwp(440, 20, 30, 48) == 22);  // 440 / 20
  CHECK(mwp(440, 20, 10, 48) == 10);  // the bandwidth
  CHECK(mwp(440, 20, 30, 8) == 8);    // the warps that there are
}

TEST_CASE("mwp-cwp 4.23 and 4.24: warps that take all of the bandwidth") {
  // 1.15 x 128 / 460 = 0.32 GB/s; 144 / (0.32 x 14) = 32.14.
  CHECK(bw_per_warp(1.15, 128, 460) == Approx(0.32));
  CHECK(mwp_peak_bw(144, 0.32, 14) == Approx(32.142857));
}
