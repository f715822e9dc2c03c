// The DRAM behind one partition: banks with one open row each, and the scheduler that chooses the next command among
// the requests it holds. Time is in memory cycles; one command a cycle. Rows stay open until another row of the bank is
// wanted or a refresh closes them all.
//
// Assumed, as no document says: within a partition an offset is row | bank | column, lowest bits the column; refresh is
// one precharge of all banks and one refresh command, during which nothing else is issued; the first is due at tREFI.
//
// Refresh is worked out when something else needs the time, so a DRAM without requests costs nothing.
#pragma once

#include <array>
#include <cstdint>

#include "base/clock.h"
#include "sim/mem/dram_timing.h"
#include "sim/model/statistics.h"

namespace warptime::sim {

/// A request that has had its last column access.
struct DramServed {
  static constexpr uint32_t kNobody = ~uint32_t{0};
  uint32_t id = kNobody;
  uint64_t data_end = 0;  // memory cycle after its last data
};

class Dram {
 public:
  explicit Dram(const DramConfig& config);

  bool full() const { return free_count_ == 0; }
  bool empty() const { return oldest_ == kNone; }
  /// Takes a request at memory cycle `now` (never earlier than the request before); not when full. It needs one column
  /// access for each access_bytes.
  void admit(uint32_t id, Addr offset, uint32_t bytes, bool write, uint64_t now);
  /// Memory cycle of the next command or refresh; kNever without requests.
  uint64_t next_command() const { return choice_.time; }
  /// Issues it.
  DramServed issue();

  const DramStats& statistics() const { return statistics_; }

 private:
  static constexpr uint16_t kNone = 0xffff;
  static constexpr uint32_t kMaxQueue = 256, kMaxBanks = 64;  // what DramConfig allows; asserted
  static constexpr uint64_t kNoRow = ~uint64_t{0};

  struct alignas(64) Slot {  // a request in the scheduler, linked by age in all and in its bank
    uint64_t age = 0;
    uint64_t row = 0;
    uint32_t id = 0;
    uint16_t bank = 0;
    uint16_t columns_left = 0;
    uint16_t older = kNone, younger = kNone;
    uint16_t older_in_bank = kNone, younger_in_bank = kNone;
    bool write = false;
  };
  struct Proposal {  // a bank's next command for the request it would serve, as far as the bank alone decides
    uint64_t ready = 0;
    uint64_t age = 0;
    uint16_t slot = kNone;
    DramCommand command = DramCommand::Activate;
    bool is_row_command = true;
  };
  struct alignas(128) Bank {
    Proposal proposal;  // of a bank that has requests
    uint64_t open_row = kNoRow;
    std::array<uint64_t, kDramCommands> ready{};  // first cycle that the bank allows the command
    uint16_t oldest = kNone, youngest = kNone;
    uint16_t hit = kNone;  // oldest request to the open row
    bool fresh = false;    // no column access yet since the row was opened
  };
  struct Choice {
    uint64_t time = kNever;
    uint64_t rank = kNever;  // time, then column accesses before row commands
    uint64_t age = kNever;
    uint16_t slot = kNone;
    DramCommand command = DramCommand::Refresh;
    bool better_than(const Choice& other) const { return rank != other.rank ? rank < other.rank : age < other.age; }
  };

  bool oldest_only() const { return fcfs_ || bypassed_ >= bypass_limit_; }
  Proposal command_for(uint16_t slot) const;
  Choice timed(const Proposal& proposal) const;
  void propose(Bank& bank);
  void choose();
  void apply(DramCommand command, Bank& bank, uint64_t time);
  void refresh();
  DramServed access_column(uint16_t slot, Bank& bank, uint64_t time);
  void unlink(uint16_t name, Slot& slot, Bank& bank);

  /// What a command asks of later ones: the rules of the table, those with a delay, by scope.
  struct Delay {
    uint8_t next = 0;
    uint32_t cycles = 0;
  };
  struct Delays {
    uint8_t same_count = 0, any_count = 0;
    std::array<Delay, kDramCommands> same, any;
  };

  uint32_t access_shift_, row_shift_, bank_shift_, bank_mask_, access_bytes_;
  std::array<uint32_t, 2> data_delay_;  // of a read, of a write
  bool fcfs_;
  uint32_t bypass_limit_, refresh_interval_;
  uint32_t bank_count_;
  std::array<Delays, kDramCommands> delays_;         // by command
  uint64_t waiting_banks_ = 0;                       // bit a bank: it has requests
  std::array<uint64_t, kDramCommands> any_ready_{};  // first cycle that all banks together allow the command
  uint16_t oldest_ = kNone, youngest_ = kNone;
  uint32_t bypassed_ = 0;  // column accesses since `oldest_` became the oldest that were not its own
  uint64_t next_age_ = 1;  // 0 is a refresh
  uint64_t bus_free_ = 0;  // first cycle without a command
  uint64_t earliest_ = 0;  // no command of a request may be before this
  uint64_t refresh_due_ = kNever;
  Choice choice_;
  DramStats statistics_;
  // Arrays of the largest legal size within the object: at addresses that are known without a load.
  uint32_t free_count_;
  std::array<uint16_t, kMaxQueue> free_slots_;
  std::array<Bank, kMaxBanks> banks_{};
  std::array<Slot, kMaxQueue> slots_{};
};

}  // namespace warptime::sim
