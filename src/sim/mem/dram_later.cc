// DRAM of later machines: bank groups (GDDR5, HBM), pseudo channels (HBM2), a bus of their own for row commands (HBM),
// the window of four activates (from DDR3 on), refreshes of one bank (HBM), and writes that are drained in batches. A
// machine without them comes here only when it is constructed.
//
// Bank groups, pseudo channels and the window lengthen the times from which on banks accept a command, so the choice
// among commands (dram.cc) need not know them.
//
// Where writes are drained, banks know only the requests that may go now: reads, or writes. The others wait in the ring
// of all requests by age until the direction turns. Assumed: while there are reads, writes wait until there are
// write_high of them, and until the reads of open rows that are older than all of them are served; then, or when no
// read waits, writes go until write_low of them remain; without reads, all go. A request that bypass_limit
// column accesses have passed turns the direction to its own, however many wait.
#include <algorithm>
#include <bit>

#include "sim/mem/dram.h"

namespace warptime::sim {

void Dram::set_later_rules(const DramConfig& config, std::span<const TimingRule> rules) {
  bool delays_columns = false;
  for (size_t i = 0; i < bank_sets_.size(); ++i) {
    const BankScope scope = i == 0 ? BankScope::Group : BankScope::Channel;
    BankSet& set = bank_sets_[i];
    set.bits = scope_bits(config, scope);
    for (uint32_t bank = 0; bank < config.banks; ++bank)
      if ((bank & set.bits) == 0) set.first |= uint64_t{1} << bank;
    for (const TimingRule& rule : rules) {
      if (rule.scope != scope || rule.last != 1) continue;
      set.delays[index(rule.previous)][index(rule.next)] = rule.delay;
      has_bank_sets_ = true;
      delays_columns |= rule.next >= DramCommand::Read;
    }
  }
  for (const TimingRule& rule : rules)
    if (rule.last == kActivatesInWindow) activate_window_ = rule.delay;
  has_later_rules_ = has_bank_sets_ || activate_window_ != 0 || write_high_ != 0 || per_bank_ || two_buses_;
  // A plan knows neither groups, nor pseudo channels, nor two buses.
  may_plan_ = may_plan_ && !delays_columns && !two_buses_;
}

/// `served`: the command was the last column access of its request.
void Dram::after_command(DramCommand command, uint32_t bank, uint64_t time, bool served) {
  if (two_buses_) free_other_bus(command, time);
  uint64_t delayed = has_bank_sets_ ? delay_sets(command, bank, time) : 0;
  if (command == DramCommand::Activate && activate_window_ != 0) delayed |= limit_activates(bank, time);
  propose_each(delayed & (column_banks_ | row_banks_));
  if (command >= DramCommand::Read) {
    const bool passes = slots_[choice_.slot].older != kEnds;  // the oldest request
    bypassed_ -= passes && is_oldest_refreshed(time);
  }
  queued_writes_ -= write_high_ != 0 && served && command == DramCommand::Write;
  if (write_high_ != 0) take_turns(time + 1);
}

/// Only commands of the same kind wait for the next cycle.
void Dram::free_other_bus(DramCommand command, uint64_t time) {
  earliest_ = bus_free_ = time;
  using enum DramCommand;
  const bool column = command >= Read;
  for (const DramCommand next : {column ? Read : Activate, column ? Write : Precharge})
    any_ready_[index(next)] = std::max(any_ready_[index(next)], time + 1);
}

void Dram::delay_banks(uint64_t banks, DramCommand command, uint64_t until) {
  for (; banks != 0; banks &= banks - 1) {
    uint64_t& ready = banks_[static_cast<size_t>(std::countr_zero(banks))].ready[index(command)];
    ready = std::max(ready, until);
  }
}

/// Returns the banks that it delays, one bit each.
uint64_t Dram::delay_sets(DramCommand command, uint32_t bank, uint64_t time) {
  uint64_t delayed = 0;
  for (const BankSet& set : bank_sets_) {
    for (size_t next = 0; next < kDramCommands; ++next) {
      const uint32_t delay = set.delays[index(command)][next];
      if (delay == 0) continue;
      delayed |= set.of(bank);
      delay_banks(set.of(bank), static_cast<DramCommand>(next), time + delay);
    }
  }
  return delayed;
}

/// Returns the banks of the pseudo channel, one bit each.
uint64_t Dram::limit_activates(uint32_t bank, uint64_t time) {
  const BankSet& channel = bank_sets_[1];
  Window& window = windows_[bank & channel.bits];
  window.ends[window.oldest] = time + activate_window_;
  window.oldest = (window.oldest + 1) % kActivatesInWindow;
  delay_banks(channel.of(bank), DramCommand::Activate, window.ends[window.oldest]);
  return channel.of(bank);
}

/// The first refresh of the bank that has not been performed; kNever: none is due.
uint64_t Dram::refresh_due(uint32_t bank) const {
  if (!per_bank_ || refresh_due_ == kNever) return refresh_due_;
  return refresh_due_ + uint64_t{(bank - refreshed_next_) & (bank_count_ - 1)} * refresh_interval_;
}

/// Whether writes go now, and not reads; planned reads left out.
bool Dram::writes_go() const {
  if (queued_writes_ == 0) return false;
  if (queue_entries_ - free_count_ == queued_writes_) return true;
  if (oldest_only()) return slots_[oldest()].write;
  return writing_ ? queued_writes_ > write_low_ : queued_writes_ >= write_high_ && !has_hit_before_writes();
}

/// Whether a read of an open row is older than all writes.
bool Dram::has_hit_before_writes() const {
  for (uint16_t number = oldest(); !slots_[number].write; number = slots_[number].younger)
    if (banks_[slots_[number].bank].open.row == slots_[number].row) return true;
  return false;
}

/// After an arrival at memory cycle `now`, or a command in the cycle before. Planned reads are older than all writes.
void Dram::take_turns(uint64_t now) {
  turns_after_plans_ = false;
  const bool plans = plans_.end() > now;
  if (plans && writing_) {  // in advance; no write has issued
    earliest_ = std::max(earliest_read_, now);
    turn();
  }
  if (writes_go() == writing_) return;
  if (plans) turns_after_plans_ = true;
  else turn();
}

void Dram::turn_after_plans() {
  turns_after_plans_ = false;
  earliest_read_ = earliest_;
  earliest_ = std::max(earliest_, plans_.end());
  turn();
  choose_now();
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
