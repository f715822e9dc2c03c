// racecheck: pairs of accesses by different threads, one of them a write, that no barrier, no fence with a strong
// access and no end of a kernel orders. It follows what the program orders (happens-before), not when the accesses
// happened, so that a race between warps that never met in time is found as well.
//
// Lanes of a warp that run in lockstep are ordered by its instructions; where lanes are scheduled independently, only
// by bar.warp.sync and barriers. Of one instruction two lanes must not store different values at one address. Volatile
// accesses do not race with each other; but where lanes of a warp exchange values by them through shared memory without
// waiting for each other, the values depend on luck (the last steps of sums of the time before compute capability 7.0).
// What is left out: a strong write by one lane hands over what all lanes of its warp did before.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "debug/check/async_check.h"
#include "debug/check/finding.h"
#include "debug/check/product_check.h"
#include "debug/check/proxy_check.h"
#include "debug/check/race_clock.h"
#include "debug/check/race_report.h"
#include "debug/check/race_shadow.h"
#include "debug/check/space_access.h"

namespace warptime::debug {

class Racecheck {
 public:
  explicit Racecheck(Findings& findings)
      : findings_(findings), async_(findings), products_(findings), proxies_(findings), global_(kMostGlobalPages) {}
  /// Whether executes() counts for instructions that compute lanes only, in the launch that begins.
  bool follows_registers() const { return products_.follows(); }

  void begins(const sim::LaunchContext& launch);
  void starts(const sim::SmState& sm, uint64_t slots);
  void executes(const sim::WarpEvent& event);
  void check(const SpaceAccess& access);
  // Asynchronous copies and mbarrier objects.
  void began(const sim::SmState& sm, const sim::AsyncCopy& copy);
  void copied(const sim::SmState& sm, const sim::AsyncCopy& copy, uint32_t lanes, const sim::AsyncArrival* arrival);
  void began(const sim::SmState& sm, const sim::BulkCopy& copy);
  void arrived(const sim::SmState& sm, const sim::BulkCopy& copy);
  /// A bulk copy to global memory: it reads until the thread waits for it.
  void reads(const sim::WarpEvent& event, const sim::LoadStore::BulkRange& range) { async_.reads(event, range); }
  void used(const sim::SmState& sm, const sim::MbarrierUse& use);
  void exits(const sim::WarpEvent& event) { async_.exits(event); }
  void left_cluster(const sim::WarpEvent& event);
  void arrived(const sim::WarpEvent& event, const sim::SmState::Arrival& arrival);
  /// An exit may release a barrier.
  void exited(const sim::WarpEvent& event, const sim::SmState::Exited& exited);

  /// Whether memory was forgotten, because the launch used more than there is room for.
  bool forgot() const { return global_.forgotten_pages() != 0; }
  /// Device memory of a launch that is remembered at the same time.
  static constexpr uint64_t kMostGlobalBytes = uint64_t{64} << 20;

 private:
  static constexpr size_t kMostGlobalPages = kMostGlobalBytes / RaceShadow::kPageBytes;

  /// What an mbarrier object hands over: what arrivals of this phase have released, and those of the last one.
  struct MbarrierClocks {
    Clock arrived, completed;
  };
  struct ResidentShadow {
    BlockClock clock;
    std::map<uint32_t, MbarrierClocks> mbarriers{};  // by address
    RaceShadow shared{~size_t{0}};
  };
  /// How an instruction orders memory, from its PTX modifiers.
  struct Order {
    Strength strength = Strength::Weak;
    bool acquires = false, releases = false;
    bool is_fence = false, on_device = false;
    bool is_proxy_fence = false;   // fence.proxy.async of shared memory
    bool meets_lanes = false;      // bar.warp.sync
    bool is_volatile = false;      // strong for no other reason
    bool waits_for_value = false;  // a load in a loop that what it loads ends
  };
  /// A warp that accesses.
  struct Agent {
    BlockClock& clock;
    RaceShadow& shadow;
    const SpaceAccess& access;
    const Order& order;
    uint32_t warp;
    uint32_t first_thread;  // of the warp, in its block
  };

  Clock& cluster_clock(const sim::WarpEvent& event);
  void arrives_in_cluster(const sim::WarpEvent& event);
  void check_lanes(const SpaceAccess& access);
  void products(const sim::WarpEvent& event);
  static Order order_of(const ptx::Instruction& instruction);
  ResidentShadow& resident(const sim::SmState& sm, uint32_t slot) {
    return *resident_[sm.index() * launch_->blocks_per_sm + sm.warp(slot).slot_of_block];
  }
  void released(const sim::SmState& sm, uint64_t slots, const sim::SmState::BarrierUse& use);
  Mark mark(const Agent& agent, uint32_t lane, bool has_value) const;
  bool is_own(const Agent& agent, const Mark& mark, uint32_t lane) const;
  bool is_ordered(const Agent& agent, const Mark& mark, uint32_t lane) const;
  bool is_exchange(const Agent& agent, const Mark& mark) const;
  bool conflicts(const Agent& agent, const Mark& mark, uint32_t lane) const;

  uint32_t doubled_stores(const Agent& agent);
  void read_words(const Agent& agent);
  void lane(const Agent& agent, uint32_t lane);
  void read(const Agent& agent, Cell& cell, uint32_t lane);
  /// Returns whether it is a race.
  bool write(const Agent& agent, Cell& cell, uint32_t lane, uint32_t value);
  void synchronise(const Agent& agent, uint32_t lane);
  /// `value`: that the lane writes.
  void report(const Agent& agent, uint32_t lane, const RaceSide& other, std::optional<uint32_t> value);

  Findings& findings_;
  AsyncCheck async_;
  ProductCheck products_;
  ProxyCheck proxies_;
  RaceShadow global_;
  const sim::LaunchContext* launch_ = nullptr;
  bool independent_ = false;
  std::map<std::array<uint32_t, 3>, Clock> clusters_;      // by the cluster's place in the grid
  std::vector<Order> orders_;                              // by instruction
  std::vector<std::unique_ptr<ResidentShadow>> resident_;  // by SM and block slot
};

}  // namespace warptime::debug
