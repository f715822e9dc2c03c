// A grid that is too small for its buffer: a launch in which each thread writes the element of its own number, and
// nothing of the program touches the elements behind the last thread's, although an argument is the number of them all.
// It is a note, as the program may mean it. Left out: grids and blocks of several dimensions.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "debug/check/finding.h"
#include "debug/check/space_access.h"

namespace warptime::debug {

class GridCover {
 public:
  explicit GridCover(Findings& findings) : findings_(findings) {}

  void begins(const sim::LaunchContext& launch);
  void check(const SpaceAccess& access);
  void ends();
  void finish();
  void host_copies(Addr to, Addr from, uint64_t bytes);

 private:
  /// A buffer during a launch.
  struct Use {
    Addr begin = 0, end = 0;
    bool is_by_thread = true;  // every store was of the thread's own element
    uint32_t element_bytes = 0;
    uint64_t stores = 0;  // of threads
    uint32_t pc = 0;      // of a store
    uint64_t reach = 0;   // behind the last byte that is accessed
  };
  /// A buffer of the program.
  struct Buffer {
    uint64_t reach = 0;              // behind the last byte that anything has accessed
    std::optional<Finding> finding;  // if nothing reaches further than the launch that it is of
    uint64_t covered = 0;            // bytes, of this launch
  };
  Use* use_of(const SpaceAccess& access, Addr low, Addr high);
  void count_stores(const SpaceAccess& access, Use& use);
  bool says(uint64_t elements, uint64_t covered) const;
  Finding note(const Use& use) const;

  Findings& findings_;
  const sim::LaunchContext* launch_ = nullptr;
  bool is_linear_ = false;
  std::map<Addr, Use> uses_;  // of the launch, by their beginning
  std::vector<Use*> recent_;  // by instruction
  std::map<Addr, Buffer> buffers_;
};

}  // namespace warptime::debug
