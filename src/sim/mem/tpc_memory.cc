#include <algorithm>
#include <bit>

#include "sim/mem/tpc_memory_impl.h"

namespace warptime::sim {

TpcMemory::Impl::Impl(const MachineConfig& machine, Wiring wires, const uint64_t* step_number,
                      const ChipContents& chip_contents)
    : contents(chip_contents),
      map(machine.memory),
      tlb(machine.memory.tlb),
      merges(machine.memory.same_address_merge == SameAddressMerge::partition),
      out(machine.interconnect.tpc_width_bytes, request_header_bytes(machine), port_clock(machine),
          machine.interconnect.cycle_parts, machine.memory.mask_bytes),
      in(machine.interconnect.tpc_width_bytes, machine.interconnect.header_bytes, port_clock(machine),
         machine.interconnect.cycle_parts),
      has_masks(machine.memory.mask_bytes != 0),
      window(machine.chip.window_cycles),
      request_latency(machine.interconnect.request_latency),
      response_latency(machine.interconnect.response_latency),
      queue_entries(machine.memory.queue_entries),
      sms(machine.chip.sms_per_tpc),
      queue_count(sms + 1),
      queues(machine.copy_engine.queue_entries == 0 ? queue_count : queue_count + sms),
      keys(std::max(static_cast<uint32_t>(queues.size()), kFew), kNever),
      runs(wires.index * machine.chip.sms_per_tpc, machine.chip.sms_per_tpc),
      wiring(std::move(wires)),
      step(step_number) {
  for (Link* link : wiring.links) {
    const bool far = is_far(machine, wiring.index, static_cast<uint32_t>(partitions.size()));
    partitions.push_back({link, machine.memory.credits_per_tpc, 0, far ? machine.l2.far_cycles : 0});
  }
}

void TpcMemory::Impl::begin_step(Cycle step_begin, Cycle step_end) {
  SIM_ASSERT(step_begin >= end && step_end > step_begin && step_end <= edge_after(step_begin, window),
             "a step from {} to {} after {} with windows of {}", step_begin, step_end, end, window);
  settle(step_begin);
  begin = step_begin;
  end = step_end;
  credit_cycle = out.first_in(begin);
  receive();
  for_each_unread([&](FromPartition& from) {
    const AnswerChannel& answers = from.link->answers;
    uint64_t before = from.credited;
    while (from.credited < answers.size() && credit_edge(from, answers[from.credited]) <= begin) ++from.credited;
    if (from.credited == before) return;
    from.credits += static_cast<uint32_t>(from.credited - before);
    next_pick = 0;
  });
  for (uint32_t queue = 0; queue < queue_count; ++queue) update_key(queue);
  accept_answers(step_end);
}

/// What the partitions have sent up to now.
void TpcMemory::Impl::receive() {
  received = *step;
  for (uint32_t p = 0; p < partitions.size(); ++p) {
    const uint32_t fresh = wiring.fresh(p, *step);
    if (fresh == 0) continue;
    AnswerChannel& answers = partitions[p].link->answers;
    const bool first = answers.empty();
    answers.receive(fresh);
    if (first) heads.insert(answers.front().cycle, p);
    unread[p / 64] |= uint64_t{1} << p % 64;
  }
}

void TpcMemory::Impl::finish_step() {
  if (received != *step) receive();
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
      unread[partition / 64] &= ~(uint64_t{1} << partition % 64);
    }
  }
}

/// The partition's next answer passes the port.
inline void TpcMemory::Impl::accept(FromPartition& from) {
  const Answer answer = from.link->answers.front();
  from.link->answers.take();
  --from.credited;  // it was counted: its edge is not after its arrival
  SIM_DEBUG_ASSERT(answer.cycle >= begin, "an answer of cycle {} is seen at {}", answer.cycle, begin);
  const uint64_t passed = in.pass(in.begin(in.core_cycle(answer.cycle), answer.with_previous), answer.with_previous,
                                  runs.port_cycles(answer.run));
  if (shares != nullptr) [[unlikely]]
    share_accepted(answer, in.to_shader(passed) - answer.cycle, from.far_cycles);
  const RunAnswers::Run* run = runs.arrived(answer.run);
  if (run == nullptr) {
    --outstanding;
    return;
  }
  Response& response = delivered.append();
  response.tag = run->tag;
  response.sm = run->sm;
  response.kind = run->kind;
  response.atomic = run->atomic;
  response.from_cache = answer.from_cache();
  response.cycle = in.to_shader(passed);
  response.store = run->store;
}

/// An answer has passed the port, `waited` cycles after it was there.
void TpcMemory::Impl::share_accepted(Answer answer, Cycle waited, Cycle far) {
  TpcShare& share = share_of(answer.run);
  if (answer.granules != 0) share.stages.response_network.add(waited + response_latency + far);
  share.response_time.add(waited);
  if (!answer.with_previous) share.busy.response_port += runs.port_cycles(answer.run);
}

Cycle TpcMemory::Impl::next_event() {
  Cycle next = delivered.empty() ? wakes_partition : std::min(wakes_partition, delivered.front().cycle);
  bool waits_for_credit = false;
  for (const SmQueue& queue : queues) waits_for_credit |= queue.blocked;
  if (const uint64_t key = next_to_leave(); key != kNever) {
    const SmQueue& first = queues[key & kQueueMask];
    next = std::min(
        next, out.to_shader(out.begin(std::max(first.edge, out.first_in(end)), first.head.request.with_previous)));
  }
  for_each_unread([&](const FromPartition& from) {
    const AnswerChannel& answers = from.link->answers;
    next = std::min(next, answers.front().cycle);
    if (waits_for_credit && from.credited < answers.size())
      next = std::min(next, credit_edge(from, answers[from.credited]));
  });
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
void TpcMemory::will_send(uint32_t sm_in_tpc, uint32_t transactions, Cycle now) {
  const Impl::SmQueue& queue = impl_->queues[sm_in_tpc];
  if (queue.size + transactions > queue.most) impl_->settle(now);
}
void TpcMemory::send_fetch(const Request& request) { impl_->send(impl_->sms, request, 1, 0); }
void TpcMemory::send_copy(uint32_t sm_in_tpc, const Request& request) {
  impl_->queue_count = static_cast<uint32_t>(impl_->queues.size());
  impl_->send(impl_->sms + 1 + sm_in_tpc, request, 1, 0);
}
void TpcMemory::expect(uint32_t sm_in_tpc, uint32_t tag, uint32_t answers) {
  impl_->runs.expect(sm_in_tpc, tag, answers);
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
QueueUse TpcMemory::queue_use() const {
  QueueUse use;
  for (uint32_t sm = 0; sm < impl_->sms; ++sm) {
    const Impl::SmQueue& queue = impl_->queues[sm];
    use.entries += queue.sent;
    use.entry_cycles += queue.until_left;
    use.most.add(queue.most);
  }
  return use;
}
uint64_t TpcMemory::times_no_credit() const { return impl_->times_no_credit; }
uint64_t TpcMemory::outstanding() const { return impl_->outstanding; }
const TranslationStats& TpcMemory::translations() const { return impl_->tlb.statistics(); }
bool TpcMemory::has_shares() const { return impl_->shares != nullptr; }
TpcShare TpcMemory::take_share(uint32_t launch) {
  TpcShare share = impl_->shares->take(launch);
  share.busy.request_port /= impl_->out.parts();
  share.busy.response_port /= impl_->in.parts();
  return share;
}
const ChipContents& TpcMemory::contents() const { return impl_->contents; }
TpcBusy TpcMemory::busy() const { return {impl_->out.busy(), impl_->in.busy()}; }

}  // namespace warptime::sim
