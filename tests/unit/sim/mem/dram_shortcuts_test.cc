// The scheduler against the plain rule that it abbreviates: of every bank the oldest request to its open row, else its
// oldest; of these the command that is ready first, column accesses before row commands, then the oldest request.
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
      : config_(config), rules_(timing_rules(config)), banks_(config.banks), due_(config.tREFI) {}

  bool full() const { return waiting_.size() == config_.queue_entries; }
  bool empty() const { return waiting_.empty(); }
  void admit(uint32_t id, Addr offset, uint32_t bytes, bool write, uint64_t now) {
    uint64_t row = offset / config_.row_bytes;
    waiting_.push_back(
        {id, row % config_.banks, row / config_.banks, std::max(1u, bytes / access_bytes(config_)), write});
    not_before_ = std::max(not_before_, now);
  }
  uint64_t next_command() const { return refresh_goes_first() ? std::max(due_, bus_free_) : first().time; }
  /// The request that the last command was for.
  uint32_t commanded() const { return commanded_; }
  uint64_t column_accesses() const { return column_accesses_; }
  DramServed issue() {
    if (refresh_goes_first()) {
      commanded_ = kNone;
      refresh();
      return {};
    }
    Candidate chosen = first();
    Waiting& request = waiting_[chosen.request];
    commanded_ = request.id;
    Bank& bank = banks_[request.bank];
    delay_others(chosen.command, bank, chosen.time);
    bus_free_ = chosen.time + 1;
    if (chosen.command == DramCommand::Precharge) bank.row.reset();
    else if (chosen.command == DramCommand::Activate) bank.row = request.row;
    if (chosen.command < DramCommand::Read) return {};
    ++column_accesses_;
    if (chosen.request != 0) ++bypassed_;
    if (--request.columns != 0) return {};
    if (chosen.request == 0) bypassed_ = 0;
    DramServed served{request.id, chosen.time + data_delay(config_, request.write)};
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(chosen.request));
    return served;
  }

 private:
  struct Bank {
    std::optional<uint64_t> row;
    std::array<uint64_t, kDramCommands> ready{};
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
  static size_t index(DramCommand command) { return static_cast<size_t>(command); }

  bool hits(const Waiting& request) const { return banks_[request.bank].row == request.row; }
  Candidate candidate(size_t index_of_request) const {
    const Waiting& request = waiting_[index_of_request];
    const Bank& bank = banks_[request.bank];
    DramCommand command = bank.row ? DramCommand::Precharge : DramCommand::Activate;
    if (hits(request)) command = request.write ? DramCommand::Write : DramCommand::Read;
    uint64_t time = std::max({bank.ready[index(command)], any_ready_[index(command)], bus_free_, not_before_});
    return {time, index_of_request, command};
  }
  Candidate first() const {
    if (waiting_.empty()) return {};
    if (config_.scheduler == DramPolicy::fcfs || bypassed_ >= config_.bypass_limit) return candidate(0);
    Candidate best;
    for (size_t bank = 0; bank < banks_.size(); ++bank) {
      auto of_bank = [&](const Waiting& request) { return request.bank == bank; };
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
  void delay_others(DramCommand command, Bank& bank, uint64_t time) {
    for (const TimingRule& rule : rules_) {
      if (rule.previous != command) continue;
      uint64_t& ready = (rule.scope == BankScope::Same ? bank.ready : any_ready_)[index(rule.next)];
      ready = std::max(ready, time + rule.delay);
    }
  }
  void refresh() {
    uint64_t time = std::max(due_, bus_free_);
    bool open = false;
    for (const Bank& bank : banks_) {
      if (!bank.row) continue;
      open = true;
      time = std::max(time, bank.ready[index(DramCommand::Precharge)]);
    }
    for (Bank& bank : banks_) {
      if (!bank.row) continue;
      delay_others(DramCommand::Precharge, bank, time);
      bank.row.reset();
    }
    time = std::max(time + (open ? 1 : 0), any_ready_[index(DramCommand::Refresh)]);
    delay_others(DramCommand::Refresh, banks_[0], time);
    bus_free_ = time + 1;
    while (due_ <= time) due_ += config_.tREFI;
  }

  DramConfig config_;
  std::vector<TimingRule> rules_;
  std::vector<Bank> banks_;
  std::array<uint64_t, kDramCommands> any_ready_{};
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
/// What is planned has no command of its own here, but its time has to be that of the plain rule. How many are planned.
uint32_t compare(const DramConfig& config, const Mix& mix) {
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
      if (random.below(4) == 0) offset = random.below(mix.rows_a_bank * config.banks) * config.row_bytes;
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
  return plans;
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
    plans += compare(config, {seed, seed > 8 ? 7u + 20 * (seed % 8) : 7u, seed > 16 ? 1u : 3u, seed > 32 ? 2u : 4u});
  }
  CHECK(plans > 10'000);
  config.scheduler = DramPolicy::fcfs;
  CHECK(compare(config, {65}) == 0);
}
