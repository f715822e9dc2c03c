#include "debug/check/race_report.h"

#include <fmt/format.h>

namespace warptime::debug {

namespace {

/// "a write of 0x5", "a read", "an atomic operation".
std::string act_text(const RaceSide& side) {
  if (!side.writes) return "a read";
  return side.value ? fmt::format("a write of {:#x}", *side.value) : "an atomic operation";
}

Kind kind_of(const RaceSide& first, const RaceSide& second, bool shared) {
  if (!second.writes) return shared ? Kind::RaceRawShared : Kind::RaceRawGlobal;
  if (!first.writes) return shared ? Kind::RaceWarShared : Kind::RaceWarGlobal;
  if (first.value && first.value == second.value) return shared ? Kind::RaceSameValueShared : Kind::RaceSameValueGlobal;
  return shared ? Kind::RaceWawShared : Kind::RaceWawGlobal;
}

std::string buffer_at(const sim::LaunchContext& launch, ptx::Space space, Addr address) {
  if (space == ptx::Space::Global) {
    const auto* buffer = launch.memory->find(address, 1);
    return buffer == nullptr ? "" : buffer->name;
  }
  for (const ptx::Symbol& symbol : launch.kernel->kernel->symbols)
    if (symbol.space == ptx::Space::Shared && address - symbol.offset < symbol.size) return symbol.name;
  return "";
}

}  // namespace

void report_race(Findings& findings, const sim::LaunchContext& launch, const Race& race) {
  const auto& [first, second, space, address] = race;
  const Kind kind = kind_of(first, second, space == ptx::Space::Shared);
  if (!findings.is_new(kind, launch, second.mark.pc)) return;
  Finding finding = finding_at(kind, launch, second.mark.pc, second.mark.block, second.mark.thread);
  finding.address = address;
  const ThreadPlace place = place_of(launch, first.mark.pc, first.mark.block, first.mark.thread);
  const auto& [line, b, t] = place;
  finding.message = fmt::format("{} in {} memory, and {} in line {}: nothing orders them", act_text(second),
                                ptx::name(space), act_text(first), line);
  finding.hint =
      fmt::format("the other access: block ({},{},{}) thread ({},{},{})", b[0], b[1], b[2], t[0], t[1], t[2]);
  if (const ptx::Instruction* instruction = launch.instruction(first.mark.pc))
    finding.hint += ": " + to_text(*launch.kernel->module, *launch.kernel->kernel, *instruction);
  finding.other = place;
  finding.buffer = buffer_at(launch, space, address);
  findings.add(std::move(finding));
}

}  // namespace warptime::debug
