// The distances that a DRAM device requires between two commands, as a table: after `previous`, `next` waits `delay`
// memory cycles, in the same bank, bank group or pseudo channel, or in any bank. The scheduler knows no other timing.
// Names are those of data sheets; tWTR (last write data to read) is tCDLR in data sheets of GDDR3. Where a device has
// bank groups, the names without a suffix are those of commands to different groups (tCCDS and tCCDL in JESD212;
// tCCD_S, tCCD_L).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/model/machine.h"

namespace warptime::sim {

enum class DramCommand : uint8_t { Activate, Precharge, Read, Write, Refresh };
inline constexpr size_t kDramCommands = 5;

enum class BankScope : uint8_t { Same, Group, Channel, Any };

/// Activates in any window of tFAW.
inline constexpr size_t kActivatesInWindow = 4;

struct TimingRule {
  DramCommand previous, next;
  BankScope scope;
  uint32_t delay;
  size_t last = 1;  // 2: the delay is from the last but one of the previous commands, and so on
};

/// Memory cycles that one column access holds the data bus: two transfers a cycle.
inline uint32_t burst_cycles(const DramConfig& dram) { return dram.burst_length < 2 ? 1 : dram.burst_length / 2; }
/// Bytes of one column access.
inline uint32_t access_bytes(const DramConfig& dram) { return dram.bus_bytes * dram.burst_length; }
/// From a column command to the end of its last data.
inline uint32_t data_delay(const DramConfig& dram, bool write) {
  return (write ? dram.tWL : dram.tCL) + burst_cycles(dram);
}

/// The banks that a command to bank 0 delays by a rule of this scope are those whose number has none of these bits;
/// those of another bank agree with it in them. So neighbouring banks are in different pseudo channels, and neighbours
/// within one in different groups.
inline uint32_t scope_bits(const DramConfig& dram, BankScope scope) {
  switch (scope) {
    case BankScope::Same: return dram.banks - 1;
    case BankScope::Group: return dram.pseudo_channels * dram.bank_groups - 1;
    case BankScope::Channel: return dram.pseudo_channels - 1;
    case BankScope::Any: return 0;
  }
  return 0;
}

/// Between the times at which refreshes are due: one of all banks, or of one bank in turn.
inline uint32_t refresh_interval(const DramConfig& dram) {
  return dram.refresh == RefreshScope::per_bank ? dram.tREFI / dram.banks : dram.tREFI;
}

/// Without the rules that the device does not have, or that another one implies.
std::vector<TimingRule> timing_rules(const DramConfig& dram);

}  // namespace warptime::sim
