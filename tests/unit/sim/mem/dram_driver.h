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

/// The commands and the order of the accesses after those at cycle 0, which open the rows of banks 0, 1 and 2.
inline Trace with_open_rows(const DramConfig& config, const std::vector<Access>& accesses) {
  std::vector<Access> all{{0, 0, 32, false}, {0, kBank, 32, false}, {0, 2 * kBank, 32, false}};
  all.insert(all.end(), accesses.begin(), accesses.end());
  Trace trace = run(config, all);
  trace.commands.erase(trace.commands.begin(), trace.commands.begin() + 6);
  trace.order.erase(trace.order.begin(), trace.order.begin() + 3);
  for (uint32_t& id : trace.order) id -= 3;
  return trace;
}

using Cycles = std::vector<uint64_t>;
using Order = std::vector<uint32_t>;

}  // namespace warptime::sim
