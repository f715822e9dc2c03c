#include "sim/state/load_store.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "sim/mem/cache_tags.h"
#include "sim/state/access_fault.h"

namespace warptime::sim {

namespace {

template <class F>
inline void for_each_lane(uint32_t mask, F&& body) {
  if (mask == kFullMask) {  // the usual case, in a shape that compilers turn into vector code
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) body(lane);
  } else {
    for (; mask != 0; mask &= mask - 1) body(static_cast<uint32_t>(std::countr_zero(mask)));
  }
}

}  // namespace

LoadStore::LoadStore(const MachineConfig& machine, const DeviceMemory& memory, uint32_t sm)
    : machine_(machine),
      memory_(&memory),
      sm_(sm),
      constant_line_(first_line_bytes(machine, ReadKind::Constant, CachePlace::Tpc)),
      layout_(texture_layout(machine)),
      load_rule_(coalescing_rule(machine, true)),
      store_rule_(coalescing_rule(machine, false)),
      copy_rule_(copy_rule(machine)),
      local_load_rule_(coalescing_rule(machine, true, true)),
      read_only_loads_(machine.texture.read_only_loads) {
  from_.fill(nullptr);
  to_.fill(nullptr);
}

void LoadStore::use(const ResidentKernel& kernel) {
  kernel_ = &kernel;
  launch_ = &kernel.launch();
  words_ = kernel.kernel().words;
  textures_ = kernel.kernel().textures;
  windows_ = GenericWindows::for_address_bytes(kernel.kernel().module->address_bytes);
  shared_window_ =
      launch_->cluster_blocks > 1 ? (kMostClusterBlocks + 1) * GenericWindows::kBytes : GenericWindows::kBytes;
}

bool LoadStore::access_lanes(const Insn& insn, Warp& warp, uint32_t warp_slot, uint32_t mask, MemoryAccess& out,
                             FaultRecord& fault) {
  const AccessPayload& access = insn.access();
  if (access.of_warp) [[unlikely]]
    return matrices(insn, warp, warp_slot, mask, out, fault);
  if (access.space == ptx::Space::Param && access.address.base.area() == RowArea::Launch &&
      fixed_parameter(insn, warp, mask, out))
    return true;
  if (access.formatted) [[unlikely]]
    return formatted(insn, warp, warp_slot, mask, out, fault);
  if (access.dimensions != 0) [[unlikely]]
    if (!find_in_surface(insn, warp, mask, fault) || mask == 0) return !fault.raised;
  lane_addresses(warp.values, access.address, mask, addresses_);
  return access_space(insn, warp, warp_slot, mask, out, fault);
}

bool LoadStore::access_space(const Insn& insn, Warp& warp, uint32_t warp_slot, uint32_t mask, MemoryAccess& out,
                             FaultRecord& fault) {
  const AccessPayload& access = insn.access();
  switch (access.space) {
    case ptx::Space::Param: return parameter(insn, warp, mask, out, fault);
    case ptx::Space::Const: return constant(insn, warp, mask, out, fault);
    case ptx::Space::Shared: return shared(insn, warp, mask, out, fault);
    case ptx::Space::Local: return local(insn, warp, warp_slot, mask, out, fault);
    case ptx::Space::Global: return global(insn, warp, mask, out, fault);
    case ptx::Space::None:
    case ptx::Space::Generic: return generic(insn, warp, warp_slot, mask, out, fault);
    case ptx::Space::Reg:
    case ptx::Space::Sreg:
    case ptx::Space::Tex: break;
  }
  SIM_ASSERT(false, "an access to {} memory", ptx::name(access.space));
}

bool LoadStore::within(uint32_t mask, uint32_t bytes, Addr begin, Addr end) const {
  if (end < begin + bytes) return false;
  // The top bit of a difference says that an address is outside: no branch and no comparison a lane.
  Addr last = end - bytes, outside = 0, low_bits = 0;
  for_each_lane(mask, [&](uint32_t lane) {
    Addr address = addresses_[lane];
    outside |= address | (address - begin) | (last - address);
    low_bits |= address;
  });
  return (outside >> 63) == 0 && (low_bits & (bytes - 1)) == 0;
}

bool LoadStore::check(uint32_t mask, uint32_t bytes, uint64_t limit, ptx::Space space, FaultRecord& fault) const {
  if (within(mask, bytes, 0, limit)) [[likely]]
    return true;
  for (; mask != 0; mask &= mask - 1) {
    auto lane = static_cast<uint32_t>(std::countr_zero(mask));
    Addr address = addresses_[lane];
    if ((address & (bytes - 1)) != 0) return fault_at(fault, Fault::Kind::Misaligned, space, lane, address, bytes);
    if (address >= limit || limit - address < bytes)
      return fault_at(fault, Fault::Kind::OutOfBounds, space, lane, address, bytes, limit);
  }
  return true;
}

bool LoadStore::check_allocated(const Insn& insn, uint32_t mask, uint32_t bytes, FaultRecord& fault) {
  Range& range = found_by(insn);
  if (within(mask, bytes, range.begin, range.end)) [[likely]]
    return true;
  for (; mask != 0; mask &= mask - 1) {
    auto lane = static_cast<uint32_t>(std::countr_zero(mask));
    Addr address = addresses_[lane];
    if ((address & (bytes - 1)) != 0)
      return fault_at(fault, Fault::Kind::Misaligned, ptx::Space::Global, lane, address, bytes);
    const DeviceMemory::Allocation* found = memory_->find(address, bytes);
    if (found == nullptr) return fault_at(fault, Fault::Kind::OutOfBounds, ptx::Space::Global, lane, address, bytes);
    range = {found->begin, found->end()};
  }
  return true;
}

/// A parameter at a fixed address, which is that of every lane. False: it is not within the parameters.
bool LoadStore::fixed_parameter(const Insn& insn, Warp& warp, uint32_t mask, MemoryAccess& out) {
  uint32_t bytes = insn.access().bytes();
  lane_addresses(warp.values, insn.access().address, 1, addresses_);
  if (insn.effect != ptx::Effect::Load || !within(1, bytes, 0, launch_->parameters.size())) return false;
  if (!insn.load_store().is_known) load_uniform(warp.values, insn, mask, launch_->parameters.data() + addresses_[0]);
  out.on_chip = true;
  out.chip_space = ptx::Space::Param;
  if (machine_.sm.parameter_space == ParameterSpace::constant) constant_lines(1, bytes, launch_->parameter_base, out);
  return true;
}

bool LoadStore::parameter(const Insn& insn, Warp& warp, uint32_t mask, MemoryAccess& out, FaultRecord& fault) {
  uint32_t bytes = insn.access().bytes();
  if (!check(mask, bytes, launch_->parameters.size(), ptx::Space::Param, fault)) return false;
  for_each_lane(mask, [&](uint32_t lane) { from_[lane] = launch_->parameters.data() + addresses_[lane]; });
  load_values(warp.values, insn, mask, from_);
  out.on_chip = true;
  out.chip_space = ptx::Space::Param;
  if (machine_.sm.parameter_space == ParameterSpace::constant)
    constant_lines(mask, bytes, launch_->parameter_base, out);
  return true;
}

bool LoadStore::constant(const Insn& insn, Warp& warp, uint32_t mask, MemoryAccess& out, FaultRecord& fault) {
  uint32_t bytes = insn.access().bytes();
  if (!check(mask, bytes, launch_->constants.size(), ptx::Space::Const, fault)) return false;
  std::array<uint32_t, kWarpSize> offsets{};
  for_each_lane(mask, [&](uint32_t lane) {
    offsets[lane] = static_cast<uint32_t>(addresses_[lane]);
    from_[lane] = launch_->constants.data() + addresses_[lane];
  });
  load_values(warp.values, insn, mask, from_);
  ConflictDegree conflicts = constant_conflicts(offsets, mask, bytes, machine_.constant);
  out.on_chip = true;
  out.chip_space = ptx::Space::Const;
  constant_lines(mask, bytes, launch_->constant_base, out);
  if (insn.access().conflict_free) return true;
  out.conflict_degree = conflicts.degree;
  out.replays = conflicts.replays;
  return true;
}

void LoadStore::constant_lines(uint32_t mask, uint32_t bytes, Addr base, MemoryAccess& out) const {
  if (constant_line_ == 0) return;
  for (; mask != 0; mask &= mask - 1) {
    Addr first = base + addresses_[static_cast<uint32_t>(std::countr_zero(mask))];
    for (Addr line = first & ~Addr{constant_line_ - 1}; line < first + bytes; line += constant_line_)
      out.add_line(line);
  }
}

bool LoadStore::shared(const Insn& insn, Warp& warp, uint32_t mask, MemoryAccess& out, FaultRecord& fault) {
  if (launch_->in_clusters && shared_of_cluster(insn, warp, mask, out, fault))
    return !launch_->clusters_apart && !fault.raised;
  uint32_t bytes = insn.access().bytes();
  if (!check(mask, bytes, launch_->shared_bytes, ptx::Space::Shared, fault)) return false;
  if (insn.effect == ptx::Effect::Atomic) {
    shared_atomic(insn, warp, mask, out);
    return true;
  }
  std::array<uint32_t, kWarpSize> offsets;  // of inactive lanes: anything
  for_each_lane(mask, [&](uint32_t lane) { offsets[lane] = static_cast<uint32_t>(addresses_[lane]); });
  if (insn.effect == ptx::Effect::Load) {
    for_each_lane(mask, [&](uint32_t lane) { from_[lane] = warp.shared + addresses_[lane]; });
    load_values(warp.values, insn, mask, from_);
  } else {
    for_each_lane(mask, [&](uint32_t lane) { to_[lane] = warp.shared + addresses_[lane]; });
    store_values_here(insn, warp, mask, bytes);
  }
  out.on_chip = true;
  out.chip_space = ptx::Space::Shared;
  if (insn.access().conflict_free) return true;
  const SharedConfig& config = machine_.sm.shared;
  ConflictDegree conflicts = shared_conflicts(offsets, mask, bytes, config, insn.effect == ptx::Effect::Load);
  out.conflict_degree = std::max(out.conflict_degree, conflicts.degree);
  out.replays += conflicts.replays;
  return true;
}

bool LoadStore::global(const Insn& insn, Warp& warp, uint32_t mask, MemoryAccess& out, FaultRecord& fault) {
  uint32_t bytes = insn.access().bytes();
  if (!check_allocated(insn, mask, bytes, fault)) return false;
  uint32_t first = out.count;
  const CoalescingRule& rule = rule_of(insn);
  std::span<Transaction, kMaxTransactions> room(out.transactions.data() + first, kMaxTransactions);
  if (insn.access().consecutive) [[unlikely]] {
    global_consecutive(insn, warp, mask, rule, out);
    return true;
  }
  Coalesced found = coalesce(rule, addresses_, mask, bytes, room);
  out.off_chip = true;
  out.count += found.count;
  out.coalesced += found.coalesced;
  out.uncoalesced += found.uncoalesced;
  if (insn.effect == ptx::Effect::Load) load_global(insn, warp, mask, bytes);
  else if (insn.effect == ptx::Effect::Store) store_global(insn, warp, mask, bytes, first, out);
  else global_atomic(insn, warp, first, out);
  if (watches_ && insn.effect != ptx::Effect::Load) [[unlikely]]
    watch_sent(out, first, insn.effect == ptx::Effect::Atomic);
  return true;
}

/// The values of the access that it is, and the transactions of consecutive elements if these take no more bytes.
void LoadStore::global_consecutive(const Insn& insn, Warp& warp, uint32_t mask, const CoalescingRule& rule,
                                   MemoryAccess& out) {
  const uint32_t bytes = insn.access().bytes(), first = out.count;
  std::span<Transaction, kMaxTransactions> room(out.transactions.data() + first, kMaxTransactions);
  Coalesced found = coalesce(rule, addresses_, mask, bytes, room);
  out.count += found.count;
  if (insn.effect == ptx::Effect::Load) load_global(insn, warp, mask, bytes);
  else store_global(insn, warp, mask, bytes, first, out);
  alignas(64) Addresses consecutive{};
  make_consecutive(addresses_, mask, bytes, rule, consecutive);
  std::array<Transaction, kMaxTransactions> ideal;
  Coalesced best = coalesce(rule, consecutive, mask, bytes, ideal);
  auto bytes_of = [](const Transaction* transactions, uint32_t count) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; ++i) sum += transactions[i].bytes;
    return sum;
  };
  if (best.count <= found.count && bytes_of(ideal.data(), best.count) <= bytes_of(room.data(), found.count)) {
    if (insn.effect == ptx::Effect::Store)  // the bytes of those beyond the ideal travel with these
      for (uint32_t i = found.count; i-- > best.count;)
        out.stores[first + i - best.count]->carried = out.stores[first + i];
    std::copy_n(ideal.begin(), best.count, room.begin());
    found = best;
    out.count = first + best.count;
  }
  out.off_chip = true;
  out.coalesced += found.coalesced;
  out.uncoalesced += found.uncoalesced;
  if (watches_ && insn.effect == ptx::Effect::Store) [[unlikely]]
    watch_sent(out, first, false);
}

void LoadStore::load_global(const Insn& insn, Warp& warp, uint32_t mask, uint32_t bytes) {
  const std::byte* memory = memory_->at(0);
  for_each_lane(mask, [&](uint32_t lane) { from_[lane] = memory + addresses_[lane]; });
  if (!stores_.empty()) {
    for_each_lane(mask, [&](uint32_t lane) {
      if (!stores_.may_hold(addresses_[lane])) return;
      std::memcpy(scratch_[lane].data(), from_[lane], bytes);
      stores_.overlay(addresses_[lane], bytes, scratch_[lane].data());
      from_[lane] = scratch_[lane].data();
    });
  }
  load_values(warp.values, insn, mask, from_);
}

void LoadStore::store_global(const Insn& insn, Warp& warp, uint32_t mask, uint32_t bytes, uint32_t first,
                             MemoryAccess& out) {
  for (uint32_t i = first; i < out.count; ++i) {
    const Transaction& transaction = out.transactions[i];
    PendingStore* store = stores_.add(transaction.address);
    out.stores[i] = store;
    uint64_t element = bytes == 64 ? ~uint64_t{0} : (uint64_t{1} << bytes) - 1;
    for_each_lane(transaction.lanes, [&](uint32_t lane) {
      auto at = static_cast<uint32_t>(addresses_[lane] - transaction.address);
      store->byte_mask[at / 64] |= element << (at % 64);
      to_[lane] = store->bytes.data() + at;
    });
  }
  store_values(warp.values, insn, mask, to_);
}

bool LoadStore::local(const Insn& insn, Warp& warp, uint32_t warp_slot, uint32_t mask, MemoryAccess& out,
                      FaultRecord& fault) {
  uint32_t bytes = insn.access().bytes(), size = launch_->local_bytes;
  if (!check(mask, bytes, size, ptx::Space::Local, fault)) return false;
  for_each_lane(mask, [&](uint32_t lane) {
    to_[lane] = warp.local + size_t{lane} * size + addresses_[lane];
    from_[lane] = to_[lane];
  });
  bool load = insn.effect == ptx::Effect::Load;
  if (load) load_values(warp.values, insn, mask, from_);
  else store_values_here(insn, warp, mask, bytes);

  // Time: consecutive 32-bit words for consecutive threads (CUDA C Programming Guide 4.2, 5.3.2.2).
  uint64_t words = size / 4, warp_index = uint64_t{sm_} * machine_.sm.max_warps + warp_slot;
  alignas(64) Addresses word_addresses{};
  out.off_chip = true;
  for (uint32_t word = 0; word < std::max(1u, bytes / 4); ++word) {
    for_each_lane(mask, [&](uint32_t lane) {
      uint64_t index = (warp_index * words + addresses_[lane] / 4 + word) * kWarpSize + lane;
      word_addresses[lane] = launch_->local_base + index * 4;
    });
    std::span<Transaction, kMaxTransactions> room(out.transactions.data() + out.count, kMaxTransactions);
    Coalesced found = coalesce(load ? local_load_rule_ : store_rule_, word_addresses, mask, 4, room);
    for (uint32_t i = out.count; i < out.count + found.count; ++i)
      out.stores[i] = load ? nullptr : stores_.add(out.transactions[i].address);  // no bytes: only its time and order
    out.count += found.count;
    out.coalesced += found.coalesced;
    out.uncoalesced += found.uncoalesced;
  }
  return true;
}

bool LoadStore::generic(const Insn& insn, Warp& warp, uint32_t warp_slot, uint32_t mask, MemoryAccess& out,
                        FaultRecord& fault) {
  uint32_t in_shared = 0, in_local = 0, in_const = 0, in_param = 0;
  for_each_lane(mask, [&](uint32_t lane) {
    if (addresses_[lane] - windows_.shared_base < shared_window_) {
      in_shared |= 1u << lane;
      addresses_[lane] -= windows_.shared_base;
    } else if (addresses_[lane] - windows_.local_base < GenericWindows::kBytes) {
      in_local |= 1u << lane;
      addresses_[lane] -= windows_.local_base;
    } else if (addresses_[lane] - windows_.const_base < GenericWindows::kBytes) {
      in_const |= 1u << lane;
      addresses_[lane] -= windows_.const_base;
    } else if (addresses_[lane] - windows_.param_base() < GenericWindows::kBytes) {
      in_param |= 1u << lane;
      addresses_[lane] -= windows_.param_base();
    }
  });
  uint32_t in_global = mask & ~in_shared & ~in_local & ~in_const & ~in_param;
  if (uint32_t fixed = in_const | in_param; fixed != 0 && insn.effect != ptx::Effect::Load) {
    auto lane = static_cast<uint32_t>(std::countr_zero(fixed));
    ptx::Space space = ((in_const >> lane) & 1) != 0 ? ptx::Space::Const : ptx::Space::Param;
    return fault_at(fault, Fault::Kind::ReadOnly, space, lane, addresses_[lane], insn.access().element_bytes);
  }
  if (in_local != 0 && insn.effect == ptx::Effect::Atomic) {  // a thread's own memory has none
    auto lane = static_cast<uint32_t>(std::countr_zero(in_local));
    return fault_at(fault, Fault::Kind::OutOfBounds, ptx::Space::Local, lane, addresses_[lane],
                    insn.access().element_bytes);
  }
  if (in_const != 0 && !constant(insn, warp, in_const, out, fault)) return false;
  if (in_param != 0 && !parameter(insn, warp, in_param, out, fault)) return false;
  if ((in_const | in_param) != 0 && (in_local | in_global) != 0)
    out.clear_transactions();  // the time is that of the others
  if (in_shared != 0 && !shared(insn, warp, in_shared, out, fault)) return false;
  if (in_local != 0 && !local(insn, warp, warp_slot, in_local, out, fault)) return false;
  return in_global == 0 || global(insn, warp, in_global, out, fault);
}

size_t LoadStore::read(const Warp& warp, uint32_t lane, Addr address, std::span<std::byte> out) const {
  const LaunchContext& launch = warp.kernel->launch();
  const auto windows = GenericWindows::for_address_bytes(launch.kernel->module->address_bytes);
  auto copy = [&](const std::byte* space, Addr at, uint64_t size) {
    size_t count = at < size ? std::min<uint64_t>(out.size(), size - at) : 0;
    if (count != 0) std::memcpy(out.data(), space + at, count);
    return count;
  };
  constexpr Addr kBytes = GenericWindows::kBytes;
  uint64_t local = launch.local_bytes;
  if (Addr at = address - windows.shared_base; at < kBytes) return copy(warp.shared, at, launch.shared_bytes);
  if (Addr at = address - windows.local_base; at < kBytes) return copy(warp.local + size_t{lane} * local, at, local);
  if (Addr at = address - windows.const_base; at < kBytes)
    return copy(launch.constants.data(), at, launch.constants.size());
  if (Addr at = address - windows.param_base(); at < kBytes)
    return copy(launch.parameters.data(), at, launch.parameters.size());
  const DeviceMemory::Allocation* found = memory_->find(address, 1);
  if (found == nullptr) return 0;
  size_t count = copy(memory_->at(0), address, found->end());
  if (!stores_.empty()) stores_.overlay(address, static_cast<uint32_t>(count), out.data());
  return count;
}

}  // namespace warptime::sim
