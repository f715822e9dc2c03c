#include "debug/check/initcheck.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/plural.h"
#include "debug/check/variables.h"

namespace warptime::debug {

using ptx::Space;

namespace {

std::string initial_value_for(const Finding& read, const std::string& variable) {
  const uint32_t line = read.cuda_line != 0 ? read.cuda_line : read.place.line;
  if (read.kind != Kind::UninitializedShared) return fmt::format("values for \"{}\" before line {}", variable, line);
  return fmt::format("values for all of \"{}\" before line {}, and a barrier ({}) behind them", variable, line,
                     read.cuda_line != 0 ? "__syncthreads()" : "bar.sync");
}

}  // namespace

void Initcheck::begins(const sim::LaunchContext& launch) {
  launch_ = &launch;
  slots_ = launch.blocks_per_sm * launch.warps_per_block;
  KernelUses& known = known_uses_[launch.kernel->kernel];
  if (known.module == nullptr) known = {launch.kernel->module, find_register_uses(*launch.kernel->kernel)};
  uses_ = &known.uses;
  recent_.assign(launch.kernel->insns.size(), {});
  shared_.clear();
  warps_.clear();
}

void Initcheck::starts(const sim::SmState& sm, uint64_t slots) {
  const auto first = static_cast<uint32_t>(std::countr_zero(slots));
  const size_t block = size_t{sm.index()} * launch_->blocks_per_sm + sm.warp(first).slot_of_block;
  if (shared_.size() <= block) shared_.resize(block + 1);
  shared_[block].start(launch_->shared_bytes);
  if (warps_.size() < size_t{sm.index() + 1} * slots_) warps_.resize(size_t{sm.index() + 1} * slots_);
  for (uint64_t rest = slots; rest != 0; rest &= rest - 1) {
    WarpShadow& warp = warps_[warp_index(sm, static_cast<uint32_t>(std::countr_zero(rest)))];
    for (WrittenBytes& bytes : warp.local) bytes.start(launch_->local_bytes);
    warp.registers.assign(uses_->followed.size(), 0);
  }
}

void Initcheck::executes(const sim::WarpEvent& event) {
  if (uses_->of_instruction.empty()) return;
  const RegisterUses::Uses& uses = uses_->of_instruction[event.pc];
  std::vector<uint32_t>& written = warps_[warp_index(event.sm, event.slot)].registers;
  const uint32_t active = event.warp().stack.active();
  for (uint32_t reg : uses.reads) {
    const bool guards = uses_->followed[reg] == launch_->kernel->kernel->instructions[event.pc].guard;
    const uint32_t unwritten = (guards ? active : event.lanes) & ~written[reg];
    if (unwritten != 0) unwritten_register(event, uses_->followed[reg], unwritten);
  }
  for (uint32_t reg : uses.writes) written[reg] |= event.lanes;
}

void Initcheck::unwritten_register(const sim::WarpEvent& event, uint32_t reg, uint32_t lanes) {
  const auto& registers = launch_->kernel->kernel->registers;
  const bool carry = reg == registers.size();
  const bool predicate = !carry && registers[reg].type == ptx::Type::Pred;
  const Kind kind = carry       ? Kind::UninitializedCarry
                    : predicate ? Kind::UninitializedPredicate
                                : Kind::UninitializedRegister;
  const std::string name = carry ? "CC.CF" : registers[reg].name;
  const auto count = static_cast<uint64_t>(std::popcount(lanes));
  if (!findings_.is_new(kind, *launch_, event.pc, count, name)) return;
  Finding finding = finding_at(kind, event, static_cast<uint32_t>(std::countr_zero(lanes)));
  finding.message = fmt::format("a read of the {} {}, which the thread has not written",
                                carry       ? "carry flag"
                                : predicate ? "predicate"
                                            : "register",
                                name);
  finding.hint = "it is 0 here; on a GPU it can be any value";
  finding.variable = name;
  finding.count = count;
  findings_.add(std::move(finding));
}

void Initcheck::check(const SpaceAccess& access) {
  if (access.space == Space::Global) global(access);
  else if (access.space == Space::Shared) shared(access);
  else if (access.space == Space::Local) local(access);
}

Initcheck::Region Initcheck::region_of(Addr address) {
  auto after = global_.upper_bound(address);
  if (after == global_.begin()) return {};
  auto found = std::prev(after);
  Region region{found->first, &found->second};
  return region.holds(address, address) ? region : Region{};
}

void Initcheck::global(const SpaceAccess& access) {
  const AddressBounds bounds(access);
  Region& recent = recent_[access.event.pc];
  if (!recent.holds(bounds.low, bounds.high)) recent = region_of(bounds.low);
  if (recent.holds(bounds.low, bounds.high)) {
    if (recent.bytes->all_written()) return;
    sim::for_lanes_of(access.lanes, [&](uint32_t lane) {
      touch(access, lane, *recent.bytes, access.addresses[lane] - recent.begin);
    });
    return;
  }
  sim::for_lanes_of(access.lanes, [&](uint32_t lane) {
    const Region region = region_of(access.addresses[lane]);
    if (region.bytes != nullptr) touch(access, lane, *region.bytes, access.addresses[lane] - region.begin);
  });
}

void Initcheck::shared(const SpaceAccess& access) {
  const sim::SmState& sm = access.event.sm;
  WrittenBytes& bytes = shared_[size_t{sm.index()} * launch_->blocks_per_sm + access.event.warp().slot_of_block];
  if (bytes.all_written()) return;
  sim::for_lanes_of(access.lanes, [&](uint32_t lane) { touch(access, lane, bytes, access.addresses[lane]); });
}

void Initcheck::local(const SpaceAccess& access) {
  WarpShadow& warp = warps_[warp_index(access.event.sm, access.event.slot)];
  if (warp.local.empty()) {
    warp.local.resize(sim::kWarpSize);
    for (WrittenBytes& bytes : warp.local) bytes.start(launch_->local_bytes);
  }
  sim::for_lanes_of(access.lanes,
                    [&](uint32_t lane) { touch(access, lane, warp.local[lane], access.addresses[lane]); });
}

/// Atomic operations read and write.
void Initcheck::touch(const SpaceAccess& access, uint32_t lane, WrittenBytes& bytes, uint64_t at) {
  constexpr uint32_t kPart = 16;  // of a bulk copy
  bool unwritten = false;
  for (uint32_t begin = 0; begin < access.bytes; begin += kPart) {
    const uint32_t part = std::min(kPart, access.bytes - begin);
    unwritten = unwritten || (access.reads() && !bytes.is_written(at + begin, part));
    if (access.writes()) bytes.write(at + begin, part);
  }
  if (!unwritten) [[likely]]
    return;
  Kind kind = access.space == Space::Global   ? Kind::UninitializedGlobal
              : access.space == Space::Shared ? Kind::UninitializedShared
                                              : Kind::UninitializedLocal;
  const auto variable = variable_at(*launch_, access.space, access.addresses[lane]);
  const std::string name = variable ? variable->name : std::string();
  if (!findings_.is_new(kind, *launch_, access.event.pc, 1, name)) return;
  Finding finding = finding_at(kind, access.event, lane);
  finding.address = access.addresses[lane];
  if (variable) {
    finding.variable = element_of(*variable, access.addresses[lane], access.element_bytes());
    finding.remedy = initial_value_for(finding, name);
  }
  finding.message = fmt::format("{} {} of {} memory that nothing has written",
                                access.is_atomic() ? "an atomic operation on" : "a load of",
                                plural(access.bytes, "byte"), ptx::name(access.space));
  finding.hint = "it is 0 here; on a GPU it can be any value";
  finding.buffer = name;
  findings_.add(std::move(finding));
}

void Initcheck::allocated_by_thread(const sim::HeapEvent& event) {
  if (event.is_free || event.result == 0) return;
  const Region region = region_of(event.result);
  if (region.bytes != nullptr) region.bytes->forget_range(event.result - region.begin, event.argument);
}

void Initcheck::finish() {
  for (const auto& [begin, block] : heap_.allocated())
    if (findings_.is_new(Kind::Leak, {block.leak.module.get(), 0, block.leak.place.line})) findings_.add(block.leak);
}

void Initcheck::host_writes(Addr begin, uint64_t bytes) {
  const Region region = region_of(begin);
  if (region.bytes != nullptr) region.bytes->write_range(begin - region.begin, bytes);
}

void Initcheck::host_copies(Addr to, Addr from, uint64_t bytes) {
  const Region target = region_of(to), source = region_of(from);
  if (target.bytes != nullptr && source.bytes != nullptr)
    target.bytes->copy(to - target.begin, *source.bytes, from - source.begin, bytes);
}

}  // namespace warptime::debug
