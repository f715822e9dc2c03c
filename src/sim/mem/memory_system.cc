#include "sim/mem/memory_system.h"

#include <algorithm>
#include <memory>

#include "base/assert.h"
#include "sim/mem/memory_system_impl.h"

namespace warptime::sim {

MemorySystem::MemorySystem(const MachineConfig& machine, DeviceMemory& memory, bool may_plan) {
  SIM_ASSERT(machine.interconnect.request_latency >= machine.chip.window_cycles &&
                 machine.interconnect.response_latency >= machine.chip.window_cycles,
             "the crossbar's latencies are below the window of {} cycles", machine.chip.window_cycles);
  impl_ = std::make_unique<Impl>(machine, memory, may_plan);
}
MemorySystem::~MemorySystem() = default;

TpcMemory& MemorySystem::tpc(uint32_t index) { return impl_->tpcs[index]; }

const StepResult& MemorySystem::run_partition(uint32_t index, Cycle begin, Cycle end) {
  SIM_DEBUG_ASSERT(begin < end, "an empty step at {}", begin);
  (void)begin;
  impl_->partitions[index].run(end, impl_->step);
  return impl_->partitions[index].result();
}

void MemorySystem::apply_stores(uint32_t index) { impl_->partitions[index].apply_stores(); }

bool MemorySystem::has_stores_to_apply(uint32_t index) const { return impl_->partitions[index].has_stores_to_apply(); }

void MemorySystem::exchange() {
  for (TpcMemory& tpc : impl_->tpcs)
    if (tpc.impl_->finished != impl_->step) tpc.finish_step();
  for (Partition& partition : impl_->partitions)
    if (partition.finished() != impl_->step) partition.finish_step(impl_->step);
  end_step();
}

void MemorySystem::end_step() { ++impl_->step; }

bool MemorySystem::idle() const {
  return std::all_of(impl_->tpcs.begin(), impl_->tpcs.end(), [](const TpcMemory& tpc) { return tpc.impl_->idle(); }) &&
         std::all_of(impl_->partitions.begin(), impl_->partitions.end(),
                     [](const Partition& partition) { return partition.idle(); });
}

Cycle MemorySystem::next_event(Cycle now) const {
  Cycle next = kNever;
  for (const TpcMemory& tpc : impl_->tpcs) next = std::min(next, tpc.impl_->result.next);
  for (const Partition& partition : impl_->partitions) next = std::min(next, partition.result().next);
  return std::max(next, now);
}

uint32_t MemorySystem::partition_count() const { return static_cast<uint32_t>(impl_->partitions.size()); }

std::vector<PartitionView> MemorySystem::view(std::optional<Addr> address) const {
  std::optional<PartitionAddress> place;
  if (address) place = PartitionMap(impl_->machine.memory).locate(*address);
  std::vector<PartitionView> out;
  for (uint32_t i = 0; i < partition_count(); ++i)
    out.push_back(impl_->partitions[i].view(
        impl_->machine, place && place->partition == i ? std::optional(place->offset) : std::nullopt));
  return out;
}

void MemorySystem::flush() {
  for (Partition& partition : impl_->partitions) partition.flush();
}

DramStats MemorySystem::dram_statistics(Cycle end) const {
  DramStats total;
  for (const Partition& partition : impl_->partitions) total.add(partition.statistics(end));
  return total;
}

std::vector<DramStats> MemorySystem::partitions_dram(Cycle end) const {
  std::vector<DramStats> out;
  for (const Partition& partition : impl_->partitions) out.push_back(partition.statistics(end));
  return out;
}

DataCacheStats MemorySystem::cache_statistics(ReadKind kind) const {
  DataCacheStats total;
  for (const Partition& partition : impl_->partitions) total.add(partition.cache_statistics(kind));
  return total;
}

std::vector<PartitionBusy> MemorySystem::partitions_busy(Cycle end) const {
  std::vector<PartitionBusy> out;
  for (const Partition& partition : impl_->partitions) out.push_back(partition.busy(end));
  return out;
}

QueueUse MemorySystem::partition_use(Cycle end) const {
  QueueUse total;
  for (const Partition& partition : impl_->partitions) total.add(partition.use(end));
  return total;
}

QueueTimes MemorySystem::queue_times() const {
  QueueTimes out;
  for (const Partition& partition : impl_->partitions) partition.add_times(out);
  for (const TpcMemory& tpc : impl_->tpcs)
    if (const auto& shares = tpc.impl_->shares; shares != nullptr)
      shares->for_each([&](const TpcShare& share) {
        out.memory_queue.add_all(share.queue_time);
        out.tpc_response_port.add_all(share.response_time);
      });
  return out;
}

LatencyStages MemorySystem::latency_stages() const {
  LatencyStages out;
  for (const Partition& partition : impl_->partitions) partition.add_stages(out);
  for (const TpcMemory& tpc : impl_->tpcs)
    if (const auto& shares = tpc.impl_->shares; shares != nullptr)
      shares->for_each([&](const TpcShare& share) { out.add(share.stages); });
  return out;
}

void MemorySystem::begin_launch() {
  if (!impl_->is_left && !impl_->contents.empty()) impl_->contents.clear();
  impl_->is_left = false;
}

void MemorySystem::reset(bool with_shares) { impl_->reset(with_shares); }

PartitionShare MemorySystem::take_share(uint32_t partition, uint32_t launch) {
  return impl_->partitions[partition].take_share(launch);
}

ChipContents& MemorySystem::contents() { return impl_->contents; }

void MemorySystem::leave(Cycle end) {
  for (const Partition& partition : impl_->partitions) partition.leave(impl_->contents, end);
  impl_->is_left = true;
}

}  // namespace warptime::sim
