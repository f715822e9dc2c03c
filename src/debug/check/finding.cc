#include "debug/check/finding.h"

#include <algorithm>

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

bool Findings::is_new(Kind kind, const sim::LaunchContext& launch, uint32_t pc, uint64_t occurrences) {
  const ptx::Instruction* instruction = launch.instruction(pc);
  return is_new(kind, launch.kernel->module.get(), instruction == nullptr ? 0 : instruction->line, occurrences);
}

bool Findings::is_new(Kind kind, const ptx::Module* module, uint32_t line, uint64_t occurrences) {
  auto [place, is_first] = index_.try_emplace(Key{kind, module, line}, all_.size());
  if (!is_first) all_[place->second].count += occurrences;
  return is_first;
}

bool Findings::any_error() const {
  return std::any_of(all_.begin(), all_.end(), [](const Finding& f) { return !row_of(f.kind).is_warning; });
}

}  // namespace warptime::debug
