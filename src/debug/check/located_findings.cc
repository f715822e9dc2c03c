#include "debug/check/located_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "sim/gpu/memory_image.h"
#include "sim/gpu/session.h"

namespace warptime::debug {

namespace {

constexpr Cycle kInstructionsBetweenPolls = 1 << 20;

}  // namespace

LocatingChecker::LocatingChecker(CheckTools tools) : Checker(tools) {
  found().notify([this](const Finding& finding) { locate(finding); });
}

std::vector<LocatedFinding> LocatingChecker::check(sim::Gpu& gpu, const sim::Launch& launch,
                                                   const sim::RunOptions& options,
                                                   const std::function<bool()>& interrupted) {
  located_.clear();
  sim::RunOptions own;
  own.functional = true;
  own.listener = this;
  own.interrupt = options.interrupt;
  own.launch = options.launch;
  const sim::MemoryImage before(gpu.memory(), launch.heap);
  {
    sim::LaunchStatistics statistics;
    sim::Session session = gpu.begin(launch, std::move(own), statistics);
    while (session.step(session.now() + kInstructionsBetweenPolls) && !interrupted()) {
    }
  }
  before.restore();
  return std::exchange(located_, {});
}

void LocatingChecker::begins(const sim::LaunchContext& launch) {
  Checker::begins(launch);
  resident_.assign(size_t{sim::sm_count(*launch.machine)} * launch.blocks_per_sm, {});
}

LocatingChecker::Executions& LocatingChecker::resident(const sim::SmState& sm, uint32_t slot) {
  return resident_[size_t{sm.index()} * launch()->blocks_per_sm + sm.warp(slot).slot_of_block];
}

void LocatingChecker::starts(const sim::SmState& sm, uint64_t slots) {
  const auto slot = static_cast<uint32_t>(std::countr_zero(slots));
  Executions& block = resident(sm, slot);
  block.block = sm.block_of(sm.warp(slot)).index;
  block.of.assign(size_t{launch()->warps_per_block} * launch()->kernel->insns.size(), 0);
  Checker::starts(sm, slots);
}

void LocatingChecker::executes(const sim::WarpEvent& event) {
  ++resident(event.sm, event.slot).of[event.warp().index_in_block * launch()->kernel->insns.size() + event.pc];
  Checker::executes(event);
}

void LocatingChecker::locate(const Finding& finding) {
  if (row_of(finding.kind).severity == Severity::Note) return;  // advice: nothing to stop at
  if (launch() == nullptr || !finding.has_thread || finding.pc == ptx::kNoIndex) return;
  const auto &b = finding.place.block, &t = finding.place.thread;
  const auto &grid = launch()->grid, &shape = launch()->block;
  const uint64_t block = (uint64_t{b[2]} * grid[1] + b[1]) * grid[0] + b[0];
  const uint32_t thread = (t[2] * shape[1] + t[1]) * shape[0] + t[0];
  std::string text = fmt::format("{}: {}", row_of(finding.kind).name, finding.message);
  if (!finding.hint.empty()) text += "\n" + finding.hint;
  LocatedFinding out{std::move(text), block, thread / sim::kWarpSize, thread % sim::kWarpSize, finding.pc};
  auto found = std::find_if(resident_.begin(), resident_.end(),
                            [&](const Executions& e) { return e.block == block && !e.of.empty(); });
  if (found != resident_.end())
    out.execution = std::max<uint64_t>(1, found->of[out.warp * launch()->kernel->insns.size() + finding.pc]);
  located_.push_back(std::move(out));
}

}  // namespace warptime::debug
