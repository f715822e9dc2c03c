// The part of racecheck that follows asynchronous copies and mbarrier objects: accesses to what a copy may still write
// or read, copies that nobody waits for, and mbarrier objects that are used wrongly (async_objects.cc). What copies and
// mbarrier objects order is in racecheck itself.
//
// A thread counts as having seen the end of a phase if another lane of its warp has.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "debug/check/finding.h"
#include "debug/check/landed_copies.h"
#include "debug/check/space_access.h"

namespace warptime::debug {

class AsyncCheck {
 public:
  explicit AsyncCheck(Findings& findings) : findings_(findings) {}

  void begins(const sim::LaunchContext& launch);
  void starts(const sim::SmState& sm, uint64_t slots);
  /// The lanes of an access whose words a copy may still write or read, or an mbarrier object has: each is reported.
  uint32_t check(const SpaceAccess& access, const BlockClock& clock);
  void began(const sim::SmState& sm, const sim::AsyncCopy& copy);
  /// `arrival`: at the mbarrier object that counts it; nullptr: its threads wait for it.
  void copied(const sim::SmState& sm, const sim::AsyncCopy& copy, uint32_t lanes, const sim::AsyncArrival* arrival);
  void began(const sim::SmState& sm, const sim::BulkCopy& copy);
  void arrived(const sim::SmState& sm, const sim::BulkCopy& copy);
  /// A bulk copy reads shared memory until the thread waits for its group.
  void reads(const sim::WarpEvent& event, const sim::LoadStore::BulkRange& range);
  /// A wait for groups of cp.async makes the ends of phases known that count the copies.
  void executes(const sim::WarpEvent& event, BlockClock& clock);
  void used(const sim::SmState& sm, const sim::MbarrierUse& use);
  /// Complete phases of an mbarrier object of the block in a slot, also those before it was initialised again.
  uint32_t phases(const sim::SmState& sm, uint32_t block, uint32_t address) {
    return block_of(sm, block).objects[address].all_phases();
  }
  void exits(const sim::WarpEvent& event);
  /// The last warp of a block has exited.
  void ended(const sim::WarpEvent& event);

 private:
  struct UnderWay {
    uint64_t block = 0;
    uint32_t thread = 0, pc = 0;
    uint64_t number = 0;          // of the copy
    uint32_t count = 0;           // copies that read the word
    uint32_t object = kNoObject;  // that counts it, where it is known: its address
  };
  static constexpr uint32_t kNoObject = ~uint32_t{0};
  /// A wait that did not wait.
  struct EarlyWait {
    bool exists = false, is_parity = false;
    uint32_t pc = 0;
    uint32_t phases = 0;  // complete then
  };
  struct Object {
    bool is_valid = false;
    uint32_t pc = 0, thread = 0;            // of what made it so
    uint32_t phases = 0;                    // complete
    uint32_t earlier_phases = 0;            // before it was initialised last
    EarlyWait early{};                      // the last one while a copy was under way that it counts
    std::map<uint32_t, uint32_t> waited{};  // by thread: the last phase that it has waited for, from 1 on

    uint32_t all_phases() const { return earlier_phases + phases; }
  };
  /// The source of a bulk copy to global memory.
  struct Reading {
    UnderWay copy;
    uint32_t from = 0, bytes = 0;
    uint32_t group = 0;
    bool is_open = true;     // in no group yet
    uint32_t waited_at = 0;  // the block's time then; 0: its thread has not waited yet
  };
  struct Block {
    std::unordered_map<Addr, UnderWay> targets;  // by word
    std::vector<Reading> reading;
    std::map<uint32_t, uint32_t> groups;  // by thread: of bulk copies
    std::map<uint32_t, Object> objects;   // by address
    LandedCopies landed;
    // By warp: of its copies in no bulk, the objects that count them, with the last phase.
    std::map<uint32_t, std::map<uint32_t, uint32_t>> counted;
  };

  Block& block_of(const sim::SmState& sm, uint32_t slot) {
    return blocks_[size_t{sm.index()} * launch_->blocks_per_sm + slot];
  }
  bool meets_copy(const SpaceAccess& access, uint32_t lane, const Block& block);
  bool meets_landed(const SpaceAccess& access, uint32_t lane, const Block& block, const BlockClock& clock);
  void report_copy(const SpaceAccess& access, uint32_t lane, Addr at, const UnderWay& copy, bool has_landed,
                   const Object* object);
  void add(Block& block, const UnderWay& copy, Addr to, Addr from, uint32_t bytes, uint32_t read);
  void remove(Block& block, uint64_t number, Addr to, Addr from, uint32_t bytes, uint32_t read);
  bool meets_reading(const SpaceAccess& access, uint32_t lane, const Block& block, const BlockClock& clock);
  bool meets_object(const SpaceAccess& access, uint32_t lane, const Block& block);
  static void notice_early(const sim::SmState& sm, const sim::MbarrierUse& use, Object& object);
  void waited(const sim::SmState& sm, const sim::MbarrierUse& use, Object& object);
  void unwaited(const sim::SmState& sm, const sim::AsyncCopy& copy, uint32_t lanes, std::string why);
  /// The number in its grid of the block in a slot.
  static uint64_t block_index(const sim::SmState& sm, uint32_t block);
  /// What a finding says besides its message.
  struct Words {
    std::string hint{}, remedy{};
  };
  void report(Kind kind, uint32_t pc, uint64_t block, uint32_t thread, ptx::Space space, Addr address,
              uint32_t element_bytes, std::string message, const UnderWay* other, const Words& words);
  void report(Kind kind, const sim::SmState& sm, const sim::MbarrierUse& use, std::string message);

  Findings& findings_;
  const sim::LaunchContext* launch_ = nullptr;
  std::vector<Block> blocks_;                   // by SM and block slot
  std::unordered_map<Addr, UnderWay> sources_;  // in global memory, by word
};

}  // namespace warptime::debug
