// The part of racecheck that follows the proxies by which instructions access shared memory (PTX ISA 9.0, "Proxies" of
// the memory consistency model): loads, stores, atomic operations and cp.async use the generic proxy, products of
// warpgroups (wgmma) and bulk copies (cp.async.bulk) the asynchronous one. What the first has written the second may
// read only behind a fence.proxy.async.
//
// What is left out: global memory; writes of the asynchronous proxy behind accesses of the generic one; and who
// executes the fence, as long as the write comes before it.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "debug/check/finding.h"
#include "debug/check/race_clock.h"
#include "debug/check/space_access.h"

namespace warptime::debug {

class ProxyCheck {
 public:
  explicit ProxyCheck(Findings& findings) : findings_(findings) {}

  void begins(const sim::LaunchContext& launch);
  /// Whether the kernel reads shared memory by the asynchronous proxy.
  bool follows() const { return follows_; }
  void starts(const sim::SmState& sm, uint64_t slots);

  /// An access to shared memory: writes of the generic proxy are remembered, reads by bulk copies checked.
  void check(const SpaceAccess& access, const BlockClock& clock);
  /// cp.async has written there. `object`: the mbarrier_number() of what counts it, in its phase `phase` (from 1 on);
  /// phase 0: its thread has waited for it.
  void copied(const SpaceAccess& target, uint32_t lane, uint32_t object, uint32_t phase, const BlockClock& clock);
  /// A bulk copy has written there.
  void filled(const sim::SmState& sm, const sim::BulkCopy& copy);
  /// A product begins that reads these pieces of kPieceBytes.
  void multiplies(const sim::WarpEvent& event, const std::vector<uint32_t>& pieces);
  /// fence.proxy.async
  void fence(const sim::WarpEvent& event, const BlockClock& clock);

  static constexpr uint32_t kPieceBytes = 16;

 private:
  /// A write of the generic proxy that no fence.proxy.async has followed.
  struct Write {
    uint32_t time = 0, warp = 0;
    uint32_t pc = 0, thread = 0;
    uint32_t object = 0, phase = 0;  // of copied()
    bool is_copy = false;
  };
  using Writes = std::unordered_map<uint32_t, Write>;  // by piece

  Writes& writes_of(const sim::SmState& sm, uint32_t block) {
    return writes_[size_t{sm.index()} * launch_->blocks_per_sm + block];
  }
  static void add(Writes& writes, const Write& write, Addr begin, uint32_t bytes);
  void report(Kind kind, const sim::WarpEvent& event, uint32_t lane, uint32_t piece, const Write& write);

  Findings& findings_;
  const sim::LaunchContext* launch_ = nullptr;
  bool follows_ = false;
  std::vector<Writes> writes_;  // by SM and block slot
};

}  // namespace warptime::debug
