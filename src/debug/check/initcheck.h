// initcheck: reads of bytes of global, shared and local memory, of registers, predicates and the carry flag that
// nothing has written, and blocks of the device heap that are never freed. Memory is followed byte by byte
// (written_bytes.h): an eighth of what is allocated. What the host has allocated but not written is unwritten, although
// it is zero here. Left out: texture fetches, and .param variables that are passed to functions.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "debug/check/finding.h"
#include "debug/check/heap_blocks.h"
#include "debug/check/register_uses.h"
#include "debug/check/space_access.h"
#include "debug/check/written_bytes.h"

namespace warptime::debug {

class Initcheck {
 public:
  Initcheck(Findings& findings, const HeapBlocks& heap) : findings_(findings), heap_(heap) {}

  /// Whether the launch has registers that are followed.
  bool follows_registers() const { return !uses_->followed.empty(); }
  void begins(const sim::LaunchContext& launch);
  void starts(const sim::SmState& sm, uint64_t slots);
  void executes(const sim::WarpEvent& event);
  void check(const SpaceAccess& access);
  void allocated_by_thread(const sim::HeapEvent& event);
  void finish();

  void host_allocates(Addr begin, uint64_t bytes, bool is_written) { global_[begin].start(bytes, is_written); }
  void host_writes(Addr begin, uint64_t bytes);
  void host_copies(Addr to, Addr from, uint64_t bytes);
  void host_frees(Addr begin) { global_.erase(begin); }

 private:
  struct Region {
    Addr begin = 0;
    WrittenBytes* bytes = nullptr;
    bool holds(Addr low, Addr high) const {
      return bytes != nullptr && low - begin < bytes->size() && high - begin < bytes->size();
    }
  };
  /// The memory of a resident warp's threads, and its registers.
  struct WarpShadow {
    std::vector<WrittenBytes> local;  // by lane; empty: no access yet
    std::vector<uint32_t> registers;  // of those that are followed: the lanes that have written it
  };

  void unwritten_register(const sim::WarpEvent& event, uint32_t reg, uint32_t lanes);
  Region region_of(Addr address);
  void global(const SpaceAccess& access);
  void shared(const SpaceAccess& access);
  void local(const SpaceAccess& access);
  void touch(const SpaceAccess& access, uint32_t lane, WrittenBytes& bytes, uint64_t at);
  size_t warp_index(const sim::SmState& sm, uint32_t slot) const { return size_t{sm.index()} * slots_ + slot; }

  Findings& findings_;
  const HeapBlocks& heap_;
  const sim::LaunchContext* launch_ = nullptr;
  uint32_t slots_ = 0;  // warps of an SM
  struct KernelUses {
    std::shared_ptr<const ptx::Module> module;  // as long as it is there, its kernels' addresses are their own
    RegisterUses uses;
  };
  std::map<const ptx::Kernel*, KernelUses> known_uses_;  // each kernel is analysed once
  const RegisterUses* uses_ = nullptr;
  std::map<Addr, WrittenBytes> global_;  // by the beginning of the allocation
  std::vector<Region> recent_;           // by instruction: that of its last access
  std::vector<WrittenBytes> shared_;     // by SM and block slot
  std::vector<WarpShadow> warps_;        // by SM and warp slot
};

}  // namespace warptime::debug
