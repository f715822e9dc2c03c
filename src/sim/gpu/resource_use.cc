#include "sim/gpu/resource_use.h"

#include <algorithm>

#include "sim/mem/crossbar.h"

namespace warptime::sim {

namespace {

/// One resource of units that are alike, each with `available` cycles; busy_of(unit) says how many of them it was
/// taken.
template <class Units, class F>
ResourceUse of_units(const Units& units, uint64_t available, F&& busy_of) {
  ResourceUse use;
  for (const auto& unit : units) use.add_unit(busy_of(unit), units.size());
  use.available = available * units.size();
  return use;
}

uint64_t issued(const SmCounters& sm) {
  uint64_t sum = 0;
  for (const SlotCounters& row : sm.slots) sum += row.issued;
  return sum;
}

}  // namespace

ResourceUses resource_uses(const MachineConfig& machine, const ChipCounters& counters, Cycle cycles) {
  const uint64_t core_cycles = clock_ratio(machine.clocks.shader_mhz, machine.clocks.core_mhz).from_shader(cycles);
  const uint64_t memory_cycles = clock_ratio(machine.clocks.shader_mhz, machine.clocks.memory_mhz).from_shader(cycles);
  auto of_sms = [&](uint64_t available, auto&& busy_of) { return of_units(counters.sms, available, busy_of); };
  auto of_tpcs = [&](auto&& busy_of) { return of_units(counters.tpcs, core_cycles, busy_of); };
  auto of_partitions = [&](uint64_t available, auto&& busy_of) {
    return of_units(counters.partitions, available, busy_of);
  };
  auto use = [&](Resource resource) {
    switch (resource) {
      case Resource::Issue: return of_sms(cycles * machine.issue.ports, issued);
#define X(unused, name, key, ...) \
  case Resource::name:            \
    return of_sms(cycles * machine.key.groups, [](const auto& sm) { return sm.pipes().key; });
          PTX_PIPES(X, )
#undef X
      case Resource::MemoryPort: return of_sms(cycles, [](const auto& sm) { return sm.pipes().memory_port; });
      case Resource::TpcRequestPort: return of_tpcs([](const TpcBusy& tpc) { return tpc.request_port; });
      case Resource::TpcResponsePort: return of_tpcs([](const TpcBusy& tpc) { return tpc.response_port; });
      case Resource::Partition:
        return of_partitions(core_cycles,
                             [](const PartitionBusy& of) { return std::max(of.request_port, of.response_port); });
      case Resource::AtomicUnit: return of_partitions(cycles, [](const PartitionBusy& of) { return of.atomic_unit; });
      case Resource::Dram: return of_partitions(memory_cycles, [](const PartitionBusy& of) { return of.dram_data; });
    }
    return ResourceUse{};
  };
  ResourceUses uses;
  for (size_t i = 0; i < kResourceCount; ++i) uses[i] = use(static_cast<Resource>(i));
  return uses;
}

}  // namespace warptime::sim
