#include "sim/mem/partition.h"

#include <algorithm>

namespace warptime::sim {

Partition::Partition(const MachineConfig& machine, DeviceMemory& memory, Wiring wiring, bool may_plan)
    : clock_(clock_ratio(machine.clocks.shader_mhz, machine.clocks.memory_mhz)),
      in_(machine.interconnect.partition_width_bytes, request_header_bytes(machine), port_clock(machine),
          machine.interconnect.cycle_parts, machine.memory.mask_bytes),
      out_(answer_width(machine), machine.interconnect.header_bytes, port_clock(machine),
           machine.interconnect.cycle_parts),
      has_masks_(machine.memory.mask_bytes != 0),
      window_(machine.chip.window_cycles),
      pipeline_(machine.memory.pipeline_cycles),
      request_latency_(machine.interconnect.request_latency),
      response_latency_(machine.interconnect.response_latency),
      far_cycles_(machine.l2.halves > 1 ? machine.l2.far_cycles : 0),
      merges_(machine.memory.same_address_merge == SameAddressMerge::partition),
      wiring_(std::move(wiring)),
      dram_(machine.dram, may_plan),
      same_address_(merges_ ? sm_count(machine) : 0),
      caches_(machine),
      slices_(machine),
      memory_(memory),
      has_atomics_(has_feature(machine, Feature::GlobalAtomics)),
      all_looked_up_(has_atomics_ || (caches_.exists(ReadKind::Plain) && caches_.writes_back())),
      atomic_cycles_(machine.memory.atomic_cycles),
      words_(machine.memory),
      atomic_latency_(machine.memory.atomic_latency),
      bytes_per_cycle_(bytes_per_memory_cycle(machine.dram)) {
  for (uint32_t tpc = 0; tpc < machine.chip.tpcs; ++tpc) is_far_.push_back(is_far(machine, tpc, wiring_.index));
  reads_looked_up_ = kinds_looked_up(true);
  writes_looked_up_ = kinds_looked_up(false);
}

[[gnu::flatten]] void Partition::run(Cycle end, uint64_t step) {
  // Since the last run, which may be steps ago, a window has ended.
  if (((end - 1) & ~(window_ - 1)) >= end_) use_.most.add(held_);
  receive(step);
  if (shares_ == nullptr) [[likely]]
    accept<false>(end);
  else accept_and_share(end);
  uint64_t memory_end = clock_.from_shader(end);
  for (;;) {
    uint64_t command = dram_.next_command(), arrival = next_arrival();
    if (std::min(arrival, command) >= memory_end) break;
    if (arrival <= command) {
      arrive(arrival);
      continue;
    }
    DramServed served = dram_.issue();
    while (served.slot != DramServed::kNone) {
      serve(served, command + 1);
      served = dram_.can_plan() ? dram_.plan_oldest() : DramServed{};
    }
  }
  send_answers(end);
  end_ = end;
  finish_step(step);
}

void Partition::finish_step(uint64_t step) {
  if (received_ != step) receive(step);
  wiring_.own->publish(step);
  finished_ = step;
  result_.next = next_event();
  wakes_tpc_ = kNever;
}

bool Partition::restart() {
  if (had_requests_) return false;
  // All that a step changes without them.
  received_ = finished_ = 0;
  end_ = 0;
  wakes_tpc_ = kNever;
  result_ = {};
  shares_.reset();
  dram_.report({});
  return true;
}

PartitionView Partition::view(const MachineConfig& machine, std::optional<Addr> offset) const {
  PartitionView out{held_, dram_.open_rows(), caches_.view(machine, offset)};
  if (offset) out.place = {dram_.map().bank_of(*offset), dram_.map().row_of(*offset)};
  return out;
}

/// What the TPCs have sent up to now.
void Partition::receive(uint64_t step) {
  received_ = step;
  for (uint32_t tpc = 0; tpc < wiring_.links.size(); ++tpc) {
    const uint32_t fresh = wiring_.fresh(tpc, step);
    if (fresh == 0) continue;
    had_requests_ = true;
    RequestChannel& requests = wiring_.links[tpc]->requests;
    const uint32_t unread = requests.size();
    requests.receive(fresh);
    SIM_DEBUG_ASSERT(requests[unread].cycle >= end_, "a request of cycle {} is seen at {}", requests[unread].cycle,
                     end_);
    if (unread == 0) heads_.insert(requests.front().cycle, tpc);
  }
}

/// All requests that reach the port before `end` pass it, in (cycle, SM, slot) order. None that is still to be sent
/// can.
template <bool kShares>
inline void Partition::accept(Cycle end) {
  uint64_t came = 0, at_cycles = 0;  // counted here, not in members, which every request would load and store
  while (heads_.any_before(end)) {
    const uint32_t tpc = heads_.queue();
    RequestChannel& requests = wiring_.links[tpc]->requests;
    const Packet& packet = requests.front();
    const PartitionRequest& request = packet.request;
    at_cycles += packet.cycle;
    ++came;
    const uint64_t begin = in_.begin(in_.core_cycle(packet.cycle), request.with_previous);
    uint32_t cycles = in_.cycles(request.request_granules());
    if (has_masks_) [[unlikely]]
      cycles =
          in_.cycles(request.request_granules(), masked_sectors(request.store, request.atomic, request.granules()));
    const uint64_t passed = in_.pass(begin, request.with_previous, cycles);
    const uint64_t at = clock_.from_shader(in_.to_shader(passed));
    const bool looks_up = needs_lookup(request);
    if constexpr (kShares) {
      PartitionShare& share = share_of(tpc, request.run);
      ++share.held;
      ++share.use.entries;
      share.use.entry_cycles -= packet.cycle;
      if (!request.with_previous) share.busy.request_port += cycles;
      if (request.answer_granules() != 0)
        share.stages.request_network.add(in_.to_shader(passed) - packet.cycle + request_latency_ +
                                         (is_far_[tpc] ? far_cycles_ : 0));
      if (!looks_up) share_dram(launch_of(tpc, request.run), request.bytes, request.writes());
    }
    if (looks_up || !arriving_.empty() || !plan(request, tpc, at)) {
      lookups_ += looks_up;
      arriving_.append() = {at, request, kNoMshr, static_cast<uint16_t>(tpc), false, looks_up};
    }
    requests.take();
    if (requests.empty()) heads_.remove();
    else heads_.replace(requests.front().cycle);
  }
  held_ += came;
  use_.entries += came;
  use_.entry_cycles -= at_cycles;
}

uint32_t Partition::kinds_looked_up(bool reads) const {
  uint32_t kinds = 0;
  for (uint32_t kind = 0; kind < kReadKinds; ++kind)
    if (all_looked_up_ || caches_.exists(static_cast<ReadKind>(kind)) || (merges_ && reads)) kinds |= 1u << kind;
  return kinds;
}

/// A request without a lookup is served by DRAM alone, and waits for its turn in any queue.
inline bool Partition::needs_lookup(const PartitionRequest& request) const {
  return (((request.store == nullptr ? reads_looked_up_ : writes_looked_up_) >> static_cast<uint32_t>(request.kind)) &
          1) != 0;
}

/// Memory cycle at which arrive() has something to do.
inline uint64_t Partition::next_arrival() const {
  if (!waiting_.empty()) [[unlikely]]
    return next_of_waiting();
  if (arriving_.empty()) return kNever;
  const uint64_t at = arriving_.front().at;
  return lookups_ != 0 || dram_.empty() ? at : std::max(at, dram_.room());
}

/// Memory cycle at which arrive() has something to do while requests wait for the scheduler after their lookup.
uint64_t Partition::next_of_waiting() const {
  const uint64_t admitted = std::max(waiting_.front().at, dram_.room());
  return lookups_ == 0 ? admitted : std::min(admitted, arriving_.front().at);
}

/// It is the cycle that next_arrival said.
inline void Partition::arrive(uint64_t now) {
  if (!waiting_.empty() && std::max(waiting_.front().at, dram_.room()) <= now) [[unlikely]] {
    admit(waiting_.front(), now);
    waiting_.pop_front();
    return;
  }
  Arrival& arrival = arriving_.front();
  if (arrival.needs_lookup) look_up(arrival);
  else if (!plan(arrival.request, arrival.tpc, arrival.at)) enqueue(arrival, now);
  arriving_.pop_front();
}

void Partition::enqueue(const Arrival& arrival, uint64_t now) {
  if (waiting_.empty() && dram_.room() <= now) admit(arrival, now);
  else waiting_.append() = arrival;
}

inline void Partition::admit(const Arrival& arrival, uint64_t now) {
  const PartitionRequest& request = arrival.request;
  const bool writes = (request.writes() || arrival.write_back) && !arrival.fills;
  const bool predictable = request.store == nullptr && arrival.mshr == kNoMshr;  // nothing but its answer depends on it
  in_dram_[dram_.admit(arrival.dram_offset(), arrival.dram_bytes(), writes, now, predictable)] = arrival;
}

/// The request has had its last column access; `now`: the memory cycle after the command.
inline void Partition::serve(const DramServed& served, uint64_t now) {
  const Arrival arrival = in_dram_[served.slot];
  if (arrival.write_back) return;
  Cycle ready = clock_.to_shader(served.data_end) + pipeline_;
  if (arrival.mshr != kNoMshr) {
    read_served(arrival, served.data_end, now);
    if (caches_.delays_misses()) [[unlikely]]
      return answer_missed(arrival, ready, now);
  }
  answer(from_dram_, arrival, ready, now);
  if (arrival.mshr != kNoMshr) answer_merged(arrival.mshr, ready, now);
}

/// A read that a cache lacked leaves after the time of its lookup, in the order of DRAM.
void Partition::answer_missed(const Arrival& arrival, Cycle ready, uint64_t now) {
  ready += caches_.latency(arrival.request.kind);
  if (!from_misses_.empty()) ready = std::max(ready, from_misses_.back().cycle);
  answer(from_misses_, arrival, ready, now);
  merged_.answer(arrival.mshr, [&](const Arrival& other) { answer(from_misses_, other, ready, now); });
}

void Partition::answer(Ring<Answer>& queue, const Arrival& arrival, Cycle ready, uint64_t now) {
  const PartitionRequest& request = arrival.request;
  served(request, arrival.tpc, arrival.at, ready);
  const bool hit = &queue == &from_caches_;
  if (request.store != nullptr) {
    if (request.atomic) return perform_atomic(arrival, ready, now, hit);
    applied_.push_back({edge_after(ready, window_), request.store});
    if (caches_.may_pass_stores()) [[unlikely]]
      last_applied_to_place();
  } else if (shares_ != nullptr) [[unlikely]] {
    share_stages(arrival, ready, hit);
  }
  push(queue, request, arrival.tpc, ready);
}

/// All answers that reach the port before `end`, in order: whatever is still to come reaches it later.
void Partition::send_answers(Cycle end) {
  uint64_t went = 0, at_cycles = 0;
  auto send_first = [&](Ring<Answer>& queue, bool from_cache) {
    at_cycles += queue.front().cycle;
    ++went;
    send(queue, from_cache);
  };
  if (from_caches_.empty() && from_atomics_.empty() && from_misses_.empty())
    while (!from_dram_.empty() && from_dram_.front().cycle < end) send_first(from_dram_, false);
  else send_in_order(end, send_first);
  held_ -= went;
  use_.entry_cycles += at_cycles;
}

template <class Send>
void Partition::send_in_order(Cycle end, const Send& send_first) {
  for (;;) {
    Ring<Answer>* first = nullptr;
    auto done = [](const Ring<Answer>& answers) { return answers.front().cycle; };
    for (Ring<Answer>* queue : {&from_dram_, &from_caches_, &from_atomics_, &from_misses_})
      if (!queue->empty() && (first == nullptr || done(*queue) < done(*first))) first = queue;
    if (first == nullptr || done(*first) >= end) return;
    send_first(*first, first == &from_caches_);
  }
}

/// Puts the first answer on the crossbar and forgets the request.
inline void Partition::send(Ring<Answer>& answers, bool from_cache) {
  Answer answer = answers.front();
  answers.pop_front();
  const uint64_t begin = out_.begin(out_.core_cycle(answer.cycle), answer.with_previous);
  const Cycle sent = out_.to_shader(out_.pass(begin, answer.with_previous, out_.cycles(answer.granules)));
  if (shares_ != nullptr) [[unlikely]]
    share_sent(answer, sent);
  answer.cycle = sent + response_latency_;
  const uint16_t tpc = answer.tpc;
  if (far_cycles_ != 0 && is_far_[tpc]) [[unlikely]]
    answer.cycle += far_cycles_;
  if (from_cache) answer.tpc |= Answer::kFromCache;
  wiring_.links[tpc]->answers.send(wiring_.own->send(tpc)) = answer;
  // Its credit is back before the answer is there.
  if (wakes_tpc_ == kNever) wakes_tpc_ = edge_after(sent, window_);
}

PartitionBusy Partition::busy(Cycle end) const {
  const DramStats moved = dram_.statistics(clock_.from_shader(end));
  return {in_.busy(), out_.busy(), atomic_unit_busy_, (moved.read_bytes + moved.write_bytes) / bytes_per_cycle_,
          slices_.busy()};
}

void Partition::accept_and_share(Cycle end) { accept<true>(end); }

void Partition::share_served(uint32_t tpc, uint32_t run, uint64_t at, Cycle ready) {
  share_of(tpc, run).service.add(ready - std::min(ready, clock_.to_shader(at)));
}

void Partition::share_stages(const Arrival& arrival, Cycle end, bool hit) {
  LatencyStages& stages = share_of(arrival.tpc, arrival.request.run).stages;
  const Cycle begin = std::min(end, clock_.to_shader(arrival.at)), all = end - begin;
  const bool looked_up = caches_.exists(arrival.request.kind) && (hit || caches_.delays_misses());
  const Cycle atomic =
      arrival.request.atomic ? std::min<Cycle>(all, atomic_unit_free_ - std::min(end, atomic_unit_free_)) : 0;
  const Cycle l2 = std::min<Cycle>(all, (looked_up ? caches_.latency(arrival.request.kind) : 0) + atomic);
  stages.l2.add(l2);
  if (hit) return stages.l2_queue.add(all - l2);
  const Cycle dram = std::min<Cycle>(all - l2, clock_.to_shader(dram_.read_delay()) + pipeline_);
  stages.dram.add(dram);
  stages.dram_queue.add(all - l2 - dram);
}

/// `answer`: with the cycle at which it was at the port.
void Partition::share_sent(Answer answer, Cycle sent) {
  PartitionShare& share = share_of(answer.tpc, answer.run);
  --share.held;
  share.use.entry_cycles += answer.cycle;
  share.port.add(sent - answer.cycle);
  if (answer.granules != 0) share.stages.response_port.add(sent - answer.cycle);
  if (!answer.with_previous) share.busy.response_port += out_.cycles(answer.granules);
}

void Partition::keep_shares() {
  shares_ = std::make_unique<LaunchShares<PartitionShare>>();
  auto missed = [](void* of, uint32_t slot) {
    auto& self = *static_cast<Partition*>(of);
    DramStats& dram = (*self.shares_)[self.launch_of(self.in_dram_[slot])].dram;
    ++dram.row_misses;
    --dram.row_hits;
  };
  dram_.report({missed, this});
}

/// The launch's request goes to DRAM: what it will do there, as if its row were open.
void Partition::share_dram(uint32_t launch, uint32_t bytes, bool write) {
  (*shares_)[launch].dram.add(dram_.row_hits_of(bytes, write));
}

PartitionShare Partition::take_share(uint32_t launch) {
  PartitionShare share = shares_->take(launch);
  share.busy.request_port /= in_.parts();
  share.busy.response_port /= out_.parts();
  share.busy.dram_data = (share.dram.read_bytes + share.dram.write_bytes) / bytes_per_cycle_;
  if (shares_->empty()) {
    const DataCacheStats before = cache_statistics(ReadKind::Data);
    share.dram.write_bytes += flush();
    DataCacheStats& l2 = share.caches[static_cast<size_t>(ReadKind::Data)];
    l2.add(cache_statistics(ReadKind::Data));
    l2.subtract(before);
  }
  share.use.entry_cycles += share.held * end_;
  return share;
}

bool Partition::idle() const {
  return heads_.empty() && arriving_.empty() && waiting_.empty() && dram_.empty() && applied_.empty() &&
         applied_atomics_.empty() && from_dram_.empty() && from_caches_.empty() && from_atomics_.empty() &&
         from_misses_.empty();
}

Cycle Partition::next_event() const {
  Cycle next = wakes_tpc_;
  if (uint64_t arrival = next_arrival(); arrival != kNever) next = std::min(next, clock_.to_shader(arrival));
  if (!heads_.empty()) next = std::min(next, heads_.cycle());
  if (!from_dram_.empty()) next = std::min(next, from_dram_.front().cycle);
  if (!from_caches_.empty()) next = std::min(next, from_caches_.front().cycle);
  if (!from_atomics_.empty()) next = std::min(next, from_atomics_.front().cycle);
  if (!from_misses_.empty()) next = std::min(next, from_misses_.front().cycle);
  if (!dram_.empty()) next = std::min(next, clock_.to_shader(dram_.next_command()));
  // The step before the edge has to be run for its stores to be applied at the edge.
  if (!applied_.empty()) next = std::min(next, applied_.front().visible - 1);
  if (!applied_atomics_.empty()) next = std::min(next, applied_atomics_.front().visible - 1);
  return next;
}

}  // namespace warptime::sim
