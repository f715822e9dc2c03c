// The whole model for inputs worked out by hand, and for launches that lack something.
#include "analysis/mwp_cwp/prediction.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace warptime::analysis;

namespace {

/// 14 SMs, 2800 warps, 20 at once on an SM; 100 instructions of 18 cycles, 5 requests of one transaction of 128 bytes.
ModelInputs example() {
  ModelInputs in;
  in.total_warps = 2800;
  in.active_sms = 14;
  in.n = 20;
  in.insts = 100;
  in.mem_insts = 5;
  in.fp_insts = 60;
  in.fp_lat = in.avg_inst_lat = 18;
  in.simd_width = 32;
  in.sfu_width = 4;
  in.dram_lat = in.avg_dram_lat = 460;
  in.delta = 20;
  in.avg_trans_warp = 1;
  in.freq = 1.15;
  in.transaction_size = 128;
  in.peak = {144, "the DRAM's data buses"};
  in.size_of_data = 1792000;
  return in;
}

void check_finite(const Prediction& prediction) {
  for (const auto* list : {&prediction.inputs, &prediction.terms, &prediction.benefits})
    for (const ModelTerm& term : *list) {
      INFO(term.name);
      CHECK(std::isfinite(term.value));
    }
  CHECK(std::isfinite(prediction.microseconds));
}

}  // namespace

TEST_CASE("prediction: every term of an example") {
  const Prediction p = predict(example());
  // ITILP = min(1 x 20, 18); 100 x 2800 / 14 x 18 / 18 = 20,000.
  CHECK(p["ITILP"] == 18);
  CHECK(p["W_parallel"] == 20000);
  CHECK(p["T_comp"] == 20000);
  // MWP = min(460 / 20, 32.1, 20) = 20; mem_cycles = 2300, comp_cycles = 100, CWP = min(24, 20) = 20; MWP_cp = 19.
  CHECK(p["MWP"] == 20);
  CHECK(p["CWP_full"] == 24);
  CHECK(p["CWP"] == 20);
  CHECK(p["MWP_cp"] == 19);
  CHECK(p["ITMLP"] == 19);
  // 1000 requests of 460 cycles, 19 at once; of the computation 19 / 20 overlap.
  CHECK(p["T_mem"] == Approx(460000.0 / 19));
  CHECK(p["T_overlap"] == Approx(19000));
  CHECK(p.cycles == Approx(20000 + 460000.0 / 19 - 19000));
  CHECK(p.microseconds == Approx(p.cycles / 1150));
  // T_fp = 60 x 2800 x 18 / (14 x 18) = 12,000; T_mem_min = 1000 x 460 / 32.14.
  CHECK(p["B_itilp"] == 0);
  CHECK(p["B_fp"] == 8000);
  CHECK(p["B_serial"] == 0);
  CHECK(p["T_mem_min"] == Approx(14311.1));
  CHECK(p["B_memlp"] == 0);
  CHECK(p.notes.empty());
}

TEST_CASE("prediction: what a launch lacks gets a sentence and no term without meaning") {
  ModelInputs in = example();
  SECTION("no access to global memory") {
    in.mem_insts = in.avg_trans_warp = in.transaction_size = in.avg_dram_lat = in.size_of_data = 0;
    const Prediction p = predict(in);
    check_finite(p);
    CHECK(p.cycles == 20000);
    CHECK(p.notes ==
          std::vector<std::string>{"nothing accesses global memory: T_mem is 0, and MWP and CWP have no meaning"});
  }
  SECTION("no floating-point instruction") {
    in.fp_insts = in.fp_lat = 0;
    const Prediction p = predict(in);
    check_finite(p);
    CHECK(p["B_fp"] == 20000);
    CHECK(p.notes.size() == 1);
  }
  SECTION("one warp") {
    in.total_warps = in.active_sms = in.n = 1;
    const Prediction p = predict(in);
    check_finite(p);
    CHECK(p.cycles == Approx(1800 + 2300));  // nothing overlaps
    CHECK(p.notes == std::vector<std::string>{"one warp per SM: nothing overlaps with its waits"});
  }
  SECTION("no instruction that takes time") {
    in.insts = in.avg_inst_lat = in.simd_width = in.mem_insts = in.fp_insts = in.avg_dram_lat = 0;
    const Prediction p = predict(in);
    check_finite(p);
    CHECK(p.cycles == 0);
    CHECK(p.notes.size() == 3);
  }
}
