#include "debug/check/race_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "debug/check/variables.h"
#include "sim/exec/warp_values.h"

namespace warptime::debug {

namespace {

/// "a write of 0x5" (of a float "a write of 2.5"), "a read", "an atomic operation".
std::string act_text(const sim::LaunchContext& launch, const RaceSide& side) {
  if (!side.writes) return "a read";
  const ptx::Instruction* instruction = launch.instruction(side.mark.pc);
  const ptx::Effect effect =
      instruction == nullptr ? ptx::Effect::None : effect_of(*instruction->card->card, *instruction->form);
  if (effect == ptx::Effect::AsyncCopy || effect == ptx::Effect::BulkCopy) return "an asynchronous copy";
  if (effect == ptx::Effect::Async) return "a change of an mbarrier object";
  if (!side.value) return "an atomic operation";
  if (instruction != nullptr && instruction->type == ptx::Type::F32)
    return fmt::format("a write of {}", std::bit_cast<float>(*side.value));
  return fmt::format("a write of {:#x}", *side.value);
}

Kind kind_of(const RaceSide& first, const RaceSide& second, bool shared) {
  if (!second.writes) return shared ? Kind::RaceRawShared : Kind::RaceRawGlobal;
  if (!first.writes) return shared ? Kind::RaceWarShared : Kind::RaceWarGlobal;
  if (first.value && first.value == second.value) return shared ? Kind::RaceSameValueShared : Kind::RaceSameValueGlobal;
  return shared ? Kind::RaceWawShared : Kind::RaceWawGlobal;
}

RacePair pair_of(const sim::LaunchContext& launch, const Race& race) {
  auto side = [&](const RaceSide& of) {
    const ptx::Instruction* instruction = launch.instruction(of.mark.pc);
    const bool is_atomic =
        instruction != nullptr && effect_of(*instruction->card->card, *instruction->form) == ptx::Effect::Atomic;
    return RacePair::Side{of.mark.pc, of.writes, is_atomic};
  };
  RacePair out{side(race.first), side(race.second), RaceScope::Warp, race.space};
  const Mark &a = race.first.mark, &b = race.second.mark;
  if (a.block != b.block) out.scope = RaceScope::Grid;
  else if (a.thread / sim::kWarpSize != b.thread / sim::kWarpSize) out.scope = RaceScope::Block;
  return out;
}

}  // namespace

void report_race(Findings& findings, const sim::LaunchContext& launch, const Race& race) {
  const auto& [first, second, space, address, element_bytes] = race;
  const Kind kind = kind_of(first, second, space == ptx::Space::Shared);
  const auto variable = variable_at(launch, space, address);
  const std::string name = variable ? variable->name : std::string();
  const RacePair pair = pair_of(launch, race);
  Finding* known = findings.race_of(launch, pair, name);
  if (known != nullptr) {
    ++known->count;
    known->race->scope = std::max(known->race->scope, pair.scope);
    if (row_of(known->kind).severity <= row_of(kind).severity) return;  // an error first
  }
  Finding finding = finding_at(kind, launch, second.mark.pc, second.mark.block, second.mark.thread);
  finding.address = address;
  finding.race = pair;
  finding.buffer = name;
  if (variable) finding.variable = element_of(*variable, address, element_bytes);
  finding.other = other_access(launch, first.mark.pc, first.mark.block, first.mark.thread, finding.variable);
  const ThreadPlace& place = finding.other->place;
  const auto &b = place.block, &t = place.thread;
  const bool has_source = finding.cuda_line != 0 && finding.other->cuda_line != 0;
  const uint32_t line = has_source ? finding.other->cuda_line : place.line;
  finding.message = fmt::format("{} in {} memory, and {} in line {}: nothing orders them", act_text(launch, second),
                                ptx::name(space), act_text(launch, first), line);
  finding.hint =
      fmt::format("the other access: block ({},{},{}) thread ({},{},{})", b[0], b[1], b[2], t[0], t[1], t[2]);
  if (const ptx::Instruction* instruction = launch.instruction(first.mark.pc))
    finding.hint += ": " + to_text(*launch.kernel->module, *launch.kernel->kernel, *instruction);
  if (known != nullptr) findings.replace(*known, std::move(finding));
  else findings.add(std::move(finding));
}

}  // namespace warptime::debug
