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
  if (machine.l2.cache.bytes == 0) parts.add("l2.", "no such cache", "l2.cache.bytes");
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

}  // namespace

std::vector<UnusedPart> unused_parts(const sim::MachineConfig& machine,
                                     const std::map<std::string, std::string>& total) {
  Parts parts(total);
  add_caches(parts, machine);
  add_pipes(parts);
  if (machine.memory.tlb.l1.entries == 0) parts.add("memory.tlb.", "no translation", "memory.tlb.l1.entries");
  else if (machine.memory.tlb.l2.entries == 0) parts.add("memory.tlb.l2.", "no second level", "memory.tlb.l2.entries");
  if (parts.is_zero("global.atomics")) parts.add("memory.atomic_cycles", "no atomics");
  if (!sim::has_feature(machine, sim::Feature::SharedAtomics)) parts.add("sm.shared.atomic_cycles", "no such atomics");
  if (!sim::has_feature(machine, sim::Feature::DeviceRuntime)) parts.add("runtime.", "no such functions");
  if (machine.issue.policy != sim::WarpPolicy::two_level) parts.add("issue.group_warps", "another policy");
  if (machine.dram.tREFI == 0) parts.add("dram.tRFC", "no refreshes");
  return std::move(parts.out);
}

const UnusedPart* find_unused(const std::vector<UnusedPart>& parts, std::string_view path) {
  auto found = std::find_if(parts.begin(), parts.end(), [&](const UnusedPart& part) { return part.has(path); });
  return found == parts.end() ? nullptr : &*found;
}

}  // namespace warptime::host
