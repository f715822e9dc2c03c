// The request side of a TPC's memory: the SMs' queues and the crossbar port that takes their heads.
#include <algorithm>

#include "sim/mem/tpc_memory_impl.h"

namespace warptime::sim {

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
    const uint64_t core_cycle = out.begin(std::max(first.edge, credit_cycle), first.head.request.with_previous);
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
  RequestRun& head = queue.head;
  const PartitionRequest& request = head.request;
  const bool last_credit = --queue.to->credits == 0, with_previous = request.with_previous;
  const Cycle left = out.to_shader(out.pass(core_cycle, with_previous, head.port_cycles));
  const Cycle arrival = left + request_latency + queue.to->far_cycles;
  queue.until_left += left - head.ready;
  if (shares != nullptr) [[unlikely]]
    share_left(number, left - head.ready);
  queue.to->link->requests.send(wiring.own->send(head.partition)) = {arrival, request};
  if (wakes_partition == kNever) wakes_partition = arrival;
  --queue.size;
  if (head.next()) {
    keys[number] = queue_key(head.ready, number);
    queue.edge = out.core_cycle(head.ready);
  } else {
    next_head(number);
  }
  if (!last_credit) return;
  ++times_no_credit;
  for (uint32_t other = 0; other < queue_count; ++other) update_key(other);
}

/// The first of this queue leaves, `waited` cycles after it was ready. Those of the caches and of copy engines do not
/// count as an SM's.
void TpcMemory::Impl::share_left(uint32_t number, Cycle waited) {
  const RequestRun& head = queues[number].head;
  TpcShare& share = share_of(head.request.run);
  if (!head.request.with_previous) share.busy.request_port += head.port_cycles;
  if (head.request.answer_granules() != 0) share.stages.port.add(waited);
  if (number >= sms) return;
  share.queue_time.add(waited);
  share.queue.entry_cycles += waited;
}

/// The queue's first run has left.
inline void TpcMemory::Impl::next_head(uint32_t number) {
  SmQueue& queue = queues[number];
  if (!queue.behind.empty()) {
    queue.head = queue.behind.front();
    queue.behind.pop_front();
  }
  begin_head(number);
}

/// The queue's first run is another.
inline void TpcMemory::Impl::begin_head(uint32_t number) {
  SmQueue& queue = queues[number];
  queue.edge = out.core_cycle(queue.head.ready);
  queue.to = &partitions[queue.head.partition];
  update_key(number);
}

bool TpcMemory::Impl::has_room(uint32_t sm_in_tpc, uint32_t transactions, Cycle now) {
  settle(now);
  SmQueue& queue = queues[sm_in_tpc];
  queue.requested = transactions;
  return queue.empty() || queue.size + transactions <= queue_entries;
}

Cycle TpcMemory::Impl::next_room(uint32_t sm_in_tpc, Cycle now) const {
  const SmQueue& queue = queues[sm_in_tpc];
  if (queue.empty()) return now + 1;
  const uint32_t size = queue.size + queue.requested, over = size - std::min(size, queue_entries);
  uint32_t leave = std::clamp<uint32_t>(over, 1, queue.size);
  if (queue.to->credits < std::min(leave, queue.head.count)) return kNever;  // they come back between steps only
  // A bound from below: as if the port took this queue's packets only, at least a core cycle each.
  const RequestRun* run = &queue.head;
  uint32_t index = leave - 1;
  for (size_t behind = 0; index >= run->count; ++behind) {
    index -= run->count;
    run = &queue.behind[behind];
  }
  const uint64_t first = out.begin(std::max(queue.edge, credit_cycle), queue.head.request.with_previous);
  uint64_t last = out.begin(std::max(out.core_cycle(run->ready_of(index)), credit_cycle), run->with_previous(index));
  last = std::max(merges ? first : first + leave - 1, last);
  Cycle room = std::max(now, out.to_shader(last)) + 1;
  return room < end ? room : kNever;
}

void TpcMemory::Impl::send(uint32_t sm_in_tpc, const Request& request, uint32_t count, uint32_t spacing) {
  SIM_DEBUG_ASSERT(request.cycle >= settled, "a transaction for cycle {} is sent after cycle {}", request.cycle,
                   settled);
  const PartitionAddress place = map.locate(request.address);
  SIM_DEBUG_ASSERT(place.offset % PartitionRequest::kGranule == 0, "a transaction at {} of its partition",
                   place.offset);
  SmQueue& queue = queues[sm_in_tpc];
  const bool first = queue.empty();
  RequestRun& run = first ? queue.head : queue.behind.append();
  PartitionRequest& each = run.request;
  each.store = request.store;
  each.place = PartitionRequest::place_of(place.offset / PartitionRequest::kGranule,
                                          (request.word - request.address) / 4, request.group);
  each.sm = request.sm;
  each.bytes = static_cast<uint8_t>(request.bytes);
  each.kind = request.kind;
  each.atomic = request.atomic;
  each.run = runs.add(request, count,
                      request.port_bytes == 0
                          ? in.cycles(each.answer_granules())
                          : std::max(in.cycles(each.answer_granules()), in.cycles_of_bytes(request.port_bytes)));
  each.with_previous = merges && queue.repeats(request);
  each.more = request.granules >> 1 & 7;
  run.ready = tlb.exists() ? translate(request, count) : request.cycle;
  run.count = count;
  run.spacing = spacing;
  run.partition = place.partition;
  run.port_cycles = out.cycles(each.request_granules());
  if (has_masks) [[unlikely]]
    run.port_cycles = out.cycles(each.request_granules(), masked_sectors(each.store, each.atomic, each.granules()));
  run.others_with_previous = merges && each.may_join();
  queue.size += count;
  queue.sent += count;
  queue.most = std::max(queue.most, queue.size);
  if (first) begin_head(sm_in_tpc);
  outstanding += count;
  next_pick = 0;
  if (shares == nullptr) [[likely]]
    return;
  (*wiring.launches)[wiring.index].note(each.run, request.launch);
  if (sm_in_tpc < sms) (*shares)[request.launch].queue.entries += count;
}

Cycle TpcMemory::Impl::translate(const Request& request, uint32_t count) {
  const TranslationStats before = tlb.statistics();
  const Cycle ready = tlb.translate(request.address, request.cycle, count);
  if (shares == nullptr) return ready;
  TranslationStats& share = (*shares)[request.launch].translation;
  share.add(tlb.statistics());
  share.subtract(before);
  return ready;
}

}  // namespace warptime::sim
