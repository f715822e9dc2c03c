#include "debug/check/race_remedy.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "debug/check/code_paths.h"

namespace warptime::debug {

using ptx::Operand;

namespace {

/// The way of mending.
enum class Mending : uint8_t {
  None,
  Between,
  NextPass,
  Both,
  OtherBarrier,
  OtherBranch,
  Atomic,
  Returned,
  Element,
  Order
};

struct RaceCode {
  const ptx::Kernel& kernel;
  RacePair::Side low, high;  // in the order of the text
  RaceScope scope;
  ptx::Space space;
};

const ptx::Kernel* kernel_of(const Finding& finding) {
  for (const ptx::Kernel& kernel : finding.module->kernels)
    if (kernel.name == finding.kernel) return &kernel;
  return nullptr;
}

const Operand* address_of(const ptx::Kernel& kernel, uint32_t pc) {
  for (const Operand& operand : kernel.operands_of(kernel.instructions[pc]))
    if (operand.kind == Operand::Kind::Memory) return &operand;
  return nullptr;
}

/// Whether two instructions access memory by the same register and offset, or the same symbol.
bool has_same_address(const ptx::Kernel& kernel, uint32_t a, uint32_t b) {
  const Operand *x = address_of(kernel, a), *y = address_of(kernel, b);
  return x != nullptr && y != nullptr && x->base == y->base && x->base != Operand::Base::None && x->index == y->index &&
         x->scope == y->scope && x->bits == y->bits;
}

/// A load by the address of a store: the thread changes what it has read.
bool changes_what_it_read(const RaceCode& race) {
  auto is_load = [&](uint32_t pc) {
    const ptx::Instruction& instruction = race.kernel.instructions[pc];
    return effect_of(*instruction.card->card, *instruction.form) == ptx::Effect::Load;
  };
  if (race.low.writes != race.high.writes) return has_same_address(race.kernel, race.low.pc, race.high.pc);
  for (uint32_t pc = 0; pc < race.low.pc && race.low.pc == race.high.pc; ++pc)
    if (is_load(pc) && has_same_address(race.kernel, pc, race.low.pc)) return true;
  return false;
}

/// Whether the kernel takes a lock: then what it guards needs fences, too.
bool takes_lock(const ptx::Kernel& kernel) {
  return std::any_of(kernel.instructions.begin(), kernel.instructions.end(), [](const ptx::Instruction& i) {
    return effect_of(*i.card->card, *i.form) == ptx::Effect::Atomic && i.mods.has(ptx::Mod::Cas);
  });
}

Mending barrier_for(const RaceCode& race) {
  using Until = CodePaths::Until;
  const CodePaths paths(race.kernel);
  const Until until = race.scope == RaceScope::Warp ? Until::AnyBarrier : Until::BlockBarrier;
  const uint32_t low = race.low.pc, high = race.high.pc;
  if (std::max(low, high) >= race.kernel.own_instructions) return Mending::None;
  const bool forth = paths.leads(low, high, until), back = low != high && paths.leads(high, low, until);
  if (forth && back) return Mending::Both;
  if (forth) return low == high ? Mending::NextPass : Mending::Between;
  if (back) return Mending::NextPass;
  return paths.leads(low, high) || paths.leads(high, low) ? Mending::OtherBarrier : Mending::OtherBranch;
}

Mending mending_of(const RaceCode& race) {
  const bool atomic = race.low.is_atomic || race.high.is_atomic;
  if (!atomic && changes_what_it_read(race)) return Mending::Atomic;
  if (!atomic && race.low.pc == race.high.pc) {
    const Mending barrier = race.scope == RaceScope::Grid ? Mending::Element : barrier_for(race);
    return barrier == Mending::NextPass ? barrier : Mending::Element;
  }
  if (atomic && race.space == ptx::Space::Global) {
    const RacePair::Side& other = race.low.is_atomic ? race.high : race.low;
    if (!other.writes && CodePaths(race.kernel).leads(other.pc, (&other == &race.low ? race.high : race.low).pc))
      return Mending::Returned;
  }
  return race.scope == RaceScope::Grid ? Mending::Order : barrier_for(race);
}

/// Lines as their author counts them: of the CUDA source where both instructions have one.
struct Lines {
  uint32_t low = 0, high = 0;
  bool of_source = false;
};

Lines lines_of(const ptx::Kernel& kernel, uint32_t low, uint32_t high) {
  const ptx::Instruction &a = kernel.instructions[low], &b = kernel.instructions[high];
  if (a.source_line != 0 && b.source_line != 0 && a.source_file == b.source_file)
    return {a.source_line, b.source_line, true};
  return {a.line, b.line, false};
}

std::string_view barrier_name(RaceScope scope, bool of_source) {
  if (scope == RaceScope::Warp) return of_source ? "__syncwarp()" : "bar.warp.sync";
  return of_source ? "a barrier (__syncthreads())" : "a barrier (bar.sync)";
}

std::string between(const RaceCode& race, const Lines& lines) {
  if (lines.low != lines.high) {
    const auto [first, last] = std::minmax(lines.low, lines.high);
    return fmt::format("between lines {} and {}", first, last);
  }
  if (race.low.writes && race.high.writes) return fmt::format("between the writes in line {}", lines.low);
  return fmt::format("between the read and the write in line {}", lines.low);
}

std::string next_pass(const Lines& lines) {
  if (lines.low == lines.high) return fmt::format("in the loop, behind line {}", lines.low);
  return fmt::format("between line {} and line {} of the next pass: at the end of the loop", lines.high, lines.low);
}

std::string text_of(Mending mending, const RaceCode& race) {
  const Lines lines = lines_of(race.kernel, race.low.pc, race.high.pc);
  const std::string_view barrier = barrier_name(race.scope, lines.of_source);
  switch (mending) {
    case Mending::None: return fmt::format("{} between the two accesses", barrier);
    case Mending::Between: return fmt::format("{} {}", barrier, between(race, lines));
    case Mending::NextPass: return fmt::format("{} {}", barrier, next_pass(lines));
    case Mending::Both:
      return fmt::format("{} {}, and another one {}", barrier, between(race, lines), next_pass(lines));
    case Mending::OtherBarrier:
      return fmt::format("{} for all threads {}: what is there does not wait for both", barrier, between(race, lines));
    case Mending::OtherBranch:
      return fmt::format("{} between the accesses in lines {} and {}, outside of their branches", barrier, lines.low,
                         lines.high);
    case Mending::Atomic:
      return fmt::format("an atomic operation, such as atomicAdd(), instead of the read and the write in {}{}",
                         lines.low == lines.high ? fmt::format("line {}", lines.low)
                                                 : fmt::format("lines {} and {}", lines.low, lines.high),
                         takes_lock(race.kernel) ? "; or, under a lock, __threadfence() behind taking it and before "
                                                   "giving it back"
                                                 : "");
    case Mending::Returned:
      return fmt::format("the value that the atomic operation in line {} returns, instead of the read in line {}",
                         race.low.is_atomic ? lines.low : lines.high, race.low.is_atomic ? lines.high : lines.low);
    case Mending::Element:
      return fmt::format("an element of its own for each thread in line {}, such as an index that atomicAdd() returns",
                         lines.high);
    case Mending::Order:
      return fmt::format(
          "lines {} and {} in two kernels, as blocks have no order; or __threadfence() and an atomic flag between them",
          std::min(lines.low, lines.high), std::max(lines.low, lines.high));
  }
  return {};
}

/// A race with the barrier that mends it; races of one barrier are in one group.
struct Group {
  size_t finding;
  RaceCode code;
  Mending mending;
  Lines lines;  // the first and the last of all its accesses
  bool is_one = true;
};

/// Where no line lies between the accesses, steps of a warp without a barrier need one each.
std::string text_of(const Group& group) {
  const Lines narrow = lines_of(group.code.kernel, group.code.low.pc, group.code.high.pc);
  if (group.is_one || group.mending != Mending::Between || group.code.scope != RaceScope::Warp ||
      narrow.low != narrow.high || group.lines.low == group.lines.high)
    return text_of(group.mending, group.code);
  return fmt::format("{} behind each step of lines {} to {}", barrier_name(RaceScope::Warp, group.lines.of_source),
                     group.lines.low, group.lines.high);
}

/// Whether one barrier mends both: then `to` gets the narrower place for it.
bool joins(Group& to, const Group& other) {
  if (&to.code.kernel != &other.code.kernel || to.mending != other.mending || to.code.space != other.code.space)
    return false;
  auto [low, high] = std::pair(to.code.low, to.code.high);
  if (to.mending == Mending::Between) {
    if (other.code.low.pc > low.pc) low = other.code.low;
    if (other.code.high.pc < high.pc) high = other.code.high;
    if (low.pc >= high.pc) return false;
  } else if (to.mending == Mending::NextPass) {
    if (other.code.low.pc < low.pc) low = other.code.low;
    if (other.code.high.pc > high.pc) high = other.code.high;
    if (!CodePaths(to.code.kernel).leads(to.code.low.pc, other.code.low.pc) ||
        !CodePaths(to.code.kernel).leads(other.code.low.pc, to.code.low.pc))
      return false;  // of two loops
  } else if (to.mending != Mending::Both || low.pc != other.code.low.pc || high.pc != other.code.high.pc) {
    return false;
  }
  to.code.low = low;
  to.code.high = high;
  to.is_one = false;
  to.lines.low = std::min(to.lines.low, other.lines.low);
  to.lines.high = std::max(to.lines.high, other.lines.high);
  to.code.scope = std::max(to.code.scope, other.code.scope);
  return true;
}

std::string name_of(const Finding& finding) { return finding.variable.substr(0, finding.variable.find('[')); }

/// "line 11 with line 9 (Bs)".
std::string pair_text(const Finding& finding, const RaceCode& code) {
  const Lines lines = lines_of(code.kernel, code.low.pc, code.high.pc);
  const std::string name = name_of(finding);
  return fmt::format("line {} with line {}{}", lines.low, lines.high, name.empty() ? "" : fmt::format(" ({})", name));
}

bool is_error(const Finding& finding) { return row_of(finding.kind).severity == Severity::Error; }

/// The read has no value because the write that it races with has not come yet.
bool is_left_unwritten(const Finding& read, const std::vector<Finding>& all) {
  if (read.kind != Kind::UninitializedShared) return false;
  return std::any_of(all.begin(), all.end(), [&](const Finding& race) {
    if (!race.race || !is_error(race) || race.module != read.module || race.kernel != read.kernel) return false;
    if (race.race->space != ptx::Space::Shared || name_of(race) != name_of(read)) return false;
    const ptx::Kernel* kernel = kernel_of(race);
    auto reads_there = [&](const RacePair::Side& side) {
      const ptx::Instruction& instruction = kernel->instructions[side.pc];
      return !side.writes &&
             (read.cuda_line != 0 ? instruction.source_line == read.cuda_line : instruction.line == read.place.line);
    };
    return kernel != nullptr && (reads_there(race.race->first) || reads_there(race.race->second));
  });
}

}  // namespace

void merge_races(std::vector<Finding>& findings) {
  std::erase_if(findings, [all = findings](const Finding& finding) { return is_left_unwritten(finding, all); });
  std::vector<Group> groups;
  std::vector<bool> is_merged(findings.size());
  for (size_t i = 0; i < findings.size(); ++i) {
    Finding& finding = findings[i];
    const ptx::Kernel* kernel = finding.race ? kernel_of(finding) : nullptr;
    if (kernel == nullptr) continue;
    auto [low, high] = std::pair(finding.race->first, finding.race->second);
    if (high.pc < low.pc) std::swap(low, high);
    if (std::max(low.pc, high.pc) >= kernel->instructions.size()) continue;
    Group own{i,
              {*kernel, low, high, finding.race->scope, finding.race->space},
              Mending::None,
              lines_of(*kernel, low.pc, high.pc)};
    if (own.lines.high < own.lines.low) std::swap(own.lines.low, own.lines.high);
    own.mending = mending_of(own.code);
    finding.remedy = text_of(own.mending, own.code);
    bool joined = false;
    for (Group& group : groups) {
      Finding& first = findings[group.finding];
      if (is_error(first) != is_error(finding) || first.module != finding.module) continue;
      const bool same_remedy = first.remedy == finding.remedy && name_of(first) == name_of(finding);
      if (!same_remedy && !joins(group, own)) continue;
      first.remedy = text_of(group);
      first.race->scope = std::max(first.race->scope, finding.race->scope);
      first.count += finding.count;
      if (!same_remedy) first.hint += "\nthe same barrier orders " + pair_text(finding, own.code);
      is_merged[i] = joined = true;
      break;
    }
    if (!joined) groups.push_back(own);
  }
  size_t kept = 0;
  for (size_t i = 0; i < findings.size(); ++i) {
    if (is_merged[i]) continue;
    if (kept != i) findings[kept] = std::move(findings[i]);
    ++kept;
  }
  findings.resize(kept);
}

}  // namespace warptime::debug
