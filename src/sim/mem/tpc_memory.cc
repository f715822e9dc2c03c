#include "sim/mem/tpc_memory.h"

#include <algorithm>
#include <bit>
#include <utility>

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
      heads_ready(queue_count, kNever),
      wiring(std::move(wires)),
      heads(wiring.links.size()),
      silent(machine.chip.sms_per_tpc),
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
  heads.clear();
  for (uint64_t rest = unread; rest != 0; rest &= rest - 1) {
    auto p = static_cast<uint32_t>(std::countr_zero(rest));
    FromPartition& from = partitions[p];
    const ResponseChannel& responses = from.link->responses;
    heads.insert(key_of(responses.front(), p), p);
    uint64_t before = from.credited;
    while (from.credited < responses.size() && credit_edge(responses[from.credited]) <= begin) ++from.credited;
    if (from.credited == before) continue;
    from.credits += static_cast<uint32_t>(from.credited - before);
    next_pick = 0;
  }
  for (uint32_t sm = 0; sm < queue_count; ++sm) look_at_head(sm);
  accept_responses(step_end);
}

/// What the partitions have sent up to now.
void TpcMemory::Impl::look() {
  looked = *step;
  auto responses_of = [this](uint64_t of) -> ResponseChannel& {
    return partitions[static_cast<size_t>(std::countr_zero(of))].link->responses;
  };
  // Most that have sent before send again.
  for (uint64_t rest = sent; rest != 0; rest &= rest - 1) responses_of(rest).expect_look();
  uint64_t expected = std::exchange(sent, 0);
  for (uint32_t p = 0; p < partitions.size(); ++p)
    sent |= uint64_t{(*wiring.others)[p].concerns(wiring.index, *step)} << p;
  for (uint64_t rest = sent & ~expected; rest != 0; rest &= rest - 1) responses_of(rest).expect_look();
  for (uint64_t rest = sent; rest != 0; rest &= rest - 1) responses_of(rest).look(*step);
  unread |= sent;
}

void TpcMemory::Impl::finish_step() {
  if (looked != *step) look();
  settle(end);
  wiring.own->publish(*step, [this](uint32_t p) { partitions[p].link->requests.publish(*step); });
  result = {*step, next_event(), false};
  wakes_partition = kNever;
}

/// Takes answers that reach the port before the step's end in (cycle, partition) order. None that is still to be sent
/// can.
void TpcMemory::Impl::accept_responses(Cycle step_end) {
  uint64_t limit = step_end << 16;
  while (!heads.empty() && heads.least() < limit) {
    uint32_t partition = heads.queue();
    ResponseChannel& responses = partitions[partition].link->responses;
    accept(partitions[partition]);
    if (!responses.empty()) {
      heads.replace(key_of(responses.front(), partition));
    } else {
      heads.remove();
      unread &= ~(uint64_t{1} << partition);
    }
  }
}

/// The partition's next answer passes the port.
inline void TpcMemory::Impl::accept(FromPartition& from) {
  const Response& response = from.link->responses.front();
  SIM_DEBUG_ASSERT(response.cycle >= begin, "an answer of cycle {} is seen at {}", response.cycle, begin);
  uint64_t passed =
      in.pass(in.begin(in.core_cycle(response.cycle), response.rides), response.rides, response_data(response));
  if (is_expected(response)) {
    --outstanding;
  } else {
    Response& answer = delivered.append();
    answer = response;
    answer.cycle = in.to_shader(passed);
  }
  from.link->responses.take();
  --from.credited;  // it was counted: its edge is not after its arrival
}

/// Whether another answer of the same load is still to come.
inline bool TpcMemory::Impl::is_expected(const Response& response) {
  if (!response.counted) return false;
  uint16_t& others = silent[response.sm - first_sm][response.tag];
  if (others == 0) return false;
  --others;
  return true;
}

void TpcMemory::Impl::expect(uint32_t sm_in_tpc, uint32_t tag, uint32_t answers) {
  std::vector<uint16_t>& of_sm = silent[sm_in_tpc];
  if (tag >= of_sm.size()) of_sm.resize(std::max<size_t>(256, std::bit_ceil(size_t{tag} + 1)));
  SIM_DEBUG_ASSERT(of_sm[tag] == 0, "load {} still waits for {} answers", tag, of_sm[tag]);
  of_sm[tag] = static_cast<uint16_t>(answers - 1);
}

/// The queue whose head the port takes next, if credits do not change; kNever: none can go. Its number is in the lowest
/// bits.
inline uint64_t TpcMemory::Impl::next_queue() const {
  uint64_t next = heads_ready.front();
  for (uint32_t queue = 1; queue < queue_count; ++queue) next = std::min(next, heads_ready[queue]);
  return next;
}

void TpcMemory::Impl::settle(Cycle now) {
  if (now <= settled) return;
  settled = now;
  if (next_pick >= now) return;
  uint64_t limit = out.first_in(now);
  for (;;) {
    const uint64_t first = next_queue();
    if (first == kNever) {
      next_pick = kNever;
      return;
    }
    const uint32_t sm = first & kQueueMask;
    const Train& head = queues[sm].trains.front();
    uint64_t core_cycle = out.begin(std::max(head.edge, credit_cycle), head.packet.rides);
    if (core_cycle >= limit) {
      next_pick = out.to_shader(core_cycle);
      return;
    }
    take(sm, core_cycle);
  }
}

/// The head of this queue enters the port.
inline void TpcMemory::Impl::take(uint32_t sm, uint64_t core_cycle) {
  SmQueue& queue = queues[sm];
  Train& train = queue.trains.front();
  FromPartition& to = partitions[train.partition];
  bool last_credit = --to.credits == 0;
  wiring.own->sends(train.partition);
  Packet& packet = to.link->requests.send();
  packet = train.packet;
  const bool rides = train.packet.rides;
  packet.cycle = request_latency + out.to_shader(out.pass(core_cycle, rides, request_data(train.packet)));
  if (wakes_partition == kNever) wakes_partition = packet.cycle;
  --queue.size;
  if (--train.count == 0) {
    queue.trains.pop_front();
    look_at_head(sm);
  } else {
    heads_ready[sm] = head_key(train.ready += train.spacing, sm);
    train.edge = out.core_cycle(train.ready);
    // Only where it changes: what was just written in part is slow to be copied as a whole.
    if (const bool next_rides = merges && train.packet.repeats_ride(); next_rides != rides)
      train.packet.rides = next_rides;
  }
  if (!last_credit) return;
  for (uint32_t other = 0; other < queue_count; ++other) look_at_head(other);
}

/// The queue's first train, or its partition's credits, are others than before.
inline void TpcMemory::Impl::look_at_head(uint32_t sm) {
  SmQueue& queue = queues[sm];
  queue.blocked = !queue.empty() && partitions[queue.front().partition].credits == 0;
  heads_ready[sm] = queue.empty() || queue.blocked ? kNever : head_key(queue.front().ready, sm);
}

bool TpcMemory::Impl::has_room(uint32_t sm_in_tpc, uint32_t transactions, Cycle now) {
  settle(now);
  SmQueue& queue = queues[sm_in_tpc];
  queue.wanted = transactions;
  return queue.empty() || queue.size + transactions <= queue_entries;
}

Cycle TpcMemory::Impl::next_room(uint32_t sm_in_tpc, Cycle now) const {
  const SmQueue& queue = queues[sm_in_tpc];
  if (queue.empty()) return now + 1;
  if (queue.blocked) return kNever;  // credits come back between steps only
  // As if the port took this queue's packets only, at least a core cycle each: a bound from below.
  uint32_t asked = queue.size + queue.wanted, over = asked - std::min(asked, queue_entries);
  uint32_t leave = std::clamp<uint32_t>(over, 1, queue.size);
  auto port_begin = [&](uint32_t behind) {
    return out.begin(std::max(out.core_cycle(queue.ready_of(behind)), credit_cycle), queue.rides(behind, merges));
  };
  uint64_t first = port_begin(0);
  uint64_t last = std::max(merges ? first : first + leave - 1, port_begin(leave - 1));
  Cycle room = std::max(now, out.to_shader(last)) + 1;
  return room < end ? room : kNever;
}

void TpcMemory::Impl::send(uint32_t sm_in_tpc, const Request& request, uint32_t count, uint32_t spacing) {
  SIM_DEBUG_ASSERT(request.cycle >= settled, "a transaction for cycle {} is sent after cycle {}", request.cycle,
                   settled);
  PartitionAddress place = map.locate(request.address);
  SmQueue& queue = queues[sm_in_tpc];
  Train& train = queue.trains.append();
  Packet& packet = train.packet;
  SIM_DEBUG_ASSERT(place.offset % Packet::kGranule == 0, "a transaction at {} of its partition", place.offset);
  packet.store = request.store;
  packet.granule = place.offset / Packet::kGranule;
  packet.tag = request.tag;
  packet.group = request.group;
  packet.word = (request.word - request.address) / 4;
  packet.sm = request.sm;
  packet.bytes = static_cast<uint8_t>(request.bytes);
  packet.kind = request.kind;
  packet.atomic = request.atomic;
  packet.counted = request.counted;
  train.ready = request.cycle;
  train.edge = out.core_cycle(request.cycle);
  train.count = count;
  train.spacing = spacing;
  train.partition = static_cast<uint16_t>(place.partition);
  packet.rides = merges && queue.repeats(request);
  queue.size += count;
  if (queue.size == count) look_at_head(sm_in_tpc);
  outstanding += count;
  next_pick = 0;
}

Cycle TpcMemory::Impl::next_event() const {
  Cycle next = delivered.empty() ? wakes_partition : std::min(wakes_partition, delivered.front().cycle);
  bool waits_for_credit = false;
  for (const SmQueue& queue : queues) waits_for_credit |= queue.blocked;
  if (const uint64_t first = next_queue(); first != kNever) {
    const Train& head = queues[first & kQueueMask].trains.front();
    next = std::min(next, out.to_shader(out.begin(std::max(head.edge, out.first_in(end)), head.packet.rides)));
  }
  for (uint64_t rest = unread; rest != 0; rest &= rest - 1) {
    const FromPartition& from = partitions[static_cast<size_t>(std::countr_zero(rest))];
    const ResponseChannel& responses = from.link->responses;
    next = std::min(next, responses.front().cycle);
    if (waits_for_credit && from.credited < responses.size())
      next = std::min(next, credit_edge(responses[from.credited]));
  }
  return next;
}

TpcMemory::TpcMemory(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TpcMemory::TpcMemory(TpcMemory&&) noexcept = default;
TpcMemory::~TpcMemory() = default;

void TpcMemory::begin_step(Cycle begin, Cycle end) { impl_->begin_step(begin, end); }
void TpcMemory::advance(Cycle now) { impl_->settle(now); }
void TpcMemory::finish_step() { impl_->finish_step(); }
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

}  // namespace warptime::sim
