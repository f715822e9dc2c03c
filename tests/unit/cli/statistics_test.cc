// Statistics of a run that follow from others or from each other: instructions per cycle, achieved occupancy.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tools/run_program.h"

using namespace warptime::test;
using Json = nlohmann::ordered_json;

namespace {

constexpr double kWarpsOfAnSm = 24, kSms = 16;  // of a GeForce 8800 GTX

constexpr const char* kFewInstructions =
    ".version 1.0\n.target sm_10\n.entry k(.param .u32 out)\n{\n.reg .u32 %r<4>;\n"
    "cvt.u32.u16 %r1, %tid.x;\nmul.lo.u32 %r2, %r1, 4;\nld.param.u32 %r3, [out];\nadd.u32 %r2, %r2, %r3;\n"
    "st.global.u32 [%r2], %r1;\nexit;\n}\n";

Json run_k(const TempFolder& folder, const std::string& grid, const std::string& block,
           std::vector<std::string> more = {}) {
  std::vector<std::string> words{"run",      folder.write("k.ptx", kFewInstructions),
                                 "--kernel", "k",
                                 "--grid",   grid,
                                 "--block",  block,
                                 "--buffer", "y=u32:512",
                                 "--arg",    "y",
                                 "--json"};
  words.insert(words.end(), more.begin(), more.end());
  Outcome outcome = warptime::test::warptime(words);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  return Json::parse(outcome.out);
}

void check_shares(const Json& of, double sms = kSms) {
  const Json& sm = of["sm_cycles"];
  CHECK(sm["elapsed"] == of["cycles"].get<double>() * sms);
  CHECK(sm["active"].get<uint64_t>() <= sm["elapsed"].get<uint64_t>());
  CHECK(of["ipc"] == of["warp_instructions"].get<double>() / sm["elapsed"].get<double>());
  CHECK(of["native_ipc"] == of["native_warp_instructions"].get<double>() / sm["elapsed"].get<double>());
  CHECK(of["achieved_occupancy"] == sm["warps"].get<double>() / (kWarpsOfAnSm * sm["active"].get<double>()));
}

}  // namespace

TEST_CASE("statistics: one warp on one SM achieves 1/24, however long the SM has none") {
  TempFolder folder;
  for (const char* grid : {"1", "16", "40"}) {
    CAPTURE(grid);
    Json launch = run_k(folder, grid, "32", {"--shared", "16000"})["launches"][0];  // one block on an SM at a time
    check_shares(launch);
    CHECK(launch["sm_cycles"]["warps"] == launch["sm_cycles"]["active"]);
    CHECK(launch["achieved_occupancy"] == 1 / kWarpsOfAnSm);
    CHECK(launch["sm_cycles"]["active"].get<uint64_t>() < launch["sm_cycles"]["elapsed"].get<uint64_t>());
  }
}

TEST_CASE("statistics: an SM's warps are those that the attribution charges, and are counted without it") {
  TempFolder folder;
  for (const char* block : {"32", "33", "64", "512"}) {
    CAPTURE(block);
    Json launch = run_k(folder, "50", block)["launches"][0];
    check_shares(launch);
    CHECK(launch["sm_cycles"]["warps"] == launch["warp_cycles"]["resident"]);
    CHECK(run_k(folder, "50", block, {"--attribution", "off"})["launches"][0]["sm_cycles"] == launch["sm_cycles"]);
  }
  // A second warp is resident about as long as the first.
  CHECK(run_k(folder, "1", "33")["launches"][0]["achieved_occupancy"].get<double>() > 1.5 / kWarpsOfAnSm);
}

TEST_CASE("statistics: the total weighs launches by their time, a functional run has no time") {
  Json all = Json::parse(warptime::test::warptime({"run", "reduce:several", "--param", "n=20000", "--json"}).out);
  REQUIRE(all["launches"].size() > 1);
  Json sum{{"elapsed", 0}, {"active", 0}, {"warps", 0}, {"most_warps", 0}};
  for (const Json& launch : all["launches"])
    for (const auto& [name, value] : launch["sm_cycles"].items())
      sum[name] = sum[name].get<uint64_t>() + value.get<uint64_t>();
  CHECK(all["total"]["sm_cycles"] == sum);
  check_shares(all["total"]);
  Json values =
      Json::parse(warptime::test::warptime({"run", "saxpy", "--param", "n=512", "--functional", "--json"}).out);
  for (const char* name : {"ipc", "native_ipc", "achieved_occupancy", "sm_cycles"})
    CHECK(values["launches"][0][name].is_null());
}

TEST_CASE("statistics: a sampled run estimates the occupancy of the whole one", "[full]") {
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
                                   "memory.partitions=1"};
    words.insert(words.end(), more.begin(), more.end());
    return Json::parse(warptime::test::warptime(words).out)["launches"][0];
  };
  Json whole = saxpy({}), sampled = saxpy({"--sample"}), unattributed = saxpy({"--sample", "--attribution", "off"});
  REQUIRE_FALSE(sampled["sampling"].is_null());
  check_shares(sampled, 1);
  double achieved = whole["achieved_occupancy"];
  CHECK(sampled["achieved_occupancy"].get<double>() == Approx(achieved).epsilon(0.02));
  CHECK(unattributed["achieved_occupancy"].get<double>() == Approx(achieved).epsilon(0.02));
  CHECK(sampled["ipc"].get<double>() == Approx(whole["ipc"].get<double>()).epsilon(0.02));
}

TEST_CASE("statistics: the causes of memory_queue_full add up to it") {
  auto naive = [](std::vector<std::string> more) {
    std::vector<std::string> words{"run", "matmul:naive", "--param", "n=64", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return Json::parse(warptime::test::warptime(words).out)["total"];
  };
  auto check_sum = [](const Json& total) {
    uint64_t sum = 0;
    for (const Json& slots : total["memory_queue_full"]) sum += slots.get<uint64_t>();
    CHECK(sum == total["issue"]["stalls"]["memory_queue_full"]);
    CHECK(sum > 0);
  };
  for (std::vector<std::string> more : {std::vector<std::string>{}, {"--set", "memory.queue_entries=1"}}) {
    Json total = naive(more);
    check_sum(total);
    CHECK(total["memory_queue_full"]["load_table"] == 0);
    CHECK(total["memory_queue_full"]["mshrs"] == 0);
    CHECK(total["queues"]["memory_queue"]["times_full"] > 0);
  }
  Json one_load = naive({"--set", "memory.max_outstanding_loads=1"});
  check_sum(one_load);
  CHECK(one_load["memory_queue_full"]["load_table"] > 0);
  CHECK(one_load["queues"]["load_table"]["max"] == 1);
  CHECK(one_load["queues"]["load_table"]["mean"].get<double>() <= 1);
  Json one_credit = naive({"--set", "memory.credits_per_tpc=1", "--set", "memory.queue_entries=1"});
  check_sum(one_credit);
  CHECK(one_credit["memory_queue_full"]["memory_queue"] == one_credit["issue"]["stalls"]["memory_queue_full"]);
  Json l1 = naive({"--machine", "geforce-gtx-480", "--set", "l1.mshrs=1"});
  check_sum(l1);
  CHECK(l1["memory_queue_full"]["mshrs"] > 0);
  Json off = naive({"--attribution", "off"});
  for (const Json& slots : off["memory_queue_full"]) CHECK(slots.is_null());
}

TEST_CASE("statistics: queues by Little's law, for any threads and steps") {
  auto naive = [](std::vector<std::string> more) {
    std::vector<std::string> words{"run", "matmul:naive", "--param", "n=64", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return Json::parse(warptime::test::warptime(words).out)["total"];
  };
  Json total = naive({});
  // The table of an SM holds each load as long as its latency.
  const Json& latency = total["global_latency"];
  double held =
      latency["mean"].get<double>() * latency["loads"].get<double>() / total["sm_cycles"]["elapsed"].get<double>();
  CHECK(total["queues"]["load_table"]["mean"].get<double>() == Approx(held).epsilon(1e-9));
  CHECK(total["queues"]["load_table"]["mean_time"].get<double>() == Approx(latency["mean"].get<double>()));
  CHECK(total["queues"]["memory_queue"]["entries"] == total["global"]["transactions"]);
  // Lines of instructions pass the partitions, too.
  Json no_fetch = naive({"--set", "instruction.sm_cache.bytes=0", "--set", "instruction.tpc_cache.bytes=0", "--set",
                         "instruction.partition_cache.bytes=0"});
  CHECK(no_fetch["queues"]["partition"]["entries"] == no_fetch["global"]["transactions"]);
  CHECK(total["queues"]["partition"]["mean"].get<double>() > 0);
  CHECK(total["queues"]["partition"]["mean"].get<double>() < total["queues"]["partition"]["max"].get<double>());
  CHECK(naive({"--threads", "3"}) == total);
  CHECK(naive({"--step", "quarter"}) == total);
}

TEST_CASE("statistics: the times in queues are those of their entries, and recorded on request") {
  auto naive = [](std::vector<std::string> more) {
    std::vector<std::string> words{"run", "matmul:naive", "--param", "n=64", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return Json::parse(warptime::test::warptime(words).out);
  };
  CHECK(!naive({})["total"].contains("queue_times"));
  CHECK(!naive({"--stats-per-instruction", "--functional"})["total"].contains("queue_times"));
  Json total = naive({"--stats-per-instruction"})["total"];
  const Json &times = total["queue_times"], &queues = total["queues"];
  CHECK(times["memory_queue"]["packets"] == queues["memory_queue"]["entries"]);
  CHECK(times["memory_queue"]["mean"].get<double>() == Approx(queues["memory_queue"]["mean_time"].get<double>()));
  for (const char* queue : {"partition", "partition_port", "tpc_response_port"})
    CHECK(times[queue]["packets"] == queues["partition"]["entries"]);
  // What is left of a partition's time is the wait for its port in.
  double in_it = times["partition"]["mean"].get<double>() + times["partition_port"]["mean"].get<double>();
  CHECK(in_it < queues["partition"]["mean_time"].get<double>());
  for (const Json& time : times) {
    CHECK(time["min"].get<uint64_t>() > 0);
    CHECK(time["min"] <= time["p50"]);
    CHECK(time["p50"] < time["p99"]);
    CHECK(time["p99"] <= time["max"]);
  }
  for (const std::vector<std::string>& way : {std::vector<std::string>{"--threads", "3"}, {"--step", "quarter"}}) {
    std::vector<std::string> words{"--stats-per-instruction"};
    words.insert(words.end(), way.begin(), way.end());
    CHECK(naive(words)["total"] == total);
  }
}

TEST_CASE("statistics: a sampled run keeps the causes' sum and estimates queues and latencies", "[full]") {
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
                                   "--set",
                                   "memory.queue_entries=2"};
    words.insert(words.end(), more.begin(), more.end());
    return Json::parse(warptime::test::warptime(words).out)["launches"][0];
  };
  Json whole = saxpy({}), sampled = saxpy({"--sample"});
  REQUIRE_FALSE(sampled["sampling"].is_null());
  uint64_t sum = 0;
  for (const Json& slots : sampled["memory_queue_full"]) sum += slots.get<uint64_t>();
  CHECK(sum == sampled["issue"]["stalls"]["memory_queue_full"]);
  for (const char* queue : {"load_table", "memory_queue", "partition"}) {
    double mean = whole["queues"][queue]["mean"];
    CHECK(sampled["queues"][queue]["mean"].get<double>() == Approx(mean).epsilon(0.05));
  }
  double median = whole["global_latency"]["p50"];
  CHECK(sampled["global_latency"]["p50"].get<double>() == Approx(median).epsilon(0.1));
}
