// Which accesses are sampled, and what is compared to record a stack only when it changes.
#include "sim/core/access_recorder.h"

#include <bit>

namespace warptime::sim {

namespace {

/// The first, second, fourth, ... execution of a line: the start of a loop and later passes. On SMs other than the
/// traced one, the first.
bool is_sampled(uint64_t execution, bool traced) {
  const size_t most = traced ? AccessLog::kSamplesOfLine : 1;
  return std::has_single_bit(execution) && static_cast<size_t>(std::bit_width(execution)) <= most;
}

bool is_global(ptx::Space space) { return space == ptx::Space::Global || space == ptx::Space::None; }

}  // namespace

void AccessRecorder::record(AccessLog* log, uint32_t sm, const MachineConfig& machine, const TraceLog* traced) {
  log_ = log;
  own_ = &log->sms[sm];
  traced_ = traced;
  sm_ = sm;
  map_.emplace(machine.memory);
  banks_.emplace(machine.dram);
}

void AccessRecorder::starts(uint32_t slot, const WarpPlace& place) {
  warps_[slot] = place;
  stacks_[slot] = {ptx::kNoIndex, 0, {}};
}

void AccessRecorder::count(uint32_t lanes, const std::array<Addr, kWarpSize>& addresses, Cycle now) {
  for (; lanes != 0; lanes &= lanes - 1) {
    const Addr address = addresses[static_cast<size_t>(std::countr_zero(lanes))];
    const AccessLog::Buffer* buffer = log_->find(address, last_buffer_);
    if (buffer == nullptr) {
      ++own_->others;
      continue;
    }
    last_buffer_ = buffer;
    own_->lanes.add(buffer->bin_of(address), now, 1);
  }
}

void AccessRecorder::accesses(uint32_t slot, uint32_t pc, const Insn& insn, uint32_t lanes,
                              const std::array<Addr, kWarpSize>& addresses, Cycle now) {
  open_sample_ = false;
  const AccessPayload& access = insn.access();
  if (access.space == ptx::Space::Param) return;
  if (is_global(access.space)) count(lanes, addresses, now);
  const uint64_t execution = ++own_->executions[pc];
  if (!is_sampled(execution, traced_ != nullptr) || own_->samples.size() >= AccessLog::kMostSamples) return;
  const WarpPlace& warp = warps_[slot];
  own_->samples.push_back({sm_, pc, execution, now, warp.block, warp.index_in_block, lanes, access.space,
                           insn.effect == ptx::Effect::Load, access.bytes(), addresses});
  open_sample_ = true;
}

uint32_t AccessRecorder::begin_request(uint32_t slot, uint32_t pc, const MemoryAccess& access, bool has_bytes,
                                       Cycle now) {
  if (!in_window(now)) return kNoRequest;
  auto first = static_cast<uint32_t>(log_->transactions.size());
  if (first + access.count > AccessLog::kMostTransactions) {
    log_->requests_end = std::min(log_->requests_end, now);
    return kNoRequest;
  }
  for (uint32_t i = 0; i < access.count; ++i) {
    const Transaction& t = access.transactions[i];
    if (has_bytes) log_->transactions.push_back({t.address, t.lanes, t.bytes});
    else log_->transactions.push_back({t.address, 0, 0});
  }
  log_->requests.push_back({warps_[slot].warp, pc, now, first, access.count});
  return static_cast<uint32_t>(log_->requests.size() - 1);
}

void AccessRecorder::sent(uint32_t slot, uint32_t pc, const Insn& insn, const MemoryAccess& access, uint32_t load,
                          Cycle now) {
  const bool has_bytes = access.off_chip;
  if (has_bytes) {
    for (uint32_t i = 0; i < access.count; ++i) {
      const Transaction& t = access.transactions[i];
      const PartitionAddress place = map_->locate(t.address);
      own_->bank_bytes.add(place.partition * size_t{log_->banks} + banks_->bank_of(place.offset), now, t.bytes);
      if (open_sample_) own_->samples.back().transactions.push_back({t.address, t.lanes, t.bytes});
    }
  }
  open_sample_ = false;
  const uint32_t request = begin_request(slot, pc, access, has_bytes, now);
  if (load != PendingAtomic::kNoLoad) {
    if (load >= of_load_.size()) of_load_.resize(load + 1, kNoRequest);
    // The answer of an atomic operation is that of its store.
    of_load_[load] = insn.effect == ptx::Effect::Atomic ? kNoRequest : request;
  }
  if (request == kNoRequest || insn.effect == ptx::Effect::Load || insn.effect == ptx::Effect::Texture ||
      access.copy != AsyncCopies::kNone)
    return;
  for (uint32_t i = 0; i < access.count; ++i) stores_.push_back({access.stores[i], request});
}

void AccessRecorder::answered(uint32_t load, Cycle cycle) {
  if (load < of_load_.size() && of_load_[load] != kNoRequest) log_->answers.push_back({of_load_[load], cycle});
}

void AccessRecorder::visible(const PendingStore& store, Cycle cycle) {
  auto found = std::find_if(stores_.begin(), stores_.end(), [&](const Store& s) { return s.store == &store; });
  if (found == stores_.end()) return;
  log_->answers.push_back({found->request, cycle});
  *found = stores_.back();
  stores_.pop_back();
}

void AccessRecorder::stack(uint32_t slot, const ControlFlow& stack, Cycle cycle) {
  if (traced_ == nullptr || cycle >= traced_->to) return;
  now_.clear();
  for (const auto& [pc, reconvergence, lanes] : stack.waiting())
    if (lanes != 0) now_.push_back({pc, reconvergence, lanes});  // others have exited
  LastStack& last = stacks_[slot];
  // Without entries below, the lanes are those of every issue.
  if (now_ == last.entries &&
      (now_.empty() || (last.reconvergence == stack.reconvergence() && last.active == stack.active())))
    return;
  last.entries = now_;
  last.reconvergence = stack.reconvergence();
  last.active = stack.active();
  if (log_->entries.size() + now_.size() > AccessLog::kMostEntries || log_->stacks.size() >= AccessLog::kMostEntries) {
    log_->stacks_end = std::min(log_->stacks_end, cycle);
    return;
  }
  log_->stacks.push_back({warps_[slot].warp, cycle, last.reconvergence, last.active,
                          static_cast<uint32_t>(log_->entries.size()), static_cast<uint32_t>(now_.size())});
  log_->entries.insert(log_->entries.end(), now_.begin(), now_.end());
}

}  // namespace warptime::sim
