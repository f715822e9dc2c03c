#include "sim/native/live_pressure.h"

#include <algorithm>

#include "ptx/native/later_registers.h"

namespace warptime::sim {

namespace {

constexpr uint32_t kStep = 8;          // registers are allocated in steps of 8 per thread
constexpr uint32_t kBesideSource = 8;  // fitted to the registers of ptxas 13.0 (docs/native-cost.md)

}  // namespace

KernelPressure::KernelPressure(const ptx::Kernel& kernel, uint32_t at_least)
    : kernel_(kernel),
      pressure_(ptx::later_pressure(kernel)),
      behind_blocks_(registers_live_behind(kernel, pressure_)) {
  const uint32_t needed = most_registers(kernel, pressure_) + kBesideSource;
  limit_ = std::max(at_least / kStep * kStep, (needed + kStep - 1) / kStep * kStep) - ptx::kBesidePressure;
}

std::vector<uint32_t> KernelPressure::live_behind(uint32_t block, uint32_t end) const {
  std::vector<uint32_t> live = behind_blocks_[block];
  for (uint32_t i = kernel_.blocks[block].end; i-- > end;) {
    pressure_.accesses.for_each(i, [&](uint32_t reg, bool written) {
      if (written && !pressure_.guarded[i]) std::erase(live, reg);
    });
    pressure_.accesses.for_each(i, [&](uint32_t reg, bool written) {
      if (!written && std::find(live.begin(), live.end(), reg) == live.end()) live.push_back(reg);
    });
  }
  return live;
}

LivePressure::LivePressure(const KernelPressure& kernel, uint32_t registers, uint32_t block, uint32_t begin,
                           uint32_t end)
    : kernel_(kernel), is_live_(registers, false), reads_left_(registers, 0) {
  for (uint32_t reg : kernel.live_behind(block, end)) reads_left_[reg] = 1;
  for (uint32_t i = begin; i < end; ++i)
    for_each_access(i, [&](uint32_t reg, bool written) { reads_left_[reg] += written ? 0 : 1; });
  for (uint32_t reg : kernel.live_behind(block, begin)) {
    is_live_[reg] = true;
    live_ += kernel.pressure().weights[reg];
  }
}

int32_t LivePressure::change(uint32_t i) const {
  int32_t change = 0;
  for_each_access(i, [&](uint32_t reg, bool written) {
    const auto weight = static_cast<int32_t>(kernel_.pressure().weights[reg]);
    if (written && !is_live_[reg] && reads_left_[reg] != 0) change += weight;
    if (!written && ends(reg, 1)) change -= weight;
  });
  return change;
}

void LivePressure::place(uint32_t i) {
  auto set = [&](uint32_t reg, bool live) {
    if (is_live_[reg] == live) return;
    is_live_[reg] = live;
    const uint32_t weight = kernel_.pressure().weights[reg];
    live_ += live ? weight : 0 - weight;
  };
  for_each_access(i, [&](uint32_t reg, bool written) {
    if (!written && --reads_left_[reg] == 0) set(reg, false);
  });
  for_each_access(i, [&](uint32_t reg, bool written) {
    if (written) set(reg, reads_left_[reg] != 0);
  });
}

}  // namespace warptime::sim
