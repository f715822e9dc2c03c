// Finds the moments at which a launch must stop, while it runs: receives the events of its SMs
// (sim/core/launch_probe.h) and compares them with the points. Forwards it keeps the first moment after the present
// one, backwards the last one before it. It also records what the warp in focus executes.
#pragma once

#include <functional>
#include <vector>

#include "debug/check/located_findings.h"
#include "debug/names/lane_view.h"
#include "debug/stops/point.h"
#include "sim/core/launch_probe.h"

namespace warptime::debug {

/// An instruction that the warp in focus has executed.
struct ExecutedInstruction {
  Cycle cycle = 0;  // of its issue
  uint32_t pc = 0, lanes = 0;
  uint32_t calls = 0;  // that were active when it issued
};

/// A warp by its place, and by its block, because the place gets others.
struct WarpPlace {
  uint32_t sm = 0, slot = 0;
  uint64_t block = 0;
  bool operator==(const WarpPlace&) const = default;
};

/// What a checker found in the launch, and when the timed launch comes to it.
struct FindingMoment {
  LocatedFinding found;
  uint64_t executions = 0;            // of the instruction by the warp, that have been seen
  std::optional<Cycle> last = {};     // of them
  std::optional<Cycle> reached = {};  // the cycle of the one of the finding
};

class StopFinder {
 public:
  enum class Order : uint8_t { First, Last };
  /// For a step of the warp in focus: the position at which an instruction ends the step; nullopt: not this one. Called
  /// before (`Issues`) and after (`Issued`) each.
  using Goal = std::function<std::optional<Cycle>(const sim::ProbeEvent&)>;

  StopFinder(KernelNames& names, uint32_t sms, std::vector<LocatedFinding> found);
  StopFinder(const StopFinder&) = delete;
  StopFinder& operator=(const StopFinder&) = delete;

  sim::LaunchProbe& probe() { return probe_; }

  /// From now on, hits with `after` < position < `before` are kept. The points must not change meanwhile. With a goal,
  /// a step: lines, barriers, stalls and divergence of other warps than the one in focus do not count.
  void listen(const std::vector<Point>& points, Goal goal, Order order, Cycle after, Cycle before,
              const sim::Session& session);
  /// Only the warp in focus is recorded.
  void off();
  /// The hits at the first or the last position, in the order of their SMs; empty: none.
  const std::vector<Hit>& hits() const { return hits_; }

  const std::vector<FindingMoment>& findings() const { return findings_; }

  /// The warp in focus: what it executed is known from cycle `from` on.
  void follow(const WarpPlace& warp, Cycle from);
  /// The warp in focus stays; what it executed is forgotten, and recorded from `from` on.
  void follow_anew(Cycle from) {
    executed_.clear();
    known_from_ = known_to_ = from;
  }
  /// What it executed in the cycles [known_from, known_to), in order.
  const std::vector<ExecutedInstruction>& executed() const { return executed_; }
  Cycle known_from() const { return known_from_; }
  Cycle known_to() const { return known_to_; }
  /// What the warp executed before known_from() is recorded, from `from` on, while the launch runs from there to
  /// known_from(), until end_earlier().
  void begin_earlier(Cycle from);
  void end_earlier();
  /// The launch has run to this cycle. It may have done so before.
  void ran(Cycle from, Cycle to);

 private:
  struct Watch {  // what an instruction that is about to execute will do to a watched place
    uint32_t number = 0, sm = 0, slot = 0, lane = 0;
    std::string before;
  };

  static void report(void* self, const sim::ProbeEvent& event) { static_cast<StopFinder*>(self)->look(event); }
  void look(const sim::ProbeEvent& event);
  void want(const Point& point);
  void want(uint32_t pc, std::initializer_list<sim::ProbeEvent::Kind> kinds);
  void reach_findings(const sim::ProbeEvent& event);
  void follow_with_goal(const sim::ProbeEvent& event);
  void before_execution(const Point& point, const sim::ProbeEvent& event);
  void begin_register_watch(const Point& point, const sim::ProbeEvent& event);
  ptx::Space space_reached(ptx::Space space, Addr& at) const;
  void begin_memory_watch(const Point& point, const sim::ProbeEvent& event);
  void end_watches(const sim::ProbeEvent& event);
  std::optional<uint32_t> lane_with(const Point& point, const sim::ProbeEvent& event, uint32_t lanes,
                                    std::string& problem) const;
  void add(const Point& point, const sim::ProbeEvent& event, Cycle position, std::string detail, uint32_t lanes);
  void keep(Hit hit);
  LaneView view(const sim::ProbeEvent& event, uint32_t lane) const;
  bool is_of(const Point& point, const sim::ProbeEvent& event) const;

  KernelNames& names_;
  const sim::Session* session_ = nullptr;
  sim::LaunchProbe probe_;
  std::vector<FindingMoment> findings_;
  std::vector<Point> points_;
  std::vector<std::vector<uint32_t>> places_;  // by point: instructions
  Goal goal_;
  Order order_ = Order::First;
  Cycle after_ = 0, before_ = 0;
  bool listens_ = false;
  std::vector<Hit> hits_;
  std::vector<Watch> watches_;

  WarpPlace followed_;
  bool follows_ = false;
  std::vector<ExecutedInstruction> executed_;
  Cycle known_from_ = 0, known_to_ = 0;
  std::vector<ExecutedInstruction> later_;  // while earlier ones are recorded
  Cycle later_to_ = 0;
};

}  // namespace warptime::debug
