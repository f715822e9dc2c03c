// One texture processor cluster: its SMs, advanced together by one host thread in (cycle, SM) order, because they share
// a port to the memory system (and, on machines that have them, caches).
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "sim/core/sm.h"

namespace warptime::sim {

template <class Policy>
class Tpc {
 public:
  Tpc(const LaunchContext& launch, uint32_t index, TpcMemory& memory) : memory_(&memory) {
    uint32_t count = launch.machine->chip.sms_per_tpc;
    for (uint32_t i = 0; i < count; ++i)
      sms_.push_back(std::make_unique<Sm<Policy>>(launch, index * count + i, i, memory));
  }

  /// Runs all SMs over [begin, end). Stops early at a fault.
  void run(Cycle begin, Cycle end) {
    memory_->begin_step(begin, end);
    for (auto& sm : sms_) sm->begin_step(begin);
    for (;;) {
      auto [first, limit] = next_sm(end);
      Cycle response = memory_->next_response();
      Cycle at = first == nullptr ? kNever : first->next();
      if (std::min(at, response) >= end) break;
      if (response <= at) {
        Response answer = memory_->pop_response();
        last_response_ = response;
        sms_[answer.sm % sms_.size()]->respond(answer);
        continue;
      }
      first->run(std::min(limit, response));
      if (first->fault().raised) return;
    }
    memory_->finish_step();
  }

  /// Earliest cycle at which an SM may issue; answers of the memory system not counted.
  Cycle next() const {
    Cycle next = kNever;
    for (const auto& sm : sms_) next = std::min(next, sm->next());
    return next;
  }
  Cycle last_response() const { return last_response_; }
  std::vector<std::unique_ptr<Sm<Policy>>>& sms() { return sms_; }

 private:
  struct Turn {
    Sm<Policy>* sm;
    Cycle limit;  // it may issue before this cycle without overtaking another
  };
  Turn next_sm(Cycle end) {
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
  Cycle last_response_ = 0;
  std::vector<std::unique_ptr<Sm<Policy>>> sms_;
};

}  // namespace warptime::sim
