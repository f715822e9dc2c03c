#include "sim/mem/open_row_plans.h"

#include <algorithm>

#include "base/assert.h"
#include "sim/mem/dram.h"
#include "sim/mem/partition.h"

namespace warptime::sim {

uint64_t OpenRowPlans::gap_from(uint64_t time) const {
  if (time < begin_ || (end_ - 1 - time) % spacing_ != 0) return time;
  return spacing_ > 1 ? time + 1 : end_;
}

uint64_t OpenRowPlans::still_to_come(uint64_t cycle) const {
  return cycle < end_ ? (end_ - 1 - std::max(cycle, begin_)) / spacing_ + 1 : 0;
}

/// Plans so many column accesses of the bank's open row, from `earliest` on: the last one's cycle; kNever: not now.
inline uint64_t Dram::plan_columns(Bank& bank, uint32_t columns, uint64_t earliest) {
  uint64_t &read = any_ready_[index(DramCommand::Read)], &write = any_ready_[index(DramCommand::Write)];
  const ColumnDelays delays = column_delays_[0];
  const uint64_t first = std::max(read, earliest), last = first + (columns - 1) * delays.read;
  // A write that comes later may be ready before a read that waits for the data bus to change its direction (tWTR),
  // unless writes wait for reads.
  if ((first > std::max(write, earliest) && write_high_ == 0) || last >= refresh_due_) [[unlikely]]
    return kNever;
  SIM_DEBUG_ASSERT(!bank.fresh && bank.ready[index(DramCommand::Read)] <= first, "a row is open but not ready");
  uint64_t& precharge = bank.ready[index(DramCommand::Precharge)];
  precharge = std::max(precharge, last + delays.precharge);
  write = std::max(write, last + delays.write);
  read = last + delays.read;
  column_accesses_[0] += columns;
  bypassed_ = 0;
  plans_.add(first, last);
  return last;
}

uint64_t Dram::plan(Addr offset, uint32_t bytes, uint64_t now) {
  Bank& bank = banks_[map_.bank_of(offset)];
  if (!empty() || bank.open.row != map_.row_of(offset) || !may_plan_) return kNever;
  const uint64_t last = plan_columns(bank, (bytes + access_bytes_ - 1) >> access_shift_, std::max(earliest_, now));
  return last == kNever ? kNever : last + data_delay_[0];
}

DramServed Dram::plan_oldest() {
  const uint16_t number = oldest();
  const Slot& slot = slots_[number];
  Bank& bank = banks_[slot.bank];
  const uint64_t last = plan_columns(bank, slot.columns_left, earliest_);
  if (last == kNever) {
    propose_columns();
    return {};
  }
  bank.open.oldest = slot.next_in_row;
  slots_[kEnds].younger = slot.younger;
  slots_[slot.younger].older = kEnds;
  free_slots_[free_count_++] = number;
  if (bank.open.empty()) column_banks_ &= ~(uint64_t{1} << slot.bank);
  if (empty()) choice_ = Choice{};
  return {number, last + data_delay_[0]};
}

bool Partition::plan(const PartitionRequest& request, uint32_t tpc, uint64_t at) {
  if (!waiting_.empty() || request.store != nullptr) return false;
  const uint64_t data_end = dram_.plan(request.offset(), request.bytes, at);
  if (data_end == kNever) return false;
  const Cycle ready = clock_.to_shader(data_end) + pipeline_;
  served(request, tpc, at, ready);
  push(from_dram_, request, tpc, ready);
  return true;
}

}  // namespace warptime::sim
