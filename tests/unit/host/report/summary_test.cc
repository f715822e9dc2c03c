#include "host/report/summary.h"

#include <catch2/catch.hpp>
#include <sstream>

using namespace warptime;
using namespace warptime::host;
using Catch::Matchers::Contains;

namespace {

void set_share(sim::LaunchStatistics& s, sim::Resource resource, double share) {
  auto busy = static_cast<uint64_t>(share * 100'000);
  s.resources[static_cast<size_t>(resource)] = {.busy = busy, .busiest = busy, .available = 100'000};
}

sim::LaunchStatistics launch(const std::string& kernel) {
  sim::LaunchStatistics s;
  s.kernel = kernel;
  s.grid = {32, 32, 1};
  s.block = {16, 16, 1};
  s.cycles = 123456789;
  s.time_us = 91449.47;
  s.counts = {.thread_instructions = 3'200'000'000,
              .warp_instructions = 100'000'000,
              .native_warp_instructions = 0,
              .flops = 8'000'000'000,
              .flops_f64 = 0,
              .flops_f16 = 0};
  s.occupancy = {3, 24, "threads", 10, 15, 0, 2084};
  s.issue.slots = 1'000'000;
  s.issue.issued = 500'000;
  // Every reason has slots: the summary must still fit.
  for (size_t i = 0; i < sim::kStallCount; ++i) s.issue.stalls[i] = 28'000 + 1000 * i;
  s.divergence = {1'000'000, 3};
  s.shared = {50'000'000, 7'000'000};
  s.global = {
      .loads = 20, .stores = 4, .coalesced = 36, .uncoalesced = 12, .transactions = 228, .bytes_requested = 3072};
  s.dram = {.read_bytes = 4'000'000'000, .write_bytes = 3200, .row_hits = 90, .row_misses = 10};
  set_share(s, sim::Resource::Sp, 0.506);
  set_share(s, sim::Resource::TpcResponsePort, 0.99);
  return s;
}

RunReport report(std::vector<sim::LaunchStatistics> launches, const std::string& target) {
  RunReport r;
  r.machine.name = "geforce-8800-gtx";
  r.target = target;
  r.conditions = "n = 512, tile = 16";
  r.launches = std::move(launches);
  r.checks.emplace_back();
  r.checks[0].name = "C";
  r.checks[0].ok = true;
  r.checks[0].max_abs_error = 1.5e-6;
  r.host = {20.0, 19.5, 2, 120000000};
  return r;
}

const std::vector<Published> kPublished{
    {"tiled", "GFLOP/s", 46.49, "n = 4096", "Ryoo 2008, 4.2", "geforce-8800-gtx"},
    {"tiled", "registers", 10, "", "Ryoo 2008, 4.2", "geforce-8800-gtx"},
    {"unrolled", "GFLOP/s", 91.14, "n = 4096", "Ryoo 2008, 4.3", "geforce-8800-gtx"}};

void check_width(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    CHECK(line.size() <= 80);
    CHECK((line.empty() || line.back() != ' '));
  }
}

}  // namespace

TEST_CASE("one launch fits 80 x 24 with the prompt below it") {
  std::string text =
      summarize(report({launch("matmul_tiled_with_a_very_long_name_indeed")}, "matmul:tiled"), kPublished);
  CHECK(std::count(text.begin(), text.end(), '\n') <= 23);
  check_width(text);
}

TEST_CASE("one launch: what is said") {
  std::string text = summarize(report({launch("matmul_tiled")}, "matmul:tiled"), kPublished);
  INFO(text);
  CHECK_THAT(
      text,
      Contains("matmul:tiled on geforce-8800-gtx, n = 512, tile = 16\n  matmul_tiled  grid 32 x 32  block 16 x 16\n"));
  CHECK_THAT(text, Contains("91449.47 us, 123,456,789 cycles at 1350 MHz"));
  CHECK_THAT(text, Contains("87.48 GFLOP/s, 25.3 % of the machine's 345.6"));
  CHECK_THAT(text, Contains("46.49 GFLOP/s (n = 4096), 10 registers [Ryoo 2008, 4.2]"));
  CHECK_THAT(text, !Contains("91.14"));
  CHECK_THAT(text, Contains("43.74 GB/s, 50.6 % of 86.4; row hits 90.0 %"));
  CHECK_THAT(text, Contains("3 blocks, 24 of 24 warps per SM, limited by threads"));
  CHECK_THAT(text, Contains("10 registers per thread (15 estimated), 2,084 B shared"));
  CHECK_THAT(text, Contains("100.0 % active; 3 of 1,000,000 branches diverged"));
  CHECK_THAT(text, Contains("75.0 % of 48 requests coalesced, 228 transactions"));
  CHECK_THAT(text, Contains("50,000,000 accesses, 7,000,000 extra passes"));
  CHECK_THAT(text, Contains("sp 50.6 %, sfu 0.0 %") && Contains("(mean of all SMs)\n"));
  CHECK_THAT(text, Contains("bottleneck   TPC response port, busy 99.0 %; next SP, 50.6 %\n"));
  CHECK_THAT(text, Contains("\n  issued               50.0 % ####\n"));
  CHECK_THAT(text, Contains("1 passed, largest error 1.5e-06"));
  CHECK_THAT(text, Contains("19.50 s, 2 threads, 5.13 million warp instr./s, 120 MB"));
}

TEST_CASE("stall reasons are sorted, the rest is one line, and the shares add up") {
  std::string text = summarize(report({launch("k")}, "k"), {});
  // The largest is the last of the list (drained), 46,000 of 1,000,000; three are shown, sixteen are "others".
  size_t drained = text.find("drained               4.6 %");
  size_t no_warp = text.find("no_warp               4.5 %");
  CHECK(drained != std::string::npos);
  CHECK(no_warp != std::string::npos);
  CHECK(drained < no_warp);
  CHECK_THAT(text, Contains("others               56.8 %") && Contains("16 more reasons"));
}

TEST_CASE("double precision has a line of its own, where there is any") {
  sim::LaunchStatistics s = launch("k");
  CHECK_THAT(summarize(report({s}, "k")), !Contains("f64") && !Contains(", dp "));
  s.counts.flops_f64 = 1'000'000'000;  // in 91449.47 us; the model's default: 16 SMs x 1 unit x 2 x 1350 MHz
  set_share(s, sim::Resource::Dp, 0.253);
  CHECK_THAT(summarize(report({s}, "k")), Contains("10.94 GFLOP/s f64, 25.3 % of the machine's 43.2") &&
                                              Contains("sfu 0.0 %, dp 25.3 %, memory port"));
  s.counts.flops_f16 = 2'000'000'000;
  CHECK_THAT(summarize(report({s}, "k")), Contains("21.87 GFLOP/s f16\n"));
}

TEST_CASE("attribution off and functional runs say less, not zeros") {
  sim::LaunchStatistics off = launch("k");
  off.attributed = false;
  CHECK_THAT(summarize(report({off}, "k")), Contains("attribution of the other slots is off") && !Contains("drained"));
  sim::LaunchStatistics functional = launch("k");
  functional.timed = false;
  std::string text = summarize(report({functional}, "k"));
  CHECK_THAT(text,
             Contains("100,000,000 of warps") && !Contains("GFLOP/s") && !Contains("cycles") && !Contains("DRAM"));
}

TEST_CASE("several launches: a table with published figures and both sizes") {
  std::string text = summarize(
      report({launch("matmul_naive"), launch("matmul_tiled"), launch("matmul_unrolled")}, "matmul"), kPublished);
  INFO(text);
  check_width(text);
  CHECK_THAT(text, Contains("  matmul_naive 32 x 32 blocks, 10 registers (15 estimated), 2,084 B shared\n"));
  CHECK_THAT(text, Contains("kernel            time us  GFLOP/s published  warps  limiter   bottleneck"));
  CHECK_THAT(text, Contains("matmul_naive      91449.5    87.48         -  24/24  threads   TPC response port"));
  CHECK_THAT(text, Contains("matmul_tiled      91449.5    87.48     46.49  24/24"));
  CHECK_THAT(text, Contains("matmul_unrolled   91449.5    87.48     91.14"));
  CHECK_THAT(text, Contains("published at n = 4096, simulated at n = 512, tile = 16"));
}

TEST_CASE("a note says why a figure is far from the published one, beside it") {
  std::vector<Published> published = kPublished;
  published[0].note = "another rule, as somebody else measured";
  std::string table = summarize(report({launch("matmul_naive"), launch("matmul_tiled")}, "matmul"), published);
  CHECK_THAT(table, Contains("\n  note         matmul_tiled: another rule, as somebody else measured\n"));
  std::string one = summarize(report({launch("matmul_tiled")}, "matmul:tiled"), published);
  CHECK_THAT(one, Contains("\n               another rule, as somebody else measured\n"));
  CHECK_THAT(summarize(report({launch("matmul_unrolled")}, "matmul:unrolled"), published), !Contains("another rule"));
}

TEST_CASE("several launches: long names are whole, and the columns stay one below the other") {
  std::string name = "_Z26reduce_with_a_longish_nameILj256EEvPfS0_",
              shown = "reduce_with_a_longish_name<256u>(float*, float*)";
  std::string text = summarize(report({launch("k"), launch(name), launch(std::string(50, 'n'))}, "x"));
  INFO(text);
  std::string cut = std::string(45, 'n') + "...";  // 48 at most
  CHECK_THAT(text, Contains("kernel" + std::string(48 - 6, ' ') + "   time us  GFLOP/s  warps"));
  CHECK_THAT(text, Contains("k" + std::string(48 - 1, ' ') + "   91449.5    87.48  24/24"));
  CHECK_THAT(text, Contains(shown + "   91449.5    87.48  24/24"));
  CHECK_THAT(text, Contains(cut + "   91449.5    87.48  24/24"));
  CHECK_THAT(text, Contains("\n  " + shown + "\n               32 x 32 blocks, 10 registers"));
  CHECK_THAT(text, Contains("\n  k            32 x 32 blocks, 10 registers"));
  CHECK_THAT(text, Contains("\n  " + cut + "\n"));
}

TEST_CASE("published figures stand only beside the machine that they were measured on") {
  RunReport r = report({launch("matmul_naive"), launch("matmul_tiled")}, "matmul");
  CHECK_THAT(summarize(r, kPublished), Contains("published"));
  r.machine.name = "tesla-c1060";
  CHECK_THAT(summarize(r, kPublished), !Contains("published") && !Contains("46.49"));
  CHECK_THAT(summarize(r, kPublished), Contains("kernel           time us  GFLOP/s  warps  limiter   bottleneck"));
  r = report({launch("matmul_tiled")}, "matmul:tiled");
  CHECK_THAT(summarize(r, kPublished), Contains("published"));
  r.machine.name = "mine";
  CHECK_THAT(summarize(r, kPublished), !Contains("published"));
}

TEST_CASE("four launches fit 80 x 24 as well") {
  RunReport r = report({launch("naive"), launch("tiled_16"), launch("unrolled"), launch("prefetch")}, "matmul");
  std::string text = summarize(r, kPublished);
  CHECK(std::count(text.begin(), text.end(), '\n') <= 23);
}

TEST_CASE("a failed check is named with its error and place") {
  RunReport r = report({launch("k")}, "k");
  r.checks[0].ok = false;
  r.checks[0].max_abs_error = 3;
  r.checks[0].bound = 1e-5;
  r.checks[0].first_failure = "element 17: 1.5, expected 1.25";
  std::string text = summarize(r);
  CHECK_THAT(text, Contains("check FAILED C: error 3, bound 1e-05; element 17: 1.5, expected"));
  CHECK_THAT(text, !Contains("passed"));
}

TEST_CASE("thousands are grouped") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(1234567) == "1,234,567");
}
