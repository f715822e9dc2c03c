// A listener is notified while a launch runs: it derives from LaunchListener, overrides the functions of its events,
// and is given as RunOptions::listener. Events that its needs do not name cost nothing, and do not happen.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "sim/fault.h"
#include "sim/model/statistics.h"

namespace warptime::sim {

class Gpu;
class LaunchObserver;
class Session;
struct BlockLog;
struct Launch;
struct LaunchProbe;
struct RequestRecord;
struct RunOptions;
struct TraceLog;

/// What a launch has done up to a moment.
struct RunCounts {
  uint64_t warp_instructions = 0;
  std::optional<IssueSlots> issue = {};  // of all SMs; nullopt: without time or reasons
};

/// A moment of a running launch, for those who show its progress.
struct RunMoment {
  std::string_view kernel;
  bool timed = true;
  Cycle now = 0;                           // in functional runs warp instructions of the launch
  uint64_t ended_blocks = 0, blocks = 0;   // no blocks: only a sample of them runs
  double share = 0;                        // of the launch that has been simulated, 0 to 1
  bool is_end = false;                     // of the launch
  std::function<RunCounts()> counts = {};  // takes the time of a step
};

/// The counters of a part of a timed launch, as those of a launch that began and ended with it. Waits that had not
/// ended at its end were charged there as far as they were known: a reason that turned out to be another one may be
/// below 0 in the next part, modulo 2^64.
struct LaunchInterval {
  uint64_t launch = 0;  // RunOptions::launch
  Cycle begin = 0, end = 0;
  LaunchStatistics counted;
};

/// What a listener asks for.
struct LaunchNeeds {
  bool prints = false, progress = false, visits = false, drives = false;
  Cycle interval = 0;  // the length of an interval; 0: none
  // Filled in by the run itself.
  TraceLog* trace = nullptr;          // of a timed run: what to record, and where to
  BlockLog* blocks = nullptr;         // of a timed run: when each block ran, and where
  RequestRecord* requests = nullptr;  // of a functional run: its accesses to memory
  // Called for single instructions.
  LaunchProbe* probe = nullptr;        // of a timed run: what a debugger asks for (core/launch_probe.h)
  LaunchObserver* observer = nullptr;  // of a functional run (launch_observer.h); it then uses one thread

  /// What would not tell launches apart that run at the same time.
  bool follows_single_launch() const {
    return visits || drives || interval != 0 || trace || blocks || requests || probe || observer;
  }
  /// And what `other` asks for.
  void add(const LaunchNeeds& other);
};

class LaunchListener {
 public:
  explicit LaunchListener(const LaunchNeeds& needs = {}) : needs_(needs) {}
  virtual ~LaunchListener() = default;
  const LaunchNeeds& needs() const { return needs_; }

  /// `prints`: the output of device code, in pieces, at the end of each launch, also after a fault.
  virtual void printed(std::string_view /*text*/) {}
  /// `progress`: periodically from the calling thread while a launch runs, and at its end.
  virtual void progress(const RunMoment& /*moment*/) {}
  /// `interval`: in timed runs after every so many cycles, and with the rest at the end. Not of sampled runs.
  virtual void interval(const LaunchInterval& /*part*/) {}
  /// `visits`: by Gpu::run before the first cycle, and then at the first edge at or after the cycle that it returned,
  /// or earlier, while the launch runs. Not of sampled runs.
  virtual Cycle visit(Session& /*session*/) { return kNever; }
  /// `drives`: runs a launch in place of Gpu::run, with sessions of its own.
  virtual std::optional<Fault> drive(Gpu&, const Launch&, const RunOptions&, LaunchStatistics&) { return {}; }

 protected:
  LaunchNeeds needs_;
};

/// Keeps what device code prints.
class PrintedText final : public LaunchListener {
 public:
  PrintedText() : LaunchListener({.prints = true}) {}
  void printed(std::string_view piece) override { text += piece; }
  std::string text;
};

/// Several listeners as one: each is notified of the events that any of them needs. Null pointers are left out. Of what
/// a launch can have only once, the first listener's is taken.
class LaunchListeners final : public LaunchListener {
 public:
  LaunchListeners(std::initializer_list<LaunchListener*> all);
  void printed(std::string_view text) override {
    for (LaunchListener* one : all_) one->printed(text);
  }
  void progress(const RunMoment& moment) override {
    for (LaunchListener* one : all_) one->progress(moment);
  }
  void interval(const LaunchInterval& part) override {
    for (LaunchListener* one : all_) one->interval(part);
  }
  Cycle visit(Session& session) override;
  std::optional<Fault> drive(Gpu& gpu, const Launch& launch, const RunOptions& options,
                             LaunchStatistics& statistics) override;

 private:
  std::vector<LaunchListener*> all_;
};

}  // namespace warptime::sim
