// The conservation of bytes: what DRAM moved is what its users caused, level by level, on every workload and machine.
// Each level's account is kept elsewhere than that of the level it is compared with: instructions count the bytes of
// their transactions, caches what they asked for and were asked for, DRAM its column accesses.
#include <fmt/ranges.h>

#include <algorithm>

#include "workloads/workload_run.h"

namespace warptime {

namespace {

/// Bytes that a launch's instructions sent past the caches of their TPCs.
struct Sent {
  uint64_t read = 0, written = 0;
};

bool has(const std::string& text, std::string_view word) { return text.find(word) != std::string::npos; }

/// Where the rows' transactions go follows from the machine and the instruction.
Sent sent_by_rows(const sim::LaunchStatistics& launch, const sim::MachineConfig& machine) {
  const bool l1 = machine.l1.cache.bytes != 0;
  const bool for_global = l1 && machine.l1.spaces == sim::CachedSpaces::global_and_local;
  Sent out;
  for (const sim::InstructionRow& row : launch.instructions) {
    const std::string& text = row.text;
    const uint64_t bytes = row.line_statistics.memory.bytes_moved;
    if (has(text, "atom.") || has(text, " red.") || text.rfind("red.", 0) == 0) {
      out.read += bytes;
      out.written += bytes;
    } else if (has(text, "st.") || has(text, "wmma.store.")) {
      const bool stays = l1 && has(text, ".local") && machine.l1.local_stores == sim::WritePolicy::write_back;
      if (!stays) out.written += bytes;
    } else {
      const bool passes = has(text, ".volatile") || has(text, ".cg") || has(text, ".cv") || has(text, ".relaxed") ||
                          has(text, ".acquire");
      const bool texture = has(text, ".nc") && machine.texture.read_only_loads;
      if (passes || !(texture || (has(text, ".local") ? l1 : for_global))) out.read += bytes;
    }
  }
  return out;
}

void check_bytes(const sim::LaunchStatistics& launch, const sim::MachineConfig& machine) {
  const sim::CachesStats& caches = launch.caches;
  const Sent rows = sent_by_rows(launch, machine);
  // What leaves the TPCs.
  const uint64_t read = rows.read + caches.constant.fetched_bytes + caches.texture.fetched_bytes +
                        caches.instruction.fetched_bytes + caches.l1.fetched_bytes;
  const uint64_t written = rows.written + caches.l1.written_back_bytes;
  if (machine.l2.cache.bytes == 0) {
    // A read for the same word of a half-warp may share another's.
    if (machine.memory.same_address_merge == sim::SameAddressMerge::none) CHECK(launch.dram.read_bytes == read);
    else CHECK(launch.dram.read_bytes <= read);
    CHECK(launch.dram.write_bytes == written);
    return;
  }
  CHECK(caches.l2.read_bytes == read);
  CHECK(caches.l2.write_bytes == written);
  CHECK(launch.dram.read_bytes == caches.l2.fetched_bytes);
  CHECK(launch.dram.write_bytes == caches.l2.written_back_bytes);
  CHECK(caches.l2.hits + caches.l2.misses == caches.l2.accesses);
  CHECK(caches.l2.sector_misses + caches.l2.mshr_merges <= 2 * caches.l2.misses);
}

/// A timed run on a machine whose partitions have no caches but the L2.
void check_target(const Target& target, const std::string& name, const std::string& l2,
                  const std::vector<std::string>& others = {}) {
  std::vector<std::string> overrides{"constant.partition_cache.bytes=0", "instruction.partition_cache.bytes=0",
                                     "texture.partition_cache.bytes=0", "chip.caches_between_launches.l2=" + l2};
  overrides.insert(overrides.end(), others.begin(), others.end());
  const sim::Machine machine = shipped_machine(name, overrides);
  if (!machine.config.has_timing) return;
  INFO(target.name() << " on " << name << ", L2 " << l2 << fmt::format(" {}", fmt::join(others, " ")));
  sim::RunOptions options;
  options.per_instruction = true;
  try {
    const host::RunReport report = run(target, options, machine);
    for (const sim::LaunchStatistics& launch : report.launches) {
      INFO(launch.kernel);
      check_bytes(launch, machine.config);
    }
    if (machine.config.l2.cache.bytes == 0 || l2 == "keep") return;
    // Where nothing is kept, all that was stored reaches DRAM: at least the bytes that the results have.
    uint64_t stored = 0, written = 0;
    for (const sim::LaunchStatistics& launch : report.launches) {
      stored += launch.caches.l2.write_bytes;
      written += launch.dram.write_bytes;
    }
    CHECK(written <= stored);
    CHECK((stored == 0) == (written == 0));
  } catch (const host::InputError&) {  // the machine lacks a feature (test_machines.cc)
  }
}

void check_everywhere(size_t of) {
  const std::vector<Target> targets = small_targets();
  size_t number = 0;
  for (const sim::MachineListing& listing : sim::list_machines(WARPTIME_SOURCE_DIR "/configs"))
    for (const char* l2 : {"empty", "keep"}) {
      for (size_t t = number % of; t < targets.size(); t += of) check_target(targets[t], listing.name, l2);
      number += 1;
    }
}

}  // namespace

TEST_CASE("the stages of a load's latency add up to it") {
  sim::RunOptions options;
  options.per_instruction = true;
  for (const char* name : {"geforce-gtx-480", "jetson-tk1"}) {
    const sim::Machine machine = shipped_machine(name);
    const host::RunReport report = run({"micro", "chase", {"stride=4096", "footprint=4096"}}, options, machine);
    // The second run of a ring has the same fetches of code and constants, and twice the loads.
    REQUIRE(report.launches.size() >= 2);
    const sim::LaunchStatistics &once = report.launches.end()[-2], &twice = report.launches.back();
    const uint64_t loads = twice.global_latency.loads() - once.global_latency.loads();
    uint64_t stages = 0;
    auto add = [&](const sim::QueueTime& more, const sim::QueueTime& less) { stages += more.cycles - less.cycles; };
    sim::LatencyStages::visit(twice.latency_stages, [&](const StatInfo& info, const sim::QueueTime& of) {
      sim::LatencyStages::visit(once.latency_stages, [&](const StatInfo& other, const sim::QueueTime& earlier) {
        if (info.name == other.name) add(of, earlier);
      });
    });
    INFO(name);
    REQUIRE(loads > 0);
    CHECK(twice.latency_stages.port.count() - once.latency_stages.port.count() == loads);
    CHECK(twice.latency_stages.response_network.count() - once.latency_stages.response_network.count() == loads);
    // Besides them a load has its L1, and a cycle until it is ready to leave the SM.
    const bool l1 = machine.config.l1.spaces == sim::CachedSpaces::global_and_local;
    const uint64_t rest = (l1 ? machine.config.l1.cache.latency : 0) * loads;
    const uint64_t latency = twice.global_latency.cycles - once.global_latency.cycles;
    CHECK(stages + rest <= latency);
    CHECK(stages + rest + 2 * loads >= latency);
  }
}

TEST_CASE("bytes of DRAM are those of its users: some workloads on each machine") { check_everywhere(16); }

TEST_CASE("bytes of DRAM are those of its users: with what later machines have") {
  const std::vector<std::string> sectors{
      "l1.sector_bytes=32",       "memory.request_bytes=128",  "texture.in_l1=true",    "texture.read_only_loads=true",
      "l1.stored_lines=allocate", "l2.slice_bytes=32",         "l2.slices=2",           "l1.sets=hashed",
      "l2.sets=hashed",           "l1.replacement=pseudo_lru", "l2.replacement=random", "l2.cache.bytes=8192"};
  const std::vector<std::string> others{
      "l1.reserve=miss",      "l2.reserve=miss",         "l2.stores=pass", "l2.halves=2",     "l2.far_cycles=99",
      "l1.stored_lines=keep", "memory.request_bytes=64", "l1.mshrs=2",     "l1.mshr_reads=2", "l2.cache.bytes=4096"};
  const std::vector<Target> targets = small_targets();
  for (size_t t = 0; t < targets.size(); t += 5) {
    check_target(targets[t], "geforce-gtx-480", "empty", sectors);
    check_target(targets[(t + 2) % targets.size()], "geforce-gtx-480", "keep", others);
  }
}

TEST_CASE("bytes of DRAM are those of its users: every workload on every machine, with and without keep",
          "[workloads][all]") {
  check_everywhere(1);
}

}  // namespace warptime
