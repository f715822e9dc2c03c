// The bandwidth between DRAM and the SMs for the transactions of a launch: mem_peak_bandwidth of (4.23). What passes
// there passes the SM's memory port, the crossbar's ports in both directions, and DRAM; the one that needs longest for
// these transactions is the limit.
//
// Left out: rows of DRAM that have to be opened, waits between reads and writes, uneven use of the partitions.
#pragma once

#include <string_view>

#include "sim/model/machine.h"

namespace warptime::analysis {

/// Transfers of the whole launch. An atomic operation is both a read and a write.
struct Traffic {
  double read_bytes = 0, write_bytes = 0;
  double reads = 0, writes = 0;  // transactions
  double crossing = 1;           // share of the reads that leave the TPC: not found in a cache there
  double from_dram = 1;          // share of the reads that DRAM serves

  double bytes() const { return read_bytes + write_bytes; }
  double transactions() const { return reads + writes; }
};

struct PeakBandwidth {
  double gb_s = 0;
  std::string_view limit;  // what sets it
};

/// `active_sms`: SMs that have blocks; `bytes` of no traffic: the bandwidth of the DRAM's bus.
PeakBandwidth peak_bandwidth(const sim::MachineConfig& machine, const Traffic& traffic, double active_sms);

/// Shader cycles between two transactions of a warp: the longest that one holds the memory port or a port of the
/// crossbar. `bytes`: of a transaction.
double departure_delay(const sim::MachineConfig& machine, double bytes);

/// Shader cycles of a load with one transaction that nothing delays, from issue to result.
double unloaded_latency(const sim::MachineConfig& machine, double bytes);
/// The part of it up to the partition's cache and back.
double unloaded_cache_latency(const sim::MachineConfig& machine, double bytes);

}  // namespace warptime::analysis
