#include "sim/mem/partition.h"

#include <algorithm>
#include <cstring>

namespace warptime::sim {

Partition::Partition(const MachineConfig& machine, std::vector<Link*> links)
    : memory_(clock_ratio(machine.clocks.shader_mhz, machine.clocks.memory_mhz)),
      in_(machine.interconnect, clock_ratio(machine.clocks.shader_mhz, machine.clocks.core_mhz)),
      out_(in_),
      window_(machine.chip.window_cycles),
      pipeline_(machine.memory.pipeline_cycles),
      response_latency_(machine.interconnect.response_latency),
      merges_(machine.memory.same_address_merge == SameAddressMerge::partition),
      links_(std::move(links)),
      keys_(links_.size(), kNever),
      dram_(machine.dram),
      merges_by_sm_(merges_ ? sm_count(machine) : 0) {}

void Partition::run(Cycle end, uint64_t step) {
  for (Link* link : links_) link->requests.look(step);
  accept(end);
  uint64_t memory_end = memory_.from_shader(end);
  for (;;) {
    uint64_t command = dram_.next_command();
    uint64_t arrival = arriving_.empty() ? kNever : entries_[arriving_.front()].at;
    if (arrival < memory_end && arrival <= command) {
      uint32_t id = arriving_.front();
      arriving_.pop_front();
      arrive(id);
    } else if (command < memory_end) {
      DramServed served = dram_.issue();
      if (served.id == DramServed::kNobody) continue;
      serve(served);
      if (waiting_.empty()) continue;
      admit(waiting_.front(), command + 1);
      waiting_.pop_front();
    } else {
      break;
    }
  }
  end_ = end;
  finish_step(step);
}

void Partition::finish_step(uint64_t step) {
  for (Link* link : links_) link->responses.publish(step);
  result_ = {step, next_event(), has_stores_to_apply()};
  wakes_tpc_ = kNever;
}

/// Arrival at the port, then SM; requests of one SM are in order in their channel.
uint64_t Partition::head_key(uint32_t tpc) const {
  const RequestChannel& requests = links_[tpc]->requests;
  return requests.empty() ? kNever : requests.front().cycle << 16 | requests.front().sm;
}

/// Takes requests that reach the port before `end` in (cycle, SM, slot) order. None that is still to be sent can.
void Partition::accept(Cycle end) {
  bool any = false;
  for (uint32_t tpc = 0; tpc < links_.size(); ++tpc) {
    keys_[tpc] = head_key(tpc);
    any |= keys_[tpc] != kNever;
  }
  if (!any) return;
  for (;;) {
    uint32_t tpc = 0;
    uint64_t least = keys_[0];
    for (uint32_t other = 1; other < keys_.size(); ++other) {
      tpc = keys_[other] < least ? other : tpc;
      least = std::min(least, keys_[other]);
    }
    if (least >> 16 >= end) return;
    RequestChannel& requests = links_[tpc]->requests;
    uint32_t id = entries_.take();
    Entry& entry = entries_[id];
    entry.packet = requests.front();
    entry.tpc = tpc;
    entry.first_follower = entry.last_follower = entry.next = kNone;
    requests.take();
    SIM_DEBUG_ASSERT(entry.packet.cycle >= end_, "a request of cycle {} is seen at {}", entry.packet.cycle, end_);
    keys_[tpc] = head_key(tpc);
    Cycle passed = in_.pass(in_.begin(entry.packet.cycle), request_data(entry.packet));
    entry.at = memory_.from_shader(passed);
    arriving_.push_back(id);
  }
}

void Partition::arrive(uint32_t id) {
  if (merges_ && merged(id)) return;
  if (waiting_.empty() && !dram_.full()) admit(id, entries_[id].at);
  else waiting_.push_back(id);
}

bool Partition::merged(uint32_t id) {
  Entry& entry = entries_[id];
  if (entry.packet.store != nullptr) return false;
  const MergeTable::Leader* leader = merges_by_sm_.find_or_lead(entry.packet, id, entry.at);
  if (leader == nullptr) return false;
  if (leader->served) {
    answer(id, leader->data_end);
    return true;
  }
  Entry& first = entries_[leader->entry];
  (first.first_follower == kNone ? first.first_follower : entries_[first.last_follower].next) = id;
  first.last_follower = id;
  return true;
}

void Partition::admit(uint32_t id, uint64_t now) {
  const Packet& packet = entries_[id].packet;
  dram_.admit(id, packet.offset, packet.bytes, packet.store != nullptr, now);
}

void Partition::serve(const DramServed& served) {
  const Entry& entry = entries_[served.id];
  if (merges_ && entry.packet.store == nullptr) merges_by_sm_.served(entry.packet, served.id, served.data_end);
  uint32_t follower = entry.first_follower;
  answer(served.id, served.data_end);
  while (follower != kNone) {
    uint32_t next = entries_[follower].next;
    answer(follower, served.data_end);
    follower = next;
  }
}

/// Sends the answer and forgets the request.
void Partition::answer(uint32_t id, uint64_t data_end) {
  const Entry& entry = entries_[id];
  const Packet& packet = entry.packet;
  Cycle done = memory_.to_shader(data_end) + pipeline_;
  if (packet.store != nullptr) applied_.push_back({edge_after(done, window_), packet.store});
  Response response{0, packet.tag, packet.store, packet.bytes, packet.sm};
  response.cycle = out_.pass(out_.begin(done), response_data(response)) + response_latency_;
  links_[entry.tpc]->responses.send(response);
  // Its credit is back before the answer is there.
  wakes_tpc_ = std::min(wakes_tpc_, edge_after(response.cycle - response_latency_, window_));
  entries_.give_back(id);
}

void Partition::apply_stores(DeviceMemory& memory) {
  for (; has_stores_to_apply(); applied_.pop_front()) {
    PendingStore& store = *applied_.front().store;
    store.visible = true;
    for (uint32_t word = 0; word < kMaxStoreBytes; word += 64) {
      uint64_t mask = store.byte_mask[word / 64];
      if (mask == 0) continue;  // its time counts, its bytes are elsewhere
      std::byte* to = memory.at(store.address + word);
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
  result_.stores_to_apply = false;
}

bool Partition::idle() const {
  for (const Link* link : links_)
    if (!link->requests.empty()) return false;
  return arriving_.empty() && waiting_.empty() && dram_.empty() && applied_.empty();
}

Cycle Partition::next_event() const {
  Cycle next = wakes_tpc_;
  for (const Link* link : links_)
    if (!link->requests.empty()) next = std::min(next, link->requests.front().cycle);
  if (!arriving_.empty()) next = std::min(next, memory_.to_shader(entries_[arriving_.front()].at));
  if (!dram_.empty()) next = std::min(next, memory_.to_shader(dram_.next_command()));
  // The step before the edge has to be run for its stores to be applied at the edge.
  if (!applied_.empty()) next = std::min(next, applied_.front().visible - 1);
  return next;
}

}  // namespace warptime::sim
