#include "sim/mem/partition.h"

#include <algorithm>
#include <cstring>

namespace warptime::sim {

Partition::Partition(const MachineConfig& machine, DeviceMemory& memory, std::vector<Link*> links)
    : clock_(clock_ratio(machine.clocks.shader_mhz, machine.clocks.memory_mhz)),
      in_(machine.interconnect.partition_width_bytes, machine.interconnect.header_bytes,
          clock_ratio(machine.clocks.shader_mhz, machine.clocks.core_mhz)),
      out_(in_),
      window_(machine.chip.window_cycles),
      pipeline_(machine.memory.pipeline_cycles),
      response_latency_(machine.interconnect.response_latency),
      merges_(machine.memory.same_address_merge == SameAddressMerge::partition),
      links_(std::move(links)),
      heads_(links_.size()),
      dram_(machine.dram),
      merges_by_sm_(merges_ ? sm_count(machine) : 0),
      caches_(machine),
      memory_(memory),
      has_atomics_(has_feature(machine, "global_atomics")),
      atomic_cycles_(machine.memory.atomic_cycles) {}

[[gnu::flatten]] void Partition::run(Cycle end, uint64_t step) {
  look(step);
  uint64_t memory_end = clock_.from_shader(end);
  if (arriving_ == nullptr) arriving_ = accept(end);
  for (;;) {
    uint64_t command = dram_.next_command(), arrival = arriving_ != nullptr ? arriving_->at : kNever;
    if (std::min(arrival, command) >= memory_end) break;
    if (arrival <= command) {
      arrive(*arriving_);
      arriving_ = accept(end);
      continue;
    }
    DramServed served = dram_.issue();
    if (served.id == DramServed::kNobody) continue;
    serve(served, command + 1);
    // The slot that became free may have gone to a line that a cache wrote back.
    if (waiting_.empty() || dram_.full()) continue;
    Entry& first = waiting_.front();
    waiting_.pop();
    admit(first, command + 1);
  }
  send_answers(end);
  end_ = end;
  finish_step(step);
}

void Partition::finish_step(uint64_t step) {
  for (Link* link : links_) link->responses.publish(step);
  result_ = {step, next_event(), has_stores_to_apply()};
  wakes_tpc_ = kNever;
}

/// What the TPCs have sent up to now.
void Partition::look(uint64_t step) {
  heads_.clear();
  for (const Link* link : links_) link->requests.expect_look();
  for (Link* link : links_) {
    RequestChannel& requests = link->requests;
    [[maybe_unused]] const uint64_t seen = requests.size();
    requests.look(step);
    SIM_DEBUG_ASSERT(requests.size() == seen || requests[seen].cycle >= end_, "a request of cycle {} is seen at {}",
                     requests[seen].cycle, end_);
  }
  for (uint32_t tpc = 0; tpc < links_.size(); ++tpc) {
    const RequestChannel& requests = links_[tpc]->requests;
    if (!requests.empty()) heads_.insert(key_of(requests.front()), tpc);
  }
}

inline Partition::Entry& Partition::new_entry() {
  uint32_t id = entries_.take();
  Entry& entry = entries_[id];
  entry.id = id;
  entry.followers.clear();
  entry.write_back = entry.answer_rides = false;
  return entry;
}

/// The next request passes the port, in (cycle, SM, slot) order; nullptr: none reaches it before `end`. None that is
/// still to be sent can.
inline Partition::Entry* Partition::accept(Cycle end) {
  if (heads_.empty() || heads_.least() >= end << 16) return nullptr;
  Link& link = *links_[heads_.queue()];
  RequestChannel& requests = link.requests;
  Entry& entry = new_entry();
  const Packet& packet = entry.packet = requests.front();
  requests.take();
  if (requests.empty()) heads_.remove();
  else heads_.replace(key_of(requests.front()));
  entry.link = &link;
  uint64_t begin = in_.begin(in_.core_cycle(packet.cycle), packet.rides);
  entry.at = clock_.from_shader(in_.to_shader(in_.pass(begin, packet.rides, request_data(packet))));
  return &entry;
}

void Partition::arrive(Entry& entry) {
  const Packet& packet = entry.packet;
  if (has_atomics_ && packet.store != nullptr) {
    if (packet.atomic) {
      auto& atomic = static_cast<PendingAtomic&>(*packet.store);
      arrived_.read(memory_, atomic.address, packet.bytes, atomic.bytes.data());
      atomic.perform();
    }
    arrived_.arrives(packet.store);
  }
  // Only what surely goes to DRAM may lead others: a cache would answer the leader alone.
  ReadKind kind = packet.kind;
  if (caches_.exists(kind) ? cached(entry) : merges_ && kind == ReadKind::Plain && merged(entry)) return;
  enqueue(entry);
}

inline void Partition::enqueue(Entry& entry) {
  if (waiting_.empty() && !dram_.full()) admit(entry, entry.at);
  else waiting_.push(entry);
}

/// Whether a cache answers the request, or a read of the same lines will; otherwise it goes to DRAM.
bool Partition::cached(Entry& entry) {
  const Packet& packet = entry.packet;
  Cycle ready = clock_.to_shader(entry.at);
  if (packet.writes()) {
    caches_.hit(packet.kind, packet.offset, packet.bytes, ready);
    if (!caches_.writes_back()) return false;
    caches_.put(packet.kind, packet.offset, packet.bytes, ready, true,
                [&](Addr gone) { write_back(packet.kind, gone, entry.at); });
    answer(from_caches_, entry, ready + caches_.latency(packet.kind), entry.at);
    return true;
  }
  if (caches_.hit(packet.kind, packet.offset, packet.bytes, ready)) {
    answer(from_caches_, entry, ready + caches_.latency(packet.kind), entry.at);
    return true;
  }
  uint32_t reader = caches_.reader_of(packet.kind, packet.offset, packet.bytes);
  if (reader != PartitionCaches::kNone) {
    entries_[reader].followers.push(entry);
    return true;
  }
  caches_.reads(packet.kind, packet.offset, packet.bytes, entry.id);
  return false;
}

/// A dirty line leaves its cache at memory cycle `now`.
void Partition::write_back(ReadKind cache, Addr offset, uint64_t now) {
  write_back_bytes(offset, caches_.of(cache).line_bytes(), now);
}

void Partition::write_back_bytes(Addr offset, uint32_t bytes, uint64_t now) {
  Entry& entry = new_entry();
  entry.packet = Packet{};
  entry.packet.offset = offset;
  entry.packet.bytes = static_cast<uint16_t>(bytes);
  entry.at = now;
  entry.write_back = true;
  enqueue(entry);
}

bool Partition::merged(Entry& entry) {
  if (entry.packet.store != nullptr) return false;
  const MergeTable::Leader* leader = merges_by_sm_.find_or_lead(entry.packet, entry.id, entry.at);
  if (leader == nullptr) return false;
  entry.answer_rides = entry.packet.rides;
  if (leader->served) answer(from_dram_, entry, clock_.to_shader(leader->data_end) + pipeline_, entry.at);
  else entries_[leader->entry].followers.push(entry);
  return true;
}

inline void Partition::admit(const Entry& entry, uint64_t now) {
  const Packet& packet = entry.packet;
  bool write = packet.writes() || entry.write_back;
  dram_.admit(entry.id, packet.offset, packet.bytes, write, now);
}

/// The request has had its last column access; `now`: the memory cycle after the command.
void Partition::serve(const DramServed& served, uint64_t now) {
  Entry& entry = entries_[served.id];
  const Packet& packet = entry.packet;
  if (entry.write_back) return entries_.give_back(served.id);
  Cycle data_end = clock_.to_shader(served.data_end);
  if (!packet.writes()) {
    if (merges_ && !packet.atomic) merges_by_sm_.served(packet, served.id, served.data_end);
    if (caches_.exists(packet.kind)) {
      caches_.has_read(served.id);
      caches_.put(packet.kind, packet.offset, packet.bytes, data_end, false,
                  [&](Addr gone) { write_back(packet.kind, gone, now); });
    }
  }
  answer(from_dram_, entry, data_end + pipeline_, now);
  while (!entry.followers.empty()) {
    Entry& follower = entry.followers.front();
    entry.followers.pop();
    answer(from_dram_, follower, data_end + pipeline_, now);
  }
}

inline void Partition::answer(Queue& queue, Entry& entry, Cycle ready, uint64_t now) {
  const Packet& packet = entry.packet;
  if (packet.atomic) return change(entry, ready, now);
  if (packet.store != nullptr) applied_.push_back({edge_after(ready, window_), packet.store});
  entry.done = ready;
  queue.push(entry);
}

/// The atomic unit takes one request after the other. What it changes stays in a cache that writes back, else it goes
/// to DRAM.
void Partition::change(Entry& entry, Cycle ready, uint64_t now) {
  const Packet& packet = entry.packet;
  auto& atomic = static_cast<PendingAtomic&>(*packet.store);
  atomic_unit_free_ = std::max(ready, atomic_unit_free_) + atomic.passes() * atomic_cycles_;
  applied_atomics_.push_back({edge_after(atomic_unit_free_, window_), &atomic});
  entry.done = atomic_unit_free_;
  from_atomics_.push(entry);
  if (caches_.exists(packet.kind) && caches_.writes_back())
    caches_.put(packet.kind, packet.offset, packet.bytes, ready, true,
                [&](Addr gone) { write_back(packet.kind, gone, now); });
  else write_back_bytes(packet.offset, packet.bytes, now);
}

/// All answers that reach the port before `end`, in order: whatever is still to come reaches it later.
void Partition::send_answers(Cycle end) {
  if (from_caches_.empty() && from_atomics_.empty()) {
    while (!from_dram_.empty() && from_dram_.front().done < end) send(from_dram_);
    return;
  }
  for (;;) {
    Queue* first = nullptr;
    for (Queue* queue : {&from_dram_, &from_caches_, &from_atomics_})
      if (!queue->empty() && (first == nullptr || queue->front().done < first->front().done)) first = queue;
    if (first == nullptr || first->front().done >= end) return;
    send(*first);
  }
}

/// Puts the first answer on the crossbar and forgets the request.
inline void Partition::send(Queue& answers) {
  const Entry& entry = answers.front();
  answers.pop();
  const Packet& packet = entry.packet;
  Response& response = entry.link->responses.send();
  response.tag = packet.tag;
  response.store = packet.store;
  response.bytes = packet.bytes;
  response.sm = packet.sm;
  response.kind = packet.kind;
  response.atomic = packet.atomic;
  response.counted = packet.counted;
  response.rides = entry.answer_rides;
  uint64_t begin = out_.begin(out_.core_cycle(entry.done), response.rides);
  Cycle sent = out_.to_shader(out_.pass(begin, response.rides, response_data(response)));
  response.cycle = sent + response_latency_;
  // Its credit is back before the answer is there.
  if (wakes_tpc_ == kNever) wakes_tpc_ = edge_after(sent, window_);
  entries_.give_back(entry.id);
}

void Partition::apply_stores() {
  for (Ring<AppliedStore>* applied : {&applied_, &applied_atomics_})
    for (; due(*applied, end_); applied->pop_front()) apply(*applied->front().store);
  result_.stores_to_apply = false;
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

bool Partition::idle() const {
  for (const Link* link : links_)
    if (!link->requests.empty()) return false;
  return arriving_ == nullptr && waiting_.empty() && dram_.empty() && applied_.empty() && applied_atomics_.empty() &&
         from_dram_.empty() && from_caches_.empty() && from_atomics_.empty();
}

Cycle Partition::next_event() const {
  Cycle next = wakes_tpc_;
  // Others arrive behind the one that is through the port.
  if (arriving_ != nullptr) next = std::min(next, clock_.to_shader(arriving_->at));
  else
    for (const Link* link : links_)
      if (!link->requests.empty()) next = std::min(next, link->requests.front().cycle);
  if (!from_dram_.empty()) next = std::min(next, from_dram_.front().done);
  if (!from_caches_.empty()) next = std::min(next, from_caches_.front().done);
  if (!from_atomics_.empty()) next = std::min(next, from_atomics_.front().done);
  if (!dram_.empty()) next = std::min(next, clock_.to_shader(dram_.next_command()));
  // The step before the edge has to be run for its stores to be applied at the edge.
  if (!applied_.empty()) next = std::min(next, applied_.front().visible - 1);
  if (!applied_atomics_.empty()) next = std::min(next, applied_atomics_.front().visible - 1);
  return next;
}

}  // namespace warptime::sim
