// The DRAM of one partition: banks with one open row each, and the scheduler that chooses the next command among the
// requests in its queue. Time is in memory cycles; one command per cycle and command bus. Rows stay open until a
// request needs another row of the bank or a refresh closes it. Reads of open rows have a fast path: plan, plan_columns
// and plan_oldest are in open_row_plans.cc, where column accesses are counted, too. What only devices of later machines
// have is in dram_later.cc: bank groups, the window of activates, refreshes of one bank, writes drained in batches.
//
// Assumed, because it is not documented: where a byte lies (sim/model/dram_map.h); refresh is one precharge of all
// banks and one refresh command, during which no other command issues; the first is due at tREFI. A bank that is
// refreshed alone takes no request from the time at which that is due; its precharge and its refresh take no cycles of
// the other commands; column accesses meanwhile do not count as passing the requests that wait for it, so that the
// others go on.
//
// Refreshes are computed only when another command needs the time, so a DRAM without requests costs nothing.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.h"
#include "sim/mem/dram_timing.h"
#include "sim/mem/open_row_plans.h"
#include "sim/model/dram_map.h"
#include "sim/model/statistics.h"

namespace warptime::sim {

/// A request whose last column access has issued.
struct DramServed {
  static constexpr uint32_t kNone = ~uint32_t{0};
  uint32_t slot = kNone;  // returned by admit; free again
  uint64_t data_end = 0;  // end of its data, in memory cycles
};

class Dram {
 public:
  static constexpr uint32_t kMaxQueue = OpenRowPlans::kMostRequests, kMaxBanks = 64,
                            kMaxPseudoChannels = 8;  // asserted

  /// `may_plan` enables the fast path; results do not depend on it (open_row_plans.h).
  explicit Dram(const DramConfig& config, bool may_plan = true);

  /// Only admitted requests count, as for empty().
  bool full() const { return free_count_ == 0; }
  bool empty() const { return (column_banks_ | row_banks_) == 0; }
  /// First memory cycle at which the queue has a free entry; kNever: not before a request in the queue is served.
  uint64_t room() const { return full() ? kNever : plans_.end_of(free_count_); }
  /// Plans a read that arrives at memory cycle `now` (not earlier than the previous request), if possible. Returns the
  /// memory cycle at which its data end; kNever: it must be admitted instead, when an entry is free. A request needs
  /// one column access for each access_bytes.
  uint64_t plan(Addr offset, uint32_t bytes, uint64_t now);
  /// Admits a request at memory cycle `now` (not earlier than the previous request, nor than room()). Its slot is less
  /// than kMaxQueue. `predictable`: if it is a read, its caller may know its time in advance.
  uint32_t admit(Addr offset, uint32_t bytes, bool write, uint64_t now, bool predictable = true);
  /// Whether all requests in the queue can be planned, unless a refresh comes first.
  bool can_plan() const {
    return may_plan_ && unready_rows_ == 0 && unpredictable_ == 0 && free_rows_ == queue_entries_ && !empty();
  }
  /// Plans the oldest request; kNone: a refresh comes first.
  DramServed plan_oldest();
  /// Memory cycle of the next command or refresh; kNever without requests.
  uint64_t next_command() const { return choice_.time; }
  /// Issues it.
  DramServed issue();

  /// Memory cycles from a column access of a read to the end of its data.
  uint32_t read_delay() const { return data_delay_[0]; }
  const DramMap& map() const { return map_; }
  /// By bank; nullopt: none is open.
  std::vector<std::optional<uint64_t>> open_rows() const;
  /// Those that are open after a launch that ends at memory cycle `end`: none, if a refresh is due by then.
  std::vector<std::optional<uint64_t>> rows_left(uint64_t end) const;
  /// Before the first request: these rows are open, by bank; empty: none.
  void find_open(std::span<const std::optional<uint64_t>> rows) {
    for (size_t bank = 0; bank < rows.size(); ++bank) banks_[bank].open.row = rows[bank].value_or(kNoRow);
  }

  /// Those of a request, if its row is open.
  DramStats row_hits_of(uint32_t bytes, bool write) const {
    const uint64_t columns = (bytes + access_bytes_ - 1) >> access_shift_, moved = columns * access_bytes_;
    return {write ? 0 : moved, write ? moved : 0, columns, 0};
  }
  /// Called for each request whose column access had to open the row.
  struct RowMisses {
    void (*missed)(void* of, uint32_t slot) = nullptr;
    void* of = nullptr;
  };
  void report(RowMisses misses) { row_misses_to_ = misses; }

  /// The statistics of the column accesses before memory cycle `end`, which is not before that of the last command.
  DramStats statistics(uint64_t end) const;

 private:
  static constexpr size_t index(DramCommand command) { return static_cast<size_t>(command); }
  static constexpr uint16_t kNone = 0xffff;
  static constexpr uint64_t kNoRow = ~uint64_t{0};
  static constexpr uint16_t kEnds = kMaxQueue;  // sentinel of the ring of all requests by age

  struct alignas(32) Slot {  // a request in the scheduler
    uint64_t age = 0;
    uint16_t bank = 0;
    uint16_t columns_left = 0;
    uint16_t next_in_row = kNone;             // the next younger request for its row
    uint16_t older = kEnds, younger = kEnds;  // among all requests
    bool write = false, predictable = false;
    uint64_t row = 0;  // kept only where writes are drained

    template <class Archive>
    void serialize(Archive& archive) {
      archive(age);
      archive.index(bank, kMaxBanks);
      archive(columns_left);
      archive.index(next_in_row, kMaxQueue, kNone);
      archive.index(older, kMaxQueue + 1);
      archive.index(younger, kMaxQueue + 1);
      archive(write, predictable, row);
    }
  };
  /// The requests for one row of a bank, oldest first.
  struct Row {
    uint64_t row = kNoRow;
    uint16_t oldest = kNone, youngest = kNone;
    uint16_t next = kNone;  // next closed row of the bank, ordered by first request

    bool empty() const { return oldest == kNone; }

    template <class Archive>
    void serialize(Archive& archive) {
      archive(row);
      archive.index(oldest, kMaxQueue, kNone);
      archive.index(youngest, kMaxQueue, kNone);
      archive.index(next, kMaxQueue, kNone);
    }
  };
  struct alignas(32) Proposal {  // a bank's next command for the request it would serve, as far as the bank decides
    uint64_t ready = 0;
    uint64_t age = 0;
    uint16_t slot = kNone;
    DramCommand command = DramCommand::Activate;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(ready, age);
      archive.index(slot, kMaxQueue, kNone);
      archive(command);
    }
  };
  struct alignas(128) Bank {
    Row open;                                      // row kNoRow: no row is open
    uint16_t first_row = kNone, last_row = kNone;  // closed rows with requests, by their oldest one
    bool fresh = false;                            // no column access yet since the row was opened
    uint64_t refreshed_until = 0;                  // alone
    std::array<uint64_t, kDramCommands> ready{};   // first cycle that the bank allows the command

    template <class Archive>
    void serialize(Archive& archive) {
      archive(open);
      archive.index(first_row, kMaxQueue, kNone);
      archive.index(last_row, kMaxQueue, kNone);
      archive(fresh, refreshed_until, ready);
    }
  };
  struct Choice {
    uint64_t time = kNever;
    uint64_t rank = kNever;  // time, then column accesses before row commands
    uint64_t age = kNever;
    uint16_t slot = kNone, bank = kNone;
    DramCommand command = DramCommand::Refresh;
    bool better_than(const Choice& other) const { return rank != other.rank ? rank < other.rank : age < other.age; }

    template <class Archive>
    void serialize(Archive& archive) {
      archive(time, rank, age);
      archive.index(slot, kMaxQueue, kNone);
      archive.index(bank, kMaxBanks, kNone);
      archive(command);
    }
  };
  /// The delays of later commands after a command: the timing constraints of the table, by scope. Those of groups and
  /// pseudo channels are apart (dram_later.cc).
  struct Delay {
    uint8_t next = 0;
    uint32_t cycles = 0;
  };
  struct Delays {
    uint8_t same_count = 0, any_count = 0;
    std::array<Delay, kDramCommands> same, any;
  };
  /// The delays after a read or a write, which delay no other commands.
  struct ColumnDelays {
    uint32_t read = 0, write = 0;  // in any bank
    uint32_t precharge = 0;        // in the same one
  };

  bool oldest_only() const { return fcfs_ || (bypassed_ >= bypass_limit_ && !is_oldest_refreshed(bus_free_)); }
  /// Whether the bank of the oldest request is refreshed at the cycle, alone.
  bool is_oldest_refreshed(uint64_t cycle) const {
    return per_bank_ && banks_[slots_[oldest()].bank].refreshed_until > cycle;
  }
  /// The oldest request; the queue must not be empty.
  uint16_t oldest() const { return slots_[kEnds].younger; }
  void append(Row& row, uint16_t slot) {
    (row.empty() ? row.oldest : slots_[row.youngest].next_in_row) = slot;
    row.youngest = slot;
  }
  void wait_for_row(Bank& bank, uint64_t row, uint16_t slot);
  [[gnu::noinline]] void open_row(Bank& bank);
  [[gnu::noinline]] void close_row(Bank& bank);
  Proposal command_for(uint16_t slot, bool hit, const Bank& bank) const;
  uint64_t plan_columns(Bank& bank, uint32_t columns, uint64_t earliest);
  void propose_columns();
  uint64_t time_of(const Proposal& proposal) const;
  Choice timed(const Proposal& proposal) const;
  void propose(uint32_t bank);
  void choose();
  void choose_now();
  Choice first_ready();
  void apply(DramCommand command, Bank& bank, uint64_t time);
  [[gnu::noinline]] void refresh();
  [[gnu::noinline]] void refresh_bank();
  // Later machines (dram_later.cc).
  void set_later_rules(const DramConfig& config, std::span<const TimingRule> rules);
  [[gnu::noinline]] void after_command(DramCommand command, uint32_t bank, uint64_t time, bool served);
  uint64_t delay_sets(DramCommand command, uint32_t bank, uint64_t time);
  uint64_t limit_activates(uint32_t bank, uint64_t time);
  void free_other_bus(DramCommand command, uint64_t time);
  void delay_banks(uint64_t banks, DramCommand command, uint64_t until);
  uint64_t refresh_due(uint32_t bank) const;
  bool writes_go() const;
  bool has_hit_before_writes() const;
  void take_turns(uint64_t now);
  void turn();
  [[gnu::noinline]] void turn_after_plans();
  void enter(uint16_t number);
  [[gnu::noinline]] void propose_each(uint64_t banks);
  DramServed access_column(uint16_t slot, Bank& bank, uint64_t time);

  DramMap map_;
  uint32_t access_shift_, access_bytes_;
  std::array<uint32_t, 2> data_delay_;  // of a read, of a write
  bool fcfs_;
  bool has_later_rules_ = false;
  uint32_t bypass_limit_, refresh_interval_;
  std::array<Delays, kDramCommands> delays_;   // by command
  std::array<ColumnDelays, 2> column_delays_;  // of a read, of a write
  uint64_t column_banks_ = 0, row_banks_ = 0;  // one bit per bank whose proposed command is of this kind
  uint64_t row_ready_ = kNever;                // no proposed row command is ready before this
  std::array<uint64_t, kDramCommands>
      any_ready_{};        // first cycle at which the constraints over all banks allow the command
  uint32_t bypassed_ = 0;  // column accesses of other requests since the oldest request became the oldest
  uint64_t next_age_ = 1;  // 0 is a refresh
  uint64_t bus_free_ = 0;  // first cycle without a command
  uint64_t earliest_ = 0;  // no command of a request may be before this; never before bus_free_
  uint64_t refresh_due_ = kNever;
  Choice choice_;
  bool may_plan_ = false;
  uint32_t queue_entries_;
  uint32_t unpredictable_ = 0;  // requests in the queue
  uint32_t unready_rows_ = 0;   // open rows without a column access yet
  OpenRowPlans plans_;
  std::array<uint64_t, 2> column_accesses_{};  // reads, writes
  uint64_t row_misses_ = 0;                    // the other column accesses are hits
  RowMisses row_misses_to_;
  // Later machines.
  using CommandDelays = std::array<std::array<uint32_t, kDramCommands>, kDramCommands>;  // previous, next; 0: none
  struct BankSet {       // the banks of a group or of a pseudo channel
    uint32_t bits = 0;   // of a bank's number, in which they agree
    uint64_t first = 0;  // those of bank 0, one bit each
    CommandDelays delays{};

    uint64_t of(uint32_t bank) const { return first << (bank & bits); }
  };
  std::array<BankSet, 2> bank_sets_;  // of a group, of a pseudo channel
  uint32_t activate_window_ = 0;
  struct Window {                                     // of a pseudo channel
    std::array<uint64_t, kActivatesInWindow> ends{};  // of the last activates
    uint32_t oldest = 0;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(ends);
      archive.index(oldest, kActivatesInWindow);
    }
  };
  std::array<Window, kMaxPseudoChannels> windows_{};
  bool has_bank_sets_ = false;  // a rule is of one of them
  bool per_bank_, two_buses_;
  uint32_t refreshed_next_ = 0;  // bank
  uint32_t write_high_, write_low_;
  uint32_t queued_writes_ = 0;
  bool writing_ = false;            // where write_high_ is not 0, banks know only requests of this kind
  bool turns_after_plans_ = false;  // to writes, at the end of the planned reads, unless a read arrives before
  uint64_t earliest_read_ = 0;      // earliest_ at such a turn
  // Arrays of the largest legal size within the object: at addresses that are known without a load.
  uint32_t bank_count_, free_count_, free_rows_;
  std::array<uint16_t, kMaxQueue> free_slots_, free_row_;
  std::array<Proposal, kMaxBanks> proposals_{};  // of banks that have requests
  std::array<Bank, kMaxBanks> banks_{};
  std::array<Slot, kMaxQueue + 1> slots_{};
  std::array<Row, kMaxQueue> rows_{};  // closed rows

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive(column_banks_, row_banks_, row_ready_, any_ready_, bypassed_, next_age_, bus_free_, earliest_, refresh_due_,
            choice_, unpredictable_, unready_rows_, plans_, column_accesses_, row_misses_, free_count_, free_rows_,
            proposals_, banks_, slots_, rows_, windows_, queued_writes_, writing_, turns_after_plans_, earliest_read_);
    archive.expect(free_count_ <= kMaxQueue && free_rows_ <= kMaxQueue && queued_writes_ <= kMaxQueue);
    archive.index(refreshed_next_, kMaxBanks);
    for (uint32_t i = 0; i < free_count_; ++i) archive.index(free_slots_[i], kMaxQueue);
    for (uint32_t i = 0; i < free_rows_; ++i) archive.index(free_row_[i], kMaxQueue);
  }
  /// Calls f(slot) for the requests in the queue, the oldest first.
  template <class F>
  void for_each_slot(const F& f) const {
    for (uint16_t slot = slots_[kEnds].younger; slot != kEnds; slot = slots_[slot].younger) f(slot);
  }
};

}  // namespace warptime::sim
