// The TPCs of a chip in a timed run. A TPC is created with its first block, so that a small launch is cheap on a large
// chip.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/gpu/chip_counters.h"
#include "sim/gpu/fault_text.h"
#include "sim/gpu/gather.h"
#include "sim/gpu/session.h"
#include "sim/gpu/tpc.h"

namespace warptime::sim {

template <class Policy>
class TpcTable {
 public:
  TpcTable(const LaunchContext& context, MemorySystem& memory)
      : context_(context), memory_(memory), chip_(context.machine->chip), tpcs_(chip_.tpcs) {}

  /// nullptr: it has had no block.
  Tpc<Policy>* find(uint32_t index) const { return tpcs_[index].get(); }
  /// nullptr: its TPC has had no block.
  Sm<Policy>* find_sm(uint32_t index) const {
    Tpc<Policy>* tpc = find(index / chip_.sms_per_tpc);
    return tpc == nullptr ? nullptr : tpc->sms()[index % chip_.sms_per_tpc].get();
  }
  std::optional<SmTimes> times(uint32_t index) const {
    const Sm<Policy>* sm = find_sm(index);
    if (sm == nullptr) return std::nullopt;
    const uint32_t in_tpc = index % chip_.sms_per_tpc;
    return SmTimes{&sm->warps(),
                   &sm->scoreboard(),
                   &sm->pipes(),
                   &sm->accesses(),
                   &sm->load_store(),
                   sm->sub_cores(),
                   &find(index / chip_.sms_per_tpc)->caches(),
                   in_tpc};
  }
  /// The TPC; `created(Sm&)` is called for the SMs of a new one.
  template <class F>
  Tpc<Policy>& get(uint32_t index, const F& created) {
    std::unique_ptr<Tpc<Policy>>& tpc = tpcs_[index];
    if (tpc == nullptr) {
      tpc = std::make_unique<Tpc<Policy>>(*context_.machine, *context_.memory, index, memory_.tpc(index));
      for (auto& sm : tpc->sms()) {
        created(*sm);
      }
    }
    return *tpc;
  }

  /// In order, without those of TPCs that have had no block.
  template <class F>
  void for_each_sm(const F& f) const {
    for (auto& tpc : tpcs_)
      if (tpc != nullptr)
        for (auto& sm : tpc->sms()) f(*sm);
  }

  /// Appends the blocks that have ended since the last call to `out`.
  void take_ended_blocks(std::vector<BlockEnd>& out) {
    out.clear();
    for_each_sm([&](Sm<Policy>& sm) {
      out.insert(out.end(), sm.ended_blocks().begin(), sm.ended_blocks().end());
      sm.clear_ended_blocks();
    });
  }

  void start_placed() {
    for (auto& tpc : tpcs_)
      if (tpc != nullptr) tpc->start_placed();
  }

  /// The fault with the earliest cycle, of several the one on the first SM. At least one must exist.
  FaultRecord earliest_fault() const {
    const FaultRecord* first = nullptr;
    for_each_sm([&](const Sm<Policy>& sm) {
      if (sm.fault().raised && (first == nullptr || sm.fault().cycle < first->cycle)) first = &sm.fault();
    });
    return *first;
  }

  /// Lines for the report of a launch that cannot end: what each resident warp waits for.
  std::string who_waits() const {
    WarpLines lines;
    for_each_sm([&](const Sm<Policy>& sm) {
      lines.add(sm.state(),
                [&](uint32_t slot) { return fmt::format("waits for {}", info(sm.waiting_for(slot)).what); });
    });
    return lines.text();
  }

  /// Who waits for whom, of warps that are in no loop.
  WaitChain chain(BlocksLeft left) const {
    WaitChain out(left);
    for_each_sm([&](const Sm<Policy>& sm) { out.add(sm.state(), nullptr); });
    return out;
  }

  /// The last issue's end, or the last answer of the memory system (stores included), whichever is later.
  Cycle end_of_launch() const {
    Cycle end = 0;
    for (auto& tpc : tpcs_)
      if (tpc != nullptr && tpc->last_response() > 0) end = std::max(end, tpc->last_response() + 1);
    for_each_sm([&](const Sm<Policy>& sm) { end = std::max(end, sm.sub_cores_free()); });
    return end;
  }

  /// At the end of the launch, at `end`: charges the issue slots since each SM's last issue. All counts.
  ChipCounters finish(Cycle end) {
    for_each_sm([&](Sm<Policy>& sm) { sm.finish(end); });
    charge_unused(end);
    return counters(end, [](Sm<Policy>& sm) { return sm.take_counters(); });
  }

  /// At the edge of a step, `end`: all counts, as if the launch had ended there. `more`: blocks are still to come.
  ChipCounters counters_at(Cycle end, bool more) {
    charge_unused(end);
    ChipCounters out = counters(end, [&](const Sm<Policy>& sm) { return sm.counters_at(end, more); });
    unused_slots_ = 0;
    return out;
  }

  /// The counts before `end`, without what is charged when a wait ends. `of_sm` copies an SM's counters, or moves them.
  template <class OfSm>
  ChipCounters counters(Cycle end, const OfSm& of_sm) const {
    ChipCounters out = shared_counters(end);
    for (auto& tpc : tpcs_) {
      if (tpc == nullptr)
        for (uint32_t sm = 0; sm < chip_.sms_per_tpc; ++sm) out.sms.push_back(unused());
      else
        for (auto& sm : tpc->sms()) out.sms.push_back(of_sm(*sm));
    }
    return out;
  }

  /// What the SMs and the launches share: caches, queues, memory. Without `sms`.
  ChipCounters shared_counters(Cycle end) const {
    ChipCounters out;
    for (auto& tpc : tpcs_) {
      if (tpc == nullptr) {
        out.tpcs.emplace_back();
        continue;
      }
      add_caches(out.caches, CacheSide::InTpc, [&](ReadKind kind) { return tpc->caches().statistics(kind); });
      out.tpcs.push_back(tpc->busy());
      out.translation.add(tpc->translations());
    }
    add_caches(out.caches, CacheSide::InPartition, [&](ReadKind kind) { return memory_.cache_statistics(kind); });
    out.caches.reported = reported_caches(*context_.machine);
    out.dram = memory_.dram_statistics(end);
    out.queues = queues(end);
    if (context_.lines) out.queue_times = memory_.queue_times();
    if (context_.lines) out.latency_stages = memory_.latency_stages();
    out.partitions = memory_.partitions_busy(end);
    return out;
  }

  QueueStats queues(Cycle end = 0) const {
    QueueStats out;
    for (auto& tpc : tpcs_)
      if (tpc != nullptr) tpc->add_use(out);
    out.partition.add(memory_.partition_use(end));
    return out;
  }

  // Runs of several launches:
  /// The share of a launch that has ended in what launches share. `queues`: how full they were while it ran.
  ChipCounters take_share(uint32_t launch, const QueueStats& queues) {
    ChipCounters out;
    for (QueueUse QueueStats::*queue : {&QueueStats::load_table, &QueueStats::memory_queue, &QueueStats::partition}) {
      (out.queues.*queue).most = (queues.*queue).most;
      (out.queues.*queue).times_full = (queues.*queue).times_full;
    }
    for (uint32_t i = 0; i < chip_.tpcs; ++i) {
      const TpcShare share = memory_.tpc(i).take_share(launch);
      out.tpcs.push_back(share.busy);
      out.translation.add(share.translation);
      out.queues.memory_queue.add(share.queue);
      out.queue_times.memory_queue.add_all(share.queue_time);
      out.queue_times.tpc_response_port.add_all(share.response_time);
      out.latency_stages.add(share.stages);
      if (Tpc<Policy>* tpc = find(i))
        add_caches(out.caches, CacheSide::InTpc, by_kind(tpc->caches().take_share(launch)));
    }
    for_each_sm([&](const Sm<Policy>& sm) { out.queues.load_table.add(sm.load_table(launch)); });
    for (uint32_t i = 0; i < memory_.partition_count(); ++i) {
      const PartitionShare share = memory_.take_share(i, launch);
      out.partitions.push_back(share.busy);
      out.dram.add(share.dram);
      out.queues.partition.add(share.use);
      out.queue_times.partition.add_all(share.service);
      out.queue_times.partition_port.add_all(share.port);
      out.latency_stages.add(share.stages);
      add_caches(out.caches, CacheSide::InPartition, by_kind(share.caches));
    }
    out.caches.reported = reported_caches(*context_.machine);
    return out;
  }
  /// When all blocks of the launch had ended and its stores were visible; nullopt: not yet.
  std::optional<Cycle> done(uint32_t launch) const {
    Cycle last = 0;
    bool all = true;
    for_each_sm([&](const Sm<Policy>& sm) {
      if (!sm.has(launch)) return;
      const std::optional<Cycle> done = sm.done(launch);
      all = all && done;
      last = std::max(last, done.value_or(0));
    });
    return all ? std::optional(last) : std::nullopt;
  }
  /// The counters of a launch of `cycles` in the SMs. The issue slots that others used, or nobody, are those without a
  /// warp of the launch.
  std::vector<SmCounters> counters_of(const LaunchContext& launch, Cycle cycles) const {
    std::vector<SmCounters> out;
    for (uint32_t i = 0; i < sm_count(*launch.machine); ++i) {
      const Sm<Policy>* sm = find_sm(i);
      out.push_back(sm != nullptr && sm->has(launch.number) ? sm->counters(launch.number)
                                                            : KernelOnSm(launch).counters);
      if constexpr (Policy::kStalls) out.back().charge_rest(cycles * launch.machine->issue.ports);
    }
    return out;
  }
  void dismiss(uint32_t launch) {
    for_each_sm([&](Sm<Policy>& sm) {
      if (sm.has(launch)) sm.dismiss(launch);
    });
  }

 private:
  static auto by_kind(const CacheCounts& counts) {
    return [counts](ReadKind kind) { return counts[static_cast<size_t>(kind)]; };
  }
  void charge_unused(Cycle end) {
    if constexpr (Policy::kStalls) unused_slots_ = end * context_.machine->issue.ports;
  }

  /// The counters of an SM that has had no block. Created on demand: a stored copy for a long program would take
  /// memory.
  SmCounters unused() const {
    SmCounters out = KernelOnSm(context_).counters;
    out.no_instruction().stalls[static_cast<size_t>(Stall::Drained)] = unused_slots_;
    return out;
  }

  const LaunchContext& context_;
  MemorySystem& memory_;
  const ChipConfig& chip_;
  std::vector<std::unique_ptr<Tpc<Policy>>> tpcs_;
  uint64_t unused_slots_ = 0;  // of each SM without a block
};

}  // namespace warptime::sim
