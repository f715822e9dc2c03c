#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <regex>
#include <set>
#include <sstream>

#include "sim/model/machine_loader.h"
#include "sim/model/parameters.h"
#include "sim/model/statistics_list.h"

using namespace warptime;
using namespace warptime::sim;
using Catch::Matchers::Contains;

namespace {

const std::string kShipped = std::string(WARPTIME_SOURCE_DIR) + "/configs";

LoadedMachine load(std::string_view name, const std::vector<std::string>& overrides = {}) {
  Diagnostics diagnostics;
  auto loaded = load_machine(name, overrides, kShipped, diagnostics);
  INFO(diagnostics.to_text());
  REQUIRE(loaded);
  return *loaded;
}

}  // namespace

TEST_CASE("the resolved dump loads again to the same hash and values") {
  std::random_device seed;
  std::string path =
      (std::filesystem::temp_directory_path() / fmt::format("warptime-dump-{:08x}.yaml", seed())).string();
  for (const char* name : {"geforce-8800-gtx", "generic"}) {
    LoadedMachine first = load(name, {"host.launch_us=0.1", "memory.address_map=xor", "description=a \"b\" \\ c: # d"});
    std::ofstream(path) << to_yaml(first);
    LoadedMachine again = load(path);
    CHECK(again.machine.hash == first.machine.hash);
    CHECK(again.machine.config.description == "a \"b\" \\ c: # d");
    CHECK(again.origins.size() == parameter_table().size());
  }
  std::filesystem::remove(path);
}

TEST_CASE("the dump says where each value comes from and what it is") {
  std::string dump = to_yaml(load("geforce-8800-gtx", {"chip.tpcs=4"}));
  CHECK_THAT(dump,
             Contains("  tpcs: 4                            # --set; 1 to 256; per chip: texture processor clusters"));
  CHECK_THAT(dump, Contains("# geforce-8800-gtx.yaml:"));
  CHECK_THAT(to_yaml(load("generic")), Contains("# default; "));
}

TEST_CASE("the hash moves with every value but the description and the copy engines") {
  LoadedMachine machine = load("geforce-8800-gtx");
  CHECK(machine.machine.hash.size() == 16);
  std::set<std::string> hashes{machine.machine.hash};
  MachineConfig config = machine.machine.config;
  config.description = "other words";
  config.host.copy_engines = 2;
  CHECK(hash_of(config) == machine.machine.hash);
  config.features.push_back("clusters");
  hashes = {hash_of(config)};
  size_t changed = 0;
  for (const Parameter& p : parameters_of(config)) {
    if (p.path == "description" || p.path == "host.copy_engines") continue;
    std::visit(
        [](auto value) {
          if constexpr (std::is_same_v<decltype(value), EnumRef>) *value.value ^= 1;
          else if constexpr (std::is_same_v<decltype(value), bool*>) *value = !*value;
          else if constexpr (std::is_same_v<decltype(value), std::string*>) *value += "x";
          else if constexpr (std::is_same_v<decltype(value), std::vector<std::string>*>) value->push_back("f64");
          else *value += 1;
        },
        p.value);
    hashes.insert(hash_of(config));
    ++changed;
  }
  CHECK(hashes.size() == changed + 1);
  MachineConfig without = machine.machine.config;
  without.copy_engine.initiation = 100;  // of a copy engine that it has not
  without.cluster.load_latency = 500;    // of clusters, which it has not
  without.chip.gpc_tpcs = "4";
  CHECK(hash_of(without) == machine.machine.hash);
  without.copy_engine.queue_entries = 1;
  CHECK(hash_of(without) != machine.machine.hash);
  MachineConfig a = machine.machine.config, b = a;
  a.features = {"vote", "f64"};
  b.features = {"f64", "vote"};
  CHECK(hash_of(a) == hash_of(b));
}

TEST_CASE("the 8800 GTX file gives every parameter, each with its kind of source") {
  LoadedMachine machine = load("geforce-8800-gtx");
  std::string why;
  auto source = SourceText::read_file(kShipped + "/geforce-8800-gtx.yaml", &why);
  REQUIRE(source);
  MachineConfig config;
  for (const Parameter& p : parameters_of(config)) {
    INFO(p.path);
    Origin origin = machine.origin(p.path);
    REQUIRE(origin.where.source != nullptr);
    if (p.path == "description") continue;
    std::string line(source->line(source->place_of(origin.where.begin).line));
    size_t comment = line.find("# ");
    REQUIRE(comment != std::string::npos);
    std::string kind = line.substr(comment + 2, line.find_first_of(": ", comment + 2) - comment - 2);
    CHECK((kind == "measured" || kind == "vendor" || kind == "inferred" || kind == "assumed"));
  }
}

TEST_CASE("the defaults are the 8800 GTX") { CHECK(hash_of(MachineConfig{}) == load("geforce-8800-gtx").machine.hash); }

TEST_CASE("the generic machine has every feature, no timing and 16 SMs") {
  MachineConfig config = load("generic").machine.config;
  for (const auto& feature : kFeatures) CHECK(has_feature(config, feature.name));
  CHECK_FALSE(config.has_timing);
  CHECK(sm_count(config) == 16);
  CHECK(config.sm.shared.bytes == 48 * 1024);
  CHECK_FALSE(has_feature(MachineConfig{}, "f64"));
}

TEST_CASE("every latency class has its own parameter") {
  LatencyConfig latency;
  uint32_t next = 1;
  LatencyConfig::visit(latency,
                       [&](const char*, uint32_t& cycles, const ParamCheck&, std::string_view) { cycles = next++; });
  std::set<uint32_t> seen;
#define X(unused, name, ...) seen.insert(cycles_of(latency, ptx::Latency::name));
  PTX_LATENCIES(X, )
#undef X
  CHECK(seen.size() == next - 1);
  CHECK(cycles_of(latency, ptx::Latency::Memory) == 0);
  CHECK(cycles_of(latency, ptx::Latency::IntAlu) == latency.int_alu);
  CHECK(cycles_of(latency, ptx::Latency::Double) == latency.double_alu);
  CHECK(cycles_of(latency, ptx::Latency::Branch) == latency.branch);
}

TEST_CASE("the parameter table has a legal range and a sentence for each") {
  std::set<std::string> paths;
  for (const ParameterRow& row : parameter_table()) {
    INFO(row.path);
    CHECK(paths.insert(row.path).second);
    CHECK_FALSE(row.doc.empty());
    CHECK(
        (row.path == "description" || row.path == "l1.carveouts" || row.path == "chip.gpc_tpcs" || !row.legal.empty()));
  }
  // Paths that scripts set.
  for (const char* path : {"chip.tpcs",
                           "chip.sms_per_tpc",
                           "chip.window_cycles",
                           "clocks.shader_mhz",
                           "clocks.core_mhz",
                           "clocks.memory_mhz",
                           "sm.max_threads",
                           "sm.max_blocks",
                           "sm.registers",
                           "sm.shared.bytes",
                           "sm.shared.banks",
                           "issue.policy",
                           "issue.interval",
                           "sp.initiation",
                           "sfu.initiation",
                           "memory.coalescing",
                           "memory.same_address_merge",
                           "memory.address_map",
                           "memory.partitions",
                           "dram.scheduler"})
    CHECK(paths.count(path) == 1);
}

TEST_CASE("every size, count and time says what it is of, those of caches by the cache's row") {
  const std::set<std::string> units{"in each SM",
                                    "in each GPC",
                                    "in each TPC",
                                    "in each partition",
                                    "per chip",
                                    "per TPC",
                                    "per partition",
                                    "per SM",
                                    "per block",
                                    "per cluster",
                                    "per block or warp",
                                    "per thread",
                                    "per grid",
                                    "per warp scheduler",
                                    "per warp instruction",
                                    "per instruction",
                                    "per request",
                                    "per transaction",
                                    "per packet",
                                    "per line",
                                    "per set",
                                    "per lookup",
                                    "per tile",
                                    "per page",
                                    "per module",
                                    "per parameter",
                                    "per allocation",
                                    "per column access",
                                    "per bank",
                                    "per copy",
                                    "per launch",
                                    "per call",
                                    "per partition and TPC",
                                    "per slice",
                                    "per store",
                                    "in each pseudo channel",
                                    "per fetch",
                                    "per core cycle"};
  std::map<std::string, std::string> scopes;
  for (const ParameterRow& row : parameter_table()) {
    INFO(row.path);
    if (row.type == "whole number" || row.type == "number") CHECK(units.count(row.scope) == 1);
    else CHECK((row.scope.empty() || units.count(row.scope) == 1));
    CHECK_FALSE(row.doc.starts_with("per "));
    CHECK_FALSE(row.doc.starts_with("in each "));
    scopes[row.path] = row.scope;
  }
  CHECK(scopes["l1.cache.bytes"] == "in each SM");
  CHECK(scopes["l2.cache.bytes"] == "in each partition");
  CHECK(scopes["texture.tpc_cache.bytes"] == "in each TPC");
  CHECK(scopes["constant.partition_cache.bytes"] == "in each partition");
  CHECK(scopes["l2.cache.latency"] == "per lookup");
  CHECK(scopes["latency.int_alu"] == "per warp instruction");
  CHECK(scopes["memory.bytes"] == "per chip");
}

TEST_CASE("the resolved machine says what all units have together") {
  LoadedMachine loaded = load("geforce-gtx-480");
  loaded.machine.config.l2.cache.bytes = 131072;
  loaded.machine.config.memory.partitions = 6;
  std::string text = to_yaml(loaded);
  auto line_of = [&](const std::string& begin, const std::string& after) {
    size_t at = text.find(begin, text.find(after));
    return text.substr(at, text.find('\n', at) - at);
  };
  CHECK_THAT(line_of("    bytes: ", "\nl2:"), Contains("in each partition: 768 KiB in all 6 partitions; bytes"));
  CHECK_THAT(line_of("  registers: ", "\nsm:"),
             Contains(fmt::format("in each SM: {} in all {} SMs; ",
                                  loaded.machine.config.sm.registers * sm_count(loaded.machine.config),
                                  sm_count(loaded.machine.config))));
  CHECK_THAT(line_of("    line_bytes: ", "\nl2:"), Contains("per line: bytes of a line") && !Contains("in all"));
  loaded.machine.config.l2.cache.bytes = 0;
  text = to_yaml(loaded);
  CHECK_THAT(line_of("    bytes: ", "\nl2:"), !Contains("in all"));
}

TEST_CASE("every default is legal") {
  MachineConfig config;
  for (const Parameter& p : parameters_of(config)) {
    INFO(p.path);
    if (const auto* v = std::get_if<uint32_t*>(&p.value)) CHECK(p.check.accepts(static_cast<double>(**v)));
    if (const auto* v = std::get_if<uint64_t*>(&p.value)) CHECK(p.check.accepts(static_cast<double>(**v)));
    if (const auto* v = std::get_if<double*>(&p.value)) CHECK(p.check.accepts(**v));
    if (const auto* v = std::get_if<std::string*>(&p.value)) CHECK(p.check.accepts(std::string_view(**v)));
  }
}

TEST_CASE("the list of statistics names each once, with unit, scope and sentence") {
  std::set<std::string> names;
  for (const StatisticRow& row : statistics_list()) {
    INFO(row.name);
    CHECK(names.insert(row.name).second);
    CHECK_FALSE(row.unit.empty());
    CHECK_FALSE(row.what.empty());
    CHECK((row.scope == "warp" || row.scope == "SM" || row.scope == "TPC" || row.scope == "partition" ||
           row.scope == "chip"));
  }
  CHECK(names.count("issue.stalls.sp_busy") == 1);
  CHECK(names.count("dram.bandwidth_gb_s") == 1);
}

TEST_CASE("the list of statistics has names of profilers, and no others") {
  // Nsight Compute: unit__name.rollup, without a rollup for what a launch was given. The rest: the CUDA profiler's
  // counters on devices 1.x, and its metric of occupancy.
  const std::regex nsight(
      "(smsp|sm|l1tex|lts|idc|dram|gpu)__[a-z0-9_]+\\.(sum|max|sum\\.per_second|avg\\.per_cycle_elapsed|avg\\.pct_of_"
      "peak_sustained_active)"
      "|launch__[a-z_]+|_[yz]|sm__maximum_warps_avg_per_active_cycle");
  const std::set<std::string> counters{"achieved_occupancy", "gputime",       "instructions",  "divergent_branch",
                                       "warp_serialize",     "gld_coherent",  "gst_coherent",  "gld_incoherent",
                                       "gst_incoherent",     "tex_cache_hit", "tex_cache_miss"};
  std::set<std::string> seen;
  for (const StatisticRow& row : statistics_list()) {
    std::string names = std::regex_replace(row.profiler, std::regex(" \\+ |, "), " ");
    std::istringstream each(names);
    for (std::string name; each >> name; seen.insert(name)) {
      INFO(row.name << ": " << name);
      CHECK((counters.count(name) == 1 || std::regex_match(name, nsight)));
    }
  }
  for (const std::string& counter : counters) CHECK(seen.count(counter) == 1);
}
