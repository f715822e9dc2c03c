#include "sim/gpu/resource_use.h"

#include <algorithm>

#include "sim/mem/crossbar.h"
#include "sim/model/pipe.h"

namespace warptime::sim {

namespace {

/// The units of a resource, which are alike: cycles that each was busy, of `available`.
struct Units {
  std::vector<uint64_t> busy;
  uint64_t available;
};

template <class Counters, class F>
Units units_of(const std::vector<Counters>& counters, uint64_t available, F&& busy_of) {
  Units units{{}, available};
  units.busy.reserve(counters.size());
  for (const Counters& each : counters) units.busy.push_back(busy_of(each));
  return units;
}

uint64_t issued(const SmCounters& sm) {
  uint64_t sum = 0;
  for (const SlotCounters& row : sm.slots) sum += row.issued;
  return sum;
}

/// f(resource, Units), in the order of the table.
template <class F>
void for_each_resource(const MachineConfig& machine, const ChipCounters& counters, Cycle cycles, F&& f) {
  const uint64_t core_cycles = clock_ratio(machine.clocks.shader_mhz, machine.clocks.core_mhz).from_shader(cycles);
  const uint64_t memory_cycles = clock_ratio(machine.clocks.shader_mhz, machine.clocks.memory_mhz).from_shader(cycles);
  auto of_sms = [&](uint64_t available, auto&& busy_of) { return units_of(counters.sms, available, busy_of); };
  auto of_tpcs = [&](auto&& busy_of) { return units_of(counters.tpcs, core_cycles, busy_of); };
  auto of_partitions = [&](uint64_t available, auto&& busy_of) {
    return units_of(counters.partitions, available, busy_of);
  };
  auto units = [&](Resource resource) {
    switch (resource) {
      case Resource::Issue: return of_sms(cycles * machine.issue.ports, issued);
#define X(unused, name, key, ...) \
  case Resource::name:            \
    return of_sms(cycles * groups_of(machine.key), [](const auto& sm) { return sm.pipes().key; });
          PTX_PIPES(X, )
#undef X
      case Resource::MemoryPort: return of_sms(cycles, [](const auto& sm) { return sm.pipes().memory_port; });
      case Resource::TpcRequestPort: return of_tpcs([](const TpcBusy& tpc) { return tpc.request_port; });
      case Resource::TpcResponsePort: return of_tpcs([](const TpcBusy& tpc) { return tpc.response_port; });
      case Resource::Partition:
        return of_partitions(core_cycles, [](const PartitionBusy& of) {
          return std::max({of.request_port, of.response_port, of.l2_data});
        });
      case Resource::AtomicUnit: return of_partitions(cycles, [](const PartitionBusy& of) { return of.atomic_unit; });
      case Resource::Dram: return of_partitions(memory_cycles, [](const PartitionBusy& of) { return of.dram_data; });
    }
    return Units{};
  };
  for (size_t i = 0; i < kResourceCount; ++i) f(static_cast<Resource>(i), units(static_cast<Resource>(i)));
}

}  // namespace

ResourceUses resource_uses(const MachineConfig& machine, const ChipCounters& counters, Cycle cycles) {
  ResourceUses uses;
  for_each_resource(machine, counters, cycles, [&uses](Resource resource, const Units& units) {
    ResourceUse& use = uses[static_cast<size_t>(resource)];
    for (uint64_t busy : units.busy) use.add_unit(busy, units.busy.size());
    use.available = units.available * units.busy.size();
  });
  return uses;
}

BusyByUnit busy_by_unit(const MachineConfig& machine, const ChipCounters& counters, Cycle cycles) {
  BusyByUnit out;
  for_each_resource(machine, counters, cycles, [&out](Resource resource, const Units& units) {
    UnitsBusy& of = out.emplace_back(UnitsBusy{resource, {}});
    for (uint64_t busy : units.busy)
      of.busy.push_back(
          units.available == 0 ? 0 : std::min(1.0, static_cast<double>(busy) / static_cast<double>(units.available)));
  });
  return out;
}

}  // namespace warptime::sim
