// The copy engine of an SM, which executes copies of ranges and of boxes of tensors (the tensor memory accelerator of
// an H100). It takes one copy after the other, in the order of their issue; others wait in its queue, and while that is
// full no warp can issue one. A copy sends its requests one after the other; what it loads is written to shared memory
// at a rate of its own. Without a queue (`copy_engine.queue_entries`) the machine has none.
//
// Left out: what the memory system cannot take at once does not hold the engine up; requests then wait in a queue that
// is never full (TpcMemory::send_copy). Reading tensor maps.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "base/ring.h"
#include "sim/model/machine.h"

namespace warptime::sim {

class CopyEngine {
 public:
  enum class Kind : uint8_t { Load, Store, Reduce, InShared };

  /// For so many warp slots.
  CopyEngine(const MachineConfig& machine, uint32_t warps) : config_(machine.copy_engine) {
    if (!exists()) return;
    groups_.resize(warps);
    per_byte_ = {0, ticks_of(config_.store_bytes_per_cycle), ticks_of(config_.reduce_bytes_per_cycle),
                 ticks_of(config_.shared_bytes_per_cycle)};
    per_loaded_byte_ = ticks_of(config_.load_bytes_per_cycle);
  }

  bool exists() const { return config_.queue_entries != 0; }

  // The life of a copy: begin, its requests, end.
  /// A copy issues at `now`; it begins when those before it have ended.
  void begin(Cycle now) {
    begin_ = std::max(now, free_);
    ticks_ = 0;
    if (begin_ > now) waiting_.push_back(begin_);
  }
  /// The cycle of its next request, of so many bytes.
  Cycle request(Kind kind, uint32_t bytes) {
    const Cycle at = begin_ + config_.latency + (ticks_ >> kTickBits);
    ticks_ += std::max(uint64_t{config_.request_cycles} << kTickBits, bytes * per_byte_[static_cast<size_t>(kind)]);
    return at;
  }
  /// It has no more. Returns the cycles that it occupies the engine.
  uint32_t end(uint32_t warp) {
    const auto cycles = static_cast<uint32_t>(std::max<uint64_t>(config_.initiation, rounded_up(ticks_)));
    free_ = begin_ + cycles;
    groups_[warp].open = sent() + config_.store_latency;
    return cycles;
  }
  /// When the last request of the copy that has ended was sent.
  Cycle sent() const { return free_ + config_.latency; }
  /// When the last byte of a copy within shared memory, which has ended, is there.
  Cycle arrived_in_shared() const { return sent() + config_.shared_latency; }

  /// First cycle from `now` on at which the queue takes a copy.
  Cycle room(Cycle now) {
    while (!waiting_.empty() && waiting_.front() <= now) waiting_.pop_front();
    const size_t count = waiting_.size();
    return count < config_.queue_entries ? now : waiting_[count - config_.queue_entries];
  }

  /// Copies in its queue.
  uint32_t waiting(Cycle now) const {
    uint32_t count = 0;
    for (size_t i = 0; i < waiting_.size(); ++i) count += waiting_[i] > now ? 1 : 0;
    return count;
  }

  /// The last of so many loaded bytes has come from the memory system at `cycle`: when they are in shared memory.
  Cycle received(uint32_t bytes, Cycle cycle) {
    written_ = std::max(written_ + bytes * per_loaded_byte_, cycle << kTickBits);
    return rounded_up(written_);
  }

  // Groups of copies from shared memory to global memory. Those of a warp's threads are not told apart.
  void start(uint32_t warp) { groups_[warp] = {}; }
  void commit(uint32_t warp) {
    Groups& of = groups_[warp];
    of.read[of.next++ % kKnownGroups] = of.open;
  }
  /// Since when the sources of all but the warp's last `pending` groups have been read.
  Cycle have_been_read(uint32_t warp, uint32_t pending) const {
    const Groups& of = groups_[warp];
    return pending >= kKnownGroups ? 0 : of.read[(of.next - 1 - pending) % kKnownGroups];
  }

 private:
  static constexpr uint32_t kTickBits = 16;     // ticks of a cycle
  static constexpr uint32_t kKnownGroups = 16;  // of a warp; those before them have been read, or nearly
  static uint64_t ticks_of(double bytes_per_cycle) {
    return static_cast<uint64_t>(std::round((uint64_t{1} << kTickBits) / bytes_per_cycle));
  }
  static uint64_t rounded_up(uint64_t ticks) { return (ticks + (uint64_t{1} << kTickBits) - 1) >> kTickBits; }

  struct Groups {
    Cycle open = 0;                          // when the last copy of no group has been read
    std::array<Cycle, kKnownGroups> read{};  // of the last groups
    uint32_t next = 0;                       // number of the next

    template <class Archive>
    void serialize(Archive& archive) {
      archive(open, read, next);
    }
  };

  const CopyEngineConfig& config_;
  std::array<uint64_t, 4> per_byte_{};  // ticks, by kind: of what leaves the engine
  uint64_t per_loaded_byte_ = 0;
  Cycle free_ = 0;              // from then on it takes another copy
  Cycle begin_ = 0;             // of the last copy
  uint64_t ticks_ = 0;          // of its requests
  uint64_t written_ = 0;        // until then it writes to shared memory, in ticks
  Ring<Cycle> waiting_{16};     // when copies that have issued begin
  std::vector<Groups> groups_;  // by warp slot

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive(free_, begin_, ticks_, written_, waiting_);
    archive.table(groups_);
  }
};

}  // namespace warptime::sim
