#include "sim/mem/dram.h"

#include <algorithm>
#include <bit>

#include "base/assert.h"

namespace warptime::sim {

namespace {
constexpr size_t index(DramCommand command) { return static_cast<size_t>(command); }
uint32_t log2_of(uint32_t power_of_two) { return static_cast<uint32_t>(std::countr_zero(power_of_two)); }
}  // namespace

Dram::Dram(const DramConfig& config)
    : access_shift_(log2_of(access_bytes(config))),
      row_shift_(log2_of(config.row_bytes)),
      bank_shift_(log2_of(config.banks)),
      bank_mask_(config.banks - 1),
      access_bytes_(access_bytes(config)),
      data_delay_{data_delay(config, false), data_delay(config, true)},
      fcfs_(config.scheduler == DramPolicy::fcfs),
      bypass_limit_(config.bypass_limit),
      refresh_interval_(config.tREFI),
      bank_count_(config.banks),
      free_count_(config.queue_entries),
      free_rows_(config.queue_entries) {
  SIM_ASSERT(config.queue_entries <= kMaxQueue && config.banks <= kMaxBanks, "{} entries, {} banks",
             config.queue_entries, config.banks);
  for (uint32_t i = 0; i < free_count_; ++i) free_slots_[i] = free_row_[i] = static_cast<uint16_t>(free_count_ - 1 - i);
  for (const TimingRule& rule : timing_rules(config)) {
    Delays& delays = delays_[index(rule.previous)];
    bool same = rule.scope == BankScope::Same;
    Delay& delay = same ? delays.same[delays.same_count++] : delays.any[delays.any_count++];
    delay = {static_cast<uint8_t>(rule.next), rule.delay};
  }
  if (config.tREFI != 0) refresh_due_ = config.tREFI;
}

void Dram::admit(uint32_t id, Addr offset, uint32_t bytes, bool write, uint64_t now) {
  SIM_DEBUG_ASSERT(!full(), "a request is admitted to a full scheduler");
  uint16_t name = free_slots_[--free_count_];
  uint64_t row_and_bank = offset >> row_shift_, row = row_and_bank >> bank_shift_;
  auto bank_index = static_cast<uint16_t>(row_and_bank & bank_mask_);
  Slot& slot = slots_[name];
  slot.age = next_age_++;
  slot.id = id;
  slot.bank = bank_index;
  slot.columns_left = static_cast<uint16_t>(std::max(1u, bytes >> access_shift_));
  slot.write = write;
  slot.younger = kNone;
  order_.push_back({slot.age, name});
  earliest_ = std::max(earliest_, now);

  Bank& bank = banks_[bank_index];
  bool first = waiting_banks_ == 0, first_in_bank = ((waiting_banks_ >> bank_index) & 1) == 0, new_hit = false;
  waiting_banks_ |= uint64_t{1} << bank_index;
  if (bank.open.row == row) {
    new_hit = bank.open.empty();
    append(bank.open, name);
  } else {
    want_row(bank, row, name);
  }
  if (!new_hit && !first_in_bank) return;  // the bank proposes what it proposed before
  bool replaces_choice = choice_.slot != kNone && slots_[choice_.slot].bank == bank_index;
  propose(bank_index);
  if (first || (new_hit && replaces_choice)) return choose();
  if (oldest_only()) return;
  Choice mine = timed(proposals_[bank_index]);
  if (mine.better_than(choice_)) choice_ = mine;
}

inline void Dram::append(Row& row, uint16_t slot) {
  (row.empty() ? row.oldest : slots_[row.youngest].younger) = slot;
  row.youngest = slot;
}

/// A request to a row that is not open.
void Dram::want_row(Bank& bank, uint64_t row, uint16_t slot) {
  for (uint16_t name = bank.first_row; name != kNone; name = rows_[name].next)
    if (rows_[name].row == row) return append(rows_[name], slot);
  uint16_t name = free_row_[--free_rows_];
  rows_[name] = {row, slot, slot, kNone};
  (bank.first_row == kNone ? bank.first_row : rows_[bank.last_row].next) = name;
  bank.last_row = name;
}

/// The row of the bank's oldest request, in a bank without an open row.
void Dram::open_row(Bank& bank) {
  uint16_t name = bank.first_row;
  bank.open = rows_[name];
  bank.first_row = rows_[name].next;
  bank.fresh = true;
  free_row_[free_rows_++] = name;
}

/// Requests that still want the open row take their place among the closed ones.
void Dram::close_row(Bank& bank) {
  if (!bank.open.empty()) {
    uint64_t age = slots_[bank.open.oldest].age;
    uint16_t before = kNone, behind = bank.first_row;
    for (; behind != kNone && slots_[rows_[behind].oldest].age < age; behind = rows_[behind].next) before = behind;
    uint16_t name = free_row_[--free_rows_];
    rows_[name] = bank.open;
    rows_[name].next = behind;
    (before == kNone ? bank.first_row : rows_[before].next) = name;
    if (behind == kNone) bank.last_row = name;
  }
  bank.open = Row{};
}

uint16_t Dram::oldest() {
  while (slots_[order_.front().slot].age != order_.front().age) order_.pop_front();
  return order_.front().slot;
}

/// The command that brings the request forward; `hit`: its row is open.
inline Dram::Proposal Dram::command_for(uint16_t name, bool hit, const Bank& bank) const {
  const Slot& slot = slots_[name];
  DramCommand command = DramCommand::Activate;
  if (hit) command = slot.write ? DramCommand::Write : DramCommand::Read;
  else if (bank.open.row != kNoRow) command = DramCommand::Precharge;
  return {bank.ready[index(command)], slot.age, name, command, !hit};
}

/// The first cycle that everything else allows, too.
inline Dram::Choice Dram::timed(const Proposal& proposal) const {
  uint64_t time = std::max({proposal.ready, any_ready_[index(proposal.command)], earliest_, bus_free_});
  return {time, time * 2 + proposal.is_row_command, proposal.age, proposal.slot, proposal.command};
}

inline void Dram::propose(uint32_t bank_index) {
  const Bank& bank = banks_[bank_index];
  if (!bank.open.empty()) proposals_[bank_index] = command_for(bank.open.oldest, true, bank);
  else if (bank.first_row != kNone) proposals_[bank_index] = command_for(rows_[bank.first_row].oldest, false, bank);
}

/// Ready first, among those column accesses first, then the oldest. A refresh that is due goes before all.
void Dram::choose() {
  if (empty()) {
    choice_ = Choice{};
    return;
  }
  if (oldest_only()) [[unlikely]] {
    uint16_t name = oldest();
    const Bank& bank = banks_[slots_[name].bank];
    choice_ = timed(command_for(name, bank.open.oldest == name, bank));
  } else {
    // First cycle of each command, as far as all banks together decide.
    std::array<uint64_t, 4> common;
    for (DramCommand command : {DramCommand::Activate, DramCommand::Precharge, DramCommand::Read, DramCommand::Write})
      common[index(command)] = std::max({any_ready_[index(command)], earliest_, bus_free_});
    const Proposal* best = nullptr;
    uint64_t best_rank = kNever, best_age = kNever;
    for (uint64_t rest = waiting_banks_; rest != 0; rest &= rest - 1) {
      const Proposal& proposal = proposals_[static_cast<size_t>(std::countr_zero(rest))];
      uint64_t rank = std::max(proposal.ready, common[index(proposal.command)]) * 2 + proposal.is_row_command;
      if (rank > best_rank || (rank == best_rank && proposal.age > best_age)) continue;
      best = &proposal;
      best_rank = rank;
      best_age = proposal.age;
    }
    choice_ = {best_rank / 2, best_rank, best_age, best->slot, best->command};
  }
  if (refresh_due_ <= choice_.time) [[unlikely]] {
    uint64_t time = std::max(refresh_due_, bus_free_);
    choice_ = {time, time * 2, 0, kNone, DramCommand::Refresh};
  }
}

DramServed Dram::issue() {
  const DramCommand command = choice_.command;
  const uint64_t time = choice_.time;
  const uint16_t name = choice_.slot;
  DramServed served;
  if (command == DramCommand::Refresh) [[unlikely]] {
    refresh();
  } else {
    uint32_t bank_index = slots_[name].bank;
    Bank& bank = banks_[bank_index];
    apply(command, bank, time);
    bus_free_ = time + 1;
    if (command == DramCommand::Activate) open_row(bank);  // of the bank's oldest request, as no other opens rows
    else if (command == DramCommand::Precharge) close_row(bank);
    else served = access_column(name, bank, time);
    if (bank.open.empty() && bank.first_row == kNone) waiting_banks_ &= ~(uint64_t{1} << bank_index);
    else propose(bank_index);
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

/// Of the oldest request to the open row.
inline DramServed Dram::access_column(uint16_t name, Bank& bank, uint64_t time) {
  Slot& slot = slots_[name];
  ++(bank.fresh ? statistics_.row_misses : statistics_.row_hits);
  bank.fresh = false;
  (slot.write ? statistics_.write_bytes : statistics_.read_bytes) += access_bytes_;
  bool is_oldest = oldest() == name;
  if (!is_oldest) ++bypassed_;
  if (--slot.columns_left != 0) return {};

  if (is_oldest) bypassed_ = 0;
  bank.open.oldest = slot.younger;
  slot.age = 0;
  free_slots_[free_count_++] = name;
  return {slot.id, time + data_delay_[slot.write ? 1 : 0]};
}

void Dram::refresh() {
  uint64_t time = std::max(refresh_due_, bus_free_);
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
  while (refresh_due_ <= time) refresh_due_ += refresh_interval_;
}

}  // namespace warptime::sim
