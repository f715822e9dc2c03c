#include "host/whatif/unused_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/model/cache_levels.h"

namespace warptime::host {

namespace {

class Parts {
 public:
  explicit Parts(const std::map<std::string, std::string>& total) : total_(total) {}

  void add(std::string begin, std::string why, std::string except = {}) {
    out.push_back({std::move(begin), std::move(except), std::move(why)});
  }
  /// A number that the report lacks is not known to be 0.
  bool is_zero(const std::string& name) const {
    auto found = total_.find(name);
    return found != total_.end() && found->second == "0";
  }

  std::vector<UnusedPart> out;

 private:
  const std::map<std::string, std::string>& total_;
};

void add_caches(Parts& parts, const sim::MachineConfig& machine) {
  for (const sim::CacheLevel& level : sim::kCacheLevels)
    if (level.of(machine).bytes == 0 && level.reads != sim::ReadKind::Data)
      parts.add(fmt::format("{}.", level.path), "no such cache", fmt::format("{}.bytes", level.path));
  if (machine.l1.cache.bytes == 0) parts.add("l1.", "no such cache", "l1.cache.bytes");
  else if (machine.l1.allocate == sim::LineAllocation::every_miss) parts.add("l1.history", "another choice");
  if (machine.l1.cache.bytes == 0) parts.add("texture.in_l1", "no such cache");
  if (machine.l1.array_bytes == 0)
    for (const char* of_array : {"l1.array_bytes", "l1.carveout"}) parts.add(of_array, "arrays of their own");
  if (machine.l2.cache.bytes == 0) parts.add("l2.", "no such cache", "l2.cache.bytes");
  if (machine.l2.slice_bytes == 0) parts.add("l2.slices", "no limit of their data");
  parts.add(machine.l2.far_cycles == 0 ? "l2.halves" : "l2.far_cycles", machine.l2.halves == 1 ? "one half" : "as far");
  for (const char* memory : {"constant", "texture"})
    if (parts.is_zero(fmt::format("caches.{}.accesses", memory)))
      parts.add(fmt::format("{}.", memory), fmt::format("no {} accesses", memory));
}

void add_pipes(Parts& parts) {
#define X(unused, name, key, ...) \
  if (parts.is_zero("pipes." #key ".busy_cycles")) parts.add(#key ".", "no instruction for it");
  PTX_PIPES(X, )
#undef X
}

void add_dram(Parts& parts, const sim::DramConfig& dram) {
  if (dram.tREFI == 0) {
    for (const char* of_refresh : {"dram.tRFC", "dram.refresh"}) parts.add(of_refresh, "no refreshes");
  } else if (dram.refresh == sim::RefreshScope::all_banks) {
    parts.add("dram.tRFCpb", "another choice");
  }
  if (dram.bank_groups == 1) {
    for (const char* of_groups : {"dram.tCCD_L", "dram.tRRD_L", "dram.tWTR_L"}) parts.add(of_groups, "no bank groups");
    if (dram.tCCD_L + dram.tRRD_L + dram.tWTR_L == 0) parts.add("dram.bank_groups", "no timing of groups");
  }
  if (dram.write_high == 0) parts.add("dram.write_low", "reads and writes are equal");
}

}  // namespace

std::vector<UnusedPart> unused_parts(const sim::MachineConfig& machine,
                                     const std::map<std::string, std::string>& total) {
  Parts parts(total);
  add_caches(parts, machine);
  add_pipes(parts);
  if (machine.memory.tlb.l1.entries == 0) parts.add("memory.tlb.", "no translation", "memory.tlb.l1.entries");
  else if (machine.memory.tlb.l2.entries == 0) parts.add("memory.tlb.l2.", "no second level", "memory.tlb.l2.entries");
  if (machine.memory.coalescing != "2.x") parts.add("memory.request_bytes", "another rule");
  if (parts.is_zero("global.atomics")) parts.add("memory.atomic_cycles", "no atomics");
  if (!sim::has_feature(machine, sim::Feature::SharedAtomics)) parts.add("sm.shared.atomic_cycles", "no such atomics");
  if (!sim::has_feature(machine, sim::Feature::Clusters)) parts.add("cluster.", "no clusters");
  if (!sim::has_feature(machine, sim::Feature::DeviceRuntime)) parts.add("runtime.", "no such functions");
  if (machine.issue.policy != sim::WarpPolicy::two_level) parts.add("issue.group_warps", "another policy");
  add_dram(parts, machine.dram);
  return std::move(parts.out);
}

const UnusedPart* find_unused(const std::vector<UnusedPart>& parts, std::string_view path) {
  auto found = std::find_if(parts.begin(), parts.end(), [&](const UnusedPart& part) { return part.has(path); });
  return found == parts.end() ? nullptr : &*found;
}

}  // namespace warptime::host
