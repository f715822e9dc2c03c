#include "sim/mem/dram_timing.h"

#include <algorithm>

namespace warptime::sim {

namespace {

using enum DramCommand;
using enum BankScope;
using TimingRules = std::vector<TimingRule>;

/// One bank is refreshed while the others go on, or all at once.
void add_refresh_rules(const DramConfig& d, TimingRules& rules) {
  const bool per_bank = d.refresh == RefreshScope::per_bank;
  const BankScope scope = per_bank ? Same : Any;
  const uint32_t duration = per_bank && d.tRFCpb != 0 ? d.tRFCpb : d.tRFC;
  rules.push_back({Precharge, Refresh, scope, d.tRP});
  rules.push_back({Refresh, Activate, scope, duration});
  rules.push_back({Refresh, Refresh, scope, duration});
}

/// What is longer within a group than between groups.
void add_group_rules(const DramConfig& d, uint32_t column, uint32_t write_end, TimingRules& rules) {
  if (d.bank_groups == 1) return;
  if (d.tRRD_L > d.tRRD) rules.push_back({Activate, Activate, Group, d.tRRD_L});
  if (d.tCCD_L > column) {
    rules.push_back({Read, Read, Group, d.tCCD_L});
    rules.push_back({Write, Write, Group, d.tCCD_L});
  }
  if (d.tWTR_L > d.tWTR) rules.push_back({Write, Read, Group, write_end + d.tWTR_L});
}

}  // namespace

std::vector<TimingRule> timing_rules(const DramConfig& d) {
  uint32_t burst = burst_cycles(d);
  uint32_t column = std::max(d.tCCD, burst);  // the data bus moves one burst at a time
  uint32_t read_end = d.tCL + burst;
  uint32_t read_to_write = std::max(d.tRTW, read_end > d.tWL ? read_end - d.tWL : 1);
  uint32_t write_end = d.tWL + burst;
  const BankScope others = d.pseudo_channels == 1 ? Any : Channel;
  TimingRules rules{
      {Activate, Read, Same, d.tRCD},
      {Activate, Write, Same, d.tRCD},
      {Activate, Precharge, Same, d.tRAS},
      {Activate, Activate, Same, d.tRC},
      {Activate, Activate, others, d.tRRD},
      {Precharge, Activate, Same, d.tRP},
      {Read, Read, others, column},
      {Read, Write, others, read_to_write},
      {Read, Precharge, Same, d.tRTP},
      {Write, Write, others, column},
      {Write, Read, others, write_end + d.tWTR},
      {Write, Precharge, Same, write_end + d.tWR},
  };
  add_refresh_rules(d, rules);
  add_group_rules(d, column, write_end, rules);
  if (d.tFAW > d.tRRD) rules.push_back({Activate, Activate, others, d.tFAW, kActivatesInWindow});
  return rules;
}

}  // namespace warptime::sim
