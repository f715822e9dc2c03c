// The scheduler against the plain rule that it abbreviates: of every bank the oldest request to its open row, else its
// oldest; of these the command that is ready first, column accesses before row commands, then the oldest request. Where
// writes are drained, of every bank's reads or writes only.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <vector>

#include "base/random.h"
#include "sim/mem/dram.h"
#include "unit/sim/mem/memory_driver.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

struct Waiting {  // oldest first
  uint32_t id;
  size_t bank;
  uint64_t row;
  uint32_t columns;
  bool write;
};

class PlainDram {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};

  explicit PlainDram(const DramConfig& config)
      : config_(config), rules_(timing_rules(config)), banks_(config.banks), due_(interval()) {}

  bool full() const { return waiting_.size() == config_.queue_entries; }
  bool empty() const { return waiting_.empty(); }
  void admit(uint32_t id, Addr offset, uint32_t bytes, bool write, uint64_t now) {
    const uint64_t row = offset / config_.row_bytes / config_.banks;
    uint64_t bank = offset / std::min(config_.row_bytes, config_.bank_bytes) % config_.banks;
    if (config_.bank_hash == BankHash::row) bank ^= row % config_.banks;
    waiting_.push_back({id, bank, row, std::max(1u, bytes / access_bytes(config_)), write});
    not_before_ = std::max(not_before_, now);
    choose_direction();
  }
  uint64_t next_command() const { return refresh_goes_first() ? std::max(due_, bus_free_) : first().time; }
  /// The request that the last command was for.
  uint32_t commanded() const { return commanded_; }
  uint64_t column_accesses() const { return column_accesses_; }
  DramServed issue() {
    if (refresh_goes_first()) {
      commanded_ = kNone;
      refresh();
      choose_direction();
      return {};
    }
    Candidate chosen = first();
    Waiting& request = waiting_[chosen.request];
    commanded_ = request.id;
    Bank& bank = banks_[request.bank];
    delay_others(chosen.command, request.bank, chosen.time);
    bus_free_ = chosen.time + (two_buses() ? 0 : 1);
    bus_of(chosen.command) = chosen.time + 1;
    if (chosen.command == DramCommand::Precharge) bank.row.reset();
    else if (chosen.command == DramCommand::Activate) bank.row = request.row;
    if (chosen.command == DramCommand::Activate) activates_[channel_of(request.bank)].push_back(chosen.time);
    if (chosen.command < DramCommand::Read) {
      choose_direction();
      return {};
    }
    ++column_accesses_;
    if (chosen.request != 0 && banks_[waiting_[0].bank].refreshed_until <= chosen.time) ++bypassed_;
    DramServed served;
    if (--request.columns == 0) {
      if (chosen.request == 0) bypassed_ = 0;
      served = {request.id, chosen.time + data_delay(config_, request.write)};
      waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(chosen.request));
    }
    choose_direction();
    return served;
  }
  /// The times at which the DRAM turned from reads to writes while it had both.
  uint32_t drains() const { return drains_; }

 private:
  struct Bank {
    std::optional<uint64_t> row;
    std::array<uint64_t, kDramCommands> ready{};
    uint64_t refreshed_until = 0;
  };
  struct Candidate {
    uint64_t time = kNever;
    size_t request = 0;
    DramCommand command = DramCommand::Refresh;
    bool before(const Candidate& other) const {
      if (time != other.time) return time < other.time;
      bool column = command >= DramCommand::Read, other_column = other.command >= DramCommand::Read;
      return column != other_column ? column : request < other.request;
    }
  };
  using Ready = std::array<uint64_t, kDramCommands>;
  static size_t index(DramCommand command) { return static_cast<size_t>(command); }

  bool refreshes_one_bank() const { return config_.refresh == RefreshScope::per_bank; }
  uint64_t interval() const { return refreshes_one_bank() ? config_.tREFI / config_.banks : config_.tREFI; }
  /// The first cycle that other activates allow to one.
  uint64_t activate_ready(size_t bank) const {
    const std::vector<uint64_t>& activates = activates_[channel_of(bank)];
    return config_.tFAW == 0 || activates.size() < 4 ? 0 : activates[activates.size() - 4] + config_.tFAW;
  }
  size_t channel_of(size_t bank) const { return bank % config_.pseudo_channels; }
  size_t group_of(size_t bank) const { return bank / config_.pseudo_channels % config_.bank_groups; }
  bool oldest_only() const {
    if (config_.scheduler == DramPolicy::fcfs) return true;
    return bypassed_ >= config_.bypass_limit && banks_[waiting_[0].bank].refreshed_until <= bus_free_;
  }
  bool may_go(const Waiting& request) const { return config_.write_high == 0 || request.write == writing_; }
  bool has_hit_before_writes() const {
    for (const Waiting& request : waiting_) {
      if (request.write) return false;
      if (hits(request)) return true;
    }
    return false;
  }
  void choose_direction() {
    if (config_.write_high == 0) return;
    auto writes = static_cast<size_t>(
        std::count_if(waiting_.begin(), waiting_.end(), [](const Waiting& request) { return request.write; }));
    const bool before = writing_;
    if (writes == 0) writing_ = false;
    else if (writes == waiting_.size()) writing_ = true;
    else if (oldest_only()) writing_ = waiting_[0].write;
    else if (!writing_) writing_ = writes >= config_.write_high && !has_hit_before_writes();
    else if (writes <= config_.write_low) writing_ = false;
    drains_ += writing_ && !before && writes != waiting_.size();
  }

  bool two_buses() const { return config_.command_buses == CommandBuses::row_and_column; }
  uint64_t& bus_of(DramCommand command) { return buses_[command >= DramCommand::Read ? 1 : 0]; }
  uint64_t bus_of(DramCommand command) const { return buses_[command >= DramCommand::Read ? 1 : 0]; }
  bool hits(const Waiting& request) const { return banks_[request.bank].row == request.row; }
  Candidate candidate(size_t index_of_request) const {
    const Waiting& request = waiting_[index_of_request];
    const Bank& bank = banks_[request.bank];
    DramCommand command = bank.row ? DramCommand::Precharge : DramCommand::Activate;
    if (hits(request)) command = request.write ? DramCommand::Write : DramCommand::Read;
    uint64_t time = std::max({bank.ready[index(command)],
                              group_ready_[channel_of(request.bank)][group_of(request.bank)][index(command)],
                              channel_ready_[channel_of(request.bank)][index(command)], any_ready_[index(command)],
                              bus_free_, bus_of(command), not_before_});
    if (command == DramCommand::Activate) time = std::max(time, activate_ready(request.bank));
    return {time, index_of_request, command};
  }
  Candidate first() const {
    if (waiting_.empty()) return {};
    if (oldest_only()) return candidate(0);
    Candidate best;
    for (size_t bank = 0; bank < banks_.size(); ++bank) {
      auto of_bank = [&](const Waiting& request) { return request.bank == bank && may_go(request); };
      auto chosen = std::find_if(waiting_.begin(), waiting_.end(),
                                 [&](const Waiting& request) { return of_bank(request) && hits(request); });
      if (chosen == waiting_.end()) chosen = std::find_if(waiting_.begin(), waiting_.end(), of_bank);
      if (chosen == waiting_.end()) continue;
      Candidate own = candidate(static_cast<size_t>(chosen - waiting_.begin()));
      if (own.before(best)) best = own;
    }
    return best;
  }
  bool refresh_goes_first() const { return config_.tREFI != 0 && !waiting_.empty() && due_ <= first().time; }
  Ready& ready_of(BankScope scope, size_t bank) {
    if (scope == BankScope::Any) return any_ready_;
    if (scope == BankScope::Channel) return channel_ready_[channel_of(bank)];
    return scope == BankScope::Same ? banks_[bank].ready : group_ready_[channel_of(bank)][group_of(bank)];
  }
  void delay_others(DramCommand command, size_t bank, uint64_t time) {
    for (const TimingRule& rule : rules_) {
      if (rule.previous != command || rule.last != 1) continue;
      uint64_t& ready = ready_of(rule.scope, bank)[index(rule.next)];
      ready = std::max(ready, time + rule.delay);
    }
  }
  void refresh_one_bank() {
    Bank& bank = banks_[refreshed_next_];
    uint64_t time = due_;
    if (bank.row) {
      time = std::max(time, bank.ready[index(DramCommand::Precharge)]);
      delay_others(DramCommand::Precharge, refreshed_next_, time);
      bank.row.reset();
    }
    time = std::max(time, bank.ready[index(DramCommand::Refresh)]);
    delay_others(DramCommand::Refresh, refreshed_next_, time);
    bank.refreshed_until = bank.ready[index(DramCommand::Activate)];
    refreshed_next_ = (refreshed_next_ + 1) % banks_.size();
    due_ += interval();
  }
  void refresh() {
    if (refreshes_one_bank()) return refresh_one_bank();
    uint64_t time = std::max({due_, bus_free_, buses_[0]});
    bool open = false;
    for (const Bank& bank : banks_) {
      if (!bank.row) continue;
      open = true;
      time = std::max(time, bank.ready[index(DramCommand::Precharge)]);
    }
    for (size_t bank = 0; bank < banks_.size(); ++bank) {
      if (!banks_[bank].row) continue;
      delay_others(DramCommand::Precharge, bank, time);
      banks_[bank].row.reset();
    }
    time = std::max(time + (open ? 1 : 0), any_ready_[index(DramCommand::Refresh)]);
    delay_others(DramCommand::Refresh, 0, time);
    bus_free_ = time + 1;
    while (due_ <= time) due_ += config_.tREFI;
  }

  DramConfig config_;
  std::vector<TimingRule> rules_;
  std::vector<Bank> banks_;
  Ready any_ready_{};
  std::array<std::array<Ready, 16>, 8> group_ready_{};  // by pseudo channel
  std::array<Ready, 8> channel_ready_{};
  std::array<std::vector<uint64_t>, 8> activates_;
  std::array<uint64_t, 2> buses_{};
  size_t refreshed_next_ = 0;
  bool writing_ = false;
  uint32_t drains_ = 0;
  std::vector<Waiting> waiting_;
  uint64_t due_, bus_free_ = 0, not_before_ = 0;
  uint32_t bypassed_ = 0, commanded_ = kNone;
  uint64_t column_accesses_ = 0;
};

struct Mix {
  uint64_t seed = 0;
  uint64_t reads_a_write = 7;  // on average, between two writes
  uint64_t rows_a_bank = 3;
  uint64_t one_wide = 4;  // of so many requests, one is of two column accesses
};

/// Requests in bursts to a few rows, some of them writes and some of two column accesses; both schedulers side by side.
/// What is planned has no command of its own here, but its time has to be that of the plain rule.
struct Compared {
  uint32_t plans = 0;   // requests that were planned
  uint32_t drains = 0;  // turns from reads to writes
};
Compared compare(const DramConfig& config, const Mix& mix) {
  SplitMix64 random(mix.seed);
  Dram dram(config);
  PlainDram plain(config);
  std::array<uint32_t, Dram::kMaxQueue> ids{};  // by slot
  std::map<uint32_t, uint64_t> planned;         // data_end, by id
  uint64_t now = 0;
  Addr offset = 0;
  uint32_t commands = 0, plans = 0;
  for (uint32_t id = 0; id < 1500;) {
    INFO("seed " << mix.seed << ", command " << commands);
    bool waits = !plain.empty() && (plain.full() || plain.next_command() < now);
    if (!waits) {
      REQUIRE(dram.room() <= now);
      if (random.below(8) == 0)
        REQUIRE(dram.statistics(now).read_bytes + dram.statistics(now).write_bytes ==
                plain.column_accesses() * access_bytes(config));
      if (random.below(4) == 0)
        offset = random.below(mix.rows_a_bank * config.banks) * config.row_bytes + random.below(4) * 256;
      uint32_t bytes = random.below(mix.one_wide) == 0 ? 64 : 32;
      bool write = random.below(mix.reads_a_write + 1) == 0;
      uint64_t data_end = write ? kNever : dram.plan(offset, bytes, now);
      if (data_end == kNever) ids[dram.admit(offset, bytes, write, now)] = id;
      else planned[id] = data_end;
      plain.admit(id, offset, bytes, write, now);
      ++id;
      now += random.below(16) == 0 ? random.below(200) : random.below(3);
      continue;
    }
    uint64_t time = plain.next_command();
    if (plain.full()) REQUIRE(dram.room() > time);
    DramServed expected = plain.issue();
    now = std::max(now, time + 1);
    ++commands;
    if (auto plan = planned.find(plain.commanded()); plan != planned.end()) {
      if (expected.slot == DramServed::kNone) continue;
      REQUIRE(expected.data_end == plan->second);
      ++plans;
      continue;
    }
    REQUIRE(dram.next_command() == time);
    DramServed served = dram.issue();
    REQUIRE((served.slot == DramServed::kNone ? served.slot : ids[served.slot]) == expected.slot);
    REQUIRE(served.data_end == expected.data_end);
    while (served.slot != DramServed::kNone && dram.can_plan()) {
      served = dram.plan_oldest();
      if (served.slot != DramServed::kNone) planned[ids[served.slot]] = served.data_end;
    }
  }
  CHECK(commands > 1500);
  return {plans, plain.drains()};
}

}  // namespace

TEST_CASE("the scheduler's choice is that of the plain rule", "[dram]") {
  DramConfig config = even_machine().dram;
  uint32_t plans = 0;
  for (uint64_t seed = 1; seed <= 64; ++seed) {
    config.banks = seed % 2 == 0 ? 8 : 4;
    config.bypass_limit = seed % 3 == 0 ? 3 : 64;
    config.tREFI = seed % 4 == 1 ? (seed > 32 ? 200 : 700) : 0;
    config.queue_entries = seed % 4 == 2 ? 8 : 32;
    config.tCCD = seed % 5 == 0 ? 1 : 2;
    plans +=
        compare(config, {seed, seed > 8 ? 7u + 20 * (seed % 8) : 7u, seed > 16 ? 1u : 3u, seed > 32 ? 2u : 4u}).plans;
  }
  CHECK(plans > 10'000);
  config.scheduler = DramPolicy::fcfs;
  CHECK(compare(config, {65}).plans == 0);
}

TEST_CASE("the choice with the rules of later machines is that of the plain rule", "[dram]") {
  uint32_t plans = 0, drains = 0;
  for (uint64_t seed = 1; seed <= 128; ++seed) {
    DramConfig config = even_machine().dram;
    config.banks = seed % 2 == 0 ? 16 : 8;
    config.bypass_limit = seed % 3 == 0 ? 5 : 64;
    config.tREFI = seed % 5 == 0 ? 0 : seed % 5 == 1 ? 300 : 1200;
    config.refresh = seed % 4 == 0 ? RefreshScope::all_banks : RefreshScope::per_bank;
    config.tRFCpb = seed % 7 == 0 ? 0 : 30;
    config.tRRD = seed % 3 == 1 ? 3 : 9;
    config.tFAW = seed % 3 != 2 ? 30 : 0;
    if (seed % 8 < 5) {
      config.bank_groups = 4;
      config.tCCD_L = seed % 2 == 0 ? 4 : 3;
      config.tWTR_L = seed % 4 == 1 ? 9 : 0;
    }
    if (seed % 8 < 6) config.tRRD_L = 11;
    if (seed % 8 == 5) config.bank_groups = 2;
    if (seed % 7 < 3) config.pseudo_channels = seed % 2 == 0 ? 4 : 2;
    if (seed % 4 == 2) config.command_buses = CommandBuses::row_and_column;
    if (seed % 5 < 2) config.bank_bytes = 256;
    if (seed % 5 < 3) config.bank_hash = BankHash::row;
    if (seed % 3 != 0) {
      config.write_high = seed % 16 < 8 ? 12 : 2;
      config.write_low = seed % 16 < 8 ? 4 : seed % 2;
    }
    const Compared compared = compare(config, {seed, seed % 6 * (seed > 64 ? 8 : 1), seed > 64 ? 1u : 3u, 2u});
    plans += compared.plans;
    drains += compared.drains;
  }
  CHECK(plans > 5'000);
  CHECK(drains > 1000);
}

TEST_CASE("fcfs keeps the order of reads and writes with the rules of later machines", "[dram]") {
  DramConfig config = even_machine().dram;
  config.scheduler = DramPolicy::fcfs;
  config.bank_groups = 4;
  config.tCCD_L = 4, config.tRRD_L = 11, config.tFAW = 40;
  config.refresh = RefreshScope::per_bank;
  config.tREFI = 1200, config.tRFCpb = 30;
  CHECK(compare(config, {129, 2}).plans == 0);
}
