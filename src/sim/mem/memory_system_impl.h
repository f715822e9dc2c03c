// What a MemorySystem consists of; for the files that implement memory_system.h.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "sim/mem/chip_contents.h"
#include "sim/mem/memory_system.h"
#include "sim/mem/memory_view.h"
#include "sim/mem/partition.h"
#include "sim/mem/tpc_memory_impl.h"

namespace warptime::sim {

/// Maximum of outstanding answers from one partition to one TPC: those that still hold a credit, and those of the
/// credits that came back while they travel; also, a port sends at most one a core cycle.
inline uint64_t response_capacity(const MachineConfig& machine) {
  uint64_t credits = machine.memory.credits_per_tpc, window = machine.chip.window_cycles;
  uint64_t travelling = machine.interconnect.response_latency + 2 * window;
  uint64_t by_credits = credits * (travelling / window + 1);
  uint64_t by_port = clock_ratio(machine.clocks.shader_mhz, machine.clocks.core_mhz).from_shader(travelling) + 1;
  return credits + std::min(by_credits, by_port);
}

struct MemorySystem::Impl {
  Impl(const MachineConfig& config, DeviceMemory& device_memory, bool plans)
      : machine(config), memory(device_memory), may_plan(plans) {
    for (uint32_t i = 0; i < tpc_count * partition_count; ++i)
      links.push_back({RequestChannel(requests, i), AnswerChannel(answers, i)});
    SIM_ASSERT(std::max(tpc_count, partition_count) <= ChannelSender::kChannels, "{} TPCs, {} partitions", tpc_count,
               partition_count);
    by_tpcs = std::vector<ChannelSender>(tpc_count, ChannelSender(partition_count));
    by_partitions = std::vector<ChannelSender>(partition_count, ChannelSender(tpc_count));
    for (uint32_t p = 0; p < partition_count; ++p)
      partitions.emplace_back(machine, memory, wiring_of_partition(p), may_plan);
    for (uint32_t t = 0; t < tpc_count; ++t) tpcs.emplace_back(new_tpc(t));
  }

  Wiring wiring_of_partition(uint32_t p) {
    Wiring wiring{p, {}, &by_partitions[p], &by_tpcs, &launches};
    for (uint32_t t = 0; t < tpc_count; ++t) wiring.links.push_back(&links[t * partition_count + p]);
    return wiring;
  }
  std::unique_ptr<TpcMemory::Impl> new_tpc(uint32_t t) {
    Wiring wiring{t, {}, &by_tpcs[t], &by_partitions, &launches};
    for (uint32_t p = 0; p < partition_count; ++p) wiring.links.push_back(&links[t * partition_count + p]);
    return std::make_unique<TpcMemory::Impl>(machine, std::move(wiring), &step, contents);
  }

  /// Back to the state in which a launch finds the chip. What the last launch has not used is not made anew: many
  /// launches may be small.
  void reset(bool with_shares) {
    step = 1;
    for (RunLaunches& of : launches) of = {};
    for (Link& link : links) {
      link.requests.reset();
      link.answers.reset();
    }
    std::fill(by_tpcs.begin(), by_tpcs.end(), ChannelSender(partition_count));
    std::fill(by_partitions.begin(), by_partitions.end(), ChannelSender(tpc_count));
    for (uint32_t p = 0; p < partition_count; ++p) {
      if (contents.empty() && partitions[p].restart()) continue;
      std::destroy_at(&partitions[p]);
      std::construct_at(&partitions[p], machine, memory, wiring_of_partition(p), may_plan);
      if (!contents.empty()) partitions[p].find(contents);
    }
    for (uint32_t t = 0; t < tpc_count; ++t) tpcs[t].impl_ = new_tpc(t);
    if (!with_shares) return;
    for (Partition& partition : partitions) partition.keep_shares();
    for (TpcMemory& tpc : tpcs) tpc.impl_->shares = std::make_unique<LaunchShares<TpcShare>>();
  }

  /// Saves or restores it between steps. The stores that it has pointers to belong to the SMs, which come first.
  template <class Archive>
  void serialize(Archive& archive) {
    archive.limits.tpcs = tpc_count;
    archive.limits.partitions = partition_count;
    archive(step);
    archive.table(by_tpcs);
    archive.table(by_partitions);
    for (uint32_t t = 0; t < tpc_count; ++t)
      for (uint32_t p = 0; p < partition_count; ++p) {
        Link& link = links[t * partition_count + p];
        link.requests.serialize(archive, by_tpcs[t].fresh(p, step));
        link.answers.serialize(archive, by_partitions[p].fresh(t, step));
      }
    for (Partition& partition : partitions) archive(partition);
    for (TpcMemory& tpc : tpcs) archive(*tpc.impl_);
    archive(contents);
    is_left = false;
  }

  const MachineConfig machine;
  const uint32_t tpc_count = machine.chip.tpcs, partition_count = machine.memory.partitions;
  DeviceMemory& memory;
  const bool may_plan;
  ChipContents contents{machine};
  bool is_left = false;  // `contents` is of a launch that has ended, not of the one that runs
  uint64_t step = 1;     // number of the step that is run, or is run next
  ChannelSlots<Packet> requests{size_t{tpc_count} * partition_count, machine.memory.credits_per_tpc};
  ChannelSlots<Answer> answers{size_t{tpc_count} * partition_count, response_capacity(machine)};
  std::deque<Link> links;  // [tpc][partition]
  std::vector<ChannelSender> by_tpcs, by_partitions;
  std::vector<RunLaunches> launches = std::vector<RunLaunches>(tpc_count);  // of the runs of each TPC
  std::deque<Partition> partitions;
  std::deque<TpcMemory> tpcs;
};

}  // namespace warptime::sim
