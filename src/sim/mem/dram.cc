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
    : config_(config),
      access_shift_(log2_of(access_bytes(config))),
      row_shift_(log2_of(config.row_bytes)),
      bank_shift_(log2_of(config.banks)),
      rules_(timing_rules(config)),
      banks_(config.banks),
      proposals_(config.banks),
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
  Slot& slot = slots_[name];
  slot.age = next_age_++;
  slot.row = row_and_bank >> bank_shift_;
  slot.id = id;
  slot.bank = static_cast<uint16_t>(row_and_bank & (config_.banks - 1));
  slot.columns_left = static_cast<uint16_t>(std::max(1u, bytes >> access_shift_));
  slot.write = write;
  slot.younger = slot.younger_in_bank = kNone;

  slot.older = youngest_;
  (youngest_ == kNone ? oldest_ : slots_[youngest_].younger) = name;
  youngest_ = name;

  Bank& bank = banks_[slot.bank];
  slot.older_in_bank = bank.youngest;
  (bank.youngest == kNone ? bank.oldest : slots_[bank.youngest].younger_in_bank) = name;
  bank.youngest = name;
  waiting_banks_ |= uint64_t{1} << slot.bank;
  earliest_ = std::max(earliest_, now);

  bool replaces_choice = choice_.slot != kNone && slots_[choice_.slot].bank == slot.bank;
  bool new_hit = bank.hit == kNone && bank.open_row == slot.row;
  if (new_hit) bank.hit = name;
  if (new_hit || bank.oldest == name) propose(slot.bank);
  if (oldest_ == name || (new_hit && replaces_choice)) {
    choose();
  } else if (!oldest_only() && (new_hit || bank.oldest == name)) {  // else the bank proposes what it proposed before
    Choice mine = timed(proposals_[slot.bank]);
    if (mine.better_than(choice_)) choice_ = mine;
  }
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
Dram::Choice Dram::timed(const Proposal& proposal) const {
  uint64_t time = std::max({proposal.ready, any_ready_[index(proposal.command)], earliest_, bus_free_});
  bool column = proposal.command == DramCommand::Read || proposal.command == DramCommand::Write;
  return {time, time * 2 + (column ? 0 : 1), proposal.age, proposal.slot, proposal.command};
}

void Dram::propose(uint32_t bank) {
  uint16_t slot = banks_[bank].hit != kNone ? banks_[bank].hit : banks_[bank].oldest;
  if (slot != kNone) proposals_[bank] = command_for(slot);
}

/// Ready first, among those column accesses first, then the oldest. A refresh that is due goes before all.
void Dram::choose() {
  choice_ = Choice{};
  if (empty()) return;
  if (oldest_only()) {
    choice_ = timed(command_for(oldest_));
  } else {
    for (uint64_t rest = waiting_banks_; rest != 0; rest &= rest - 1) {
      Choice candidate = timed(proposals_[static_cast<size_t>(std::countr_zero(rest))]);
      if (candidate.better_than(choice_)) choice_ = candidate;
    }
  }
  if (refresh_due_ <= choice_.time) {
    uint64_t time = std::max(refresh_due_, bus_free_);
    choice_ = {time, time * 2, 0, kNone, DramCommand::Refresh};
  }
}

DramServed Dram::issue() {
  Choice now = choice_;
  DramServed served;
  if (now.command == DramCommand::Refresh) {
    refresh();
  } else {
    const Slot& slot = slots_[now.slot];
    uint32_t bank_index = slot.bank;
    Bank& bank = banks_[bank_index];
    apply(now.command, bank_index, now.time);
    bus_free_ = now.time + 1;
    if (now.command == DramCommand::Activate) {
      bank.open_row = slot.row;
      bank.hit = now.slot;  // only the bank's oldest request opens rows
      bank.fresh = true;
    } else if (now.command == DramCommand::Precharge) {
      bank.open_row = kNoRow;
      bank.hit = kNone;
    } else {
      served = access_column(now.slot, now.time);
    }
    propose(bank_index);
  }
  choose();
  return served;
}

void Dram::apply(DramCommand command, uint32_t bank, uint64_t time) {
  for (size_t i = rules_from_[index(command)]; i < rules_from_[index(command) + 1]; ++i) {
    const TimingRule& rule = rules_[i];
    auto& ready = rule.scope == BankScope::Same ? banks_[bank].ready : any_ready_;
    ready[index(rule.next)] = std::max(ready[index(rule.next)], time + rule.delay);
  }
}

DramServed Dram::access_column(uint16_t name, uint64_t time) {
  Slot& slot = slots_[name];
  Bank& bank = banks_[slot.bank];
  ++(bank.fresh ? statistics_.row_misses : statistics_.row_hits);
  bank.fresh = false;
  (slot.write ? statistics_.write_bytes : statistics_.read_bytes) += access_bytes(config_);
  if (name != oldest_) ++bypassed_;
  if (--slot.columns_left != 0) return {};

  if (name == oldest_) bypassed_ = 0;
  bank.hit = slot.younger_in_bank;
  while (bank.hit != kNone && slots_[bank.hit].row != bank.open_row) bank.hit = slots_[bank.hit].younger_in_bank;
  DramServed served{slot.id, time + data_delay(config_, slot.write)};
  unlink(name);
  return served;
}

void Dram::unlink(uint16_t name) {
  const Slot& slot = slots_[name];
  (slot.older == kNone ? oldest_ : slots_[slot.older].younger) = slot.younger;
  (slot.younger == kNone ? youngest_ : slots_[slot.younger].older) = slot.older;
  Bank& bank = banks_[slot.bank];
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
    for (uint32_t i = 0; i < banks_.size(); ++i) {
      if (banks_[i].open_row == kNoRow) continue;
      apply(DramCommand::Precharge, i, time);
      banks_[i].open_row = kNoRow;
      banks_[i].hit = kNone;
      propose(i);
    }
    ++time;
  }
  time = std::max(time, any_ready_[index(DramCommand::Refresh)]);
  apply(DramCommand::Refresh, 0, time);
  bus_free_ = time + 1;
  while (refresh_due_ <= time) refresh_due_ += config_.tREFI;
}

}  // namespace warptime::sim
