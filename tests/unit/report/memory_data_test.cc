// Accesses as the page reads them: addresses of the active lanes, transactions, conflicts; requests and stacks.
#include "report/memory_data.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "ptx/module.h"

using namespace warptime;
using namespace warptime::report;
using Json = nlohmann::ordered_json;

namespace {

sim::LaunchStatistics launch_of_cycles(Cycle cycles) {
  sim::LaunchStatistics launch;
  launch.kernel = "k";
  launch.grid = {4, 2, 1};
  launch.cycles = cycles;
  return launch;
}

sim::AccessSample sample_of(ptx::Space space, uint32_t lanes, uint32_t stride) {
  sim::AccessSample sample;
  sample.space = space;
  sample.is_load = true;
  sample.lanes = lanes;
  sample.bytes = 4;
  sample.block = 5;
  for (uint32_t lane = 0; lane < 32; ++lane) sample.addresses[lane] = 0x10000 + lane * stride;
  return sample;
}

}  // namespace

TEST_CASE("samples have the addresses of active lanes, their transactions or the conflict degree") {
  sim::MachineConfig machine;
  sim::AccessLog log;
  log.add_buffer("x", 0x10000, 4096);
  log.prepare(3, 4, 2, 2);
  sim::AccessSample global = sample_of(ptx::Space::Global, 0x5, 4);
  global.transactions = {{0x10000, 0x5, 64}};
  log.sms[1].samples = {global, sample_of(ptx::Space::Shared, ~0u, 8), sample_of(ptx::Space::Shared, ~0u, 4)};
  log.sms[0].samples = {sample_of(ptx::Space::Const, ~0u, 0)};
  log.sms[2].lanes.add(3, 70, 2);
  log.sms[0].lanes.add(3, 10, 1);
  std::vector<std::string> notes;
  Json json = memory_json(log, 1, launch_of_cycles(128), machine, notes);
  CHECK(notes.empty());
  const Json& samples = json["samples"];
  REQUIRE(samples.size() == 4);  // the traced SM first
  CHECK(samples[0]["addresses"] == Json({0x10000, 0x10008}));
  CHECK(samples[0]["transactions"] == Json::array({Json({0x10000, 64, 5})}));
  CHECK(samples[0]["block"] == Json({1, 1, 0}));
  CHECK(samples[0]["ideal"] == 1);
  CHECK_FALSE(samples[0].contains("degree"));
  CHECK(samples[1]["degree"] == 2);
  CHECK(samples[1]["replays"] == 2);  // one for each half-warp
  CHECK(samples[2]["degree"] == 1);
  CHECK(samples[3]["space"] == "const");
  CHECK(samples[3]["degree"] == 1);
  CHECK(json["slice_cycles"] == 64);
  CHECK(json["buffers"][0]["counts"][3] == Json({1, 2}));
  CHECK(json["bank_bytes"].size() == 4);
}

TEST_CASE("moments are amounts between them, of each partition") {
  sim::MachineConfig machine;
  sim::AccessLog log;
  log.prepare(1, 1, 2, 4);
  sim::DramStats first, second;
  first.read_bytes = 100;
  second.read_bytes = 160;
  second.row_hits = 7;
  log.add_moment(300, {first, {}});
  log.add_moment(600, {second, first});
  std::vector<std::string> notes;
  Json moments = memory_json(log, 0, launch_of_cycles(600), machine, notes)["moments"];
  CHECK(moments["cycles"] == Json({300, 600}));
  CHECK(moments["partitions"][0]["read"] == Json({100, 60}));
  CHECK(moments["partitions"][0]["hits"] == Json({0, 7}));
  CHECK(moments["partitions"][1]["read"] == Json({0, 100}));
}

TEST_CASE("requests have their answers in order, stacks their entries from the lowest on") {
  sim::AccessLog log;
  log.transactions = {{0x100, 1, 32}, {0x200, 2, 64}, {0x300, 4, 32}};
  log.requests = {{2, 7, 1000, 0, 2}, {3, 8, 1010, 2, 1}};
  log.answers = {{0, 1300}, {1, 1290}, {0, 1250}};
  Json requests = requests_json(log);
  CHECK(requests["warp"] == Json({2, 3}));
  CHECK(requests["count"] == Json({2, 1}));
  CHECK(requests["address"] == Json({0x100, 0x200, 0x300}));
  CHECK(requests["answers"] == Json::array({Json({250, 300}), Json({280})}));
  CHECK(requests["end"].is_null());

  log.entries = {{9, ptx::kNoIndex, 0xff}, {5, 9, 0xf0}};
  log.stacks = {{2, 1100, 9, 0x0f, 0, 2}, {2, 1200, ptx::kNoIndex, 0xff, 2, 0}};
  log.stacks_end = 5000;
  Json stacks = stacks_json(log);
  CHECK(stacks["cycle"] == Json({1100, 1200}));
  CHECK(stacks["entries"] == Json::array({Json({9, -1, 0xff, 5, 9, 0xf0}), Json::array()}));
  CHECK(stacks["reconvergence"] == Json({9, -1}));
  CHECK(stacks["end"] == 5000);
}
