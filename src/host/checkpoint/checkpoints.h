// Writes checkpoints of a running host program, and continues one. The host program itself is not saved: it runs anew
// from its beginning, which costs nothing, as it is deterministic. Its launches up to the one that was running are not
// simulated; their statistics, and what the host has read of device memory since, are those of the checkpoint.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/fnv.h"
#include "host/checkpoint/checkpoint_file.h"
#include "sim/gpu/gpu.h"

namespace warptime::host {

class Checkpoints : private sim::LaunchListener {
 public:
  using Write = std::function<void(const Checkpoint&)>;

  explicit Checkpoints(RunIdentity identity) : LaunchListener({.visits = true}), identity_(std::move(identity)) {}

  /// One checkpoint at the first edge at or after a cycle (in functional runs, warp instruction) of launch `launch`;
  /// nullopt: of the first that reaches it. May be called for several moments.
  void write_at(std::optional<uint64_t> launch, Cycle cycle, Write write);
  /// One each time that this much time of the host has passed, and one where the run is interrupted
  /// (RunOptions::interrupt): the launch ends at the next edge.
  void write_every(std::chrono::duration<double> time, Write write);
  /// The device's calls begin with those of the run that wrote it; why_not_continued() has found nothing.
  void continue_from(Checkpoint checkpoint) { from_ = std::move(checkpoint); }

  /// write_at has not come to its cycle.
  bool still_to_write() const { return !at_.empty(); }
  /// The longest launch so far.
  Cycle longest() const { return longest_; }
  uint64_t launches() const { return number_; }
  /// The cycle of the last one of write_every if the run was interrupted.
  std::optional<Cycle> interrupted_at() const { return interrupted_at_; }
  /// continue_from has not come to its launch.
  bool still_to_continue() const { return from_.has_value(); }

  // Called by the device:
  void module(std::string_view text) { calls_.mix(text); }
  void written(Addr to, std::span<const std::byte> bytes);
  /// The host reads these bytes: replaced by what they were in the run that is continued.
  void read(std::span<std::byte> bytes);
  /// Runs a launch in place of Gpu::run. Throws InputError: the calls are not those of the checkpoint.
  std::optional<sim::Fault> run(sim::Gpu& gpu, const sim::Launch& launch, sim::RunOptions options,
                                sim::DeviceHeap& heap, sim::LaunchStatistics& statistics);

 private:
  struct At {
    std::optional<uint64_t> launch;
    Cycle cycle = 0;
    Write write;
  };
  struct Every {
    std::chrono::duration<double> time;
    Write write;
    std::chrono::steady_clock::time_point next;
  };

  void launched(const sim::Launch& launch);
  /// A launch is at an edge; returns when it is asked next.
  Cycle visit(sim::Session& session) override;
  void go_on(sim::Session& session);
  Checkpoint checkpoint_of(const sim::Session& session) const;
  bool may_write() const { return !at_.empty() || every_; }

  RunIdentity identity_;
  std::vector<At> at_;
  std::optional<Every> every_;
  const sim::InterruptFlag* interrupt_ = nullptr;  // of the user; the launch polls `stop_` in its place
  sim::InterruptFlag stop_ = 0;                    // the last checkpoint has been written
  std::optional<Cycle> interrupted_at_;
  std::optional<Checkpoint> from_;
  sim::DeviceHeap* heap_ = nullptr;  // of the launch that runs
  bool timed_ = true;                // it
  size_t read_ = 0;                  // of its reads
  Fnv1a calls_;
  uint64_t number_ = 0;  // of the next launch
  Cycle longest_ = 0;
  std::vector<sim::LaunchStatistics> launches_;  // as long as checkpoints may be written, as `reads_`
  std::vector<std::byte> reads_;
};

}  // namespace warptime::host
