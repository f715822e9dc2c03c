// The distances that a DRAM device requires between two commands, as a table: after `previous`, `next` waits `delay`
// memory cycles, in the same bank or in any bank. The scheduler knows no other timing. Names are those of data sheets;
// tWTR (last write data to read) is tCDLR in data sheets of GDDR3.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/model/machine.h"

namespace warptime::sim {

enum class DramCommand : uint8_t { Activate, Precharge, Read, Write, Refresh };
inline constexpr size_t kDramCommands = 5;

enum class BankScope : uint8_t { Same, Any };

struct TimingRule {
  DramCommand previous, next;
  BankScope scope;
  uint32_t delay;
};

/// Memory cycles that one column access holds the data bus: two transfers a cycle.
inline uint32_t burst_cycles(const DramConfig& dram) { return dram.burst_length < 2 ? 1 : dram.burst_length / 2; }
/// Bytes of one column access.
inline uint32_t access_bytes(const DramConfig& dram) { return dram.bus_bytes * dram.burst_length; }
/// From a column command to the end of its last data.
inline uint32_t data_delay(const DramConfig& dram, bool write) {
  return (write ? dram.tWL : dram.tCL) + burst_cycles(dram);
}

std::vector<TimingRule> timing_rules(const DramConfig& dram);

}  // namespace warptime::sim
