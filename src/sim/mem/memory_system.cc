#include "sim/mem/memory_system.h"

#include <algorithm>
#include <deque>
#include <memory>

#include "base/assert.h"
#include "sim/mem/partition.h"
#include "sim/mem/tpc_memory.h"

namespace warptime::sim {

namespace {

/// Maximum of outstanding answers from one partition to one TPC: those that still hold a credit, and those of the
/// credits that came back while they travel; also, a port sends at most one a core cycle.
uint64_t response_capacity(const MachineConfig& machine) {
  uint64_t credits = machine.memory.credits_per_tpc, window = machine.chip.window_cycles;
  uint64_t travelling = machine.interconnect.response_latency + 2 * window;
  uint64_t by_credits = credits * (travelling / window + 1);
  uint64_t by_port = clock_ratio(machine.clocks.shader_mhz, machine.clocks.core_mhz).from_shader(travelling) + 1;
  return credits + std::min(by_credits, by_port);
}

}  // namespace

struct MemorySystem::Impl {
  Impl(const MachineConfig& config, DeviceMemory& device_memory, bool plans)
      : machine(config), memory(device_memory), may_plan(plans) {
    for (uint32_t i = 0; i < tpc_count * partition_count; ++i)
      links.push_back({RequestChannel(machine.memory.credits_per_tpc), AnswerChannel(response_capacity(machine))});
    SIM_ASSERT(std::max(tpc_count, partition_count) <= ChannelSender::kChannels, "{} TPCs, {} partitions", tpc_count,
               partition_count);
    by_tpcs = std::vector<ChannelSender>(tpc_count, ChannelSender(partition_count));
    by_partitions = std::vector<ChannelSender>(partition_count, ChannelSender(tpc_count));
    for (uint32_t p = 0; p < partition_count; ++p)
      partitions.emplace_back(machine, memory, wiring_of_partition(p), may_plan);
    for (uint32_t t = 0; t < tpc_count; ++t) tpcs.emplace_back(new_tpc(t));
  }

  Wiring wiring_of_partition(uint32_t p) {
    Wiring wiring{p, {}, &by_partitions[p], &by_tpcs};
    for (uint32_t t = 0; t < tpc_count; ++t) wiring.links.push_back(&links[t * partition_count + p]);
    return wiring;
  }
  std::unique_ptr<TpcMemory::Impl> new_tpc(uint32_t t) {
    Wiring wiring{t, {}, &by_tpcs[t], &by_partitions};
    for (uint32_t p = 0; p < partition_count; ++p) wiring.links.push_back(&links[t * partition_count + p]);
    return std::make_unique<TpcMemory::Impl>(machine, std::move(wiring), &step);
  }

  /// As it was made. What the last launch has not used is not made anew: there may be many launches, all small.
  void reset(bool with_times) {
    step = 1;
    for (Link& link : links) {
      link.requests.reset();
      link.answers.reset();
    }
    std::fill(by_tpcs.begin(), by_tpcs.end(), ChannelSender(partition_count));
    std::fill(by_partitions.begin(), by_partitions.end(), ChannelSender(tpc_count));
    for (uint32_t p = 0; p < partition_count; ++p) {
      if (partitions[p].restart()) continue;
      std::destroy_at(&partitions[p]);
      std::construct_at(&partitions[p], machine, memory, wiring_of_partition(p), may_plan);
    }
    for (uint32_t t = 0; t < tpc_count; ++t) tpcs[t].impl_ = new_tpc(t);
    if (!with_times) return;
    for (Partition& partition : partitions) partition.record_times();
    for (TpcMemory& tpc : tpcs) tpc.impl_->times = std::make_unique<TpcMemory::Impl::PortTimes>();
  }

  const MachineConfig machine;
  const uint32_t tpc_count = machine.chip.tpcs, partition_count = machine.memory.partitions;
  DeviceMemory& memory;
  const bool may_plan;
  uint64_t step = 1;       // number of the step that is run, or is run next
  std::deque<Link> links;  // [tpc][partition]
  std::vector<ChannelSender> by_tpcs, by_partitions;
  std::deque<Partition> partitions;
  std::deque<TpcMemory> tpcs;
};

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

CacheStats MemorySystem::cache_statistics(ReadKind kind) const {
  CacheStats total;
  for (const Partition& partition : impl_->partitions) total.add(partition.cache_statistics(kind));
  return total;
}

std::vector<PartitionBusy> MemorySystem::partitions_busy(Cycle end) const {
  std::vector<PartitionBusy> out;
  for (const Partition& partition : impl_->partitions) out.push_back(partition.busy(end));
  return out;
}

QueueUse MemorySystem::partition_use() const {
  QueueUse total;
  for (const Partition& partition : impl_->partitions) total.add(partition.use());
  return total;
}

QueueTimes MemorySystem::queue_times() const {
  QueueTimes out;
  for (const Partition& partition : impl_->partitions) partition.add_times(out);
  for (const TpcMemory& tpc : impl_->tpcs)
    if (const auto& times = tpc.impl_->times; times != nullptr) {
      out.memory_queue.add_all(times->queue);
      out.tpc_response_port.add_all(times->response);
    }
  return out;
}

void MemorySystem::reset(bool with_times) { impl_->reset(with_times); }

}  // namespace warptime::sim
