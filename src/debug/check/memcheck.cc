#include "debug/check/memcheck.h"

#include <fmt/format.h>

#include "base/plural.h"
#include "ptx/user/demangle.h"
#include "sim/exec/lanes_of_mask.h"
#include "sim/exec/memory_values.h"
#include "sim/gpu/fault_text.h"

namespace warptime::debug {

using ptx::Space;
using FaultKind = sim::Fault::Kind;

namespace {

Kind out_of_bounds_in(Space space) {
  if (space == Space::Shared) return Kind::OutOfBoundsShared;
  if (space == Space::Local) return Kind::OutOfBoundsLocal;
  if (space == Space::Const) return Kind::OutOfBoundsConstant;
  if (space == Space::Param) return Kind::OutOfBoundsParameter;
  return Kind::OutOfBoundsGlobal;
}

Kind misaligned_in(Space space) {
  if (space == Space::Shared) return Kind::MisalignedShared;
  if (space == Space::Local) return Kind::MisalignedLocal;
  if (space == Space::Const) return Kind::MisalignedConstant;
  if (space == Space::Param) return Kind::MisalignedParameter;
  return Kind::MisalignedGlobal;
}

/// The size of a space, if it has one for all threads; global memory has allocations.
uint64_t size_of(Space space, const sim::LaunchContext& launch) {
  if (space == Space::Shared) return launch.shared_bytes;
  if (space == Space::Local) return launch.local_bytes;
  if (space == Space::Const) return launch.constants.size();
  if (space == Space::Param) return launch.kernel->kernel->parameter_bytes;
  return 0;
}

bool is_read_only(Space space) { return space == Space::Const || space == Space::Param; }

/// Constants are not written, and a thread's own memory has no atomic operations.
bool has_no_such_access(const SpaceAccess& access) {
  return (access.writes() && is_read_only(access.space)) || (access.is_atomic() && access.space == Space::Local);
}

bool is_out_of_bounds(Kind kind) {
  return kind == Kind::OutOfBoundsGlobal || kind == Kind::OutOfBoundsShared || kind == Kind::OutOfBoundsConstant;
}

std::string index_remedy(const Variable& variable, uint32_t bytes) {
  const uint64_t elements = variable.bytes / bytes;
  if (elements == 0) return fmt::format("a larger \"{}\": it has {}", variable.name, plural(variable.bytes, "byte"));
  return fmt::format("an index from 0 to {}: \"{}\" has {}", elements - 1, variable.name, plural(elements, "element"));
}

std::string_view verb_of(const SpaceAccess& access) {
  return access.is_atomic() ? "atomic operation" : access.writes() ? "store" : "load";
}

}  // namespace

const sim::DeviceMemory::Allocation* nearest_allocation(const sim::DeviceMemory& memory, Addr address) {
  if (const auto* old = memory.released_at(address)) return old;
  const sim::DeviceMemory::Allocation* best = nullptr;
  uint64_t best_distance = 0;
  for (const sim::DeviceMemory::Allocation& a : memory.allocations()) {
    uint64_t distance = address < a.begin ? a.begin - address : address >= a.end() ? address - a.end() + 1 : 0;
    if (best == nullptr || distance < best_distance) {
      best = &a;
      best_distance = distance;
    }
  }
  return best;
}

void Memcheck::begins(const sim::LaunchContext& launch) {
  ranges_.assign(launch.kernel->insns.size(), {});
  meant_.emplace(launch);
}

Memcheck::Range Memcheck::limit_of(const SpaceAccess& access) const {
  const uint64_t size = size_of(access.space, access.event.sm.launch());
  const ptx::Symbol* meant = meant_->of(access.event.pc);
  if (meant == nullptr || meant->space != access.space || meant->offset + meant->size > size) return {0, size};
  return {meant->offset, meant->size == 0 ? size : meant->offset + meant->size};
}

uint32_t Memcheck::check(const SpaceAccess& access) {
  const bool global = access.space == Space::Global;
  const uint64_t limit = size_of(access.space, access.event.sm.launch());
  Range own = global ? Range() : limit_of(access);
  Range& range = global ? ranges_[access.event.pc] : own;
  AddressBounds bounds(access);
  const bool has_none = has_no_such_access(access);
  if (bounds.low >= range.begin && bounds.high < range.end && range.end - bounds.high >= access.bytes &&
      (bounds.bits & (access.bytes - 1)) == 0 && !has_none) [[likely]]
    return access.lanes;
  uint32_t right = 0;
  sim::for_lanes_of(access.lanes, [&](uint32_t lane) {
    bool ok = is_right(access, lane, limit) && (!global || is_allocated(access, lane, range));
    right |= uint32_t{ok} << lane;
  });
  return right;
}

bool Memcheck::is_right(const SpaceAccess& access, uint32_t lane, uint64_t limit) {
  const Addr address = access.addresses[lane];
  if (access.writes() && is_read_only(access.space))
    return report(Kind::WriteToConstant, access, lane, FaultKind::ReadOnly, limit);
  if (has_no_such_access(access)) return report(Kind::OutOfBoundsLocal, access, lane, FaultKind::OutOfBounds, limit);
  if ((address & (access.bytes - 1)) != 0)
    return report(misaligned_in(access.space), access, lane, FaultKind::Misaligned, limit);
  if (access.space != Space::Global && (address >= limit || limit - address < access.bytes))
    return report(out_of_bounds_in(access.space), access, lane, FaultKind::OutOfBounds, limit);
  if (access.space != Space::Global && !limit_of(access).holds(address, access.bytes))
    return report_beyond(access, lane);
  return true;
}

/// The access leaves the variable that it means, but not the memory of its space.
bool Memcheck::report_beyond(const SpaceAccess& access, uint32_t lane) {
  const sim::LaunchContext& launch = access.event.sm.launch();
  const ptx::Symbol& meant = *meant_->of(access.event.pc);
  const Addr address = access.addresses[lane];
  const Variable variable{ptx::short_name(meant.name), meant.offset, meant.size};
  const Kind kind = out_of_bounds_in(access.space);
  if (reports_) outside_.note(kind, access, lane, variable);
  if (!reports_ || !findings_.is_new(kind, launch, access.event.pc, 1, variable.name)) return !reports_;
  Finding finding = finding_at(kind, access.event, lane);
  finding.address = address;
  finding.buffer = variable.name;
  finding.variable = element_of(variable, address, access.element_bytes());
  finding.message = fmt::format("{} of {} outside of \"{}\" in {} memory: {}", verb_of(access),
                                plural(access.bytes, "byte"), variable.name, ptx::name(access.space), finding.variable);
  finding.hint = fmt::format("\"{}\" has {}: {} elements of this size", variable.name, plural(meant.size, "byte"),
                             meant.size / access.element_bytes());
  if (const std::string there = element_at(launch, access.space, address, access.element_bytes()); !there.empty())
    finding.hint += fmt::format("; the access is to {}", there);
  finding.remedy = index_remedy(variable, access.element_bytes());
  findings_.add(std::move(finding));
  outside_.added(findings_);
  return false;
}

bool Memcheck::is_allocated(const SpaceAccess& access, uint32_t lane, Range& range) {
  const Addr address = access.addresses[lane];
  const sim::DeviceMemory& memory = *access.event.sm.launch().memory;
  if (heap_.holds(address)) return is_in_block(access, lane, range);
  if (const sim::DeviceMemory::Allocation* found = memory.find(address, access.bytes)) {
    range = {found->begin, found->end()};
    return true;
  }
  Kind kind = memory.released_at(address) != nullptr ? Kind::UseAfterFree : Kind::OutOfBoundsGlobal;
  return report(kind, access, lane, FaultKind::OutOfBounds, 0);
}

/// An access to the heap of malloc in device code.
bool Memcheck::is_in_block(const SpaceAccess& access, uint32_t lane, Range& range) {
  const Addr address = access.addresses[lane];
  const HeapBlock* block = heap_.block_before(address);
  if (block != nullptr && address < block->end() && block->end() - address >= access.bytes) {
    range = {block->begin, block->end()};
    return true;
  }
  const sim::LaunchContext& launch = access.event.sm.launch();
  const HeapBlock* freed = heap_.freed_at(address);
  Kind kind = freed != nullptr ? Kind::UseAfterFree : Kind::OutOfBoundsGlobal;
  if (!reports_ || !findings_.is_new(kind, launch, access.event.pc)) return false;
  Finding finding = finding_at(kind, access.event, lane);
  finding.address = address;
  finding.buffer = "device heap";
  if (freed != nullptr) {
    finding.message =
        fmt::format("{} of {} in memory that free() has taken back", verb_of(access), plural(access.bytes, "byte"));
    finding.hint = fmt::format("it is in a block of {} at {:#x}, {}", plural(freed->bytes, "byte"), freed->begin,
                               freed->freed_where);
  } else {
    finding.message =
        fmt::format("out-of-bounds {} of {} in the device heap", verb_of(access), plural(access.bytes, "byte"));
    finding.hint = block == nullptr ? "malloc has returned no block before it"
                                    : fmt::format("{} past the end of a block of {} at {:#x}, {}",
                                                  plural(address + access.bytes - block->end(), "byte"),
                                                  plural(block->bytes, "byte"), block->begin, block->where);
  }
  findings_.add(std::move(finding));
  return false;
}

std::optional<Variable> Memcheck::meant_by(const SpaceAccess& access, uint32_t lane) const {
  const sim::LaunchContext& launch = access.event.sm.launch();
  const Addr address = access.addresses[lane];
  if (access.space == Space::Global) {
    const auto* near = nearest_allocation(*launch.memory, address);
    return near == nullptr ? std::nullopt
                           : std::optional(Variable{ptx::short_name(near->name), near->begin, near->bytes});
  }
  const ptx::Symbol* meant = meant_->of(access.event.pc);
  if (meant == nullptr || meant->space != access.space) return variable_at(launch, access.space, address);
  const uint64_t limit = size_of(access.space, launch);
  const uint64_t rest = limit > meant->offset ? limit - meant->offset : 0;
  return Variable{ptx::short_name(meant->name), meant->offset, meant->size == 0 ? rest : meant->size};
}

bool Memcheck::report(Kind kind, const SpaceAccess& access, uint32_t lane, FaultKind fault, uint64_t limit) {
  const sim::LaunchContext& launch = access.event.sm.launch();
  if (!reports_) return false;
  const std::optional<Variable> variable = meant_by(access, lane);
  const bool outside = variable && is_out_of_bounds(kind);
  if (outside) outside_.note(kind, access, lane, *variable);
  if (!findings_.is_new(kind, launch, access.event.pc, 1, variable ? variable->name : "")) return false;
  sim::FaultRecord record;
  record.kind = fault;
  record.space = access.space;
  record.is_store = access.writes();
  record.address = access.addresses[lane];
  record.bytes = access.bytes;
  record.limit = limit;
  access.event.sm.locate(record, access.event.slot, 1u << lane);
  const sim::Fault text = describe(record, launch, false);
  Finding finding = finding_at(kind, access.event, lane);
  finding.address = record.address;
  finding.message = text.message;
  finding.hint = text.hint;
  if (variable) {
    finding.buffer = variable->name;
    finding.variable = element_of(*variable, record.address, access.element_bytes());
    if (outside) finding.remedy = index_remedy(*variable, access.element_bytes());
  }
  findings_.add(std::move(finding));
  if (outside) outside_.added(findings_);
  return false;
}

uint32_t Memcheck::fetch(const sim::WarpEvent& event) {
  if (!reports_) return event.lanes;
  const sim::LaunchContext& launch = event.sm.launch();
  const sim::TexturePayload& payload = event.insn.texture();
  if (payload.query >= sim::TextureQuery::IsTexture) return event.lanes;
  const sim::WarpValues& values = event.warp().values;
  std::array<Addr, sim::kWarpSize> handles{};
  lane_addresses(values, payload.handle, event.lanes, handles);
  uint32_t bound = 0;
  sim::for_lanes_of(event.lanes, [&](uint32_t lane) {
    const Addr handle = handles[lane];
    if (handle == 0 || handle > launch.textures.size() || !launch.textures[handle - 1].bound)
      return report_fetch(event, lane, fmt::format("no texture is bound to the handle {:#x}", handle), "", 0);
    bound |= 1u << lane;
    if (payload.float_coordinates) return;
    const sim::Texture& texture = launch.textures[handle - 1];
    for (size_t axis = 0; axis < payload.dimensions; ++axis) {
      auto at = sim::lane_of<int32_t>(event.insn.src[axis].in(values), lane);
      if (at >= 0 && static_cast<uint32_t>(at) < texture.size[axis]) continue;
      return report_fetch(event, lane,
                          fmt::format("a fetch at {} = {} of a texture with {} there", "xyz"[axis], at,
                                      plural(texture.size[axis], "texel")),
                          fmt::format("the texture is \"{}\"", texture.name), texture.base);
    }
  });
  return bound;
}

void Memcheck::report_fetch(const sim::WarpEvent& event, uint32_t lane, std::string message, std::string hint,
                            Addr base) {
  const sim::LaunchContext& launch = event.sm.launch();
  if (!findings_.is_new(Kind::OutOfBoundsTexture, launch, event.pc)) return;
  Finding finding = finding_at(Kind::OutOfBoundsTexture, event, lane);
  finding.message = std::move(message);
  finding.hint = std::move(hint);
  if (const auto* buffer = launch.memory->find(base, 1)) finding.buffer = buffer->name;
  findings_.add(std::move(finding));
}

void Memcheck::frees(const sim::LaunchContext& launch, const sim::HeapEvent& event) {
  if (!reports_ || !event.is_free || !event.refused) return;
  const HeapBlock* freed = heap_.freed_at(event.argument);
  const bool twice = freed != nullptr && freed->begin == event.argument;
  Kind kind = twice ? Kind::DoubleFree : Kind::InvalidFree;
  if (!findings_.is_new(kind, launch, event.where.pc)) return;
  Finding finding = finding_at(kind, launch, event.where.pc, event.where.block, event.where.thread);
  finding.address = event.argument;
  if (twice) {
    finding.message = fmt::format("free() of a block of {} that has been freed", plural(freed->bytes, "byte"));
    finding.hint = freed->freed_where;
  } else {
    finding.message = "free() of an address that malloc() did not return";
    const HeapBlock* block = heap_.block_before(event.argument);
    if (block != nullptr && event.argument < block->end())
      finding.hint =
          fmt::format("it is {} inside a block of {} at {:#x}", plural(event.argument - block->begin, "byte"),
                      plural(block->bytes, "byte"), block->begin);
  }
  if (heap_.holds(event.argument)) finding.buffer = "device heap";
  findings_.add(std::move(finding));
}

}  // namespace warptime::debug
