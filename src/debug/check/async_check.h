// The part of racecheck that follows asynchronous copies and mbarrier objects: accesses to what a copy may still write
// or read, copies that nobody waits for, and mbarrier objects that are used wrongly. What copies and mbarrier objects
// order is in racecheck itself.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "debug/check/finding.h"
#include "debug/check/space_access.h"

namespace warptime::debug {

class AsyncCheck {
 public:
  explicit AsyncCheck(Findings& findings) : findings_(findings) {}

  void begins(const sim::LaunchContext& launch);
  void starts(const sim::SmState& sm, uint64_t slots);
  /// The lanes of an access whose words a copy may still write or read, or an mbarrier object has: each is reported.
  uint32_t check(const SpaceAccess& access);
  void began(const sim::SmState& sm, const sim::AsyncCopy& copy);
  void copied(const sim::SmState& sm, const sim::AsyncCopy& copy, uint32_t lanes);
  void began(const sim::SmState& sm, const sim::BulkCopy& copy);
  void arrived(const sim::SmState& sm, const sim::BulkCopy& copy);
  /// A bulk copy reads shared memory until the thread waits for its group.
  void reads(const sim::WarpEvent& event, const sim::LoadStore::BulkRange& range);
  void executes(const sim::WarpEvent& event);
  void used(const sim::SmState& sm, const sim::MbarrierUse& use);
  void exits(const sim::WarpEvent& event);
  /// The last warp of a block has exited.
  void ended(const sim::WarpEvent& event);

 private:
  struct UnderWay {
    uint64_t block = 0;
    uint32_t thread = 0, pc = 0;
    uint64_t number = 0;  // of the copy
    uint32_t count = 0;   // copies that read the word
  };
  struct Object {
    bool is_valid = false;
    uint32_t pc = 0, thread = 0;            // of what made it so
    uint32_t phases = 0;                    // complete
    std::map<uint32_t, uint32_t> waited{};  // by thread: the last phase that it has waited for, from 1 on
  };
  /// The source of a bulk copy to global memory.
  struct Reading {
    UnderWay copy;
    uint32_t from = 0, bytes = 0;
    uint32_t group = 0;
    bool is_open = true;  // in no group yet
  };
  struct Block {
    std::unordered_map<Addr, UnderWay> targets;  // by word
    std::vector<Reading> reading;
    std::map<uint32_t, uint32_t> groups;  // by thread: of bulk copies
    std::map<uint32_t, Object> objects;   // by address
  };

  Block& block_of(const sim::SmState& sm, uint32_t slot) {
    return blocks_[size_t{sm.index()} * launch_->blocks_per_sm + slot];
  }
  bool meets_copy(const SpaceAccess& access, uint32_t lane, const Block& block);
  void add(Block& block, const UnderWay& copy, Addr to, Addr from, uint32_t bytes, uint32_t read);
  void remove(Block& block, uint64_t number, Addr to, Addr from, uint32_t bytes, uint32_t read);
  bool meets_reading(const SpaceAccess& access, uint32_t lane, const Block& block);
  bool meets_object(const SpaceAccess& access, uint32_t lane, const Block& block);
  void waited(const sim::SmState& sm, const sim::MbarrierUse& use, Object& object);
  void unwaited(const sim::SmState& sm, const sim::AsyncCopy& copy, uint32_t lanes, std::string why);
  void report(Kind kind, uint32_t pc, uint64_t block, uint32_t thread, ptx::Space space, Addr address,
              uint32_t element_bytes, std::string message, const UnderWay* other);
  void report(Kind kind, const sim::SmState& sm, const sim::MbarrierUse& use, std::string message);

  Findings& findings_;
  const sim::LaunchContext* launch_ = nullptr;
  std::vector<Block> blocks_;                   // by SM and block slot
  std::unordered_map<Addr, UnderWay> sources_;  // in global memory, by word
};

}  // namespace warptime::debug
