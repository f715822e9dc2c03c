// A step of the simulation is at most a window. In it every TPC and every memory partition runs the same cycles, in
// parallel, without looking at the others: whatever one sends takes at least a window to arrive. Between steps, on one
// thread: what was sent changes hands, ended blocks are followed by new ones, and at window edges the partitions'
// stores become visible.
#include <algorithm>

#include "sim/gpu/fault_text.h"
#include "sim/gpu/gather.h"
#include "sim/gpu/run.h"
#include "sim/gpu/tpc.h"

namespace warptime::sim {

namespace {

// Progress is reported after this many steps: often enough for a person, too seldom to cost anything.
constexpr uint32_t kStepsBetweenReports = 4096;
constexpr size_t kDeadlockLines = 40;

template <class Policy>
class TimedRun {
 public:
  TimedRun(const LaunchContext& context, const Launch& launch, const RunOptions& options, MemorySystem& memory,
           ThreadTeam& team)
      : context_(context),
        options_(options),
        chip_(context.machine->chip),
        memory_(memory),
        team_(team),
        step_(chip_.window_cycles / static_cast<uint32_t>(options.step)),
        scheduler_(chip_, uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2], launch.blocks,
                   context.blocks_per_sm) {
    for (uint32_t i = 0; i < chip_.tpcs; ++i) tpcs_.push_back(std::make_unique<Tpc<Policy>>(context, i, memory.tpc(i)));
    if constexpr (Policy::Trace::kOn) {
      uint32_t sm = options.trace->sm;
      tpcs_[sm / chip_.sms_per_tpc]->sms()[sm % chip_.sms_per_tpc]->trace().record(options.trace);
    }
  }

  std::optional<Fault> run() {
    auto place = [this](const Placement& p) {
      tpcs_[p.sm / chip_.sms_per_tpc]->start_block(p.sm % chip_.sms_per_tpc, p);
    };
    scheduler_.first_blocks(place);
    for (;;) {
      apply_stores();
      run_step();
      if (auto fault = earliest_fault()) return fault;
      collect_ended_blocks();
      scheduler_.next_blocks(ended_, place);
      if (scheduler_.all_finished() && memory_.idle()) break;
      if (auto fault = go_to_next_step()) return fault;
      if (options_.progress && ++steps_ % kStepsBetweenReports == 0)
        options_.progress(static_cast<double>(scheduler_.finished()) / static_cast<double>(scheduler_.total()));
    }
    now_ += step_;
    apply_stores();
    end_ = end_of_launch();
    if (end_ > options_.max_cycles) return cycle_limit();
    return std::nullopt;
  }

  void gather(LaunchStatistics& statistics) {
    statistics.cycles = end_;
    SmCounters sum(context_.kernel->insns.size());
    for (auto& tpc : tpcs_) {
      for (auto& sm : tpc->sms()) {
        sm->finish(end_);
        add_sm(statistics, context_, sm->counters(), end_ * context_.machine->issue.ports);
        add_instructions(sum, sm->counters());
      }
      add_caches(statistics.caches, tpc->caches());
    }
    statistics.caches.has_l1 = context_.machine->l1.cache.bytes != 0;
    statistics.caches.has_l2 = context_.machine->l2.cache.bytes != 0;
    statistics.caches.l2 = memory_.l2_statistics();
    statistics.dram = memory_.dram_statistics();
    if (options_.per_instruction) fill_instruction_rows(statistics, context_, sum);
  }

 private:
  /// Stores that partitions applied before this window become visible.
  void apply_stores() {
    uint64_t window = now_ / chip_.window_cycles;
    if (window == applied_window_) return;
    applied_window_ = window;
    if (memory_.has_stores_to_apply())
      team_.run(memory_.partition_count(), [this](uint32_t i) { memory_.apply_stores(i); });
  }

  void run_step() {
    Cycle begin = now_, end = now_ + step_;
    team_.run(chip_.tpcs + memory_.partition_count(), [&](uint32_t i) {
      if (i < chip_.tpcs) tpcs_[i]->run(begin, end);
      else memory_.run_partition(i - chip_.tpcs, begin, end);
    });
    memory_.flip();
  }

  std::optional<Fault> earliest_fault() {
    const FaultRecord* first = nullptr;
    for (auto& tpc : tpcs_) {
      if (!tpc->result().fault) continue;
      for (auto& sm : tpc->sms())
        if (sm->fault().raised && (first == nullptr || sm->fault().cycle < first->cycle)) first = &sm->fault();
    }
    if (first == nullptr) return std::nullopt;
    return describe(*first, context_, true);
  }

  void collect_ended_blocks() {
    ended_.clear();
    for (auto& tpc : tpcs_) {
      if (!tpc->result().ended_blocks) continue;
      for (auto& sm : tpc->sms()) {
        ended_.insert(ended_.end(), sm->ended_blocks().begin(), sm->ended_blocks().end());
        sm->clear_ended_blocks();
      }
    }
  }

  /// Moves on, over steps in which nothing happens.
  std::optional<Fault> go_to_next_step() {
    now_ += step_;
    Cycle next = memory_.next_event(now_);
    for (auto& tpc : tpcs_) next = std::min(next, tpc->result().next);
    if (next == kNever) return deadlock(context_, who_waits(), now_, true);
    if (next > now_ && next - now_ > options_.watchdog_cycles) {
      Fault fault = deadlock(context_, who_waits(), now_, true);
      fault.kind = Fault::Kind::NoProgress;
      fault.message = fmt::format("no instruction and no memory request for {} cycles", options_.watchdog_cycles);
      return fault;
    }
    if (next >= now_ + step_) now_ = next / step_ * step_;
    if (now_ >= options_.max_cycles) return cycle_limit();
    return std::nullopt;
  }

  std::string who_waits() {
    std::string out;
    size_t lines = kDeadlockLines;
    for (auto& tpc : tpcs_)
      for (auto& sm : tpc->sms())
        out += describe_waiting(
            sm->state(), [&](uint32_t place) { return info(sm->waiting_for(place)).what; }, &lines);
    if (lines == 0) out += "...\n";
    return out;
  }

  Fault cycle_limit() const {
    Fault fault;
    fault.kind = Fault::Kind::CycleLimit;
    fault.message =
        fmt::format("kernel {} was not finished after {} cycles", context_.kernel->kernel->name, options_.max_cycles);
    fault.hint = fmt::format("{} of {} blocks had ended; give more with --max-cycles", scheduler_.finished(),
                             scheduler_.total());
    fault.where = context_.kernel->kernel->where;
    fault.cycle = options_.max_cycles;
    fault.has_cycle = true;
    return fault;
  }

  /// The last issue's end, or the last answer of the memory system (stores included), whichever is later.
  Cycle end_of_launch() {
    Cycle end = 0;
    for (auto& tpc : tpcs_) {
      if (tpc->last_response() > 0) end = std::max(end, tpc->last_response() + 1);
      for (auto& sm : tpc->sms()) end = std::max(end, sm->ports_free());
    }
    return end;
  }

  const LaunchContext& context_;
  const RunOptions& options_;
  const ChipConfig& chip_;
  MemorySystem& memory_;
  ThreadTeam& team_;
  Cycle step_;
  BlockScheduler scheduler_;
  std::vector<std::unique_ptr<Tpc<Policy>>> tpcs_;
  std::vector<BlockEnd> ended_;
  Cycle now_ = 0;
  Cycle end_ = 0;
  uint64_t applied_window_ = 0;
  uint64_t steps_ = 0;
};

template <class Policy>
std::optional<Fault> run_with(const LaunchContext& context, const Launch& launch, const RunOptions& options,
                              MemorySystem& memory, ThreadTeam& team, LaunchStatistics& statistics) {
  TimedRun<Policy> timed(context, launch, options, memory, team);
  auto fault = timed.run();
  if (!fault) timed.gather(statistics);
  return fault;
}

}  // namespace

std::optional<Fault> run_timed(const LaunchContext& context, const Launch& launch, const RunOptions& options,
                               MemorySystem& memory, ThreadTeam& team, LaunchStatistics& statistics) {
  statistics.timed = true;
  statistics.attributed = options.attribution || options.trace != nullptr;
  if (options.trace != nullptr) return run_with<Traced>(context, launch, options, memory, team, statistics);
  if (options.attribution) return run_with<Attributed>(context, launch, options, memory, team, statistics);
  return run_with<Unattributed>(context, launch, options, memory, team, statistics);
}

}  // namespace warptime::sim
