// A running launch, with timing or functional: advances to an edge, at which its state can be read or the launch can be
// abandoned. This is the interface for debuggers, checkpoints and other tools that read a running launch; Gpu::run is a
// single advance to the end.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/gpu/gpu.h"

namespace warptime::sim {

class Run;
class SmState;
class LoadStore;
class LoadStoreTiming;
class WarpTable;
class Scoreboard;
class Pipes;
class SubCore;
class TpcCaches;
struct PartitionView;

/// The timing state of an SM, and its load/store unit, for reading.
struct SmTimes {
  const WarpTable* warps = nullptr;
  const Scoreboard* scoreboard = nullptr;
  const Pipes* pipes = nullptr;
  const LoadStoreTiming* accesses = nullptr;
  const LoadStore* load_store = nullptr;
  std::span<const SubCore> sub_cores;
  const TpcCaches* caches = nullptr;
  uint32_t sm_in_tpc = 0;
};

/// The complete state of a running launch at an edge: of the chip, and of all bytes of device memory and of the heap.
/// Plain data: it can be kept in a file, and restored by another process of the same version of the program.
class Snapshot {
 public:
  Snapshot() = default;
  Snapshot(Cycle now, std::vector<std::byte> state) : now_(now), state_(std::move(state)) {}

  /// The edge at which it was saved, as Session::now().
  Cycle now() const { return now_; }
  size_t bytes() const { return state_.size(); }
  std::span<const std::byte> state() const { return state_; }

 private:
  Cycle now_ = 0;
  std::vector<std::byte> state_;
};

/// Belongs to its Gpu, which has one at a time and must outlive it.
class Session {
 public:
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  /// Advances to the first edge at or after `until`, or to the end of the launch. An edge is the end of a step of the
  /// simulation (a part of a window, RunOptions::step), in functional runs the end of a round. `until` is a cycle, in
  /// functional runs a number of warp instructions of the whole launch. False: the launch has ended, or fault() has the
  /// reason; its statistics are filled in.
  bool step(Cycle until);
  /// step(until), but a timed launch does not go past `limit`: there, all instructions of earlier cycles have issued,
  /// and none of this one. This changes no result.
  bool step_within(Cycle until, Cycle limit);
  /// The edge that was reached, counted like `until`; after the end of a timed launch its cycles.
  Cycle now() const;
  /// The number of the launch's blocks that have ended.
  uint64_t ended_blocks() const;
  const std::optional<Fault>& fault() const;

  /// The blocks, warps, registers and shared memory of an SM; nullptr: the SM has had no block. Valid until the next
  /// step.
  const SmState* sm(uint32_t index) const;
  /// The timing state of an SM of a timed launch; nullopt: there is none. Valid until the next step.
  std::optional<SmTimes> times(uint32_t sm) const;
  /// The partitions (mem/memory_view.h); `address`: in device memory, whose place and lines are asked for.
  std::vector<PartitionView> partitions(std::optional<Addr> address = std::nullopt) const;

  /// Why the state of this launch cannot be saved, in words ("it is traced"); empty: it can.
  std::string_view why_not_saved() const;
  /// The launch has neither ended nor made a fault.
  Snapshot save() const;
  /// Continues from a moment of the same launch: same machine, kernel, grid, arguments and allocations, whatever the
  /// number of threads or the step; also after its end. What sm() gave before is no longer valid. What follows is what
  /// followed the first time; the output of device code is printed again at the end. Throws StateError
  /// (base/state_error.h) if the snapshot is not one of this launch; the session must then not be used any more.
  void restore(const Snapshot& snapshot);

 private:
  friend class Gpu;
  struct Impl;
  explicit Session(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace warptime::sim
