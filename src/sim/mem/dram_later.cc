// DRAM of later machines: bank groups (GDDR5, HBM), the window of four activates (from DDR3 on), refreshes of one bank
// (HBM), and writes that are drained in batches. A machine without them comes here only when it is constructed.
//
// Bank groups and the window lengthen the times from which on banks accept a command, so the choice among commands
// (dram.cc) need not know them.
//
// Where writes are drained, banks know only the requests that may go now: reads, or writes. The others wait in the ring
// of all requests by age until the direction turns. Assumed: while there are reads, writes wait until there are
// write_high of them; then, or when no read waits, writes go until only write_low are left, or none if there are
// no reads. A request that bypass_limit column accesses have passed turns the direction to its own, however many wait.
#include <algorithm>
#include <bit>

#include "sim/mem/dram.h"

namespace warptime::sim {

void Dram::set_later_rules(const DramConfig& config, std::span<const TimingRule> rules) {
  for (uint32_t bank = 0; bank < config.banks; ++bank)
    if (group_of(config, bank) == 0) first_group_ |= uint64_t{1} << bank;
  bool has_groups = false, delays_columns = false;
  for (const TimingRule& rule : rules) {
    if (rule.last == kActivatesInWindow) activate_window_ = rule.delay;
    if (rule.scope != BankScope::Group) continue;
    group_delays_[index(rule.previous)][index(rule.next)] = rule.delay;
    has_groups = true;
    delays_columns |= rule.next >= DramCommand::Read;
  }
  has_later_rules_ = has_groups || activate_window_ != 0 || write_high_ != 0 || per_bank_;
  // A plan knows neither groups nor writes that go before older reads.
  may_plan_ = may_plan_ && !delays_columns && write_high_ == 0;
}

/// `served`: the command was the last column access of its request.
void Dram::after_command(DramCommand command, uint32_t bank, uint64_t time, bool served) {
  delay_group(command, bank, time);
  if (command == DramCommand::Activate && activate_window_ != 0) limit_activates(time);
  if (command >= DramCommand::Read) {
    const bool passes = slots_[choice_.slot].older != kEnds;  // the oldest request
    bypassed_ -= passes && is_oldest_refreshed(time);
  }
  queued_writes_ -= write_high_ != 0 && served && command == DramCommand::Write;
  take_turns();
}

void Dram::delay_group(DramCommand command, uint32_t bank, uint64_t time) {
  const std::array<uint32_t, kDramCommands>& delays = group_delays_[index(command)];
  const uint64_t group = first_group_ << (bank & (groups_ - 1));
  bool any = false;
  for (size_t next = 0; next < kDramCommands; ++next) {
    if (delays[next] == 0) continue;
    any = true;
    for (uint64_t rest = group; rest != 0; rest &= rest - 1) {
      uint64_t& ready = banks_[static_cast<size_t>(std::countr_zero(rest))].ready[next];
      ready = std::max(ready, time + delays[next]);
    }
  }
  if (any) propose_each(group & (column_banks_ | row_banks_));
}

void Dram::limit_activates(uint64_t time) {
  window_ends_[oldest_window_] = time + activate_window_;
  oldest_window_ = (oldest_window_ + 1) % kActivatesInWindow;
  uint64_t& ready = any_ready_[index(DramCommand::Activate)];
  ready = std::max(ready, window_ends_[oldest_window_]);
}

/// The first refresh of the bank that has not been performed; kNever: none is due.
uint64_t Dram::refresh_due(uint32_t bank) const {
  if (!per_bank_ || refresh_due_ == kNever) return refresh_due_;
  return refresh_due_ + uint64_t{(bank - refreshed_next_) & bank_mask_} * refresh_interval_;
}

void Dram::admit_in_turn(uint16_t number, uint64_t row) {
  Slot& slot = slots_[number];
  slot.row = row;
  queued_writes_ += slot.write;
  if (writes_go() != writing_) return turn();
  if (slot.write != writing_) return;
  enter(number);
  propose_each(uint64_t{1} << slot.bank);
}

/// Whether writes go now, and not reads.
bool Dram::writes_go() const {
  const uint32_t reads = queue_entries_ - free_count_ - queued_writes_;
  if (reads == 0 || queued_writes_ == 0) return reads == 0;
  if (oldest_only()) return slots_[oldest()].write;
  return writing_ ? queued_writes_ > write_low_ : queued_writes_ >= write_high_;
}

/// The banks forget the requests that they know, and learn the others.
void Dram::turn() {
  writing_ = !writing_;
  column_banks_ = row_banks_ = 0;
  row_ready_ = kNever;
  free_rows_ = queue_entries_;
  for (uint32_t i = 0; i < free_rows_; ++i) free_row_[i] = static_cast<uint16_t>(i);
  for (uint32_t bank = 0; bank < bank_count_; ++bank) {
    Row& open = banks_[bank].open;
    open.oldest = open.youngest = kNone;
    banks_[bank].first_row = banks_[bank].last_row = kNone;
  }
  uint64_t banks = 0;
  for_each_slot([&](uint16_t number) {
    if (slots_[number].write != writing_) return;
    enter(number);
    banks |= uint64_t{1} << slots_[number].bank;
  });
  propose_each(banks);
}

/// The bank learns of the request, which is younger than those it knows.
void Dram::enter(uint16_t number) {
  Slot& slot = slots_[number];
  slot.next_in_row = kNone;
  Bank& bank = banks_[slot.bank];
  if (bank.open.row == slot.row) append(bank.open, number);
  else wait_for_row(bank, slot.row, number);
}

}  // namespace warptime::sim
