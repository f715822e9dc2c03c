// What the accesses and branches of single PTX lines did: exact on kernels of a few lines, and in sum what the launch
// counts.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "base/source_text.h"
#include "cli/annotate/annotate_listing.h"
#include "tools/run_program.h"
#include "workloads/workload_run.h"

using namespace warptime::test;
using Catch::Contains;
using Json = nlohmann::ordered_json;

namespace {

/// A kernel with %tid.x in %r1, four times it in %r2, and the buffer's address in %r3; `body` begins in line 10.
std::string kernel_of(const std::string& body) {
  return ".version 1.4\n.target sm_10\n.entry k(.param .u32 buf)\n{\n.reg .u32 %r<10>; .reg .pred %p<4>; "
         ".shared .align 4 .b8 sh[8192];\n"
         "cvt.u32.u16 %r1, %tid.x;\nmul.lo.u32 %r2, %r1, 4;\nld.param.u32 %r3, [buf];\n"
         "add.u32 %r4, %r2, %r3;\n" +
         body + "exit;\n}\n";
}

Json launch_of(const std::string& body, const std::string& block, std::vector<std::string> more = {},
               const std::string& grid = "1") {
  TempFolder folder;
  std::vector<std::string> words{"run",      folder.write("k.ptx", kernel_of(body)),
                                 "--kernel", "k",
                                 "--grid",   grid,
                                 "--block",  block,
                                 "--buffer", "y=u32:65536",
                                 "--arg",    "y",
                                 "--json",   "--stats-per-instruction"};
  words.insert(words.end(), more.begin(), more.end());
  Outcome outcome = warptime::test::warptime(words);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  return Json::parse(outcome.out)["launches"][0];
}

Json line_of(const Json& launch, uint32_t line) {
  for (const Json& row : launch["instructions"])
    if (row["line"] == line) return row;
  FAIL("no line " << line);
  return {};
}

Json memory(uint64_t accesses, uint64_t transactions, uint64_t ideal, uint64_t requested, uint64_t moved,
            uint64_t passes = 0) {
  return {{"accesses", accesses},         {"transactions", transactions}, {"ideal_transactions", ideal},
          {"bytes_requested", requested}, {"bytes_moved", moved},         {"conflict_passes", passes},
          {"serial_operations", 0}};
}

/// Sums over the lines are what the launch counts.
void check_line_sums(const Json& launch) {
  uint64_t transactions = 0, requested = 0, passes = 0, diverged = 0, loads = 0;
  bool copies = false;  // asynchronously: no register waits for what they load
  for (const Json& row : launch["instructions"]) {
    transactions += row["memory"]["transactions"].get<uint64_t>();
    requested += row["memory"]["bytes_requested"].get<uint64_t>();
    diverged += row["divergence"]["branches"].get<uint64_t>();
    CHECK(row["memory"]["accesses"] <= row["warp_instructions"]);
    CHECK(row["memory"]["ideal_transactions"] <= row["memory"]["transactions"]);
    const Json& caches = row["caches"];
    CHECK(caches["sm_hits"].get<uint64_t>() + caches["tpc_hits"].get<uint64_t>() +
              caches["partition_hits"].get<uint64_t>() <=
          caches["reads"].get<uint64_t>());
    const Json& latency = row["latency"];
    CHECK(latency["min"].get<uint64_t>() * latency["loads"].get<uint64_t>() <= latency["sum"].get<uint64_t>());
    CHECK(latency["max"].get<uint64_t>() * latency["loads"].get<uint64_t>() >= latency["sum"].get<uint64_t>());
    const std::string text = row["text"];
    copies |= text.find("cp.async") != std::string::npos;
    const bool constant = text.find("ld.const") != std::string::npos;  // words of the constant cache, one in each pass
    if (!constant) passes += row["memory"]["conflict_passes"].get<uint64_t>();
    if (text.find("ld.global") != std::string::npos || text.find("ld.volatile.global") != std::string::npos)
      loads += latency["loads"].get<uint64_t>();
  }
  CHECK(transactions == launch["global"]["transactions"]);
  CHECK(requested == launch["global"]["bytes_requested"]);
  CHECK(passes == launch["shared"]["conflict_passes"]);
  CHECK(diverged <= launch["divergence"]["divergent_branches"].get<uint64_t>());  // brx.idx has more than two ways
  if (launch["global_latency"].is_null()) return;
  CHECK(loads <= launch["global_latency"]["loads"].get<uint64_t>());  // local and generic ones, too
  if (copies) CHECK(launch["global_latency"]["loads"] < launch["global"]["loads"]);
  else CHECK(launch["global_latency"]["loads"] == launch["global"]["loads"]);
}

}  // namespace

TEST_CASE("lines: coalesced and misaligned stores of half-warps and fewer lanes") {
  const char* aligned = "st.global.u32 [%r4], %r1;\n";
  const char* misaligned = "st.global.u32 [%r4+4], %r1;\n";
  Json two_warps = launch_of(aligned, "64");
  CHECK(line_of(two_warps, 10)["memory"] == memory(2, 4, 4, 256, 256));
  check_line_sums(two_warps);
  CHECK(line_of(launch_of(aligned, "16"), 10)["memory"] == memory(1, 1, 1, 64, 64));
  CHECK(line_of(launch_of(aligned, "17"), 10)["memory"] == memory(1, 2, 2, 68, 128));
  // Under the rules of 1.0 each lane has its own transaction of 32 bytes; of 1.2, a half-warp two segments.
  Json apart = launch_of(misaligned, "32");
  CHECK(line_of(apart, 10)["memory"] == memory(1, 32, 2, 128, 1024));
  check_line_sums(apart);
  CHECK(line_of(launch_of(misaligned, "16", {"--machine", "tesla-c1060"}), 10)["memory"] == memory(1, 1, 1, 64, 128));
  CHECK(line_of(launch_of(aligned, "32", {"--machine", "geforce-gtx-480"}), 10)["memory"] == memory(1, 4, 4, 128, 128));
  // All lanes on one address: under the rules of 2.x one transaction, which is the ideal as well.
  Json same = launch_of("st.global.u32 [%r3], %r1;\n", "32", {"--machine", "geforce-gtx-480"});
  CHECK(line_of(same, 10)["memory"] == memory(1, 1, 1, 128, 32));
  // By no lane, and nothing else counts.
  Json none = launch_of("setp.gt.u32 %p1, %r1, 99;\n@%p1 st.global.u32 [%r4], %r1;\nadd.u32 %r5, %r1, 1;\n", "32");
  CHECK(line_of(none, 11)["memory"] == memory(0, 0, 0, 0, 0));
  CHECK(line_of(none, 12)["memory"] == memory(0, 0, 0, 0, 0));
}

TEST_CASE("lines: passes beyond the first of shared memory, on the fast path as well") {
  // Words 2 apart: lanes 0 and 8 of a half-warp have one of the 16 banks.
  const std::string two_way = "shl.b32 %r5, %r1, 3;\nmov.u32 %r6, sh;\nadd.u32 %r5, %r5, %r6;\n";
  Json launch = launch_of(two_way +
                              "st.shared.u32 [%r5], %r1;\nmov.u32 %r7, sh;\nadd.u32 %r7, %r7, %r2;\n"
                              "ld.shared.u32 %r8, [%r7];\nld.shared.u32 %r9, [%r7+64];\n"
                              "add.u32 %r8, %r8, %r9;\nst.global.u32 [%r4], %r8;\n",
                          "64");
  CHECK(line_of(launch, 13)["memory"] == memory(2, 0, 0, 0, 0, 4));
  CHECK(line_of(launch, 16)["memory"] == memory(2, 0, 0, 0, 0));
  CHECK(line_of(launch, 17)["memory"] == memory(2, 0, 0, 0, 0));
  CHECK(launch["shared"]["accesses"] == 6);
  check_line_sums(launch);
  // Eight lanes of a half-warp have eight banks.
  CHECK(line_of(launch_of(two_way + "st.shared.u32 [%r5], %r1;\n", "8"), 13)["memory"] == memory(1, 0, 0, 0, 0, 0));
  CHECK(line_of(launch_of(two_way + "st.shared.u32 [%r5], %r1;\n", "9"), 13)["memory"] == memory(1, 0, 0, 0, 0, 1));
}

TEST_CASE("lines: lanes that took a divergent branch and lanes that did not") {
  auto branches = [](const std::string& limit) {
    return line_of(launch_of("setp.lt.u32 %p1, %r1, " + limit +
                                 ";\n@%p1 bra L;\nst.global.u32 [%r4], %r1;\nL:\nst.global.u32 [%r4], %r2;\n",
                             "32"),
                   11)["divergence"];
  };
  CHECK(branches("5") == Json{{"branches", 1}, {"lanes_taken", 5}, {"lanes_not_taken", 27}});
  CHECK(branches("31") == Json{{"branches", 1}, {"lanes_taken", 31}, {"lanes_not_taken", 1}});
  CHECK(branches("0") == Json{{"branches", 0}, {"lanes_taken", 0}, {"lanes_not_taken", 0}});
  CHECK(branches("32") == Json{{"branches", 0}, {"lanes_taken", 0}, {"lanes_not_taken", 0}});
}

TEST_CASE("lines: the latencies of a load are those of the launch if it has no other") {
  Json launch =
      launch_of("ld.global.u32 %r5, [%r4];\nadd.u32 %r5, %r5, 1;\nst.global.u32 [%r4], %r5;\n", "256", {}, "40");
  Json line = line_of(launch, 10)["latency"], all = launch["global_latency"];
  CHECK(line["loads"] == 320);
  CHECK(all["loads"] == 320);
  CHECK(all["min"] == line["min"]);
  CHECK(all["max"] == line["max"]);
  CHECK(all["mean"] == line["sum"].get<double>() / 320);
  CHECK(all["min"] <= all["p50"]);
  CHECK(all["p50"] <= all["p99"]);
  CHECK(all["p99"] <= all["max"]);
  CHECK(line["min"] < line["max"]);
  // A single load has one latency.
  all = launch_of("ld.global.u32 %r5, [%r4];\nst.global.u32 [%r4], %r5;\n", "1")["global_latency"];
  for (const char* name : {"p50", "p99", "max"}) CHECK(all[name] == all["min"]);
  CHECK(all["min"].get<uint64_t>() > 100);
  check_line_sums(launch);
}

TEST_CASE("lines: reads by the cache that had them") {
  auto reads = [](uint64_t all, uint64_t sm, uint64_t partition) {
    return Json{{"reads", all}, {"sm_hits", sm}, {"tpc_hits", 0}, {"partition_hits", partition}};
  };
  const std::string use = "add.u32 %r5, %r5, %r6;\nst.global.u32 [%r4+8192], %r5;\n";
  Json twice = launch_of("ld.global.u32 %r5, [%r4];\nadd.u32 %r4, %r4, %r5;\nld.global.u32 %r6, [%r4];\n" + use, "32",
                         {"--machine", "geforce-gtx-480"});
  CHECK(line_of(twice, 10)["caches"] == reads(1, 0, 0));
  CHECK(line_of(twice, 12)["caches"] == reads(1, 1, 0));
  // A store takes the line out of the L1; the L2 has it.
  Json stored = launch_of(
      "ld.global.u32 %r5, [%r4];\nst.global.u32 [%r4], %r5;\nmembar.gl;\n"
      "ld.global.u32 %r6, [%r4];\n" +
          use,
      "32", {"--machine", "geforce-gtx-480"});
  CHECK(line_of(stored, 10)["caches"] == reads(1, 0, 0));
  CHECK(line_of(stored, 13)["caches"] == reads(1, 0, 1));
  // Without caches of data, every transaction is answered by DRAM.
  Json plain = launch_of("ld.global.u32 %r5, [%r4];\nadd.u32 %r6, %r5, 1;\n" + use, "64");
  CHECK(line_of(plain, 10)["caches"] == reads(4, 0, 0));
}

TEST_CASE("lines: asking for them changes nothing else, whatever the threads", "[full]") {
  for (const char* machine : {"geforce-8800-gtx", "geforce-gtx-480"}) {
    auto spmv = [&](std::vector<std::string> more) {
      std::vector<std::string> words{"run",        "spmv:banded", "--param", "rows=600", "--param",
                                     "elements=4", "--machine",   machine,   "--json"};
      words.insert(words.end(), more.begin(), more.end());
      Json out = Json::parse(warptime::test::warptime(words).out);
      out.erase("host");
      return out;
    };
    Json plain = spmv({}), lines = spmv({"--stats-per-instruction", "--threads", "1"});
    Json others = lines["total"];
    CHECK(others.erase("queue_times") == 1);  // recorded with them
    CHECK(others.erase("latency_stages") == (std::string_view(machine) == "geforce-gtx-480"));
    CHECK(others == plain["total"]);
    CHECK(lines == spmv({"--stats-per-instruction", "--threads", "3"}));
    Json values = spmv({"--stats-per-instruction", "--functional"});
    for (size_t i = 0; i < lines["launches"].size(); ++i) {
      const Json &timed = lines["launches"][i]["instructions"], &functional = values["launches"][i]["instructions"];
      for (size_t k = 0; k < functional.size(); ++k) {
        CHECK(functional[k]["divergence"] == timed[k]["divergence"]);
        CHECK(functional[k]["memory"]["accesses"] == timed[k]["memory"]["accesses"]);
        CHECK(functional[k]["latency"]["loads"] == 0);
      }
    }
  }
}

TEST_CASE("lines: they add up to the launch, on every workload", "[full]") {
  for (const ::warptime::Target& target : ::warptime::small_targets()) {
    std::string name = target.workload + (target.variant.empty() ? "" : ":" + target.variant);
    std::vector<std::string> words{"run", name, "--json", "--stats-per-instruction", "--machine", target.machine};
    for (const std::string& parameter : target.parameters) words.insert(words.end(), {"--param", parameter});
    INFO(target.name());
    Outcome outcome = warptime::test::warptime(words);
    REQUIRE(outcome.status == 0);
    Json run = Json::parse(outcome.out);
    for (const Json& launch : run["launches"]) check_line_sums(launch);
  }
}

TEST_CASE("lines: a sampled run has the accesses of the whole one and estimates of their time", "[full]") {
  auto saxpy = [](std::vector<std::string> more) {
    std::vector<std::string> words{"run",
                                   "saxpy",
                                   "--param",
                                   "n=600000",
                                   "--json",
                                   "--set",
                                   "chip.tpcs=1",
                                   "--set",
                                   "chip.sms_per_tpc=1",
                                   "--set",
                                   "memory.partitions=1",
                                   "--stats-per-instruction"};
    words.insert(words.end(), more.begin(), more.end());
    return Json::parse(warptime::test::warptime(words).out)["launches"][0];
  };
  Json whole = saxpy({}), sampled = saxpy({"--sample"}), timing = saxpy({"--sample=timing"});
  REQUIRE_FALSE(sampled["sampling"].is_null());
  for (size_t i = 0; i < whole["instructions"].size(); ++i) {
    const Json &exact = whole["instructions"][i], &estimate = sampled["instructions"][i];
    CHECK(estimate["memory"] == exact["memory"]);
    double loads = exact["latency"]["loads"], transactions = exact["memory"]["transactions"];
    CHECK(estimate["latency"]["loads"].get<double>() == Approx(loads).epsilon(0.02));
    CHECK(timing["instructions"][i]["memory"]["transactions"].get<double>() == Approx(transactions).epsilon(0.02));
  }
}

TEST_CASE("annotate: the columns of memory") {
  Outcome outcome = warptime::test::warptime({"annotate", "matmul:naive", "--param", "n=32", "--columns", "memory"});
  CAPTURE(outcome.out, outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK_THAT(outcome.out, Contains("accesses trans.  ideal used % passes") && Contains("latency, cycles  line"));
  CHECK_THAT(outcome.out, !Contains("\033[") && !Contains("global_dependency"));
  Outcome time = warptime::test::warptime({"annotate", "vecadd", "--param", "n=64", "--columns", "time"});
  CHECK(time.out == warptime::test::warptime({"annotate", "vecadd", "--param", "n=64"}).out);
  Outcome wrong = warptime::test::warptime({"annotate", "vecadd", "--columns", "memry"});
  CHECK(wrong.status == 2);
  CHECK_THAT(wrong.err, Contains("memory"));
}

TEST_CASE("annotate: on a terminal, costly lines have a colour and the others none") {
  ::warptime::cli::KernelListing listing;
  listing.kernel = "k";
  listing.ptx = std::make_shared<const ::warptime::SourceText>("k.ptx", "a;\nb;\nc;\n");
  for (uint64_t issued : {979, 20, 1}) {
    ::warptime::sim::InstructionRow& row = listing.rows.emplace_back();
    row.line = static_cast<uint32_t>(listing.rows.size());
    row.issued = issued;
  }
  std::string text = listing_text(listing, ::warptime::cli::column_sets().front(), true);
  CHECK_THAT(text, Contains("   1    a;\033[0m\n") && Contains("   2    b;\033[0m\n") && Contains("   3    c;\n"));
  CHECK(text.find("\033[31m") < text.find("\033[33m"));
  CHECK_THAT(listing_text(listing), !Contains("\033"));
}
