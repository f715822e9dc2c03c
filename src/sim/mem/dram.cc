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
      free_count_(config.queue_entries) {
  SIM_ASSERT(config.queue_entries <= kMaxQueue && config.banks <= kMaxBanks, "{} entries, {} banks",
             config.queue_entries, config.banks);
  for (uint32_t i = 0; i < free_count_; ++i) free_slots_[i] = static_cast<uint16_t>(free_count_ - 1 - i);
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
  uint64_t row_and_bank = offset >> row_shift_;
  auto bank_index = static_cast<uint16_t>(row_and_bank & bank_mask_);
  Slot& slot = slots_[name];
  Bank& bank = banks_[bank_index];
  slot.age = next_age_++;
  slot.row = row_and_bank >> bank_shift_;
  slot.id = id;
  slot.bank = bank_index;
  slot.columns_left = static_cast<uint16_t>(std::max(1u, bytes >> access_shift_));
  slot.write = write;
  slot.younger = slot.younger_in_bank = kNone;

  slot.older = youngest_;
  (youngest_ == kNone ? oldest_ : slots_[youngest_].younger) = name;
  youngest_ = name;

  slot.older_in_bank = bank.youngest;
  (bank.youngest == kNone ? bank.oldest : slots_[bank.youngest].younger_in_bank) = name;
  bank.youngest = name;
  waiting_banks_ |= uint64_t{1} << bank_index;
  earliest_ = std::max(earliest_, now);

  bool new_hit = bank.hit == kNone && bank.open_row == slot.row;
  if (!new_hit && bank.oldest != name) return;  // the bank proposes what it proposed before
  bool replaces_choice = choice_.slot != kNone && slots_[choice_.slot].bank == bank_index;
  if (new_hit) bank.hit = name;
  propose(bank);
  if (oldest_ == name || (new_hit && replaces_choice)) return choose();
  if (oldest_only()) return;
  Choice mine = timed(bank.proposal);
  if (mine.better_than(choice_)) choice_ = mine;
}

/// The command that brings the request forward.
inline Dram::Proposal Dram::command_for(uint16_t name) const {
  const Slot& slot = slots_[name];
  const Bank& bank = banks_[slot.bank];
  DramCommand command = DramCommand::Activate;
  if (bank.open_row == slot.row) command = slot.write ? DramCommand::Write : DramCommand::Read;
  else if (bank.open_row != kNoRow) command = DramCommand::Precharge;
  return {bank.ready[index(command)], slot.age, name, command, command < DramCommand::Read};
}

/// The first cycle that everything else allows, too.
inline Dram::Choice Dram::timed(const Proposal& proposal) const {
  uint64_t time = std::max({proposal.ready, any_ready_[index(proposal.command)], earliest_, bus_free_});
  return {time, time * 2 + proposal.is_row_command, proposal.age, proposal.slot, proposal.command};
}

inline void Dram::propose(Bank& bank) {
  uint16_t slot = bank.hit != kNone ? bank.hit : bank.oldest;
  if (slot != kNone) bank.proposal = command_for(slot);
}

/// Ready first, among those column accesses first, then the oldest. A refresh that is due goes before all.
void Dram::choose() {
  if (empty()) {
    choice_ = Choice{};
    return;
  }
  if (oldest_only()) {
    choice_ = timed(command_for(oldest_));
  } else {
    // First cycle of each command, as far as all banks together decide.
    std::array<uint64_t, 4> common;
    for (DramCommand command : {DramCommand::Activate, DramCommand::Precharge, DramCommand::Read, DramCommand::Write})
      common[index(command)] = std::max({any_ready_[index(command)], earliest_, bus_free_});
    const Proposal* best = nullptr;
    uint64_t best_rank = kNever, best_age = kNever;
    for (uint64_t rest = waiting_banks_; rest != 0; rest &= rest - 1) {
      const Proposal& proposal = banks_[static_cast<size_t>(std::countr_zero(rest))].proposal;
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
    Slot& slot = slots_[name];
    Bank& bank = banks_[slot.bank];
    apply(command, bank, time);
    bus_free_ = time + 1;
    if (command == DramCommand::Activate) {
      bank.open_row = slot.row;
      bank.hit = name;  // only the bank's oldest request opens rows
      bank.fresh = true;
    } else if (command == DramCommand::Precharge) {
      bank.open_row = kNoRow;
      bank.hit = kNone;
    } else {
      served = access_column(name, bank, time);
    }
    propose(bank);
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

inline DramServed Dram::access_column(uint16_t name, Bank& bank, uint64_t time) {
  Slot& slot = slots_[name];
  ++(bank.fresh ? statistics_.row_misses : statistics_.row_hits);
  bank.fresh = false;
  (slot.write ? statistics_.write_bytes : statistics_.read_bytes) += access_bytes_;
  if (name != oldest_) ++bypassed_;
  if (--slot.columns_left != 0) return {};

  if (name == oldest_) bypassed_ = 0;
  bank.hit = slot.younger_in_bank;
  while (bank.hit != kNone && slots_[bank.hit].row != bank.open_row) bank.hit = slots_[bank.hit].younger_in_bank;
  unlink(name, slot, bank);
  return {slot.id, time + data_delay_[slot.write ? 1 : 0]};
}

inline void Dram::unlink(uint16_t name, Slot& slot, Bank& bank) {
  (slot.older == kNone ? oldest_ : slots_[slot.older].younger) = slot.younger;
  (slot.younger == kNone ? youngest_ : slots_[slot.younger].older) = slot.older;
  (slot.older_in_bank == kNone ? bank.oldest : slots_[slot.older_in_bank].younger_in_bank) = slot.younger_in_bank;
  (slot.younger_in_bank == kNone ? bank.youngest : slots_[slot.younger_in_bank].older_in_bank) = slot.older_in_bank;
  if (bank.oldest == kNone) waiting_banks_ &= ~(uint64_t{1} << slot.bank);
  free_slots_[free_count_++] = name;
}

void Dram::refresh() {
  uint64_t time = std::max(refresh_due_, bus_free_);
  bool open = false;
  for (uint32_t i = 0; i < bank_count_; ++i) {
    const Bank& bank = banks_[i];
    if (bank.open_row == kNoRow) continue;
    open = true;
    time = std::max(time, bank.ready[index(DramCommand::Precharge)]);
  }
  if (open) {
    for (uint32_t i = 0; i < bank_count_; ++i) {
      Bank& bank = banks_[i];
      if (bank.open_row == kNoRow) continue;
      apply(DramCommand::Precharge, bank, time);
      bank.open_row = kNoRow;
      bank.hit = kNone;
      propose(bank);
    }
    ++time;
  }
  time = std::max(time, any_ready_[index(DramCommand::Refresh)]);
  apply(DramCommand::Refresh, banks_[0], time);
  bus_free_ = time + 1;
  while (refresh_due_ <= time) refresh_due_ += refresh_interval_;
}

}  // namespace warptime::sim
