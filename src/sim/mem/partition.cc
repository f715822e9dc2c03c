#include "sim/mem/partition.h"

#include <algorithm>
#include <cstring>

namespace warptime::sim {

Partition::Partition(const MachineConfig& machine, DeviceMemory& memory, Wiring wiring)
    : clock_(clock_ratio(machine.clocks.shader_mhz, machine.clocks.memory_mhz)),
      in_(machine.interconnect.partition_width_bytes, machine.interconnect.header_bytes,
          clock_ratio(machine.clocks.shader_mhz, machine.clocks.core_mhz)),
      out_(in_),
      window_(machine.chip.window_cycles),
      pipeline_(machine.memory.pipeline_cycles),
      response_latency_(machine.interconnect.response_latency),
      merges_(machine.memory.same_address_merge == SameAddressMerge::partition),
      wiring_(std::move(wiring)),
      dram_(machine.dram),
      merges_by_sm_(merges_ ? sm_count(machine) : 0),
      caches_(machine),
      memory_(memory),
      has_atomics_(has_feature(machine, "global_atomics")),
      all_meet_(has_atomics_ || (caches_.exists(ReadKind::Plain) && caches_.writes_back())),
      atomic_cycles_(machine.memory.atomic_cycles),
      bytes_per_cycle_(machine.dram.bus_bytes * 2) {
  reads_meet_ = kinds_that_meet(true);
  writes_meet_ = kinds_that_meet(false);
}

[[gnu::flatten]] void Partition::run(Cycle end, uint64_t step) {
  look(step);
  accept(end);
  uint64_t memory_end = clock_.from_shader(end);
  for (;;) {
    uint64_t command = dram_.next_command(), arrival = next_arrival();
    if (std::min(arrival, command) >= memory_end) break;
    if (arrival <= command) {
      arrive(arrival);
      continue;
    }
    DramServed served = dram_.issue();
    while (served.name != DramServed::kNobody) {
      serve(served, command + 1);
      served = dram_.can_plan() ? dram_.plan_oldest() : DramServed{};
    }
  }
  send_answers(end);
  end_ = end;
  finish_step(step);
}

void Partition::finish_step(uint64_t step) {
  if (looked_ != step) look(step);
  wiring_.own->publish(step);
  finished_ = step;
  result_.next = next_event();
  wakes_tpc_ = kNever;
}

bool Partition::restart() {
  if (had_requests_) return false;
  // All that a step changes without them.
  looked_ = finished_ = 0;
  end_ = 0;
  wakes_tpc_ = kNever;
  result_ = {};
  return true;
}

/// What the TPCs have sent up to now.
void Partition::look(uint64_t step) {
  looked_ = step;
  for (uint32_t tpc = 0; tpc < wiring_.links.size(); ++tpc) {
    const uint32_t fresh = wiring_.fresh(tpc, step);
    if (fresh == 0) continue;
    had_requests_ = true;
    RequestChannel& requests = wiring_.links[tpc]->requests;
    const uint32_t unread = requests.size();
    requests.look(fresh);
    SIM_DEBUG_ASSERT(requests[unread].cycle >= end_, "a request of cycle {} is seen at {}", requests[unread].cycle,
                     end_);
    if (unread == 0) heads_.insert(requests.front().cycle, tpc);
  }
}

/// All requests that reach the port before `end` pass it, in (cycle, SM, slot) order. None that is still to be sent
/// can.
inline void Partition::accept(Cycle end) {
  while (heads_.any_before(end)) {
    const uint32_t tpc = heads_.queue();
    RequestChannel& requests = wiring_.links[tpc]->requests;
    const Packet& packet = requests.front();
    const PartitionRequest& request = packet.request;
    const uint64_t begin = in_.begin(in_.core_cycle(packet.cycle), request.rides);
    const uint64_t passed = in_.pass(begin, request.rides, in_.cycles(request.request_granules()));
    const uint64_t at = clock_.from_shader(in_.to_shader(passed));
    const bool meets = meets_others(request);
    if (meets || !arriving_.empty() || !plan(request, tpc, at)) {
      meeting_ += meets;
      arriving_.append() = {at, request, kNoName, static_cast<uint16_t>(tpc), false, meets};
    }
    requests.take();
    if (requests.empty()) heads_.remove();
    else heads_.replace(requests.front().cycle);
  }
}

uint32_t Partition::kinds_that_meet(bool reads) const {
  uint32_t kinds = 0;
  for (uint32_t kind = 0; kind < kReadKinds; ++kind)
    if (all_meet_ || caches_.exists(static_cast<ReadKind>(kind)) || (merges_ && reads)) kinds |= 1u << kind;
  return kinds;
}

/// What meets nobody is served by DRAM alone, and waits for its turn wherever it is.
inline bool Partition::meets_others(const PartitionRequest& request) const {
  return (((request.store == nullptr ? reads_meet_ : writes_meet_) >> static_cast<uint32_t>(request.kind)) & 1) != 0;
}

/// Memory cycle at which the next request is to be looked at.
inline uint64_t Partition::next_arrival() const {
  if (!waiting_.empty()) [[unlikely]]
    return next_of_waiting();
  if (arriving_.empty()) return kNever;
  const uint64_t at = arriving_.front().at;
  return meeting_ != 0 || dram_.empty() ? at : std::max(at, dram_.room());
}

/// The same where some that have met others wait for the scheduler.
uint64_t Partition::next_of_waiting() const {
  const uint64_t admitted = std::max(waiting_.front().at, dram_.room());
  return meeting_ == 0 ? admitted : std::min(admitted, arriving_.front().at);
}

/// It is the cycle that next_arrival said.
inline void Partition::arrive(uint64_t now) {
  if (!waiting_.empty() && std::max(waiting_.front().at, dram_.room()) <= now) [[unlikely]] {
    admit(waiting_.front(), now);
    waiting_.pop_front();
    return;
  }
  Arrival& arrival = arriving_.front();
  if (arrival.meets) meet(arrival);
  else if (!plan(arrival.request, arrival.tpc, arrival.at)) enqueue(arrival, now);
  arriving_.pop_front();
}

/// Whether the request has its time at once: it goes to DRAM only, and all before it have theirs.
inline bool Partition::plan(const PartitionRequest& request, uint32_t tpc, uint64_t at) {
  if (!waiting_.empty() || request.store != nullptr) return false;
  const uint64_t data_end = dram_.plan(request.offset(), request.bytes, at);
  if (data_end == kNever) return false;
  push(from_dram_, request, tpc, clock_.to_shader(data_end) + pipeline_);
  return true;
}

inline void Partition::enqueue(const Arrival& arrival, uint64_t now) {
  if (waiting_.empty() && dram_.room() <= now) admit(arrival, now);
  else waiting_.append() = arrival;
}

void Partition::meet(Arrival& arrival) {
  --meeting_;
  const PartitionRequest& request = arrival.request;
  if (has_atomics_ && request.store != nullptr) {
    if (request.atomic) {
      auto& atomic = static_cast<PendingAtomic&>(*request.store);
      arrived_.read(memory_, atomic.address, request.bytes, atomic.bytes.data());
      atomic.perform();
    }
    arrived_.arrives(request.store);
  }
  // Only what surely goes to DRAM may lead others: a cache would answer the leader alone.
  ReadKind kind = request.kind;
  if (caches_.exists(kind) ? !cached(arrival) : !(merges_ && kind == ReadKind::Plain && merged(arrival)))
    enqueue(arrival, arrival.at);
}

/// Whether a cache answers the request, or a read of the same lines will; otherwise it goes to DRAM.
bool Partition::cached(Arrival& arrival) {
  arrival.request.rides = false;
  const PartitionRequest& request = arrival.request;
  const Addr offset = request.offset();
  Cycle ready = clock_.to_shader(arrival.at);
  if (request.writes()) {
    caches_.hit(request.kind, offset, request.bytes, ready);
    if (!caches_.writes_back()) return false;
    caches_.put(request.kind, offset, request.bytes, ready, true,
                [&](Addr gone) { write_back(request.kind, gone, arrival.at); });
    answer(from_caches_, arrival, ready + caches_.latency(request.kind), arrival.at);
    return true;
  }
  if (caches_.hit(request.kind, offset, request.bytes, ready)) {
    answer(from_caches_, arrival, ready + caches_.latency(request.kind), arrival.at);
    return true;
  }
  uint32_t reader = caches_.reader_of(request.kind, offset, request.bytes);
  if (reader != PartitionCaches::kNone) {
    follow(reader, arrival);
    return true;
  }
  arrival.read = new_read();
  caches_.reads(request.kind, offset, request.bytes, arrival.read);
  return false;
}

/// A dirty line leaves its cache at memory cycle `now`.
void Partition::write_back(ReadKind cache, Addr offset, uint64_t now) {
  write_back_bytes(offset, caches_.of(cache).line_bytes(), now);
}

void Partition::write_back_bytes(Addr offset, uint32_t bytes, uint64_t now) {
  Arrival line;
  line.at = now;
  line.request.place = PartitionRequest::place_of(offset / PartitionRequest::kGranule, 0, 0);
  line.request.bytes = static_cast<uint8_t>(bytes);
  line.write_back = true;
  enqueue(line, now);
}

bool Partition::merged(Arrival& arrival) {
  if (arrival.request.store != nullptr) return false;
  uint32_t name = new_read();
  const MergeTable::Leader* leader = merges_by_sm_.find_or_lead(arrival.request, name, arrival.at);
  if (leader == nullptr) {
    arrival.request.rides = false;
    arrival.read = name;
    return false;
  }
  reads_.give_back(name);
  if (leader->served) answer(from_dram_, arrival, clock_.to_shader(leader->data_end) + pipeline_, arrival.at);
  else follow(leader->read, arrival);
  return true;
}

inline void Partition::admit(const Arrival& arrival, uint64_t now) {
  const PartitionRequest& request = arrival.request;
  const bool writes = request.writes() || arrival.write_back;
  const bool plannable = request.store == nullptr && arrival.read == kNoName;  // its answer is all that follows
  in_dram_[dram_.admit(request.offset(), request.bytes, writes, now, plannable)] = arrival;
}

/// The request has had its last column access; `now`: the memory cycle after the command.
inline void Partition::serve(const DramServed& served, uint64_t now) {
  const Arrival arrival = in_dram_[served.name];
  if (arrival.write_back) return;
  Cycle ready = clock_.to_shader(served.data_end) + pipeline_;
  if (arrival.read != kNoName) served_for_others(arrival, served.data_end, now);
  answer(from_dram_, arrival, ready, now);
  if (arrival.read != kNoName) answer_followers(arrival.read, ready, now);
}

/// A read that others follow, or whose data a cache wants.
void Partition::served_for_others(const Arrival& arrival, uint64_t data_end, uint64_t now) {
  const PartitionRequest& request = arrival.request;
  if (merges_ && !request.atomic) merges_by_sm_.served(request, arrival.read, data_end);
  if (!caches_.exists(request.kind)) return;
  caches_.has_read(arrival.read);
  caches_.put(request.kind, request.offset(), request.bytes, clock_.to_shader(data_end), false,
              [&](Addr gone) { write_back(request.kind, gone, now); });
}

void Partition::answer_followers(uint32_t read, Cycle ready, uint64_t now) {
  for (uint32_t name = reads_[read].first; name != kNoName; name = followers_[name].next) {
    answer(from_dram_, followers_[name].arrival, ready, now);
    followers_.give_back(name);
  }
  reads_.give_back(read);
}

uint32_t Partition::new_read() {
  uint32_t read = reads_.take();
  reads_[read] = Followers{};
  return read;
}

void Partition::follow(uint32_t read, const Arrival& arrival) {
  uint32_t name = followers_.take();
  followers_[name] = {arrival, kNoName};
  Followers& followers = reads_[read];
  (followers.first == kNoName ? followers.first : followers_[followers.last].next) = name;
  followers.last = name;
}

inline void Partition::answer(Ring<Answer>& queue, const Arrival& arrival, Cycle ready, uint64_t now) {
  const PartitionRequest& request = arrival.request;
  if (request.store != nullptr) {
    if (request.atomic) return change(arrival, ready, now);
    applied_.push_back({edge_after(ready, window_), request.store});
  }
  push(queue, request, arrival.tpc, ready);
}

/// The answer is at the port out at `done`.
inline void Partition::push(Ring<Answer>& queue, const PartitionRequest& request, uint32_t tpc, Cycle done) {
  queue.append() = {done, request.name, static_cast<uint16_t>(tpc), static_cast<uint8_t>(request.answer_granules()),
                    request.rides};
}

/// The atomic unit takes one request after the other. What it changes stays in a cache that writes back, else it goes
/// to DRAM.
void Partition::change(const Arrival& arrival, Cycle ready, uint64_t now) {
  const PartitionRequest& request = arrival.request;
  auto& atomic = static_cast<PendingAtomic&>(*request.store);
  const Cycle cycles = atomic.passes() * atomic_cycles_;
  atomic_unit_free_ = std::max(ready, atomic_unit_free_) + cycles;
  atomic_unit_busy_ += cycles;
  applied_atomics_.push_back({edge_after(atomic_unit_free_, window_), &atomic});
  push(from_atomics_, request, arrival.tpc, atomic_unit_free_);
  if (caches_.exists(request.kind) && caches_.writes_back())
    caches_.put(request.kind, request.offset(), request.bytes, ready, true,
                [&](Addr gone) { write_back(request.kind, gone, now); });
  else write_back_bytes(request.offset(), request.bytes, now);
}

/// All answers that reach the port before `end`, in order: whatever is still to come reaches it later.
void Partition::send_answers(Cycle end) {
  if (from_caches_.empty() && from_atomics_.empty()) {
    while (!from_dram_.empty() && from_dram_.front().cycle < end) send(from_dram_);
    return;
  }
  for (;;) {
    Ring<Answer>* first = nullptr;
    auto done = [](const Ring<Answer>& answers) { return answers.front().cycle; };
    for (Ring<Answer>* queue : {&from_dram_, &from_caches_, &from_atomics_})
      if (!queue->empty() && (first == nullptr || done(*queue) < done(*first))) first = queue;
    if (first == nullptr || done(*first) >= end) return;
    send(*first);
  }
}

/// Puts the first answer on the crossbar and forgets the request.
inline void Partition::send(Ring<Answer>& answers) {
  Answer answer = answers.front();
  answers.pop_front();
  const uint64_t begin = out_.begin(out_.core_cycle(answer.cycle), answer.rides);
  const Cycle sent = out_.to_shader(out_.pass(begin, answer.rides, out_.cycles(answer.granules)));
  answer.cycle = sent + response_latency_;
  wiring_.links[answer.tpc]->answers.send(wiring_.own->send(answer.tpc)) = answer;
  // Its credit is back before the answer is there.
  if (wakes_tpc_ == kNever) wakes_tpc_ = edge_after(sent, window_);
}

void Partition::apply_stores() {
  for (Ring<AppliedStore>* applied : {&applied_, &applied_atomics_})
    for (; due(*applied, end_); applied->pop_front()) apply(*applied->front().store);
}

void Partition::apply(PendingStore& store) {
  if (has_atomics_) arrived_.becomes_visible(&store);
  store.visible = true;
  for (uint32_t word = 0; word < kMaxStoreBytes; word += 64) {
    uint64_t mask = store.byte_mask[word / 64];
    if (mask == 0) continue;  // its time counts, its bytes are elsewhere
    std::byte* to = memory_.at(store.address + word);
    const std::byte* from = store.bytes.data() + word;
    if (mask == ~uint64_t{0}) {
      std::memcpy(to, from, 64);
      continue;
    }
    for (; mask != 0; mask &= mask - 1) {
      auto byte = static_cast<uint32_t>(std::countr_zero(mask));
      to[byte] = from[byte];
    }
  }
}

PartitionBusy Partition::busy(Cycle end) const {
  const DramStats moved = statistics(end);
  return {in_.busy(), out_.busy(), atomic_unit_busy_, (moved.read_bytes + moved.write_bytes) / bytes_per_cycle_};
}

bool Partition::idle() const {
  return heads_.empty() && arriving_.empty() && waiting_.empty() && dram_.empty() && applied_.empty() &&
         applied_atomics_.empty() && from_dram_.empty() && from_caches_.empty() && from_atomics_.empty();
}

Cycle Partition::next_event() const {
  Cycle next = wakes_tpc_;
  if (uint64_t arrival = next_arrival(); arrival != kNever) next = std::min(next, clock_.to_shader(arrival));
  if (!heads_.empty()) next = std::min(next, heads_.cycle());
  if (!from_dram_.empty()) next = std::min(next, from_dram_.front().cycle);
  if (!from_caches_.empty()) next = std::min(next, from_caches_.front().cycle);
  if (!from_atomics_.empty()) next = std::min(next, from_atomics_.front().cycle);
  if (!dram_.empty()) next = std::min(next, clock_.to_shader(dram_.next_command()));
  // The step before the edge has to be run for its stores to be applied at the edge.
  if (!applied_.empty()) next = std::min(next, applied_.front().visible - 1);
  if (!applied_atomics_.empty()) next = std::min(next, applied_atomics_.front().visible - 1);
  return next;
}

}  // namespace warptime::sim
