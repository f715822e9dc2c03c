#include "cli/grade/grading_checker.h"

#include <fmt/format.h>

#include "debug/check/space_access.h"
#include "sim/mem/device_memory.h"

namespace warptime::cli {

namespace {

constexpr uint64_t kMostElements = uint64_t{4} << 20;
constexpr debug::CheckTools kAllTools{.memcheck = true, .initcheck = true, .racecheck = true, .synccheck = true};

}  // namespace

GradingChecker::GradingChecker(const host::LaunchPlan& plan) : Checker(kAllTools) {
  for (const host::Expectation& expectation : plan.expectations) {
    const host::TypedData& data = plan.buffers[expectation.buffer];
    watched_.push_back({.name = data.name,
                        .bytes = data.bytes(),
                        .element_bytes = ptx::bytes(data.type),
                        .writers = std::vector<ElementWriter>(data.count <= kMostElements ? data.count : 0)});
  }
}

void GradingChecker::begins(const sim::LaunchContext& launch) {
  Checker::begins(launch);
  launches_.push_back({launch.kernel->module, launch.grid, launch.block});
  for (Watched& watched : watched_)
    for (const sim::DeviceMemory::Allocation& allocation : launch.memory->allocations())
      if (allocation.name == watched.name && allocation.bytes == watched.bytes) watched.begin = allocation.begin;
}

uint32_t GradingChecker::accesses(const sim::WarpEvent& event, const std::array<Addr, sim::kWarpSize>& addresses) {
  const ptx::Space space = event.insn.access().space;
  const debug::SpaceAccess access{event, addresses, space, event.lanes, event.insn.access().bytes()};
  if (access.writes() && (space == ptx::Space::Global || space == ptx::Space::Generic || space == ptx::Space::None)) {
    const sim::Warp& warp = event.warp();
    const ElementWriter by{event.sm.launch().instruction(event.pc), event.sm.block_of(warp).index,
                           warp.index_in_block * sim::kWarpSize, static_cast<uint32_t>(launches_.size() - 1)};
    for (Watched& watched : watched_) {
      if (watched.writers.empty()) continue;
      sim::for_lanes_of(event.lanes, [&](uint32_t lane) {
        const Addr from = addresses[lane];
        if (from + access.bytes <= watched.begin || from >= watched.begin + watched.bytes) return;
        const uint64_t first = from < watched.begin ? 0 : (from - watched.begin) / watched.element_bytes;
        const uint64_t end = std::min<uint64_t>(watched.writers.size(),
                                                (from + access.bytes - watched.begin - 1) / watched.element_bytes + 1);
        for (uint64_t i = first; i < end; ++i) {
          watched.writers[i] = by;
          watched.writers[i].thread += lane;
        }
      });
    }
  }
  return Checker::accesses(event, addresses);
}

const ElementWriter* GradingChecker::writer(size_t expectation, uint64_t element) const {
  const std::vector<ElementWriter>& writers = watched_[expectation].writers;
  return element < writers.size() ? &writers[element] : nullptr;
}

std::string GradingChecker::thread_text(const ElementWriter& writer) const {
  const Launch& launch = launches_[writer.launch];
  const auto b = sim::position_of(writer.block, launch.grid), t = sim::position_of(writer.thread, launch.block);
  return fmt::format("block ({},{},{}) thread ({},{},{})", b[0], b[1], b[2], t[0], t[1], t[2]);
}

}  // namespace warptime::cli
