#include "sim/mem/dram.h"

#include <algorithm>
#include <bit>

#include "base/assert.h"
#include "base/log2.h"

namespace warptime::sim {

Dram::Dram(const DramConfig& config, bool may_plan)
    : map_(config),
      access_shift_(log2_of(access_bytes(config))),
      access_bytes_(access_bytes(config)),
      data_delay_{data_delay(config, false), data_delay(config, true)},
      fcfs_(config.scheduler == DramPolicy::fcfs),
      bypass_limit_(config.bypass_limit),
      refresh_interval_(refresh_interval(config)),
      queue_entries_(config.queue_entries),
      per_bank_(config.refresh == RefreshScope::per_bank),
      two_buses_(config.command_buses == CommandBuses::row_and_column),
      write_high_(fcfs_ ? 0 : std::min(config.write_high, config.queue_entries)),
      write_low_(std::min(config.write_low, config.queue_entries - 1)),
      bank_count_(config.banks),
      free_count_(config.queue_entries),
      free_rows_(config.queue_entries) {
  SIM_ASSERT(
      config.queue_entries <= kMaxQueue && config.banks <= kMaxBanks && config.pseudo_channels <= kMaxPseudoChannels,
      "{} entries, {} banks, {} pseudo channels", config.queue_entries, config.banks, config.pseudo_channels);
  for (uint32_t i = 0; i < free_count_; ++i) free_slots_[i] = free_row_[i] = static_cast<uint16_t>(free_count_ - 1 - i);
  const std::vector<TimingRule> rules = timing_rules(config);
  for (const TimingRule& rule : rules) {
    if (rule.scope == BankScope::Group || rule.scope == BankScope::Channel || rule.last != 1) continue;
    Delays& delays = delays_[index(rule.previous)];
    bool same = rule.scope == BankScope::Same;
    Delay& delay = same ? delays.same[delays.same_count++] : delays.any[delays.any_count++];
    delay = {static_cast<uint8_t>(rule.next), rule.delay};
    if (rule.previous != DramCommand::Read && rule.previous != DramCommand::Write) continue;
    ColumnDelays& column = column_delays_[rule.previous == DramCommand::Write ? 1 : 0];
    if (rule.next == DramCommand::Read && !same) column.read = rule.delay;
    else if (rule.next == DramCommand::Write && !same) column.write = rule.delay;
    else if (rule.next == DramCommand::Precharge && same) column.precharge = rule.delay;
    else SIM_ASSERT(false, "column accesses delay command {}", static_cast<int>(rule.next));
  }
  if (config.tREFI != 0) refresh_due_ = refresh_interval_;
  may_plan_ = may_plan && !fcfs_ && bypass_limit_ > 0 && column_delays_[0].write >= column_delays_[0].read;
  plans_.set_spacing(column_delays_[0].read);
  set_later_rules(config, rules);
}

std::vector<std::optional<uint64_t>> Dram::open_rows() const {
  std::vector<std::optional<uint64_t>> out;
  for (uint32_t bank = 0; bank < bank_count_; ++bank) {
    const uint64_t row = banks_[bank].open.row;
    out.push_back(row == kNoRow ? std::nullopt : std::optional(row));
  }
  return out;
}

std::vector<std::optional<uint64_t>> Dram::rows_left(uint64_t end) const {
  std::vector<std::optional<uint64_t>> out = open_rows();
  for (uint32_t bank = 0; bank < bank_count_; ++bank)
    if (refresh_due(bank) <= end) out[bank].reset();
  return out;
}

uint32_t Dram::admit(Addr offset, uint32_t bytes, bool write, uint64_t now, bool predictable) {
  SIM_DEBUG_ASSERT(!full(), "a request is admitted to a full scheduler");
  uint16_t number = free_slots_[--free_count_];
  const uint64_t row = map_.row_of(offset);
  const auto bank_index = static_cast<uint16_t>(map_.bank_of(offset));
  Slot& slot = slots_[number];
  slot.age = next_age_++;
  slot.bank = bank_index;
  slot.columns_left = static_cast<uint16_t>((bytes + access_bytes_ - 1) >> access_shift_);
  slot.write = write;
  slot.predictable = predictable && !write;
  unpredictable_ += !slot.predictable;
  slot.next_in_row = kNone;
  slot.older = slots_[kEnds].older;
  slot.younger = kEnds;
  slots_[slot.older].younger = slots_[kEnds].older = number;
  earliest_ = std::max(earliest_, now);
  if (write_high_ != 0) {
    slot.row = row;
    queued_writes_ += write;
    const bool before = writing_;
    take_turns(now);
    if (writing_ != before || turns_after_plans_) {
      if (writing_ == before && write == writing_) enter(number), propose(bank_index);
      choose();
      return number;
    }
    if (write != writing_) return number;  // its banks learn of it when the direction turns
  }

  Bank& bank = banks_[bank_index];
  uint64_t waiting_banks = column_banks_ | row_banks_;
  bool first = waiting_banks == 0, first_in_bank = ((waiting_banks >> bank_index) & 1) == 0, new_hit = false;
  if (bank.open.row == row) {
    new_hit = bank.open.empty();
    append(bank.open, number);
  } else {
    wait_for_row(bank, row, number);
  }
  if (!new_hit && !first_in_bank) return number;  // the bank proposes what it proposed before
  bool replaces_choice = choice_.bank == bank_index;
  propose(bank_index);
  if (first || (new_hit && replaces_choice)) {
    choose();
  } else if (!oldest_only()) {
    Choice mine = timed(proposals_[bank_index]);
    if (mine.better_than(choice_)) choice_ = mine;
  }
  return number;
}

/// Queues a request to a row that is not open.
void Dram::wait_for_row(Bank& bank, uint64_t row, uint16_t slot) {
  for (uint16_t number = bank.first_row; number != kNone; number = rows_[number].next)
    if (rows_[number].row == row) return append(rows_[number], slot);
  uint16_t number = free_row_[--free_rows_];
  rows_[number] = {row, slot, slot, kNone};
  (bank.first_row == kNone ? bank.first_row : rows_[bank.last_row].next) = number;
  bank.last_row = number;
}

/// The row of the bank's oldest request, in a bank without an open row.
void Dram::open_row(Bank& bank) {
  uint16_t number = bank.first_row;
  bank.open = rows_[number];
  bank.first_row = rows_[number].next;
  bank.fresh = true;
  ++unready_rows_;
  free_row_[free_rows_++] = number;
}

/// Requests to the row that have not been served take their place among those to closed rows.
void Dram::close_row(Bank& bank) {
  if (!bank.open.empty()) {
    uint64_t age = slots_[bank.open.oldest].age;
    uint16_t before = kNone, behind = bank.first_row;
    for (; behind != kNone && slots_[rows_[behind].oldest].age < age; behind = rows_[behind].next) before = behind;
    uint16_t number = free_row_[--free_rows_];
    rows_[number] = bank.open;
    rows_[number].next = behind;
    (before == kNone ? bank.first_row : rows_[before].next) = number;
    if (behind == kNone) bank.last_row = number;
  }
  unready_rows_ -= bank.fresh;
  bank.fresh = false;
  bank.open = Row{};
}

/// The command that brings the request forward; `hit`: its row is open.
inline Dram::Proposal Dram::command_for(uint16_t number, bool hit, const Bank& bank) const {
  const Slot& slot = slots_[number];
  DramCommand command = DramCommand::Activate;
  if (hit) command = slot.write ? DramCommand::Write : DramCommand::Read;
  else if (bank.open.row != kNoRow) command = DramCommand::Precharge;
  return {bank.ready[index(command)], slot.age, number, command};
}

/// The first cycle that everything else allows, too.
inline uint64_t Dram::time_of(const Proposal& proposal) const {
  const uint64_t time = std::max(std::max(proposal.ready, any_ready_[index(proposal.command)]), earliest_);
  if (time >= plans_.end() || proposal.command >= DramCommand::Read) [[likely]]
    return time;
  return plans_.gap_from(time);
}

inline Dram::Choice Dram::timed(const Proposal& proposal) const {
  uint64_t time = time_of(proposal);
  bool is_row_command = proposal.command < DramCommand::Read;
  return {time, time * 2 + is_row_command, proposal.age, proposal.slot, slots_[proposal.slot].bank, proposal.command};
}

inline void Dram::propose(uint32_t bank_index) {
  const Bank& bank = banks_[bank_index];
  const uint64_t bit = uint64_t{1} << bank_index;
  if (!bank.open.empty()) {
    proposals_[bank_index] = command_for(bank.open.oldest, true, bank);
    column_banks_ |= bit;
    row_banks_ &= ~bit;
    return;
  }
  column_banks_ &= ~bit;
  if (bank.first_row == kNone) {
    row_banks_ &= ~bit;
    return;
  }
  proposals_[bank_index] = command_for(rows_[bank.first_row].oldest, false, bank);
  row_banks_ |= bit;
  row_ready_ = std::min(row_ready_, proposals_[bank_index].ready);
}

/// Ready first, among those column accesses first, then the oldest. Row commands are compared only where one can be
/// ready before the first column access.
Dram::Choice Dram::first_ready() {
  uint64_t best_time = kNever, best_age = kNever;
  uint16_t best_bank = 0;
  auto compare = [&](uint64_t banks) {
    for (; banks != 0; banks &= banks - 1) {
      auto bank = static_cast<uint16_t>(std::countr_zero(banks));
      const Proposal& proposal = proposals_[bank];
      uint64_t time = time_of(proposal);
      if (time > best_time || (time == best_time && proposal.age > best_age)) continue;
      best_time = time;
      best_age = proposal.age;
      best_bank = bank;
    }
  };
  compare(column_banks_);
  uint64_t column_time = best_time;
  if (std::max(row_ready_, earliest_) < column_time) {
    row_ready_ = kNever;
    for (uint64_t rest = row_banks_; rest != 0; rest &= rest - 1)
      row_ready_ = std::min(row_ready_, proposals_[static_cast<size_t>(std::countr_zero(rest))].ready);
    best_age = 0;  // one that is as early as a column access is behind it
    compare(row_banks_);
  }
  const Proposal& best = proposals_[best_bank];
  return {best_time, best_time * 2 + (best_time < column_time), best.age, best.slot, best_bank, best.command};
}

/// The oldest request's next column access is first, and no other is compared, where no command at all can be earlier.
/// A refresh that is due goes before all.
inline void Dram::choose_now() {
  if (empty()) {
    choice_ = Choice{};
    return;
  }
  const uint16_t number = oldest();
  const Bank& bank = banks_[slots_[number].bank];
  const bool hit = bank.open.oldest == number;
  const uint64_t column_ready = std::min(any_ready_[index(DramCommand::Read)], any_ready_[index(DramCommand::Write)]);
  choice_ = timed(command_for(number, hit, bank));
  bool is_first = hit && choice_.time <= std::max(std::min(column_ready, row_ready_), earliest_);
  if (!is_first && !oldest_only()) choice_ = first_ready();
  if (refresh_due_ <= choice_.time) [[unlikely]] {
    uint64_t time = std::max(refresh_due_, bus_free_);
    choice_ = {time, time * 2, 0, kNone, kNone, DramCommand::Refresh};
  }
}

inline void Dram::choose() {
  choose_now();
  if (turns_after_plans_ && choice_.time >= plans_.end()) [[unlikely]]
    turn_after_plans();
}

void Dram::propose_each(uint64_t banks) {
  for (; banks != 0; banks &= banks - 1) propose(static_cast<uint32_t>(std::countr_zero(banks)));
}

/// After plans, during which no bank has proposed a command.
void Dram::propose_columns() {
  propose_each(column_banks_);
  choose();
}

DramServed Dram::issue() {
  const DramCommand command = choice_.command;
  const uint64_t time = choice_.time;
  const uint16_t number = choice_.slot;
  DramServed served;
  if (command == DramCommand::Refresh) [[unlikely]] {
    refresh();
  } else {
    uint32_t bank_index = choice_.bank;
    Bank& bank = banks_[bank_index];
    earliest_ = bus_free_ = time + 1;
    if (command >= DramCommand::Read) [[likely]] {
      served = access_column(number, bank, time);
    } else {
      apply(command, bank, time);
      if (command == DramCommand::Activate) open_row(bank);  // of the bank's oldest request, as no other opens rows
      else close_row(bank);
    }
    propose(bank_index);
    if (has_later_rules_) [[unlikely]]
      after_command(command, bank_index, time, served.slot != DramServed::kNone);
  }
  choose();
  return served;
}

inline void Dram::apply(DramCommand command, Bank& bank, uint64_t time) {
  const Delays& delays = delays_[index(command)];
  auto later = [time](std::array<uint64_t, kDramCommands>& ready, const Delay& delay) {
    ready[delay.next] = std::max(ready[delay.next], time + delay.cycles);
  };
  for (size_t i = 0; i < delays.same_count; ++i) later(bank.ready, delays.same[i]);
  for (size_t i = 0; i < delays.any_count; ++i) later(any_ready_, delays.any[i]);
}

/// Performs a column access of the oldest request to the open row.
inline DramServed Dram::access_column(uint16_t number, Bank& bank, uint64_t time) {
  Slot& slot = slots_[number];
  const ColumnDelays& delays = column_delays_[slot.write];
  auto not_before = [time](uint64_t& ready, uint32_t delay) { ready = std::max(ready, time + delay); };
  not_before(any_ready_[index(DramCommand::Read)], delays.read);
  not_before(any_ready_[index(DramCommand::Write)], delays.write);
  not_before(bank.ready[index(DramCommand::Precharge)], delays.precharge);
  ++column_accesses_[slot.write];
  if (bank.fresh) {
    ++row_misses_;
    if (row_misses_to_.missed != nullptr) [[unlikely]]
      row_misses_to_.missed(row_misses_to_.of, number);
    --unready_rows_;
    bank.fresh = false;
  }
  bool is_oldest = oldest() == number;
  if (!is_oldest) ++bypassed_;
  if (--slot.columns_left != 0) return {};

  if (is_oldest) bypassed_ = 0;
  bank.open.oldest = slot.next_in_row;
  slots_[slot.older].younger = slot.younger;
  slots_[slot.younger].older = slot.older;
  free_slots_[free_count_++] = number;
  unpredictable_ -= !slot.predictable;
  return {number, time + data_delay_[slot.write]};
}

void Dram::refresh() {
  if (per_bank_) return refresh_bank();
  uint64_t time = std::max({refresh_due_, bus_free_, any_ready_[index(DramCommand::Precharge)]});
  bool open = false;
  for (uint32_t i = 0; i < bank_count_; ++i) {
    const Bank& bank = banks_[i];
    if (bank.open.row == kNoRow) continue;
    open = true;
    time = std::max(time, bank.ready[index(DramCommand::Precharge)]);
  }
  if (open) {
    for (uint32_t i = 0; i < bank_count_; ++i) {
      Bank& bank = banks_[i];
      if (bank.open.row == kNoRow) continue;
      apply(DramCommand::Precharge, bank, time);
      close_row(bank);
      propose(i);
    }
    ++time;
  }
  time = std::max(time, any_ready_[index(DramCommand::Refresh)]);
  apply(DramCommand::Refresh, banks_[0], time);
  bus_free_ = time + 1;
  earliest_ = std::max(earliest_, bus_free_);
  while (refresh_due_ <= time) refresh_due_ += refresh_interval_;
  if (write_high_ != 0) take_turns(bus_free_);
}

/// Precharges the bank as soon as its row allows, and refreshes it.
void Dram::refresh_bank() {
  Bank& bank = banks_[refreshed_next_];
  const uint64_t due = refresh_due_;
  uint64_t time = due;
  if (bank.open.row != kNoRow) {
    time = std::max(time, bank.ready[index(DramCommand::Precharge)]);
    apply(DramCommand::Precharge, bank, time);
    close_row(bank);
  }
  apply(DramCommand::Refresh, bank, std::max(time, bank.ready[index(DramCommand::Refresh)]));
  bank.refreshed_until = bank.ready[index(DramCommand::Activate)];
  propose_each(uint64_t{1} << refreshed_next_);
  refreshed_next_ = (refreshed_next_ + 1) & (bank_count_ - 1);
  refresh_due_ += refresh_interval_;
  if (write_high_ != 0) take_turns(due);
}

DramStats Dram::statistics(uint64_t end) const {
  const uint64_t reads = column_accesses_[0] - plans_.still_to_come(end), writes = column_accesses_[1];
  DramStats statistics;
  statistics.read_bytes = reads * access_bytes_;
  statistics.write_bytes = writes * access_bytes_;
  statistics.row_hits = reads + writes - row_misses_;
  statistics.row_misses = row_misses_;
  return statistics;
}

}  // namespace warptime::sim
