// same_address_merge: partition. Requests of one half-warp to the same word leave the SM one by one and cross to the
// partition beside the first; its DRAM read answers those that arrive before its data are out. An SM's requests arrive
// half-warp by half-warp, so one half-warp an SM is all there is to remember.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "sim/mem/crossbar.h"

namespace warptime::sim {

class MergeTable {
 public:
  struct Leader {
    uint64_t word = 0;
    uint32_t read = 0;           // its name, for those that wait for it
    bool served = false;         // its last column access is issued
    uint64_t data_end = kNever;  // then: memory cycle after its last data
  };

  explicit MergeTable(uint32_t sms) : groups_(sms) {}

  /// The read that answers `request`, arriving at memory cycle `now`, too; nullptr: its own, of this name.
  const Leader* find_or_lead(const PartitionRequest& request, uint32_t read, uint64_t now) {
    Group& group = groups_[request.sm];
    if (group.id != request.group()) {
      group.id = request.group();
      group.leaders = 0;
    }
    for (uint32_t i = 0; i < group.leaders; ++i) {
      Leader& leader = group.leader[i];
      if (leader.word != request.word()) continue;
      if (!leader.served || now <= leader.data_end) return &leader;
      leader = {request.word(), read, false, kNever};
      return nullptr;
    }
    if (group.leaders < group.leader.size()) group.leader[group.leaders++] = {request.word(), read, false, kNever};
    return nullptr;
  }

  /// The read of this name has had its last column access.
  void served(const PartitionRequest& request, uint32_t read, uint64_t data_end) {
    Group& group = groups_[request.sm];
    if (group.id != request.group()) return;
    for (uint32_t i = 0; i < group.leaders; ++i) {
      Leader& leader = group.leader[i];
      if (leader.read != read || leader.served) continue;
      leader.served = true;
      leader.data_end = data_end;
      return;
    }
  }

 private:
  struct Group {
    uint32_t id = ~uint32_t{0};
    uint32_t leaders = 0;
    std::array<Leader, 16> leader;  // one a lane
  };
  std::vector<Group> groups_;  // by SM
};

}  // namespace warptime::sim
