#include "debug/check/missing_barrier.h"

#include <algorithm>

#include "ptx/user/user_lines.h"

namespace warptime::debug {

namespace {

using Places = std::vector<CodePaths::Places>;

/// The instructions that do the same in the same line of the user and the same call of its function, in the order of
/// the text: passes of an unrolled loop.
std::vector<uint32_t> copies_of(const ptx::Module& module, const ptx::Kernel& kernel, uint32_t pc) {
  const ptx::Instruction& one = kernel.instructions[pc];
  if (one.source_line == 0) return {pc};
  auto call = [&](const ptx::Instruction& i) {
    return module.locations[ptx::user_location(module, i.location)].inlined_at;
  };
  std::vector<uint32_t> out;
  for (uint32_t at = 0; at < kernel.own_instructions; ++at) {
    const ptx::Instruction& other = kernel.instructions[at];
    if (other.source_line == one.source_line && other.source_file == one.source_file && other.space == one.space &&
        effect_of(*other.card->card, *other.form) == effect_of(*one.card->card, *one.form) && call(other) == call(one))
      out.push_back(at);
  }
  return out;
}

/// The first place, in the order of the text, where a path from one of `from` to the next of `to` lacks a barrier.
MissingBarrier first_without(const CodePaths& paths, const std::vector<uint32_t>& from, const std::vector<uint32_t>& to,
                             CodePaths::Until until) {
  MissingBarrier out;
  for (size_t i = 0; i < from.size() && out.places.empty(); ++i) {
    auto next = std::upper_bound(to.begin(), to.end(), from[i]);
    const bool is_last = i + 1 == from.size();
    if (next == to.end() ? !is_last : !is_last && from[i + 1] < *next) continue;
    out.before.pc = from[i];
    out.behind.pc = next == to.end() ? to.front() : *next;
    out.places = paths.places_between(out.before.pc, out.behind.pc, until);
  }
  return out;
}

Places intersection(const Places& a, const Places& b) {
  Places out;
  for (const auto& x : a)
    for (const auto& y : b)
      if (std::max(x.begin, y.begin) < std::min(x.end, y.end))
        out.push_back({std::max(x.begin, y.begin), std::min(x.end, y.end)});
  return out;
}

}  // namespace

std::vector<MissingBarrier> missing_barriers(const ptx::Module& module, const ptx::Kernel& kernel,
                                             const RacePair::Side& low, const RacePair::Side& high,
                                             CodePaths::Until until) {
  if (std::max(low.pc, high.pc) >= kernel.own_instructions) return {};
  const CodePaths paths(kernel);
  RacePair::Side first = low, second = high;
  std::vector<uint32_t> firsts{low.pc}, seconds{high.pc};
  if (low.pc != high.pc) {
    firsts = copies_of(module, kernel, low.pc);
    seconds = copies_of(module, kernel, high.pc);
    if (firsts == seconds) {
      firsts = {low.pc};
      seconds = {high.pc};
    }
    if (seconds.front() < firsts.front()) {
      std::swap(firsts, seconds);
      std::swap(first, second);
    }
  }
  std::vector<MissingBarrier> out;
  auto add = [&](MissingBarrier found, RacePair::Side before, RacePair::Side behind, bool ends_pass) {
    if (found.places.empty()) return;
    before.pc = found.before.pc;
    behind.pc = found.behind.pc;
    out.push_back({before, behind, ends_pass, false, std::move(found.places)});
  };
  if (low.pc != high.pc) add(first_without(paths, firsts, seconds, until), first, second, false);
  add(first_without(paths, seconds, firsts, until), second, first, true);
  return out;
}

bool unite(MissingBarrier& to, const MissingBarrier& other) {
  Places places = intersection(to.places, other.places);
  if (places.empty()) return false;
  if (to.ends_pass && !other.ends_pass) {
    MissingBarrier own = other;
    unite(own, to);
    to = std::move(own);
    return true;
  }
  if (to.ends_pass) {
    if (other.before.pc > to.before.pc) to.before = other.before;
    if (other.behind.pc < to.behind.pc) to.behind = other.behind;
  } else {
    to.in_loop = to.in_loop || other.in_loop || other.ends_pass;
    uint32_t begin = places.front().begin, end = places.front().end;
    for (const auto& place : places) {
      begin = std::min(begin, place.begin);
      end = std::max(end, place.end);
    }
    for (const RacePair::Side* side : {&other.before, &other.behind}) {
      if (side->pc < begin && side->pc > to.before.pc) to.before = *side;
      if (side->pc + 1 >= end && side->pc < to.behind.pc) to.behind = *side;
    }
  }
  to.places = std::move(places);
  return true;
}

}  // namespace warptime::debug
