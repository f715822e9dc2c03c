#include "debug/check/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "debug/check/race_remedy.h"

namespace warptime::debug {

namespace {

Finding in_kernel(Kind kind, const sim::LaunchContext& launch) {
  Finding out;
  out.kind = kind;
  out.module = launch.kernel->module;
  out.kernel = launch.kernel->kernel->name;
  out.where = launch.kernel->kernel->where;
  return out;
}

void set_place(Finding& finding, const ptx::Instruction* instruction) {
  if (instruction == nullptr) return;
  finding.where = instruction->where;
  finding.place.line = instruction->line;
  finding.place.location = instruction->location;
  if (instruction->source_line == 0) return;
  finding.cuda_file = finding.module->files[instruction->source_file];
  finding.cuda_line = instruction->source_line;
}

}  // namespace

ThreadPlace place_of(const sim::LaunchContext& launch, uint32_t pc, uint64_t block, uint32_t thread) {
  const ptx::Instruction* instruction = launch.instruction(pc);
  ThreadPlace out{0, sim::position_of(block, launch.grid), sim::position_of(thread, launch.block)};
  if (instruction != nullptr) {
    out.line = instruction->line;
    out.location = instruction->location;
  }
  return out;
}

Finding finding_at(Kind kind, const sim::LaunchContext& launch, uint32_t pc, uint64_t block, uint32_t thread) {
  Finding out = in_kernel(kind, launch);
  out.place = place_of(launch, pc, block, thread);
  out.pc = pc;
  set_place(out, launch.instruction(pc));
  return out;
}

OtherAccess other_access(const sim::LaunchContext& launch, uint32_t pc, uint64_t block, uint32_t thread,
                         std::string variable) {
  OtherAccess out;
  out.place = place_of(launch, pc, block, thread);
  out.variable = std::move(variable);
  const ptx::Instruction* instruction = launch.instruction(pc);
  if (instruction == nullptr || instruction->source_line == 0) return out;
  out.cuda_file = launch.kernel->module->files[instruction->source_file];
  out.cuda_line = instruction->source_line;
  return out;
}

Finding finding_at(Kind kind, const sim::WarpEvent& event, uint32_t lane) {
  const sim::Warp& warp = event.warp();
  return finding_at(kind, event.sm.launch(), event.pc, event.sm.block_of(warp).index,
                    warp.index_in_block * sim::kWarpSize + lane);
}

Finding finding_of(Kind kind, const sim::Fault& fault, const sim::LaunchContext& launch) {
  Finding out = in_kernel(kind, launch);
  const auto& instructions = launch.kernel->kernel->instructions;
  auto same = [&](const ptx::Instruction& i) {
    return i.where.source == fault.where.source && i.where.begin == fault.where.begin;
  };
  auto found = std::find_if(instructions.begin(), instructions.end(), same);
  if (found != instructions.end()) {
    set_place(out, &*found);
    out.pc = static_cast<uint32_t>(found - instructions.begin());
  }
  out.where = fault.where;
  out.has_thread = fault.has_thread;
  out.place.block = fault.block;
  out.place.thread = fault.thread;
  if (fault.has_address) out.address = fault.address;
  out.message = fault.message;
  out.hint = fault.hint + (fault.hint.empty() || fault.warps.empty() ? "" : "\n") + fault.warps;
  return out;
}

std::string HostCall::text() const {
  return fmt::format("{}{}{} ({}call {})", function, caller.empty() ? "" : ", called by ", caller,
                     launch ? fmt::format("launch {}, ", *launch) : "", number);
}

LineKey line_key(const sim::LaunchContext& launch, uint32_t pc) {
  LineKey key{launch.kernel->module.get()};
  const ptx::Instruction* instruction = launch.instruction(pc);
  if (instruction == nullptr) return key;
  const bool has_source = instruction->source_line != 0;
  key.file = has_source ? instruction->source_file : 0;
  key.line = has_source ? instruction->source_line : instruction->line;
  return key;
}

bool Findings::is_new(Kind kind, const sim::LaunchContext& launch, uint32_t pc, uint64_t occurrences,
                      std::string_view name) {
  const LineKey line = line_key(launch, pc);
  auto [place, is_first] = index_.try_emplace(Key{kind, line, line.file == 0 ? std::string_view() : name}, all_.size());
  if (!is_first) all_[place->second].count += occurrences;
  return is_first;
}

bool Findings::is_new(Kind kind, const LineKey& line, uint64_t occurrences) {
  auto [place, is_first] = index_.try_emplace(Key{kind, line, std::string()}, all_.size());
  if (!is_first) all_[place->second].count += occurrences;
  return is_first;
}

Finding* Findings::race_of(const sim::LaunchContext& launch, const RacePair& pair, std::string_view name) {
  LineKey low = line_key(launch, pair.first.pc), high = line_key(launch, pair.second.pc);
  if (high < low) std::swap(low, high);
  auto [place, is_first] = races_.try_emplace(RaceKey{low, high, pair.space, name}, all_.size());
  return is_first ? nullptr : &all_[place->second];
}

void Findings::replace(Finding& known, Finding by) {
  by.count = known.count;
  by.race->scope = std::max(by.race->scope, known.race->scope);
  by.launched_by = launched_by_;
  known = std::move(by);
  if (added_) added_(known);
}

bool Findings::any_error() const {
  return std::any_of(all_.begin(), all_.end(),
                     [](const Finding& f) { return row_of(f.kind).severity == Severity::Error; });
}

void Findings::settle() {
  merge_races(all_);
  for (Finding& finding : all_)
    if (finding.remedy.empty()) finding.remedy = row_of(finding.kind).remedy;
  index_.clear();
  races_.clear();
}

}  // namespace warptime::debug
