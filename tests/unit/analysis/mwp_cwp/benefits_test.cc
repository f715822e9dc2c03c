// Equations 4.25 to 4.31, each by a number worked out by hand: a Tesla C2050 (14 SMs, 1.15 GHz, 144 GB/s).
#include "analysis/mwp_cwp/benefits.h"

#include <catch2/catch.hpp>

using namespace warptime::analysis;

TEST_CASE("mwp-cwp 4.25: floating-point instructions alone") {
  // 60 x 2800 x 18 / (14 x 9) = 24,000.
  CHECK(t_fp(60, 2800, 18, 14, 9) == 24000);
}

TEST_CASE("mwp-cwp 4.26: the data once, at full bandwidth") {
  // 14,336,000 bytes are 8000 requests of 128 bytes on each of 14 SMs; 8000 x 460 / 32 = 115,000 cycles.
  CHECK(data_requests(14336000, 128, 14) == 8000);
  CHECK(t_mem_min(8000, 460, 32) == 115000);
  // From the bandwidth: 14,336,000 bytes / 144 GB/s x 1.15 GHz = 114,489 cycles, with 32.14 warps.
  CHECK(t_mem_min(8000, 460, 144 / (0.32 * 14)) == Approx(114488.9));
}

TEST_CASE("mwp-cwp 4.27: what full pipelines save") {
  // 40,000 - 100 x 2800 x 18 / (14 x 18) = 40,000 - 20,000.
  CHECK(b_itilp(40000, 100, 2800, 18, 14, 18) == 20000);
}

TEST_CASE("mwp-cwp 4.28: serialisation") { CHECK(b_serial(4321) == 4321); }

TEST_CASE("mwp-cwp 4.29: what belongs to no floating-point instruction") {
  // The baseline of the FMM has B_serial 0, B_itilp 6068, B_fp 9691 (4.1.3): T_comp - T_fp is their sum.
  CHECK(b_fp(20000, 4241, 6068, 0) == 9691);
}

TEST_CASE("mwp-cwp 4.30: what more requests at once save") {
  CHECK(b_memlp(50000, 30000) == 20000);
  CHECK(b_memlp(20000, 30000) == 0);  // none, as in the baseline of the FMM
}

TEST_CASE("roofline 4.31: the lower of two roofs") {
  CHECK(attainable_gflops(1030, 144, 4) == 576);    // 144 x 4: memory bound
  CHECK(attainable_gflops(1030, 144, 10) == 1030);  // 1440: compute bound
}
