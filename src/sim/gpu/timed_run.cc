// A step of the simulation is at most a window. In it every TPC and every memory partition runs the same cycles, in
// parallel, without looking at the others: whatever one sends takes at least a window to arrive. At window edges, when
// all TPCs are through, the partitions' stores become visible. Between steps, on one thread: what was sent changes
// hands and ended blocks are followed by new ones.
#include <algorithm>

#include "base/host_lines.h"
#include "sim/gpu/fault_text.h"
#include "sim/gpu/gather.h"
#include "sim/gpu/livelock.h"
#include "sim/gpu/run.h"
#include "sim/gpu/tpc.h"

namespace warptime::sim {

namespace {

// Progress is reported after this many steps: often enough for a person, too seldom to cost anything.
constexpr uint32_t kStepsBetweenReports = 4096;
constexpr size_t kDeadlockLines = 40;
constexpr Cycle kCyclesBetweenWatches = 1 << 20;  // less than a second
constexpr Cycle kWindowsBetweenLooks = 64;        // of a watch

template <class Policy>
class TimedRun {
 public:
  TimedRun(const LaunchContext& context, const Launch& launch, const RunOptions& options, MemorySystem& memory,
           ThreadTeam& team, const Recording& recording = {})
      : context_(context),
        options_(options),
        chip_(context.machine->chip),
        memory_(memory),
        team_(team),
        step_(chip_.window_cycles / static_cast<uint32_t>(options.step)),
        heap_(launch.heap),
        scheduler_(chip_, uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2], launch.blocks,
                   context.blocks_per_sm),
        recording_(recording),
        next_look_(recording.intervals == nullptr ? Interval::kEnd : recording.intervals->next()) {
    step_results_.resize(team.threads());
    tpcs_.resize(chip_.tpcs);
    if constexpr (Policy::Observer::kOn) {
      uint32_t sm = options.trace->sm;
      tpc(sm / chip_.sms_per_tpc).sms()[sm % chip_.sms_per_tpc]->observer().record(options.trace);
    }
  }

  std::optional<Fault> run() {
    auto fault = run_to_end();
    if (options_.print && context_.kernel->calls_runtime) print(fault);
    return fault;
  }

  /// After run(): the launch's time, and all that was counted.
  ChipCounters finish(Cycle& cycles) {
    for (auto& tpc : tpcs_)
      if (tpc != nullptr)
        for (auto& sm : tpc->sms()) sm->finish(end_);
    if constexpr (Policy::kStalls) unused_slots_ = end_ * context_.machine->issue.ports;
    now_ = end_ - step_;
    look(Interval::kEnd);
    cycles = end_;
    return counters([](auto& sm) { return sm.take_counters(); });
  }

 private:
  std::optional<Fault> run_to_end() {
    auto place = [this](const Placement& p) {
      tpc(p.sm / chip_.sms_per_tpc).place(p);
      placed_ = std::min(placed_, p.start);
    };
    scheduler_.first_blocks(place);
    for (;;) {
      run_step();
      if (result_.fault) [[unlikely]]
        return earliest_fault();
      if (result_.ended_blocks) {
        livelock_.disturbed();
        collect_ended_blocks();
        scheduler_.next_blocks(ended_, place);
      }
      if (scheduler_.handed_out() >= next_look_) [[unlikely]]
        look(scheduler_.handed_out());
      if (result_.heap_requests) [[unlikely]]
        if (auto fault = answer_heap_requests()) return fault;
      if (scheduler_.all_finished() && memory_.idle()) break;
      if (auto fault = go_to_next_step()) return fault;
      if (++steps_ % kStepsBetweenReports == 0) {
        if (options_.progress)
          options_.progress(static_cast<double>(scheduler_.finished()) / static_cast<double>(scheduler_.total()));
        if (recording_.intervals != nullptr && counters().warp_instructions() > recording_.most_instructions)
          return waits_for_others();
      }
    }
    now_ += step_;
    end_ = end_of_launch();
    if (end_ > options_.max_cycles) return cycle_limit();
    return std::nullopt;
  }

  /// The counters of an SM that has had no block. Made anew: a copy of a long program's would take memory.
  SmCounters unused() const {
    SmCounters out(context_.kernel->insns.size(), context_.slots_by_instruction);
    out.no_instruction().stalls[static_cast<size_t>(Stall::Drained)] = unused_slots_;
    return out;
  }

  /// What was counted up to the end of this step. `of_sm` copies an SM's counters, or takes them.
  template <class OfSm>
  ChipCounters counters(const OfSm& of_sm) {
    ChipCounters out;
    for (auto& tpc : tpcs_) {
      if (tpc == nullptr) {
        for (uint32_t sm = 0; sm < chip_.sms_per_tpc; ++sm) out.sms.push_back(unused());
        out.tpcs.emplace_back();
        continue;
      }
      for (auto& sm : tpc->sms()) out.sms.push_back(of_sm(*sm));
      add_caches(out.caches, tpc->caches());
      out.tpcs.push_back(tpc->busy());
    }
    out.caches.has_l1 = context_.machine->l1.cache.bytes != 0;
    out.caches.has_l2 = context_.machine->l2.cache.bytes != 0;
    out.caches.l2 = memory_.l2_statistics();
    out.dram = memory_.dram_statistics(now_ + step_);
    out.partitions = memory_.partitions_busy(now_ + step_);
    return out;
  }

  ChipCounters counters() {
    return counters([](const auto& sm) { return sm.counters(); });
  }

  void look(uint64_t handed_out) {
    if (recording_.intervals == nullptr) return;
    recording_.intervals->look(handed_out, now_ + step_, counters());
    next_look_ = recording_.intervals->next();
  }

  void run_step() {
    placed_ = kNever;
    team_.run(chip_.tpcs + memory_.partition_count(), chip_.tpcs, Step{*this, now_, now_ + step_});
    memory_.end_step();
    result_ = {};
    for (const ThreadResult& result : step_results_)
      if (result.step == now_) result_.add(result.result);
  }

  /// The tasks of a step: the TPCs, which read memory, and the partitions, whose stores become visible at a window's
  /// edge.
  struct Step {
    TimedRun& of;
    Cycle begin, end;

    bool task(uint32_t i, uint32_t thread) {
      ThreadResult& result = of.step_results_[thread];
      if (i < of.chip_.tpcs) {
        result.add(begin, of.tpcs_[i] != nullptr ? of.tpcs_[i]->run(begin, end) : of.pass_over(i, begin, end));
        return false;
      }
      const uint32_t partition = i - of.chip_.tpcs;
      result.add(begin, of.memory_.run_partition(partition, begin, end));
      return of.memory_.has_stores_to_apply(partition);
    }
    void finish(uint32_t i) { of.memory_.apply_stores(i - of.chip_.tpcs); }
  };

  /// A TPC is made when it gets its first block: a small launch is not to pay for a large chip.
  Tpc<Policy>& tpc(uint32_t index) {
    std::unique_ptr<Tpc<Policy>>& place = tpcs_[index];
    if (place == nullptr) {
      place = std::make_unique<Tpc<Policy>>(context_, index, memory_.tpc(index));
      for (auto& sm : place->sms()) livelock_.add({&sm->state(), &sm->watch()});
      if constexpr (std::is_same_v<typename Policy::Observer, BlockCounter>)
        for (auto& sm : place->sms()) sm->observer().count_into(recording_.block_instructions);
    }
    return *place;
  }

  /// The step of a TPC that has had no block.
  StepResult pass_over(uint32_t index, Cycle begin, Cycle end) {
    memory_.tpc(index).begin_step(begin, end);
    return memory_.tpc(index).finish_step();
  }

  Fault earliest_fault() {
    const FaultRecord* first = nullptr;
    for (auto& tpc : tpcs_) {
      if (tpc == nullptr) continue;
      for (auto& sm : tpc->sms())
        if (sm->fault().raised && (first == nullptr || sm->fault().cycle < first->cycle)) first = &sm->fault();
    }
    return describe(*first, context_, true);
  }

  /// In their order; those of TPCs that have had no block are not there.
  template <class F>
  void for_each_sm(const F& f) {
    for (auto& tpc : tpcs_)
      if (tpc != nullptr)
        for (auto& sm : tpc->sms()) f(*sm);
  }

  /// At the window's edge behind them, in (cycle, SM, issue) order: as atomic operations, the same for any number of
  /// threads and any step.
  std::optional<Fault> answer_heap_requests() {
    Cycle edge = now_ + step_;
    if (edge % chip_.window_cycles != 0) {
      placed_ = std::min(placed_, edge);
      return std::nullopt;
    }
    struct Request {
      Sm<Policy>* sm;
      const HeapRequest* request;
    };
    std::vector<Request> requests;
    for_each_sm([&](Sm<Policy>& sm) {
      for (const HeapRequest& request : sm.runtime_calls()->requests()) requests.push_back({&sm, &request});
    });
    std::stable_sort(requests.begin(), requests.end(),
                     [](const Request& a, const Request& b) { return a.request->cycle < b.request->cycle; });
    Cycle ready = edge + context_.machine->runtime.call_cycles;
    for (const Request& r : requests)
      if (!r.sm->answer(*r.request, *heap_, ready)) return describe(r.sm->fault(), context_, true);
    for_each_sm([](Sm<Policy>& sm) { sm.runtime_calls()->clear_requests(); });
    livelock_.disturbed();
    placed_ = std::min(placed_, ready);
    return std::nullopt;
  }

  /// Up to a fault's cycle, whatever the other SMs have done since. A refused free has the cycle of its call; the
  /// others have gone on to the edge at which it was found, which is the same for any step.
  void print(const std::optional<Fault>& fault) {
    bool cut = fault && fault->has_cycle && fault->kind != Fault::Kind::Free;
    Cycle last = cut ? fault->cycle : kNever;
    if (fault && fault->kind == Fault::Kind::CycleLimit) last = fault->cycle - 1;
    std::vector<PrintfBuffer*> buffers;
    for_each_sm([&](Sm<Policy>& sm) { buffers.push_back(&sm.runtime_calls()->printed()); });
    PrintfBuffer::print(buffers, last, options_.print);
  }

  void collect_ended_blocks() {
    ended_.clear();
    for (auto& tpc : tpcs_) {
      if (tpc == nullptr) continue;
      for (auto& sm : tpc->sms()) {
        ended_.insert(ended_.end(), sm->ended_blocks().begin(), sm->ended_blocks().end());
        sm->clear_ended_blocks();
      }
    }
  }

  /// Moves on, over steps in which nothing happens.
  std::optional<Fault> go_to_next_step() {
    now_ += step_;
    Cycle next = std::min(result_.next, placed_);
    if (next == kNever) return deadlock(context_, who_waits(), now_, true);
    if (next > now_ && next - now_ > options_.watchdog_cycles) {
      Fault fault = deadlock(context_, who_waits(), now_, true);
      fault.kind = Fault::Kind::NoProgress;
      fault.message = fmt::format("no instruction and no memory request for {} cycles", options_.watchdog_cycles);
      return fault;
    }
    if (next >= now_ + step_) now_ = next / step_ * step_;
    if (now_ >= options_.max_cycles) return cycle_limit();
    // At window edges, so that it does not depend on the step.
    if (Cycle edge = now_ / chip_.window_cycles * chip_.window_cycles; edge >= next_watch_) [[unlikely]]
      return watch(edge);
    return std::nullopt;
  }

  std::optional<Fault> watch(Cycle edge) {
    if (livelock_.look(edge)) {
      size_t lines = kDeadlockLines;
      std::string who = livelock_.who_repeats(&lines);
      return livelock(context_, lines == 0 ? who + "...\n" : who, edge, true);
    }
    next_watch_ = std::max<Cycle>(livelock_.next(), edge + kWindowsBetweenLooks * chip_.window_cycles);
    return std::nullopt;
  }

  std::string who_waits() {
    std::string out;
    size_t lines = kDeadlockLines;
    for (auto& tpc : tpcs_) {
      if (tpc == nullptr) continue;
      for (auto& sm : tpc->sms())
        out += describe_warps(
            sm->state(), [&](uint32_t slot) { return fmt::format("waits for {}", info(sm->waiting_for(slot)).what); },
            &lines);
    }
    if (lines == 0) out += "...\n";
    return out;
  }

  Fault waits_for_others() const {
    Fault fault;
    fault.kind = Fault::Kind::NoProgress;
    fault.message = fmt::format("blocks of kernel {} wait for others", context_.kernel->kernel->name);
    return fault;
  }

  Fault cycle_limit() {
    Fault fault = over_limit(context_, options_.max_cycles, "cycles",
                             fmt::format("{} of {} blocks had ended; give more with --max-cycles\n{}",
                                         scheduler_.finished(), scheduler_.total(), who_waits()));
    fault.cycle = options_.max_cycles;
    fault.has_cycle = true;
    return fault;
  }

  /// The last issue's end, or the last answer of the memory system (stores included), whichever is later.
  Cycle end_of_launch() {
    Cycle end = 0;
    for (auto& tpc : tpcs_) {
      if (tpc == nullptr) continue;
      if (tpc->last_response() > 0) end = std::max(end, tpc->last_response() + 1);
      for (auto& sm : tpc->sms()) end = std::max(end, sm->sub_cores_free());
    }
    return end;
  }

  const LaunchContext& context_;
  const RunOptions& options_;
  const ChipConfig& chip_;
  MemorySystem& memory_;
  ThreadTeam& team_;
  Cycle step_;
  DeviceHeap* heap_;
  BlockScheduler scheduler_;
  std::vector<std::unique_ptr<Tpc<Policy>>> tpcs_;  // null: it has had no block
  uint64_t unused_slots_ = 0;                       // of each SM of such a TPC
  std::vector<BlockEnd> ended_;
  /// What one thread's tasks of the step say, in a line of the host's cache for each.
  struct alignas(kHostLines) ThreadResult {
    Cycle step = kNever;  // that it is of: its first cycle
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
  Cycle end_ = 0;
  uint64_t steps_ = 0;
  Recording recording_;
  Livelock livelock_{kCyclesBetweenWatches};
  Cycle next_watch_ = kCyclesBetweenWatches;
  uint64_t next_look_ = Interval::kEnd;  // blocks handed out at which `recording_` wants to look
};

template <class Policy>
std::optional<Fault> run_with(const LaunchContext& context, const Launch& launch, const RunOptions& options,
                              MemorySystem& memory, ThreadTeam& team, const Recording& recording,
                              ChipCounters& counters, Cycle& cycles) {
  TimedRun<Policy> timed(context, launch, options, memory, team, recording);
  auto fault = timed.run();
  if (!fault) counters = timed.finish(cycles);
  return fault;
}

}  // namespace

std::optional<Fault> run_timed(const LaunchContext& context, const Launch& launch, const RunOptions& options,
                               MemorySystem& memory, ThreadTeam& team, LaunchStatistics& statistics) {
  ChipCounters counters;
  Cycle cycles = 0;
  auto fault = run_recorded(context, launch, options, memory, team, {}, counters, cycles);
  statistics.timed = true;
  statistics.attributed = options.attribution || options.trace != nullptr;
  if (!fault) fill(statistics, context, counters, cycles, options.per_instruction);
  return fault;
}

std::optional<Fault> run_recorded(const LaunchContext& context, const Launch& launch, const RunOptions& options,
                                  MemorySystem& memory, ThreadTeam& team, const Recording& recording,
                                  ChipCounters& counters, Cycle& cycles) {
  auto run = [&]<class Policy>() {
    return run_with<Policy>(context, launch, options, memory, team, recording, counters, cycles);
  };
  if (recording.block_instructions != nullptr) return run.template operator()<Counted>();
  if (options.trace != nullptr) return run.template operator()<Traced>();
  if (options.attribution) return run.template operator()<Attributed>();
  return run.template operator()<Unattributed>();
}

}  // namespace warptime::sim
