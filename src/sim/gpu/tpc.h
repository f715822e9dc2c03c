// One texture processor cluster: its SMs, advanced together by one host thread, because they share a port to the memory
// system (and, on machines that have them, caches). They use these in (cycle, SM) order; between these uses, each SM
// may run ahead alone until the next answer of the memory system.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "sim/core/sm.h"
#include "sim/gpu/block_scheduler.h"
#include "sim/gpu/cluster_inbox.h"

namespace warptime::sim {

template <class Policy>
class Tpc {
 public:
  Tpc(const MachineConfig& machine, const DeviceMemory& device_memory, uint32_t index, TpcMemory& memory)
      : memory_(&memory), caches_(machine, index, memory) {
    uint32_t count = machine.chip.sms_per_tpc;
    for (uint32_t i = 0; i < count; ++i)
      sms_.push_back(std::make_unique<Sm<Policy>>(machine, device_memory, index * count + i, i, memory, caches_));
  }

  /// Between steps: one of these SMs gets a block. Its warps are set up with the next step, by the thread that runs it.
  void place(const Placement& placement) { placed_.push_back(placement); }

  [[gnu::always_inline]] void start_placed() {
    for (const Placement& p : placed_) sms_[p.sm % sms_.size()]->start_block(p.block, p.room, p.start);
    placed_.clear();
  }

  /// Its SMs send, and get, messages of clusters.
  void connect() {
    if (inbox_ == nullptr) inbox_ = std::make_unique<ClusterInbox>();
    is_plain_ = false;
  }
  /// nullptr: they get none.
  ClusterInbox* inbox() const { return inbox_.get(); }

  /// Runs all SMs over [begin, end). Stops early at a fault; later steps then only move what is in its crossbar port.
  StepResult run(Cycle begin, Cycle end) {
    if (!is_plain_) [[unlikely]]
      return run_rare(begin, end);
    start_placed();
    return result_of(run_sms<false>(begin, end));
  }

  const TpcCaches& caches() const { return caches_; }
  TpcCaches& caches() { return caches_; }
  /// Adds its queues, and those of its SMs.
  void add_use(QueueStats& queues) const {
    queues.memory_queue.add(memory_->queue_use());
    queues.partition.times_full += memory_->times_no_credit();
    for (const auto& sm : sms_) {
      queues.load_table.add(sm->load_table());
      queues.memory_queue.times_full += sm->accesses().times_queue_full();
    }
  }
  TpcBusy busy() const { return memory_->busy(); }
  const TranslationStats& translations() const { return memory_->translations(); }
  Cycle last_response() const { return last_response_; }
  std::vector<std::unique_ptr<Sm<Policy>>>& sms() { return sms_; }

 private:
  /// A step of one that has had a fault, or whose SMs get messages.
  [[gnu::noinline]] StepResult run_rare(Cycle begin, Cycle end) {
    if (has_fault()) {
      memory_->begin_step(begin, end);
      StepResult result = memory_->finish_step();
      result.fault = true;
      return result;
    }
    start_placed();
    StepResult result = result_of(run_sms<true>(begin, end));
    for (const auto& sm : sms_)
      if (sm->cluster_link() != nullptr) sm->end_cluster_step();
    result.next = std::min(result.next, inbox_->next());
    return result;
  }

  StepResult result_of(StepResult result) const {
    for (const auto& sm : sms_) {
      result.next = std::min(result.next, sm->next());
      result.ended_blocks |= !sm->ended_blocks().empty();
      if (RuntimeCalls* calls = sm->runtime_calls()) result.heap_requests |= !calls->requests().empty();
    }
    return result;
  }

  template <bool kMessages>
  StepResult run_sms(Cycle begin, Cycle end) {
    memory_->begin_step(begin, end);
    for (auto& sm : sms_) sm->begin_step(begin);
    bool is_faulty = false;
    Cycle response = memory_->next_response();
    for (;;) {
      auto [first, limit] = next_sm(end);
      Cycle at = first->next();
      Cycle message = kNever;
      if constexpr (kMessages) message = inbox_->next();
      if (std::min(std::min(at, response), message) >= end) break;
      if (response <= at && response <= message) {
        Response answer = memory_->pop_response();
        last_response_ = response;
        deliver(answer);
        response = memory_->next_response();
        continue;
      }
      if (kMessages && message <= at) {
        ClusterMessage got = inbox_->pop();
        first = sms_[got.to % sms_.size()].get();
        first->receive(got);
      } else {
        first->run(std::min(std::min(end, response), message), limit);
      }
      if (first->fault().raised) [[unlikely]] {
        is_faulty = true;
        is_plain_ = false;
        end = first->fault().cycle + 1;  // others may not have advanced so far
      }
    }
    StepResult result = memory_->finish_step();  // of a fault as well: what is in its port moves on
    result.fault = is_faulty;
    return result;
  }

  bool has_fault() const {
    return std::any_of(sms_.begin(), sms_.end(), [](const auto& sm) { return sm->fault().raised; });
  }

  // In line in both builds of run_sms().
  [[gnu::always_inline]] void deliver(const Response& answer) {
    if (answer.kind == ReadKind::Plain) return sms_[answer.sm % sms_.size()]->respond(answer);
    caches_.fill(
        answer, [&](uint32_t sm, uint32_t waiter, Cycle cycle) { sms_[sm]->filled(waiter, cycle, answer.from_cache); });
    if (answer.kind == ReadKind::Data) sms_[answer.sm % sms_.size()]->l1_filled(answer.cycle);
  }

  struct NextSm {
    Sm<Policy>* sm;
    Cycle shared_access_limit;  // from then on another SM is first to use shared resources
  };
  [[gnu::always_inline]] NextSm next_sm(Cycle end) {
    if (sms_.size() == 2) {
      Cycle a = sms_[0]->next(), b = sms_[1]->next();
      if (b < a) return {sms_[1].get(), std::min(end, a)};
      return {sms_[0].get(), b < end ? b + 1 : end};
    }
    Sm<Policy>* first = nullptr;
    size_t position = 0;
    for (size_t i = 0; i < sms_.size(); ++i)
      if (first == nullptr || sms_[i]->next() < first->next()) {
        first = sms_[i].get();
        position = i;
      }
    Cycle limit = end;
    for (size_t i = 0; i < sms_.size(); ++i)
      if (i != position && sms_[i]->next() != kNever) limit = std::min(limit, sms_[i]->next() + (i > position ? 1 : 0));
    return {first, limit};
  }

  TpcMemory* memory_;
  TpcCaches caches_;
  std::unique_ptr<ClusterInbox> inbox_;  // nullptr: no SM has blocks of a cluster of several SMs
  bool is_plain_ = true;                 // neither has any had a fault
  std::vector<Placement> placed_;
  Cycle last_response_ = 0;
  std::vector<std::unique_ptr<Sm<Policy>>> sms_;

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive(placed_, last_response_, caches_);
    for (auto& sm : sms_) archive(*sm);
    if (inbox_ != nullptr) inbox_->serialize(archive, sms_.front()->state().launch());
  }
};

}  // namespace warptime::sim
