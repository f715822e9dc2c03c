#include "sim/mem/tpc_memory.h"

#include <algorithm>

namespace warptime::sim {

TpcMemory::Impl::Impl(const MachineConfig& machine, std::vector<Link*> partition_links, const uint64_t* step_number)
    : map(machine.memory),
      merges(machine.memory.same_address_merge == SameAddressMerge::partition),
      out(machine.interconnect.tpc_width_bytes, machine.interconnect.header_bytes,
          clock_ratio(machine.clocks.shader_mhz, machine.clocks.core_mhz)),
      in(out),
      window(machine.chip.window_cycles),
      request_latency(machine.interconnect.request_latency),
      response_latency(machine.interconnect.response_latency),
      queue_entries(machine.memory.queue_entries),
      queues(machine.chip.sms_per_tpc + 1),
      keys(partition_links.size(), kNever),
      step(step_number) {
  for (Link* link : partition_links) partitions.push_back({link, machine.memory.partition_queue, 0});
}

void TpcMemory::Impl::begin_step(Cycle step_begin, Cycle step_end) {
  SIM_ASSERT(step_begin >= end && step_end > step_begin && step_end <= edge_after(step_begin, window),
             "a step from {} to {} after {} with windows of {}", step_begin, step_end, end, window);
  settle(step_begin);
  begin = step_begin;
  end = step_end;
  bool any = false;
  for (uint32_t p = 0; p < partitions.size(); ++p) {
    FromPartition& from = partitions[p];
    ResponseChannel& responses = from.link->responses;
    responses.look(*step);
    keys[p] = head_key(p);
    any |= keys[p] != kNever;
    for (; from.credited < responses.size() && credit_edge(responses[from.credited]) <= begin; ++from.credited) {
      ++from.credits;
      next_pick = 0;
    }
  }
  if (any) accept_responses(step_end);
}

void TpcMemory::Impl::finish_step() {
  settle(end);
  for (FromPartition& partition : partitions) partition.link->requests.publish(*step);
  result = {*step, next_event(), false};
  wakes_partition = kNever;
}

uint64_t TpcMemory::Impl::head_key(uint32_t partition) const {
  const ResponseChannel& responses = partitions[partition].link->responses;
  return responses.empty() ? kNever : responses.front().cycle << 16 | partition;
}

/// Takes answers that reach the port before the step's end in (cycle, partition) order. None that is still to be sent
/// can.
void TpcMemory::Impl::accept_responses(Cycle step_end) {
  for (;;) {
    uint64_t least = kNever;
    for (uint64_t key : keys) least = std::min(least, key);
    if (least >> 16 >= step_end) return;
    auto partition = static_cast<uint32_t>(least & 0xffff);
    FromPartition& from = partitions[partition];
    Response& response = delivered.append();
    response = from.link->responses.front();
    SIM_DEBUG_ASSERT(response.cycle >= begin, "an answer of cycle {} is seen at {}", response.cycle, begin);
    from.link->responses.take();
    --from.credited;  // it was counted: its edge is not after its arrival
    keys[partition] = head_key(partition);
    response.cycle = response.rides ? in.pass_beside(in.begin_beside(response.cycle))
                                    : in.pass(in.begin(response.cycle), response_data(response));
  }
}

/// The SM whose head the port takes next, if credits do not change; queues.size(): none can go.
uint32_t TpcMemory::Impl::next_queue() const {
  auto next = static_cast<uint32_t>(queues.size());
  Cycle ready = kNever;
  for (uint32_t sm = 0; sm < queues.size(); ++sm) {
    const Ring<Packet>& packets = queues[sm].packets;
    if (packets.empty() || packets.front().cycle >= ready || blocked(packets.front())) continue;
    ready = packets.front().cycle;
    next = sm;
  }
  return next;
}

void TpcMemory::Impl::settle(Cycle now) {
  if (now <= settled) return;
  settled = now;
  while (next_pick < now) {
    uint32_t sm = next_queue();
    if (sm == queues.size()) {
      next_pick = kNever;
      return;
    }
    const Packet& head = queues[sm].packets.front();
    uint64_t core_cycle = port_begin(head, begin);
    Cycle entered = out.to_shader(core_cycle);
    if (entered >= now) {
      next_pick = entered;
      return;
    }
    FromPartition& to = partitions[head.partition];
    --to.credits;
    Cycle arrives =
        request_latency + (head.rides ? out.pass_beside(core_cycle) : out.pass(core_cycle, request_data(head)));
    Packet& packet = to.link->requests.send();
    packet = head;
    packet.cycle = arrives;
    queues[sm].packets.pop_front();
    wakes_partition = std::min(wakes_partition, arrives);
  }
}

bool TpcMemory::Impl::has_room(uint32_t sm_in_tpc, uint32_t transactions, Cycle now) {
  settle(now);
  SmQueue& queue = queues[sm_in_tpc];
  queue.wanted = transactions;
  return queue.packets.empty() || queue.packets.size() + transactions <= queue_entries;
}

Cycle TpcMemory::Impl::next_room(uint32_t sm_in_tpc, Cycle now) const {
  const SmQueue& queue = queues[sm_in_tpc];
  if (queue.packets.empty()) return now + 1;
  if (blocked(queue.packets.front())) return kNever;  // credits come back between steps only
  // As if the port took this queue's packets only, at least a core cycle each: a bound from below.
  uint64_t asked = queue.packets.size() + queue.wanted, over = asked - std::min<uint64_t>(asked, queue_entries);
  uint64_t leave = std::clamp<uint64_t>(over, 1, queue.packets.size());
  uint64_t first = port_begin(queue.packets.front(), begin);
  uint64_t last = std::max(merges ? first : first + leave - 1, port_begin(queue.packets[leave - 1], begin));
  Cycle room = std::max(now, out.to_shader(last)) + 1;
  return room < end ? room : kNever;
}

void TpcMemory::Impl::send(uint32_t sm_in_tpc, const Request& request) {
  SIM_DEBUG_ASSERT(request.cycle >= settled, "a transaction for cycle {} is sent after cycle {}", request.cycle,
                   settled);
  PartitionAddress place = map.locate(request.address);
  SmQueue& queue = queues[sm_in_tpc];
  Packet& packet = queue.packets.append();
  packet.cycle = request.cycle;
  packet.offset = place.offset;
  packet.word = request.word;
  packet.store = request.store;
  packet.tag = request.tag;
  packet.group = request.group;
  packet.bytes = request.bytes;
  packet.sm = request.sm;
  packet.partition = static_cast<uint16_t>(place.partition);
  packet.kind = request.kind;
  packet.atomic = request.atomic;
  packet.rides = merges && queue.repeats(request);
  ++outstanding;
  next_pick = 0;
}

Cycle TpcMemory::Impl::next_event() const {
  Cycle next = delivered.empty() ? wakes_partition : std::min(wakes_partition, delivered.front().cycle);
  bool waits_for_credit = false;
  for (const SmQueue& queue : queues) waits_for_credit |= !queue.packets.empty() && blocked(queue.packets.front());
  if (uint32_t sm = next_queue(); sm != queues.size())
    next = std::min(next, out.to_shader(port_begin(queues[sm].packets.front(), end)));
  for (const FromPartition& from : partitions) {
    const ResponseChannel& responses = from.link->responses;
    if (responses.empty()) continue;
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
  return static_cast<uint32_t>(impl_->queues[sm_in_tpc].packets.size());
}
void TpcMemory::send(uint32_t sm_in_tpc, const Request& request) { impl_->send(sm_in_tpc, request); }
void TpcMemory::send_fetch(const Request& request) {
  impl_->send(static_cast<uint32_t>(impl_->queues.size()) - 1, request);
}
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
