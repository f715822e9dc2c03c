// Which channel between DRAM and the SMs limits, on the GeForce 8800 GTX, worked out by hand.
#include "analysis/mwp_cwp/bandwidth.h"

#include <catch2/catch.hpp>

using namespace warptime;
using namespace warptime::analysis;

TEST_CASE("peak bandwidth: reads of whole segments are limited by the TPCs' response ports") {
  // 64 bytes are 4 core cycles of a port of 16 bytes: 8 x 16 x 575 MHz = 73.6 GB/s, of 86.4 x (1 - 47 / 3510) of DRAM.
  const PeakBandwidth peak = peak_bandwidth({}, {.read_bytes = 64000, .reads = 1000}, 16);
  CHECK(peak.gb_s == Approx(73.6));
  CHECK(peak.limit == "the TPCs' response ports");
}

TEST_CASE("peak bandwidth: reads and writes have ports of their own, and share DRAM") {
  const PeakBandwidth peak =
      peak_bandwidth({}, {.read_bytes = 64000, .write_bytes = 64000, .reads = 1000, .writes = 1000}, 16);
  CHECK(peak.gb_s == Approx(86.4 * (1 - 47.0 / 3510)));
  CHECK(peak.limit == "the DRAM's data buses");
}

TEST_CASE("peak bandwidth: few SMs use few ports") {
  const PeakBandwidth peak = peak_bandwidth({}, {.read_bytes = 64000, .reads = 1000}, 1);
  CHECK(peak.gb_s == Approx(9.2));  // one port of 16 bytes
}

TEST_CASE("peak bandwidth: without traffic that of DRAM") {
  CHECK(peak_bandwidth({}, {}, 16).gb_s == Approx(86.4 * (1 - 47.0 / 3510)));
}

TEST_CASE("departure delay: what holds a port longest") {
  // 32 bytes: 2 core cycles of 1350 / 575; 64 bytes: 4.
  CHECK(departure_delay({}, 32) == Approx(2 * 1350.0 / 575));
  CHECK(departure_delay({}, 64) == Approx(4 * 1350.0 / 575));
}

TEST_CASE("unloaded latency: about 330 cycles on the GeForce 8800 GTX") {
  // 4 + 130 + 130 + 20; ports 1 + 1 + 1 + 2 core cycles = 11.7; tRCD + tCL + 2 = 27 memory cycles = 40.5.
  CHECK(unloaded_latency({}, 32) == Approx(284 + 5 * 1350.0 / 575 + 40.5));
  CHECK(unloaded_cache_latency({}, 32) == Approx(284 + 5 * 1350.0 / 575));
}
