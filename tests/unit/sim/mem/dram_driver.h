// Drives one Dram with a list of accesses, and keeps the cycle of every command.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "sim/mem/dram.h"
#include "unit/sim/mem/memory_driver.h"

namespace warptime::sim {

constexpr Addr kBank = 4096;  // the next bank of even_machine()

struct Access {
  uint64_t at;
  Addr offset;
  uint32_t bytes;
  bool write;
};

struct Trace {
  std::vector<uint64_t> commands;         // cycle of every command and refresh
  std::vector<uint32_t> order;            // of service
  std::map<uint32_t, uint64_t> data_end;  // by access
  DramStats statistics;
};

inline Trace run(const DramConfig& config, const std::vector<Access>& accesses) {
  Dram dram(config);
  Trace trace;
  std::array<uint32_t, Dram::kMaxQueue> ids{};  // by slot
  size_t next = 0;
  while (next < accesses.size() || !dram.empty()) {
    if (next < accesses.size() && accesses[next].at <= dram.next_command()) {
      const Access& access = accesses[next];
      ids[dram.admit(access.offset, access.bytes, access.write, access.at)] = static_cast<uint32_t>(next);
      ++next;
      continue;
    }
    trace.commands.push_back(dram.next_command());
    DramServed served = dram.issue();
    if (served.slot == DramServed::kNone) continue;
    const uint32_t id = ids[served.slot];
    trace.order.push_back(id);
    trace.data_end[id] = served.data_end;
  }
  trace.statistics = dram.statistics(kNever);
  return trace;
}

using Cycles = std::vector<uint64_t>;
using Order = std::vector<uint32_t>;

}  // namespace warptime::sim
