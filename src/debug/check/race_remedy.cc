#include "debug/check/race_remedy.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "debug/check/code_paths.h"
#include "debug/check/missing_barrier.h"

namespace warptime::debug {

using ptx::Operand;

namespace {

/// The way of mending.
enum class Mending : uint8_t { None, Barriers, OtherBarrier, OtherBranch, Atomic, Returned, Element, Order };

struct RaceCode {
  const ptx::Module& module;
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

std::vector<MissingBarrier> barriers_for(const RaceCode& race) {
  const bool in_warp = race.scope == RaceScope::Warp;
  return missing_barriers(race.module, race.kernel, race.low, race.high,
                          in_warp ? CodePaths::Until::AnyBarrier : CodePaths::Until::BlockBarrier);
}

/// `lacking`: the barriers that its paths lack.
Mending barrier_for(const RaceCode& race, std::vector<MissingBarrier> lacking) {
  const CodePaths paths(race.kernel);
  const uint32_t low = race.low.pc, high = race.high.pc;
  if (std::max(low, high) >= race.kernel.own_instructions) return Mending::None;
  // In two branches of a loop one thread may write while another one reads, whatever they meet in front of the branch.
  if (lacking.size() == 2 && unite(lacking[0], lacking[1])) return Mending::OtherBranch;
  if (!lacking.empty()) return Mending::Barriers;
  return paths.leads(low, high) || paths.leads(high, low) ? Mending::OtherBarrier : Mending::OtherBranch;
}

Mending mending_of(const RaceCode& race, const std::vector<MissingBarrier>& lacking) {
  const bool atomic = race.low.is_atomic || race.high.is_atomic;
  if (!atomic && changes_what_it_read(race)) return Mending::Atomic;
  if (!atomic && race.low.pc == race.high.pc) {
    const Mending barrier = race.scope == RaceScope::Grid ? Mending::Element : barrier_for(race, lacking);
    return barrier == Mending::Barriers ? barrier : Mending::Element;
  }
  if (atomic && race.space == ptx::Space::Global) {
    const RacePair::Side& other = race.low.is_atomic ? race.high : race.low;
    if (!other.writes && CodePaths(race.kernel).leads(other.pc, (&other == &race.low ? race.high : race.low).pc))
      return Mending::Returned;
  }
  return race.scope == RaceScope::Grid ? Mending::Order : barrier_for(race, lacking);
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

/// `writes`: both accesses do.
std::string between(bool writes, const Lines& lines) {
  if (lines.low != lines.high) {
    const auto [first, last] = std::minmax(lines.low, lines.high);
    return fmt::format("between lines {} and {}", first, last);
  }
  return fmt::format("between the {} in line {}", writes ? "writes" : "read and the write", lines.low);
}

std::string place_of(const ptx::Kernel& kernel, const MissingBarrier& barrier) {
  const Lines lines = lines_of(kernel, barrier.before.pc, barrier.behind.pc);
  if (barrier.in_loop) {
    const bool is_first = barrier.places.back().end == barrier.behind.pc + 1;
    return fmt::format("in the loop, {}", is_first ? fmt::format("in front of line {}", lines.high)
                                                   : fmt::format("behind line {}", lines.low));
  }
  if (!barrier.ends_pass) return between(barrier.before.writes && barrier.behind.writes, lines);
  if (lines.low == lines.high) return fmt::format("in the loop, behind line {}", lines.low);
  return fmt::format("between line {} and line {} of the next pass: at the end of the loop", lines.low, lines.high);
}

std::string text_of(Mending mending, const RaceCode& race) {
  const Lines lines = lines_of(race.kernel, race.low.pc, race.high.pc);
  const std::string_view barrier = barrier_name(race.scope, lines.of_source);
  switch (mending) {
    case Mending::None: return fmt::format("{} between the two accesses", barrier);
    case Mending::Barriers: return {};
    case Mending::OtherBarrier:
      return fmt::format("{} for all threads {}: what is there does not wait for both", barrier,
                         between(race.low.writes && race.high.writes, lines));
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

/// Races that the same barriers mend, or with the same words.
struct Group {
  std::vector<size_t> findings;  // errors before warnings
  RaceCode code;                 // of the first; the scope of all
  Mending mending;
  std::vector<MissingBarrier> barriers;
  Lines lines;  // the first and the last of all its accesses
  std::string remedy;
};

std::string text_of(const Group& group) {
  if (group.mending != Mending::Barriers) return text_of(group.mending, group.code);
  const MissingBarrier& first = group.barriers.front();
  const Lines narrow = lines_of(group.code.kernel, first.before.pc, first.behind.pc);
  const std::string_view name = barrier_name(group.code.scope, narrow.of_source);
  // Where no line lies between the accesses, steps of a warp without a barrier need one each.
  if (group.barriers.size() == 1 && !first.ends_pass && group.code.scope == RaceScope::Warp &&
      narrow.low == narrow.high && group.lines.low != group.lines.high)
    return fmt::format("{} behind each step of lines {} to {}", name, group.lines.low, group.lines.high);
  std::string out = fmt::format("{} {}", name, place_of(group.code.kernel, first));
  for (size_t i = 1; i < group.barriers.size(); ++i)
    out += ", and another one " + place_of(group.code.kernel, group.barriers[i]);
  return out;
}

/// Whether the barriers of one race mend the other as well: then `to` has those of both, at the narrower places.
bool joins(Group& to, const Group& other) {
  if (&to.code.kernel != &other.code.kernel || to.mending != Mending::Barriers || other.mending != Mending::Barriers)
    return false;
  std::vector<MissingBarrier> barriers = to.barriers, more;
  std::vector<bool> is_shared(barriers.size());
  for (const MissingBarrier& barrier : other.barriers) {
    size_t at = 0;
    while (at < barriers.size() && (is_shared[at] || !unite(barriers[at], barrier))) ++at;
    if (at < is_shared.size()) is_shared[at] = true;
    else more.push_back(barrier);
  }
  const bool mends_to = std::find(is_shared.begin(), is_shared.end(), false) == is_shared.end();
  if (!more.empty() && !mends_to) return false;
  barriers.insert(barriers.end(), more.begin(), more.end());
  std::stable_sort(barriers.begin(), barriers.end(),
                   [](const MissingBarrier& a, const MissingBarrier& b) { return a.ends_pass < b.ends_pass; });
  to.barriers = std::move(barriers);
  to.lines.low = std::min(to.lines.low, other.lines.low);
  to.lines.high = std::max(to.lines.high, other.lines.high);
  to.code.scope = std::max(to.code.scope, other.code.scope);
  return true;
}

std::string name_of(const Finding& finding) { return finding.variable.substr(0, finding.variable.find('[')); }

/// "between lines 9 and 11 (Bs)".
std::string pair_text(const Finding& finding, const Group& group) {
  const std::string name = name_of(finding);
  return between(group.code.low.writes && group.code.high.writes,
                 lines_of(group.code.kernel, group.code.low.pc, group.code.high.pc)) +
         (name.empty() ? "" : fmt::format(" ({})", name));
}

std::string others_text(const Group& group, const std::vector<std::string>& pairs) {
  constexpr size_t kMost = 8;
  const bool is_one = pairs.size() == 1;
  std::string out =
      fmt::format("\nthe same barrier{} {} more pair{}: also ", group.barriers.size() == 1 ? " orders" : "s order",
                  is_one ? "one" : fmt::format("{}", pairs.size()), is_one ? "" : "s");
  const auto end = pairs.begin() + static_cast<std::ptrdiff_t>(std::min(pairs.size(), kMost));
  return out + fmt::format("{}{}", fmt::join(pairs.begin(), end, ", "), pairs.size() > kMost ? ", ..." : "");
}

bool is_error(const Finding& finding) { return row_of(finding.kind).severity == Severity::Error; }

/// Whether two findings or accesses are in one line of the CUDA source, or of the PTX text if one of them has no other.
template <class A, class B>
bool same_line(const A& a, const B& b) {
  return a.cuda_line != 0 && b.cuda_line != 0 ? a.cuda_line == b.cuda_line : a.place.line == b.place.line;
}

bool same_variable(const Finding& a, const Finding& b) {
  return a.module == b.module && a.kernel == b.kernel && name_of(a) == name_of(b);
}

/// The race of a read that does not wait for an asynchronous copy: that it came before the copy, too, mends the wait.
bool is_read_too_early(const Finding& race, const std::vector<Finding>& all) {
  if (!race.other || (race.kind != Kind::RaceRawShared && race.kind != Kind::RaceWarShared)) return false;
  return std::any_of(all.begin(), all.end(), [&](const Finding& read) {
    if (read.kind != Kind::AsyncRead || !same_variable(read, race)) return false;
    return (same_line(race, read) && same_line(*race.other, *read.other)) ||
           (same_line(race, *read.other) && same_line(*race.other, read));
  });
}

/// The read has no value because the write that it races with has not come yet.
bool is_left_unwritten(const Finding& read, const std::vector<Finding>& all) {
  if (read.kind != Kind::UninitializedShared) return false;
  return std::any_of(all.begin(), all.end(), [&](const Finding& race) {
    if (!same_variable(race, read)) return false;
    if (race.kind == Kind::AsyncRead && same_line(race, read)) return true;
    if (!race.race || !is_error(race) || race.race->space != ptx::Space::Shared) return false;
    const ptx::Kernel* kernel = kernel_of(race);
    auto reads_there = [&](const RacePair::Side& side) {
      const ptx::Instruction& instruction = kernel->instructions[side.pc];
      return !side.writes &&
             (read.cuda_line != 0 ? instruction.source_line == read.cuda_line : instruction.line == read.place.line);
    };
    return kernel != nullptr && (reads_there(race.race->first) || reads_there(race.race->second));
  });
}

/// The group of one race; nothing for a finding that is none.
std::optional<Group> group_of(const Finding& finding, size_t number) {
  const ptx::Kernel* kernel = finding.race ? kernel_of(finding) : nullptr;
  if (kernel == nullptr) return std::nullopt;
  auto [low, high] = std::pair(finding.race->first, finding.race->second);
  if (high.pc < low.pc) std::swap(low, high);
  if (high.pc >= kernel->instructions.size()) return std::nullopt;
  Group out{{number},
            {*finding.module, *kernel, low, high, finding.race->scope, finding.race->space},
            Mending::None,
            {},
            lines_of(*kernel, low.pc, high.pc),
            {}};
  if (out.lines.high < out.lines.low) std::swap(out.lines.low, out.lines.high);
  out.barriers = barriers_for(out.code);
  out.mending = mending_of(out.code, out.barriers);
  out.remedy = text_of(out);
  return out;
}

std::vector<Group> grouped(const std::vector<Group>& races, const std::vector<Finding>& findings) {
  // By the end of what lies between the accesses, so that the groups are as few as can be.
  std::vector<const Group*> order;
  for (const Group& race : races) order.push_back(&race);
  std::stable_sort(order.begin(), order.end(), [&](const Group* a, const Group* b) {
    auto key = [&](const Group* g) { return std::tuple(!is_error(findings[g->findings[0]]), g->code.high.pc); };
    return key(a) < key(b);
  });
  std::vector<Group> groups;
  for (const Group* race : order) {
    const Finding& finding = findings[race->findings[0]];
    auto takes = [&](Group& group) {
      const Finding& first = findings[group.findings[0]];
      if (first.module != finding.module) return false;
      return joins(group, *race) || (group.remedy == race->remedy && name_of(first) == name_of(finding));
    };
    auto found = std::find_if(groups.begin(), groups.end(), takes);
    if (found == groups.end()) groups.push_back(*race);
    else found->findings.push_back(race->findings[0]);
  }
  return groups;
}

}  // namespace

void merge_races(std::vector<Finding>& findings) {
  std::erase_if(findings, [all = findings](const Finding& finding) {
    return is_left_unwritten(finding, all) || is_read_too_early(finding, all);
  });
  std::vector<Group> races;
  for (size_t i = 0; i < findings.size(); ++i)
    if (auto own = group_of(findings[i], i)) races.push_back(std::move(*own));
  std::vector<bool> is_merged(findings.size());
  for (const Group& group : grouped(races, findings)) {
    // The first that was found, of the errors if there are any, stands for all.
    size_t stands = group.findings[0];
    for (size_t i : group.findings)
      if (is_error(findings[i]) == is_error(findings[stands])) stands = std::min(stands, i);
    Finding& one = findings[stands];
    std::vector<std::string> pairs;  // that of `one` comes first
    for (const Group& race : races) {
      const size_t i = race.findings[0];
      if (std::find(group.findings.begin(), group.findings.end(), i) == group.findings.end()) continue;
      std::string pair = pair_text(findings[i], race);
      if (i == stands) {
        pairs.insert(pairs.begin(), std::move(pair));
        continue;
      }
      is_merged[i] = true;
      one.count += findings[i].count;
      pairs.push_back(std::move(pair));
    }
    pairs.erase(std::remove(pairs.begin() + 1, pairs.end(), pairs.front()), pairs.end());
    pairs.erase(pairs.begin());
    one.remedy = text_of(group);
    one.race->scope = group.code.scope;
    if (group.mending == Mending::Barriers && !pairs.empty()) one.hint += others_text(group, pairs);
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
