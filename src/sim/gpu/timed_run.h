// A step of the simulation is at most a window. In it every TPC and every memory partition runs the same cycles, in
// parallel, without looking at the others: whatever one sends takes at least a window to arrive. At window edges, when
// all TPCs are through, the partitions' stores become visible. Between steps, on one thread: what was sent changes
// hands and ended blocks are followed by new ones.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/host_lines.h"
#include "sim/gpu/fault_text.h"
#include "sim/gpu/launch_parts.h"
#include "sim/gpu/launch_queue.h"
#include "sim/gpu/livelock.h"
#include "sim/gpu/run.h"
#include "sim/gpu/tpc_table.h"
#include "sim/mem/crossbar.h"
#include "sim/model/access_log.h"
#include "sim/model/block_log.h"
#include "sim/model/trace.h"

namespace warptime::sim {

// Progress is reported after this many steps: often enough for a person, too seldom to cost anything.
inline constexpr uint32_t kStepsBetweenReports = 1024;
inline constexpr Cycle kCyclesBetweenWatches = 1 << 20;  // less than a second
inline constexpr Cycle kWindowsBetweenLooks = 64;        // of a watch

template <class Policy>
class TimedRun : public Run {
 public:
  /// `recording`: of a run of one launch.
  TimedRun(std::span<TimedLaunch> launches, const RunOptions& options, MemorySystem& memory, ThreadTeam& team,
           const Recording& recording)
      : context_(*launches.front().context),
        launches_(context_.machine->chip, launches),
        options_(options),
        needs_(options.needs()),
        chip_(context_.machine->chip),
        memory_(memory),
        team_(team),
        statistics_(launches.front().statistics),
        step_(chip_.window_cycles / static_cast<uint32_t>(options.step)),
        heap_(launches.front().launch->heap),
        scheduler_(*context_.machine),
        clusters_(std::any_of(launches.begin(), launches.end(),
                              [](const TimedLaunch& launch) { return launch.context->clusters_apart; })),
        tpcs_(context_, memory),
        parts_(context_, options),
        stop_(std::min(options.max_cycles, parts_.next())),
        recording_(recording),
        next_look_(recording.intervals == nullptr ? Interval::kEnd : recording.intervals->next()) {
    step_results_.resize(team.threads());
    if constexpr (Policy::Observer::kOn) {
      if (needs_.trace->accesses != nullptr) prepare_accesses(*needs_.trace->accesses);
      tpc(needs_.trace->sm / chip_.sms_per_tpc);
    }
    for (const TimedLaunch& launch : launches) {
      scheduler_.add(grid_of(*launch.launch, *launch.context));
      if (launch.launch->heap != nullptr) heap_ = launch.launch->heap;
    }
    launches_.arrivals(0, [this](uint32_t launch) { arrives(launch, 0); });
  }

  bool step(Cycle until) override {
    while (!ended_ && now_ < until) ended_ = !advance();
    return !ended_;
  }
  bool step_within(Cycle until, Cycle limit) override {
    pause_ = limit;
    bool goes_on = step(std::min(until, limit));
    pause_ = kNever;
    return goes_on;
  }
  Cycle now() const override { return ended_ && !fault_ ? end_ : now_; }
  uint64_t ended_blocks() const override { return scheduler_.finished(); }
  const SmState* sm(uint32_t index) const override {
    const Sm<Policy>* sm = tpcs_.find_sm(index);
    return sm == nullptr ? nullptr : &sm->state();
  }
  std::optional<SmTimes> times(uint32_t index) const override { return tpcs_.times(index); }
  // timed_run_state.cc
  std::string_view why_not_saved() const override;
  void save(StateWriter& archive) override;
  void restore(StateReader& archive) override;

  /// After the end or a fault: the launch's time, and all that was counted.
  ChipCounters finish(Cycle& cycles) {
    if (fault_) return cut(cycles);
    ChipCounters out = tpcs_.finish(end_);
    if constexpr (Policy::Observer::kOn)
      if (AccessLog* log = needs_.trace->accesses; log != nullptr)
        log->end_moments(end_, memory_.partitions_dram(end_));
    if (recording_.intervals != nullptr) recording_.intervals->look(Interval::kEnd, end_, out);
    cycles = end_;
    return out;
  }

 private:
  void place(const Placement& p) {
    Tpc<Policy>& tpc = this->tpc(p.sm / chip_.sms_per_tpc);
    tpc.sms()[p.sm % chip_.sms_per_tpc]->admit(*launches_[p.room.launch].context);
    tpc.place(p);
    if (needs_.blocks != nullptr) needs_.blocks->starts(p.block, p.sm, p.room.slot, p.start);
    placed_ = std::min(placed_, p.start);
  }

  // timed_run_clusters.h
  void place_all(const std::vector<Placement>& placements);
  void exchange_messages();
  bool has_messages() const;

  void arrives(uint32_t launch, Cycle cycle) {
    if (launches_.several()) {
      launches_.begins(launch, cycle, tpcs_.queues());
      tpcs_.for_each_sm([&](Sm<Policy>& sm) { sm.charge_open_gaps(cycle); });
    }
    place_all(scheduler_.arrives(launch, cycle));
  }

  // Several launches, calls of the runtime, and some faults (timed_run_launches.h).
  void serve_launches(Cycle now);
  void ends(uint32_t launch, Cycle end);
  void cut_launches();
  void report();
  Fault waits_for_others() const;
  Fault cycle_limit();
  std::optional<Fault> answer_heap_requests();
  void print(const std::optional<Fault>& fault);

  /// Counters of a launch that did not end: up to the limit of cycles, or else to the edge at which it was given up.
  ChipCounters cut(Cycle& cycles) {
    const bool over = fault_->kind == Fault::Kind::CycleLimit;
    cycles = over ? options_.max_cycles : std::max(now_, edge_);
    tpcs_.for_each_sm([&](Sm<Policy>& sm) { sm.observe_until(cycles); });
    if constexpr (Policy::Observer::kOn) needs_.trace->close(cycles);
    return over && at_limit_ ? std::move(*at_limit_) : counters_at(cycles);
  }
  ChipCounters counters_at(Cycle end) { return tpcs_.counters_at(end, scheduler_.handed_out() < scheduler_.total()); }

  /// False: the launch has ended, or made a fault.
  bool advance() {
    bool finished = false;
    fault_ = run_step_to_fault(finished);
    if (!fault_ && !finished) return true;
    if (needs_.prints && launches_.call_runtime()) print(fault_);
    if (fault_ && fault_->warps.empty() && !fault_->hint_has_warps()) fault_->warps = tpcs_.who_waits();
    if (launches_.several()) {
      if (fault_) cut_launches();
    } else if (statistics_ != nullptr) {
      Cycle cycles = 0;
      ChipCounters counters = finish(cycles);
      parts_.end(cycles, counters);
      if (needs_.blocks != nullptr) needs_.blocks->close(cycles);
      fill(*statistics_, context_, counters, cycles, options_.per_instruction);
      statistics_->time_us = time_of(*context_.machine, cycles);
    }
    return false;
  }

  std::optional<Fault> run_step_to_fault(bool& finished) {
    run_step(std::min(stop_, pause_));
    if (result_.fault) [[unlikely]]
      return fault_at_edge();
    if (result_.ended_blocks) follow_ended_blocks();
    if (scheduler_.handed_out() >= next_look_) [[unlikely]]
      look(scheduler_.handed_out());
    if (result_.heap_requests) [[unlikely]]
      if (auto fault = answer_heap_requests()) return fault;
    if (launches_.several()) [[unlikely]]
      serve_launches(edge_);
    if (launches_.several() ? launches_.all_ended()
                            : scheduler_.all_finished() && memory_.idle() && !(clusters_ && has_messages())) {
      finished = true;
      memory_.flush();
      now_ = edge_;
      end_ = launches_.several() ? edge_ : tpcs_.end_of_launch();
      return end_ > options_.max_cycles ? std::optional(cycle_limit()) : std::nullopt;
    }
    if (auto fault = go_to_next_step()) return fault;
    if (++steps_ % kStepsBetweenReports == 0) {
      if (needs_.progress) report();
      if (recording_.intervals != nullptr && counters().warp_instructions() > recording_.most_instructions)
        return waits_for_others();
    }
    return std::nullopt;
  }

  void follow_ended_blocks() {
    livelock_.disturbed();
    tpcs_.take_ended_blocks(ended_blocks_);
    if (needs_.blocks != nullptr)
      for (const BlockEnd& end : ended_blocks_) needs_.blocks->ends(end.sm, end.slot, end.cycle);
    place_all(scheduler_.follow(ended_blocks_));
  }

  /// After a step with a fault: the other TPCs go on to the window's edge, at which stores become visible, so that the
  /// launch ends in the same state for any step. Beyond the limit of cycles, the limit was first.
  Fault fault_at_edge() {
    for (;;) {
      follow_ended_blocks();
      if (edge_ % chip_.window_cycles == 0 || edge_ == options_.max_cycles) break;
      now_ = edge_;
      if (now_ == stop_) stop();
      run_step(stop_);
    }
    tpcs_.start_placed();
    return at_limit_ ? cycle_limit() : describe_fault(tpcs_.earliest_fault());
  }

  Fault describe_fault(const FaultRecord& record) const {
    return describe(record, *launches_[record.launch].context, true);
  }

  ChipCounters counters() {
    return tpcs_.counters(edge_, [](const auto& sm) { return sm.counters(); });
  }

  void look(uint64_t handed_out) {
    if (recording_.intervals == nullptr) return;
    recording_.intervals->look(handed_out, edge_, counters());
    next_look_ = recording_.intervals->next();
  }

  void prepare_accesses(AccessLog& log) {
    for (const DeviceMemory::Allocation& allocation : context_.memory->allocations())
      log.add_buffer(allocation.name, allocation.begin, allocation.bytes);
    log.prepare(sm_count(*context_.machine), context_.kernel->insns.size(), memory_.partition_count(),
                context_.machine->dram.banks);
    for (const CodeEntry& entry : context_.kernel->insns) log.units.push_back(entry.native.unit);
  }
  void note_partitions(Cycle now) {
    AccessLog* log = needs_.trace->accesses;
    if (log != nullptr && log->moment_due(now)) log->add_moment(now, memory_.partitions_dram(now));
  }

  void run_step(Cycle limit) {
    placed_ = kNever;
    edge_ = std::min((now_ / step_ + 1) * step_, limit);
    team_.run(chip_.tpcs + memory_.partition_count(), chip_.tpcs, Step{*this, now_, edge_});
    memory_.end_step();
    if constexpr (Policy::Observer::kOn) note_partitions(edge_);
    result_ = {};
    for (const ThreadResult& result : step_results_)
      if (result.step == now_) result_.add(result.result);
    if (clusters_) [[unlikely]]
      exchange_messages();
  }

  /// The tasks of a step: the TPCs, which read memory, and the partitions, whose stores become visible at a window's
  /// edge.
  struct Step {
    TimedRun& of;
    Cycle begin, end;

    bool task(uint32_t i, uint32_t thread) {
      ThreadResult& result = of.step_results_[thread];
      if (i < of.chip_.tpcs) {
        Tpc<Policy>* tpc = of.tpcs_.find(i);
        result.add(begin, tpc != nullptr ? tpc->run(begin, end) : of.pass_over(i, begin, end));
        return false;
      }
      const uint32_t partition = i - of.chip_.tpcs;
      result.add(begin, of.memory_.run_partition(partition, begin, end));
      return of.memory_.has_stores_to_apply(partition);
    }
    void finish(uint32_t i) { of.memory_.apply_stores(i - of.chip_.tpcs); }
  };

  Tpc<Policy>& tpc(uint32_t index) {
    Tpc<Policy>& tpc = tpcs_.get(index, [this](Sm<Policy>& sm) {
      if (launches_.several()) sm.charge_open_gaps(now_);
      else sm.admit(context_);
      livelock_.add({&sm.state(), &sm.watch()});
      if constexpr (std::is_same_v<typename Policy::Observer, BlockCounter>)
        sm.observer().count_into(recording_.block_instructions);
      if constexpr (Policy::Observer::kProbes) sm.observer().attach(needs_.probe, &sm.state());
      if constexpr (Policy::Observer::kOn) {
        TraceLog& log = *needs_.trace;
        if (sm.state().index() == log.sm) sm.observer().record(&log);
        if (log.accesses != nullptr) sm.observer().record_accesses(log.accesses, sm.state().index(), *context_.machine);
      }
    });
    if (clusters_) tpc.connect();
    return tpc;
  }

  /// The step of a TPC that has had no block.
  StepResult pass_over(uint32_t index, Cycle begin, Cycle end) {
    memory_.tpc(index).begin_step(begin, end);
    return memory_.tpc(index).finish_step();
  }

  /// Moves on, over steps in which nothing happens. What ends a launch is found at edges of windows, as with any step.
  std::optional<Fault> go_to_next_step() {
    now_ = edge_;
    Cycle next = std::min(result_.next, placed_);
    const Cycle most = std::max<Cycle>(options_.max_cycles, 1);
    const Cycle last_edge = most == kNever ? kNever : edge_after(most - 1, chip_.window_cycles);
    const Cycle window_end = std::min(edge_after(now_ - 1, chip_.window_cycles), std::max(now_, stop_));
    if (next == kNever)
      return deadlock(running(), tpcs_.chain(blocks_left()), tpcs_.who_waits(), now_ = window_end, true);
    if (next > window_end && next - window_end > options_.watchdog_cycles && launches_.any_running()) {
      Fault fault = deadlock(running(), tpcs_.chain(blocks_left()), tpcs_.who_waits(), now_ = window_end, true);
      fault.kind = Fault::Kind::NoProgress;
      fault.message = fmt::format("no instruction and no memory request for {} cycles", options_.watchdog_cycles);
      return fault;
    }
    if (Cycle to = std::min({next / step_ * step_, stop_, pause_, last_edge}); to > now_) now_ = to;
    if (launches_.several() && now_ != edge_) [[unlikely]]
      serve_launches(now_);
    if (now_ == stop_) [[unlikely]]
      stop();
    if (now_ >= last_edge) return cycle_limit();
    if (options_.interrupt != nullptr && options_.interrupt->load(std::memory_order_relaxed) != 0) [[unlikely]]
      return interrupted(running(), blocks_ended(), now_, true);
    if (Cycle edge = now_ / chip_.window_cycles * chip_.window_cycles; edge >= next_watch_) [[unlikely]]
      return watch(edge);
    return std::nullopt;
  }

  /// At the end of a part, and at the limit of cycles: from the next step's edge on the launch is over it, but this is
  /// what it did before.
  void stop() {
    ChipCounters counters = launches_.several() ? ChipCounters{} : counters_at(now_);
    if (now_ == options_.max_cycles) at_limit_ = counters;
    if (now_ == parts_.next()) parts_.take(std::move(counters));
    stop_ = at_limit_ ? kNever : std::min(options_.max_cycles, parts_.next());
  }

  std::optional<Fault> watch(Cycle edge) {
    if (livelock_.look(edge))
      return livelock(running(), livelock_.chain(blocks_left()), livelock_.who_repeats(), now_ = edge, true);
    next_watch_ = std::max<Cycle>(livelock_.next(), edge + kWindowsBetweenLooks * chip_.window_cycles);
    return std::nullopt;
  }

  /// The launch that a message is of: the first that runs.
  const LaunchContext& running() const { return *launches_[launches_.first_running()].context; }
  BlocksLeft blocks_left() const {
    return {scheduler_.next_block(running().number),
            scheduler_.total(running().number) - scheduler_.handed_out(running().number)};
  }
  std::string blocks_ended() const {
    return fmt::format("{} of {} blocks had ended", scheduler_.finished(running().number),
                       scheduler_.total(running().number));
  }

  /// Saves or restores what changes. Not here: `stop_` and `at_limit_`, which follow from it.
  template <class Archive>
  void serialize(Archive& archive);

  const LaunchContext& context_;  // of the first launch
  LaunchQueue launches_;
  const RunOptions& options_;
  const LaunchNeeds needs_;
  const ChipConfig& chip_;
  MemorySystem& memory_;
  ThreadTeam& team_;
  LaunchStatistics* statistics_;  // to fill in at the end; null: finish() is called
  Cycle step_;
  DeviceHeap* heap_;
  BlockScheduler scheduler_;
  const bool clusters_;  // a launch has clusters whose blocks are on several SMs
  TpcTable<Policy> tpcs_;
  std::vector<BlockEnd> ended_blocks_;  // of the last step
  bool ended_ = false;
  /// What one thread's tasks of the step say, in a line of the host's cache for each.
  struct alignas(kHostLines) ThreadResult {
    Cycle step = kNever;  // first cycle of the step this result belongs to
    StepResult result;

    void add(Cycle begin, const StepResult& other) {
      if (std::exchange(step, begin) != begin) result = {};
      result.add(other);
    }
  };
  std::vector<ThreadResult> step_results_;
  StepResult result_;      // of the last step, by all tasks
  Cycle placed_ = kNever;  // when the first of the blocks begins that were placed after it
  Cycle now_ = 0;
  Cycle edge_ = 0;  // of the last step
  LaunchParts parts_;
  Cycle pause_ = kNever;                  // of step_within: likewise
  Cycle stop_;                            // a step ends there, although no window does
  std::optional<ChipCounters> at_limit_;  // of cycles
  Cycle end_ = 0;
  uint64_t steps_ = 0;
  Recording recording_;
  Livelock livelock_{kCyclesBetweenWatches};
  Cycle next_watch_ = kCyclesBetweenWatches;
  uint64_t next_look_ = Interval::kEnd;  // assigned blocks at which `recording_` must be called
};

}  // namespace warptime::sim
