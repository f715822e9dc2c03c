// What a timed run does between steps for several launches and for calls of the runtime, and some of its faults.
// Definitions of timed_run.h's
// template, only for timed_run.cc and timed_run_state.cc.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "sim/gpu/timed_run.h"

namespace warptime::sim {

/// In a run of several launches, if `now` is an edge of windows: those that have ended get their statistics, and others
/// begin.
template <class Policy>
void TimedRun<Policy>::serve_launches(Cycle now) {
  if (now % chip_.window_cycles != 0) {
    placed_ = std::min(placed_, edge_after(now, chip_.window_cycles));
    return;
  }
  launches_.for_each_running([&](uint32_t launch) {
    if (!scheduler_.all_finished(launch)) return;
    if (const std::optional<Cycle> done = tpcs_.done(launch)) ends(launch, *done);
  });
  launches_.arrivals(now, [&](uint32_t launch) {
    livelock_.disturbed();
    arrives(launch, now);
  });
  placed_ = std::min(placed_, launches_.next_arrival());
}

/// A launch that has ended, or was cut short, at `end`.
template <class Policy>
void TimedRun<Policy>::ends(uint32_t launch, Cycle end) {
  const TimedLaunch& of = launches_[launch];
  ChipCounters counters = tpcs_.take_share(launch, launches_.ends(launch, end, tpcs_.queues()));
  counters.sms = tpcs_.counters_of(*of.context, of.end - of.begin);
  fill(*of.statistics, *of.context, counters, of.end - of.begin, options_.per_instruction);
  of.statistics->time_us = time_of(*context_.machine, of.end - of.begin);
  tpcs_.dismiss(launch);
}

/// At a fault: the launches that run have what they did up to the edge; those that have not begun have nothing.
template <class Policy>
void TimedRun<Policy>::cut_launches() {
  launches_.for_each_running([&](uint32_t launch) { ends(launch, std::max(now_, edge_)); });
}

/// At the window's edge behind them, in (cycle, SM, issue) order: as atomic operations, the same for any number of
/// threads and any step.
template <class Policy>
std::optional<Fault> TimedRun<Policy>::answer_heap_requests() {
  Cycle edge = edge_;
  if (edge % chip_.window_cycles != 0) {
    placed_ = std::min(placed_, edge);
    return std::nullopt;
  }
  struct Call {
    Sm<Policy>* sm;
    const HeapRequest* request;
  };
  std::vector<Call> requests;
  tpcs_.for_each_sm([&](Sm<Policy>& sm) {
    if (sm.runtime_calls() == nullptr) return;
    for (const HeapRequest& request : sm.runtime_calls()->requests()) requests.push_back({&sm, &request});
  });
  std::stable_sort(requests.begin(), requests.end(),
                   [](const Call& a, const Call& b) { return a.request->cycle < b.request->cycle; });
  Cycle ready = edge + context_.machine->runtime.call_cycles;
  for (const Call& r : requests)
    if (!r.sm->answer(*r.request, *heap_, ready)) return describe_fault(r.sm->fault());
  tpcs_.for_each_sm([](Sm<Policy>& sm) {
    if (sm.runtime_calls() != nullptr) sm.runtime_calls()->clear_requests();
  });
  livelock_.disturbed();
  placed_ = std::min(placed_, ready);
  return std::nullopt;
}

/// Up to a fault's cycle, whatever the other SMs have done since. A refused free has the cycle of its call; the
/// others have gone on to the edge at which it was found, which is the same for any step.
template <class Policy>
void TimedRun<Policy>::print(const std::optional<Fault>& fault) {
  bool cut = fault && fault->has_cycle && fault->kind != Fault::Kind::Free;
  Cycle last = cut ? fault->cycle : kNever;
  if (fault && fault->kind == Fault::Kind::CycleLimit) last = fault->cycle - 1;
  std::vector<PrintfBuffer*> buffers;
  tpcs_.for_each_sm([&](Sm<Policy>& sm) {
    if (sm.runtime_calls() != nullptr) buffers.push_back(&sm.runtime_calls()->printed());
  });
  PrintfBuffer::print(buffers, last, [this](std::string_view text) { options_.listener->printed(text); });
}

/// Progress: of the first launch that runs.
template <class Policy>
void TimedRun<Policy>::report() {
  const LaunchContext& context = running();
  const uint64_t ended = scheduler_.finished(context.number), all = scheduler_.total(context.number);
  options_.listener->progress({.kernel = context.kernel->kernel->name,
                               .now = now_,
                               .ended_blocks = ended,
                               .blocks = all,
                               .share = static_cast<double>(ended) / static_cast<double>(all),
                               .counts = [&] {
                                 if (!launches_.several()) return counts_of(counters_at(now_), Policy::kStalls);
                                 ChipCounters counters;
                                 counters.sms = tpcs_.counters_of(context, 0);
                                 return counts_of(counters, false);
                               }});
}

template <class Policy>
Fault TimedRun<Policy>::waits_for_others() const {
  Fault fault;
  fault.kind = Fault::Kind::NoProgress;
  fault.message = fmt::format("blocks of kernel {} wait for others", context_.kernel->kernel->name);
  return fault;
}

template <class Policy>
Fault TimedRun<Policy>::cycle_limit() {
  Fault fault = over_limit(running(), options_.max_cycles, "cycles",
                           fmt::format("{}; give more with --max-cycles\n{}", blocks_ended(), tpcs_.who_waits()));
  fault.cycle = options_.max_cycles;
  fault.has_cycle = true;
  return fault;
}

}  // namespace warptime::sim
