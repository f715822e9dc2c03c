// Conditions that no single row can state. Each is reported at the first of its values that the user gave, so that the
// caret stands under something that can be changed.
#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/model/cache_levels.h"
#include "sim/model/machine_loader.h"
#include "sim/model/native_code.h"
#include "sim/model/occupancy.h"

namespace warptime::sim {

namespace {

class Checker {
 public:
  Checker(const LoadedMachine& loaded, Diagnostics& diagnostics) : loaded_(loaded), diagnostics_(diagnostics) {}

  void at_least(const char* path, uint64_t value, const char* bound_path, uint64_t bound) const {
    if (value < bound)
      diagnostics_.error(place(path, bound_path),
                         fmt::format("{} ({}) must be at least {} ({})", path, value, bound_path, bound));
  }
  void at_least_or_0(const char* path, uint64_t value, const char* bound_path, uint64_t bound) const {
    if (value != 0 && value < bound)
      diagnostics_.error(place(path, bound_path),
                         fmt::format("{} ({}) must be 0 or at least {} ({})", path, value, bound_path, bound));
  }

  SourceSpan place(const char* path, const char* other) const {
    Origin first = loaded_.origin(path), second = loaded_.origin(other);
    // What was set on the command line is what the user is playing with.
    bool prefer_second = first.where.source == nullptr || (second.text == "--set" && first.text != "--set");
    return prefer_second ? second.where : first.where;
  }

  void whole_khz(const char* path, double mhz) {
    double khz = mhz * 1000;
    if (std::abs(khz - std::round(khz)) > 1e-6)
      diagnostics_.error(loaded_.origin(path).where, fmt::format("{} must be a whole number of kHz", path));
  }

  void cache(const CacheLevel& level, const CacheConfig& cache) {
    uint64_t set = uint64_t{cache.line_bytes} * cache.ways;
    if (cache.bytes % set == 0) return;
    std::string bytes = fmt::format("{}.bytes", level.path), ways = fmt::format("{}.ways", level.path);
    diagnostics_.error(place(bytes.c_str(), ways.c_str()),
                       fmt::format("{} ({}) must be a multiple of line_bytes x ways ({})", bytes, cache.bytes, set));
  }

  /// The array that shared memory and L1 have together.
  void array(const MachineConfig& m) {
    const L1Config& l1 = m.l1;
    if (l1.array_bytes == 0 && l1.carveouts.empty()) return;
    const std::vector<uint32_t> sizes = carveouts(l1);
    if (l1.array_bytes == 0 || sizes.empty()) {
      diagnostics_.error(
          place("l1.carveouts", "l1.array_bytes"),
          "l1.array_bytes needs l1.carveouts, the sizes that shared memory may have of it, and these need it",
          "carveouts: \"16384 49152\"");
      return;
    }
    if (sizes.back() != m.sm.shared.bytes)
      diagnostics_.error(place("l1.carveouts", "sm.shared.bytes"),
                         fmt::format("the largest of l1.carveouts ({}) must be sm.shared.bytes ({})", sizes.back(),
                                     m.sm.shared.bytes));
    const uint32_t set = l1.cache.line_bytes * l1.cache.ways;
    for (const uint32_t shared : sizes) {
      if (shared <= l1.array_bytes && (l1.array_bytes - shared) % set == 0) continue;
      diagnostics_.error(
          place("l1.carveouts", "l1.array_bytes"),
          fmt::format("what {} bytes of shared memory leave of l1.array_bytes ({}) must be a multiple of "
                      "l1.cache.line_bytes x ways ({})",
                      shared, l1.array_bytes, set));
    }
    if (m.chip.caches_between_launches.l1 == CacheContents::keep)
      diagnostics_.error(place("l1.array_bytes", "chip.caches_between_launches.l1"),
                         "an L1 whose size changes from launch to launch keeps nothing between them",
                         "chip.caches_between_launches.l1: empty");
  }

  void translations(const std::string& path, const TlbLevelConfig& level) {
    if (level.entries % level.ways == 0) return;
    std::string entries = path + ".entries", ways = path + ".ways";
    diagnostics_.error(place(entries.c_str(), ways.c_str()),
                       fmt::format("{} ({}) must be a multiple of {} ({})", entries, level.entries, ways, level.ways));
  }

  /// What an outer level fetches holds the inner level's line. A partition looks up as many lines as it takes, but
  /// texels are laid out in lines of one size.
  void holds_line(const CacheLevel& outer, const CacheLevel& inner, const MachineConfig& machine) {
    if (outer.reads != inner.reads || (outer.side() != inner.side() && outer.reads != ReadKind::Texture)) return;
    if (outer.of(machine).bytes == 0 || inner.of(machine).bytes == 0) return;
    at_least(fmt::format("{}.line_bytes", outer.path).c_str(), outer.of(machine).line_bytes,
             fmt::format("{}.line_bytes", inner.path).c_str(), inner.of(machine).line_bytes);
  }

  void features(const std::vector<std::string>& names) {
    std::vector<std::string_view> legal;
    for (const auto& feature : kFeatures) legal.push_back(feature.name);
    for (const std::string& name : names) {
      if (std::find(legal.begin(), legal.end(), name) != legal.end()) continue;
      std::string hint = did_you_mean(name, legal);
      if (hint.empty()) hint = fmt::format("features are {}", fmt::join(legal, ", "));
      diagnostics_.error(place_of_feature(name), fmt::format("unknown feature \"{}\"", name), hint);
    }
  }

 private:
  // The word itself, somewhere after the place where the list begins.
  SourceSpan place_of_feature(const std::string& name) const {
    SourceSpan where = loaded_.origin("features").where;
    if (where.source == nullptr) return where;
    size_t found = where.source->text().find(name, where.begin);
    if (found == std::string_view::npos) return where;
    return {where.source, static_cast<uint32_t>(found), static_cast<uint32_t>(name.size())};
  }

  const LoadedMachine& loaded_;
  Diagnostics& diagnostics_;
};

void check_write_drain(const DramConfig& dram, const Checker& check, Diagnostics& diagnostics) {
  if (dram.write_high != 0 && dram.write_high <= dram.write_low)
    diagnostics.error(
        check.place("dram.write_high", "dram.write_low"),
        fmt::format("dram.write_high ({}) must be more than dram.write_low ({})", dram.write_high, dram.write_low));
}

void check_dram(const MachineConfig& m, const Checker& check, Diagnostics& diagnostics) {
  // A column access lies in one row of one partition.
  uint64_t burst = uint64_t{m.dram.bus_bytes} * m.dram.burst_length;
  check.at_least("dram.row_bytes", m.dram.row_bytes, "dram.bus_bytes x dram.burst_length", burst);
  check.at_least("memory.interleave_bytes", m.memory.interleave_bytes, "dram.bus_bytes x dram.burst_length", burst);
  const DramConfig& d = m.dram;
  check.at_least("dram.tRAS", d.tRAS, "dram.tRCD", d.tRCD);
  check.at_least("dram.banks", d.banks, "dram.pseudo_channels x dram.bank_groups",
                 uint64_t{d.pseudo_channels} * d.bank_groups);
  check.at_least_or_0("dram.tCCD_L", d.tCCD_L, "dram.tCCD", d.tCCD);
  check.at_least_or_0("dram.tRRD_L", d.tRRD_L, "dram.tRRD", d.tRRD);
  check.at_least_or_0("dram.tWTR_L", d.tWTR_L, "dram.tWTR", d.tWTR);
  check_write_drain(d, check, diagnostics);
  // Between refreshes a row can be closed after a write, and another opened and read: otherwise no request might ever
  // be served.
  const bool per_bank = d.refresh == RefreshScope::per_bank;
  const char* duration_name = per_bank && d.tRFCpb != 0 ? "tRFCpb" : "tRFC";
  const uint32_t duration = per_bank && d.tRFCpb != 0 ? d.tRFCpb : d.tRFC;
  uint64_t busy = uint64_t{duration} + d.tFAW + d.tRC + d.tRAS + d.tRP + d.tRCD + d.tWL + d.tWR + d.burst_length;
  if (d.tREFI != 0 && d.tREFI < busy)
    diagnostics.error(check.place("dram.tREFI", fmt::format("dram.{}", duration_name).c_str()),
                      fmt::format("dram.tREFI ({}) leaves no time between refreshes: {} and the times of a row are {}",
                                  d.tREFI, duration_name, busy),
                      "0: no refreshes");
  if (d.tRC < d.tRAS + d.tRP)
    diagnostics.warning(check.place("dram.tRC", "dram.tRAS"),
                        fmt::format("dram.tRC ({}) is below tRAS + tRP ({}) and has no effect", d.tRC, d.tRAS + d.tRP));
  if (d.tFAW != 0 && d.tFAW <= 4 * d.tRRD)
    diagnostics.warning(check.place("dram.tFAW", "dram.tRRD"),
                        fmt::format("dram.tFAW ({}) is at most 4 x tRRD ({}) and has no effect", d.tFAW, 4 * d.tRRD));
}

/// Its lines are those of the cache behind it, each of which it may hold anywhere.
void check_uniform_cache(const MachineConfig& m, const Checker& check, Diagnostics& diagnostics) {
  const UniformCacheConfig& uniform = m.constant.uniform_cache;
  constexpr uint32_t kMostLines = 64;
  if (m.constant.tpc_cache.bytes == 0)
    diagnostics.error(check.place("constant.uniform_cache.bytes", "constant.tpc_cache.bytes"),
                      "constant.uniform_cache is filled from constant.tpc_cache, which has 0 bytes");
  const uint32_t lines = uniform.bytes / uniform.line_bytes;
  if (uniform.bytes % uniform.line_bytes != 0 || lines > kMostLines)
    diagnostics.error(check.place("constant.uniform_cache.bytes", "constant.uniform_cache.line_bytes"),
                      fmt::format("constant.uniform_cache.bytes ({}) must be 1 to {} lines of {} bytes", uniform.bytes,
                                  kMostLines, uniform.line_bytes));
}

/// What SMs send each other obeys the window rule, too.
void check_clusters(const MachineConfig& m, const Checker& check) {
  const ClusterConfig& cluster = m.cluster;
  const uint32_t window = m.chip.window_cycles;
  check.at_least("cluster.access_latency", cluster.access_latency, "chip.window_cycles", window);
  for (const auto& [path, latency] : {std::pair{"cluster.load_latency", cluster.load_latency},
                                      std::pair{"cluster.atomic_latency", cluster.atomic_latency}})
    check.at_least(path, latency, "cluster.access_latency + chip.window_cycles", cluster.access_latency + window);
  check.at_least("cluster.async_latency", cluster.async_latency, "chip.window_cycles", window);
  check.at_least("cluster.arrive_latency", cluster.arrive_latency, "chip.window_cycles", window);
  check.at_least("cluster.copy_latency", cluster.copy_latency, "chip.window_cycles", window);
  check.at_least("cluster.barrier_latency", cluster.barrier_latency, "chip.window_cycles", window);
}

void check_gpcs(const MachineConfig& m, const Checker& check, Diagnostics& diagnostics) {
  if (tpcs_of_gpcs(m.chip).empty())
    diagnostics.error(check.place("chip.gpc_tpcs", "chip.gpc_tpcs"),
                      fmt::format("chip.gpc_tpcs (\"{}\") must be numbers of TPCs from 1 on", m.chip.gpc_tpcs),
                      "gpc_tpcs: \"16 18\"");
}

}  // namespace

void check_machine(const LoadedMachine& loaded, Diagnostics& diagnostics) {
  const MachineConfig& m = loaded.machine.config;
  Checker check(loaded, diagnostics);
  check.features(m.features);
  // Hardware that can hold its threads: a warp is 32 of them, and one block at least must be able to come.
  check.at_least("sm.max_warps", m.sm.max_warps, "sm.max_threads / 32", m.sm.max_threads / 32);
  check.at_least("sm.max_threads", m.sm.max_threads, "sm.max_threads_per_block", m.sm.max_threads_per_block);
  check.whole_khz("clocks.shader_mhz", m.clocks.shader_mhz);
  check.whole_khz("clocks.core_mhz", m.clocks.core_mhz);
  check.whole_khz("clocks.memory_mhz", m.clocks.memory_mhz);
  check_gpcs(m, check, diagnostics);
  if (!m.has_timing) return;

  // The window rule: nothing that leaves a TPC comes back, and no block starts, within the window in which it was sent.
  check.at_least("interconnect.request_latency", m.interconnect.request_latency, "chip.window_cycles",
                 m.chip.window_cycles);
  check.at_least("interconnect.response_latency", m.interconnect.response_latency, "chip.window_cycles",
                 m.chip.window_cycles);
  check.at_least("chip.block_launch_cycles", m.chip.block_launch_cycles, "chip.window_cycles", m.chip.window_cycles);

  if (has_feature(m, Feature::Clusters)) check_clusters(m, check);

  if (issues_native(m) && m.sm.shared.pipe != OnChipPipe::sp)
    diagnostics.error(check.place("native_cost", "sm.shared.pipe"),
                      "native_cost g80 has shared memory as operands of arithmetic, but sm.shared.pipe is memory");
  if (issues_native(m) && m.constant.pipe != OnChipPipe::sp)
    diagnostics.error(check.place("native_cost", "constant.pipe"),
                      "native_cost g80 has constants as operands of arithmetic, but constant.pipe is memory");
  check.at_least("sm.shared.bank_bytes", m.sm.shared.bank_bytes, "sm.shared.bank_interleave_bytes",
                 m.sm.shared.bank_interleave_bytes);

  if (m.sp.reach == PipeReach::own_scheduler) check.at_least("sp.groups", m.sp.groups, "issue.ports", m.issue.ports);

  for (const CacheLevel& level : kCacheLevels) check.cache(level, level.of(m));
  for (size_t i = 1; i < kCacheLevels.size(); ++i) check.holds_line(kCacheLevels[i], kCacheLevels[i - 1], m);
  if (m.l2.cache.bytes != 0) {
    check.at_least("memory.interleave_bytes", m.memory.interleave_bytes, "l2.cache.line_bytes", m.l2.cache.line_bytes);
    if (m.dram.bus_bytes * m.dram.burst_length <= 128)
      check.at_least("l2.sector_bytes", std::min(m.l2.sector_bytes, m.l2.cache.line_bytes),
                     "dram.bus_bytes x dram.burst_length", uint64_t{m.dram.bus_bytes} * m.dram.burst_length);
  }
  if (m.l2.cache.bytes != 0)
    check.at_least("l2.cache.line_bytes", m.l2.cache.line_bytes, "l2.fetch_bytes", m.l2.fetch_bytes);
  if (m.constant.uniform_cache.bytes != 0) check_uniform_cache(m, check, diagnostics);
  check.array(m);
  if (m.texture.in_l1 && m.l1.cache.bytes == 0)
    diagnostics.error(check.place("texture.in_l1", "l1.cache.bytes"), "texture.in_l1, but there is no L1 data cache");
  if (m.copy_engine.queue_entries != 0 && m.copy_engine.request_bytes > 32 && m.memory.coalescing != "2.x")
    diagnostics.error(
        check.place("copy_engine.request_bytes", "memory.coalescing"),
        fmt::format("copy_engine.request_bytes ({}) is of memory.coalescing 2.x", m.copy_engine.request_bytes));
  if (m.memory.request_bytes > 32 && m.memory.coalescing != "2.x")
    diagnostics.error(check.place("memory.request_bytes", "memory.coalescing"),
                      fmt::format("memory.request_bytes ({}) is of memory.coalescing 2.x", m.memory.request_bytes));
  check.translations("memory.tlb.l1", m.memory.tlb.l1);
  check.translations("memory.tlb.l2", m.memory.tlb.l2);
  if (m.memory.tlb.l2.entries != 0 && m.memory.tlb.l1.entries == 0)
    diagnostics.error(check.place("memory.tlb.l2.entries", "memory.tlb.l1.entries"),
                      "memory.tlb has a second level, but no first", "memory.tlb.l1.entries: 16");
  if (m.sm.reconvergence == Reconvergence::independent && m.has_timing)
    diagnostics.error(check.place("sm.reconvergence", "has_timing"),
                      "lanes are scheduled independently in functional runs only",
                      "has_timing: false, or reconvergence: stack");
  check.at_least("texture.tile_rows", m.texture.tile_rows, "texture.line_rows", m.texture.line_rows);
  check.at_least("texture.tile_width_bytes", m.texture.tile_width_bytes, "texture.tpc_cache.line_bytes",
                 m.texture.tpc_cache.line_bytes);

  check_dram(m, check, diagnostics);
}

}  // namespace warptime::sim
