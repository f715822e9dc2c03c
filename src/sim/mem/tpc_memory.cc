#include "sim/mem/tpc_memory.h"

#include <algorithm>
#include <bit>

namespace warptime::sim {

TpcMemory::Impl::Impl(const MachineConfig& machine, Wiring wires, const uint64_t* step_number)
    : first_sm(wires.index * machine.chip.sms_per_tpc),
      map(machine.memory),
      merges(machine.memory.same_address_merge == SameAddressMerge::partition),
      out(machine.interconnect.tpc_width_bytes, machine.interconnect.header_bytes,
          clock_ratio(machine.clocks.shader_mhz, machine.clocks.core_mhz)),
      in(out),
      window(machine.chip.window_cycles),
      request_latency(machine.interconnect.request_latency),
      response_latency(machine.interconnect.response_latency),
      queue_entries(machine.memory.queue_entries),
      queue_count(machine.chip.sms_per_tpc + 1),
      queues(queue_count),
      keys(std::max(queue_count, kFew), kNever),
      wiring(std::move(wires)),
      awaited(machine.chip.sms_per_tpc),
      step(step_number) {
  for (Link* link : wiring.links) partitions.push_back({link, machine.memory.partition_queue, 0});
}

void TpcMemory::Impl::begin_step(Cycle step_begin, Cycle step_end) {
  SIM_ASSERT(step_begin >= end && step_end > step_begin && step_end <= edge_after(step_begin, window),
             "a step from {} to {} after {} with windows of {}", step_begin, step_end, end, window);
  settle(step_begin);
  begin = step_begin;
  end = step_end;
  credit_cycle = out.first_in(begin);
  look();
  for (uint64_t rest = unread; rest != 0; rest &= rest - 1) {
    auto p = static_cast<uint32_t>(std::countr_zero(rest));
    FromPartition& from = partitions[p];
    const AnswerChannel& answers = from.link->answers;
    uint64_t before = from.credited;
    while (from.credited < answers.size() && credit_edge(answers[from.credited]) <= begin) ++from.credited;
    if (from.credited == before) continue;
    from.credits += static_cast<uint32_t>(from.credited - before);
    next_pick = 0;
  }
  for (uint32_t queue = 0; queue < queue_count; ++queue) look_at_head(queue);
  accept_answers(step_end);
}

/// What the partitions have sent up to now.
void TpcMemory::Impl::look() {
  looked = *step;
  for (uint32_t p = 0; p < partitions.size(); ++p) {
    const uint32_t fresh = wiring.fresh(p, *step);
    if (fresh == 0) continue;
    AnswerChannel& answers = partitions[p].link->answers;
    const bool first = answers.empty();
    answers.look(fresh);
    if (first) heads.insert(answers.front().cycle, p);
    unread |= uint64_t{1} << p;
  }
}

void TpcMemory::Impl::finish_step() {
  if (looked != *step) look();
  settle(end);
  wiring.own->publish(*step);
  finished = *step;
  result.next = next_event();
  wakes_partition = kNever;
}

/// Takes answers that reach the port before the step's end in (cycle, partition) order. None that is still to be sent
/// can.
[[gnu::flatten]] void TpcMemory::Impl::accept_answers(Cycle step_end) {
  while (heads.any_before(step_end)) {
    const uint32_t partition = heads.queue();
    AnswerChannel& answers = partitions[partition].link->answers;
    accept(partitions[partition]);
    if (!answers.empty()) {
      heads.replace(answers.front().cycle);
    } else {
      heads.remove();
      unread &= ~(uint64_t{1} << partition);
    }
  }
}

/// The partition's next answer passes the port.
inline void TpcMemory::Impl::accept(FromPartition& from) {
  const Answer answer = from.link->answers.front();
  from.link->answers.take();
  --from.credited;  // it was counted: its edge is not after its arrival
  SIM_DEBUG_ASSERT(answer.cycle >= begin, "an answer of cycle {} is seen at {}", answer.cycle, begin);
  Train& train = trains[answer.name];
  const uint64_t passed =
      in.pass(in.begin(in.core_cycle(answer.cycle), answer.rides), answer.rides, in.cycles(answer.granules));
  const bool is_last = --train.to_come == 0;
  if (train.counted && (!is_last || is_awaited(train))) {
    --outstanding;
  } else {
    Response& response = delivered.append();
    response.tag = train.tag;
    response.sm = train.sm;
    response.kind = train.kind;
    response.atomic = train.atomic;
    response.cycle = in.to_shader(passed);
    response.store = train.store;
  }
  kept -= is_last;
}

/// All its answers are there: whether others of the same load are still to come.
inline bool TpcMemory::Impl::is_awaited(const Train& train) {
  uint16_t& others = awaited[train.sm - first_sm][train.tag];
  others = static_cast<uint16_t>(others - train.count);
  return others != 0;
}

void TpcMemory::Impl::expect(uint32_t sm_in_tpc, uint32_t tag, uint32_t count) {
  std::vector<uint16_t>& of_sm = awaited[sm_in_tpc];
  if (tag >= of_sm.size()) of_sm.resize(std::max<size_t>(256, std::bit_ceil(size_t{tag} + 1)));
  SIM_DEBUG_ASSERT(of_sm[tag] == 0, "load {} still waits for {} answers", tag, of_sm[tag]);
  of_sm[tag] = static_cast<uint16_t>(count);
}

/// Key of the queue whose head the port takes next, if credits do not change; kNever: none can go.
inline uint64_t TpcMemory::Impl::next_to_leave() const {
  const uint64_t* key = keys.data();
  uint64_t next = std::min(std::min(key[0], key[1]), std::min(key[2], key[3]));
  static_assert(kFew == 4);
  for (uint32_t queue = kFew; queue < queue_count; ++queue) next = std::min(next, key[queue]);
  return next;
}

void TpcMemory::Impl::settle(Cycle now) {
  if (now <= settled) return;
  settled = now;
  if (next_pick >= now) return;
  const uint64_t limit = out.first_in(now);
  for (;;) {
    const uint64_t key = next_to_leave();
    if (key == kNever) {
      next_pick = kNever;
      return;
    }
    const uint32_t queue = key & kQueueMask;
    const SmQueue& first = queues[queue];
    const uint64_t core_cycle = out.begin(std::max(first.edge, credit_cycle), first.head.request.rides);
    if (core_cycle >= limit) {
      next_pick = out.to_shader(core_cycle);
      return;
    }
    take(queue, core_cycle);
  }
}

/// The first of this queue enters the port.
inline void TpcMemory::Impl::take(uint32_t number, uint64_t core_cycle) {
  SmQueue& queue = queues[number];
  Waiting& head = queue.head;
  const PartitionRequest& request = head.request;
  const bool last_credit = --queue.to->credits == 0, rides = request.rides;
  const Cycle arrival = request_latency + out.to_shader(out.pass(core_cycle, rides, head.port_cycles));
  queue.to->link->requests.send(wiring.own->send(head.partition)) = {arrival, request};
  if (wakes_partition == kNever) wakes_partition = arrival;
  --queue.size;
  if (--head.count == 0) {
    next_head(number);
  } else {
    head.ready += head.spacing;
    keys[number] = queue_key(head.ready, number);
    queue.edge = out.core_cycle(head.ready);
    // Only where it changes: what was just written in part is slow to be copied as a whole.
    if (head.others_ride != rides) head.request.rides = head.others_ride;
  }
  if (!last_credit) return;
  for (uint32_t other = 0; other < queue_count; ++other) look_at_head(other);
}

/// The queue's first train has left.
inline void TpcMemory::Impl::next_head(uint32_t number) {
  SmQueue& queue = queues[number];
  if (!queue.behind.empty()) {
    queue.head = queue.behind.front();
    queue.behind.pop_front();
  }
  begin_head(number);
}

/// The queue's first train is another.
inline void TpcMemory::Impl::begin_head(uint32_t number) {
  SmQueue& queue = queues[number];
  queue.edge = out.core_cycle(queue.head.ready);
  queue.to = &partitions[queue.head.partition];
  look_at_head(number);
}

/// The queue's first train, or its partition's credits, are others than before.
inline void TpcMemory::Impl::look_at_head(uint32_t number) {
  SmQueue& queue = queues[number];
  queue.blocked = !queue.empty() && queue.to->credits == 0;
  keys[number] = queue.empty() || queue.blocked ? kNever : queue_key(queue.head.ready, number);
}

bool TpcMemory::Impl::has_room(uint32_t sm_in_tpc, uint32_t transactions, Cycle now) {
  settle(now);
  SmQueue& queue = queues[sm_in_tpc];
  queue.wanted = transactions;
  return queue.empty() || queue.size + transactions <= queue_entries;
}

/// The transaction behind so many others.
TpcMemory::Impl::Place TpcMemory::Impl::place_of(const SmQueue& queue, uint32_t others) const {
  const Waiting* waiting = &queue.head;
  for (size_t train = 0; others >= waiting->count; ++train) {
    others -= waiting->count;
    waiting = &queue.behind[train];
  }
  return {waiting->ready + Cycle{others} * waiting->spacing,
          others > 0 ? waiting->others_ride : bool{waiting->request.rides}};
}

Cycle TpcMemory::Impl::next_room(uint32_t sm_in_tpc, Cycle now) const {
  const SmQueue& queue = queues[sm_in_tpc];
  if (queue.empty()) return now + 1;
  uint32_t asked = queue.size + queue.wanted, over = asked - std::min(asked, queue_entries);
  uint32_t leave = std::clamp<uint32_t>(over, 1, queue.size);
  if (queue.to->credits < std::min(leave, queue.head.count)) return kNever;  // they come back between steps only
  // As if the port took this queue's packets only, at least a core cycle each: a bound from below.
  const Place place = place_of(queue, leave - 1);
  const uint64_t first = out.begin(std::max(queue.edge, credit_cycle), queue.head.request.rides);
  uint64_t last = out.begin(std::max(out.core_cycle(place.ready), credit_cycle), place.rides);
  last = std::max(merges ? first : first + leave - 1, last);
  Cycle room = std::max(now, out.to_shader(last)) + 1;
  return room < end ? room : kNever;
}

/// Remembers what so many answers are for, under the name that is returned. Names go round, so that what is sent, and
/// mostly answered, one after the other lies side by side.
inline uint32_t TpcMemory::Impl::keep(const Request& request, uint32_t count) {
  if (kept == trains.size() / 4 * 3) [[unlikely]]
    trains.resize(trains.size() * 2);
  ++kept;
  do next_name = (next_name + 1) & static_cast<uint32_t>(trains.size() - 1);
  while (trains[next_name].to_come != 0);
  Train& train = trains[next_name];
  train.store = request.store;
  train.tag = request.tag;
  train.to_come = count;
  train.count = static_cast<uint16_t>(count);
  train.sm = request.sm;
  train.kind = request.kind;
  train.atomic = request.atomic;
  train.counted = request.counted;
  return next_name;
}

void TpcMemory::Impl::send(uint32_t sm_in_tpc, const Request& request, uint32_t count, uint32_t spacing) {
  SIM_DEBUG_ASSERT(request.cycle >= settled, "a transaction for cycle {} is sent after cycle {}", request.cycle,
                   settled);
  const PartitionAddress place = map.locate(request.address);
  SIM_DEBUG_ASSERT(place.offset % PartitionRequest::kGranule == 0, "a transaction at {} of its partition",
                   place.offset);
  SmQueue& queue = queues[sm_in_tpc];
  const bool first = queue.empty();
  Waiting& waiting = first ? queue.head : queue.behind.append();
  PartitionRequest& each = waiting.request;
  each.store = request.store;
  each.place = PartitionRequest::place_of(place.offset / PartitionRequest::kGranule,
                                          (request.word - request.address) / 4, request.group);
  each.name = keep(request, count);
  each.sm = request.sm;
  each.bytes = static_cast<uint8_t>(request.bytes);
  each.kind = request.kind;
  each.atomic = request.atomic;
  each.rides = merges && queue.repeats(request);
  waiting.ready = request.cycle;
  waiting.count = count;
  waiting.spacing = spacing;
  waiting.partition = place.partition;
  waiting.port_cycles = out.cycles(each.request_granules());
  waiting.others_ride = merges && each.repeats_ride();
  queue.size += count;
  if (first) begin_head(sm_in_tpc);
  outstanding += count;
  next_pick = 0;
}

Cycle TpcMemory::Impl::next_event() const {
  Cycle next = delivered.empty() ? wakes_partition : std::min(wakes_partition, delivered.front().cycle);
  bool waits_for_credit = false;
  for (const SmQueue& queue : queues) waits_for_credit |= queue.blocked;
  if (const uint64_t key = next_to_leave(); key != kNever) {
    const SmQueue& first = queues[key & kQueueMask];
    next = std::min(next, out.to_shader(out.begin(std::max(first.edge, out.first_in(end)), first.head.request.rides)));
  }
  for (uint64_t rest = unread; rest != 0; rest &= rest - 1) {
    const FromPartition& from = partitions[static_cast<size_t>(std::countr_zero(rest))];
    const AnswerChannel& answers = from.link->answers;
    next = std::min(next, answers.front().cycle);
    if (waits_for_credit && from.credited < answers.size()) next = std::min(next, credit_edge(answers[from.credited]));
  }
  return next;
}

TpcMemory::TpcMemory(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TpcMemory::TpcMemory(TpcMemory&&) noexcept = default;
TpcMemory::~TpcMemory() = default;

void TpcMemory::begin_step(Cycle begin, Cycle end) { impl_->begin_step(begin, end); }
void TpcMemory::advance(Cycle now) { impl_->settle(now); }
const StepResult& TpcMemory::finish_step() {
  impl_->finish_step();
  return impl_->result;
}
bool TpcMemory::has_room(uint32_t sm_in_tpc, uint32_t transactions, Cycle now) {
  return impl_->has_room(sm_in_tpc, transactions, now);
}
Cycle TpcMemory::next_room(uint32_t sm_in_tpc, Cycle now) const { return impl_->next_room(sm_in_tpc, now); }
uint32_t TpcMemory::queued(uint32_t sm_in_tpc, Cycle now) {
  impl_->settle(now);
  return impl_->queues[sm_in_tpc].size;
}
void TpcMemory::send(uint32_t sm_in_tpc, const Request& request, uint32_t count, uint32_t spacing) {
  impl_->send(sm_in_tpc, request, count, spacing);
}
void TpcMemory::send_fetch(const Request& request) {
  impl_->send(static_cast<uint32_t>(impl_->queues.size()) - 1, request, 1, 0);
}
void TpcMemory::expect(uint32_t sm_in_tpc, uint32_t tag, uint32_t answers) { impl_->expect(sm_in_tpc, tag, answers); }
Cycle TpcMemory::next_response() const {
  bool any = !impl_->delivered.empty() && impl_->delivered.front().cycle < impl_->end;
  return any ? impl_->delivered.front().cycle : kNever;
}
Response TpcMemory::pop_response() {
  Response response = impl_->delivered.front();
  impl_->delivered.pop_front();
  --impl_->outstanding;
  return response;
}
uint64_t TpcMemory::outstanding() const { return impl_->outstanding; }
TpcBusy TpcMemory::busy() const { return {impl_->out.busy(), impl_->in.busy()}; }

}  // namespace warptime::sim
