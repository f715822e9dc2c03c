#include "sim/mem/dram_timing.h"

#include <algorithm>

namespace warptime::sim {

std::vector<TimingRule> timing_rules(const DramConfig& d) {
  using enum DramCommand;
  using enum BankScope;
  uint32_t burst = burst_cycles(d);
  uint32_t column = std::max(d.tCCD, burst);  // the data bus moves one burst at a time
  uint32_t read_end = d.tCL + burst;
  uint32_t read_to_write = std::max(d.tRTW, read_end > d.tWL ? read_end - d.tWL : 1);
  uint32_t write_end = d.tWL + burst;
  return {
      {Activate, Read, Same, d.tRCD},
      {Activate, Write, Same, d.tRCD},
      {Activate, Precharge, Same, d.tRAS},
      {Activate, Activate, Same, d.tRC},
      {Activate, Activate, Any, d.tRRD},
      {Precharge, Activate, Same, d.tRP},
      {Precharge, Refresh, Any, d.tRP},
      {Read, Read, Any, column},
      {Read, Write, Any, read_to_write},
      {Read, Precharge, Same, d.tRTP},
      {Write, Write, Any, column},
      {Write, Read, Any, write_end + d.tWTR},
      {Write, Precharge, Same, write_end + d.tWR},
      {Refresh, Activate, Any, d.tRFC},
      {Refresh, Refresh, Any, d.tRFC},
  };
}

}  // namespace warptime::sim
