#include "sim/mem/dram.h"

#include <algorithm>
#include <bit>
#include <numeric>

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
      rules_(timing_rules(config)),
      banks_(config.banks),
      slots_(config.queue_entries),
      free_slots_(config.queue_entries) {
  std::iota(free_slots_.rbegin(), free_slots_.rend(), uint16_t{0});
  std::stable_sort(rules_.begin(), rules_.end(),
                   [](const TimingRule& a, const TimingRule& b) { return a.previous < b.previous; });
  for (const TimingRule& rule : rules_) ++rules_from_[index(rule.previous) + 1];
  std::partial_sum(rules_from_.begin(), rules_from_.end(), rules_from_.begin());
  if (config.tREFI != 0) refresh_due_ = config.tREFI;
}

void Dram::admit(uint32_t id, Addr offset, uint32_t bytes, bool write, uint64_t now) {
  SIM_DEBUG_ASSERT(!full(), "a request is admitted to a full scheduler");
  uint16_t name = free_slots_.back();
  free_slots_.pop_back();
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
Dram::Proposal Dram::command_for(uint16_t name) const {
  const Slot& slot = slots_[name];
  const Bank& bank = banks_[slot.bank];
  DramCommand command = DramCommand::Activate;
  if (bank.open_row == slot.row) command = slot.write ? DramCommand::Write : DramCommand::Read;
  else if (bank.open_row != kNoRow) command = DramCommand::Precharge;
  return {bank.ready[index(command)], slot.age, name, command};
}

/// The first cycle that everything else allows, too.
inline Dram::Choice Dram::timed(const Proposal& proposal) const {
  uint64_t time = std::max({proposal.ready, any_ready_[index(proposal.command)], earliest_, bus_free_});
  bool column = proposal.command == DramCommand::Read || proposal.command == DramCommand::Write;
  return {time, time * 2 + (column ? 0 : 1), proposal.age, proposal.slot, proposal.command};
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
    const Proposal* best = nullptr;
    uint64_t best_rank = kNever, best_age = kNever, common = std::max(earliest_, bus_free_);
    for (uint64_t rest = waiting_banks_; rest != 0; rest &= rest - 1) {
      const Proposal& proposal = banks_[static_cast<size_t>(std::countr_zero(rest))].proposal;
      uint64_t row_command = proposal.command < DramCommand::Read ? 1 : 0;
      uint64_t rank = std::max({proposal.ready, any_ready_[index(proposal.command)], common}) * 2 + row_command;
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
  const Choice now = choice_;
  DramServed served;
  if (now.command == DramCommand::Refresh) [[unlikely]] {
    refresh();
  } else {
    Slot& slot = slots_[now.slot];
    Bank& bank = banks_[slot.bank];
    apply(now.command, bank, now.time);
    bus_free_ = now.time + 1;
    if (now.command == DramCommand::Activate) {
      bank.open_row = slot.row;
      bank.hit = now.slot;  // only the bank's oldest request opens rows
      bank.fresh = true;
    } else if (now.command == DramCommand::Precharge) {
      bank.open_row = kNoRow;
      bank.hit = kNone;
    } else {
      served = access_column(now.slot, bank, now.time);
    }
    propose(bank);
  }
  choose();
  return served;
}

inline void Dram::apply(DramCommand command, Bank& bank, uint64_t time) {
  for (size_t i = rules_from_[index(command)]; i < rules_from_[index(command) + 1]; ++i) {
    const TimingRule& rule = rules_[i];
    uint64_t& ready = (rule.scope == BankScope::Same ? bank.ready : any_ready_)[index(rule.next)];
    ready = std::max(ready, time + rule.delay);
  }
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
  free_slots_.push_back(name);
}

void Dram::refresh() {
  uint64_t time = std::max(refresh_due_, bus_free_);
  bool open = false;
  for (const Bank& bank : banks_) {
    if (bank.open_row == kNoRow) continue;
    open = true;
    time = std::max(time, bank.ready[index(DramCommand::Precharge)]);
  }
  if (open) {
    for (Bank& bank : banks_) {
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
