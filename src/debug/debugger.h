// The debugger of one launch: where it is, which thread is in focus, and how it moves through time. Front ends (the
// commands of the terminal, the Debug Adapter Protocol) call it and show what it says.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "debug/names/lane_view.h"
#include "debug/replay/launch_replay.h"
#include "debug/stops/stop_finder.h"

namespace warptime::debug {

/// Why the launch stands where it is.
struct Stop {
  enum class Kind : uint8_t {
    Begin,        // of the launch: it begins, or there is nothing earlier
    Points,       // hits of the user's points
    Step,         // what was asked for is done
    Fault,        // the next cycle has `fault`
    End,          // of the launch
    Interrupted,  // by the user
  };
  Kind kind = Kind::Begin;
  std::vector<Hit> hits;
  std::optional<sim::Fault> fault = {};
  bool warp_ended = false;  // the warp of a step, so that another one is in focus now
};

/// What lasts over the launches of a program.
struct Settings {
  std::vector<Point> points;
  uint32_t next_number = 1;
  bool has_checkers = false;  // the launches are checked
  bool native = false;        // what issues is below each PTX instruction that is shown

  Point& add(Point point);
  Point* find(uint32_t number);
};

class Debugger {
 public:
  using Goal = StopFinder::Goal;

  /// `found`: by checkers, in this launch. `interrupted`: polled while the launch runs.
  Debugger(sim::Gpu& gpu, const sim::Launch& launch, const sim::RunOptions& options, Settings& settings,
           std::vector<LocatedFinding> found, std::function<bool()> interrupted);

  KernelNames& names() { return names_; }
  Settings& settings() { return settings_; }
  const sim::Launch& launch() const { return launch_; }
  uint64_t launch_number() const { return number_; }
  LaunchReplay& replay() { return replay_; }
  const std::vector<FindingMoment>& findings() const { return finder_.findings(); }
  const sim::Session& session() const { return replay_.session(); }
  Cycle now() const { return replay_.now(); }
  bool ended() const { return replay_.ended(); }
  uint32_t sms() const { return sms_; }
  const sim::MachineConfig& machine() const { return machine_; }

  // ---- The thread in focus
  /// `sm` is nullptr if no warp is resident.
  LaneView focus();
  void set_focus(uint32_t sm, uint32_t slot, uint32_t lane);
  /// The resident warp with a thread of this block; nullopt: it is not resident now.
  std::optional<WarpPlace> find_block(uint64_t block, uint32_t warp_in_block) const;
  /// Calls f(place) for every resident warp, in the order of SMs and slots.
  void for_each_warp(const std::function<void(const WarpPlace&)>& f) const;
  /// What a thread of this warp sees.
  LaneView view_of(const WarpPlace& warp, uint32_t lane);

  // ---- Through time. Each says why it stopped.
  /// Forwards, to the first hit of a point or the goal, the end, or `limit`.
  Stop run(Cycle limit = kNever, Goal goal = {});
  /// Back to the last hit, or to the beginning.
  Stop run_back();
  Stop go_to(Cycle cycle);
  Stop step_instructions(uint64_t count);
  Stop step_back_instructions(uint64_t count);
  enum class Calls : uint8_t { Into, Over, Out };
  Stop step_line(Calls calls);
  /// To the beginning of the line of the last instruction before now: of this line, or of the one before it. `Over`:
  /// without those of functions that were called; `Out`: to the call of the function that the warp is in.
  Stop step_back_line(Calls calls);
  /// Before the warp in focus executes one of these instructions.
  Stop until(std::function<bool(uint32_t pc)> is_there);
  /// Whether `continue` leaves the launch at this stop: at its end, unless a catchpoint stops there, and at a fault of
  /// the present cycle, which has been shown before.
  bool is_left_at(const Stop& stop) const;

  /// What the warp in focus has executed before now, the last one last: as much of it as is enough, or all. It is found
  /// by running parts of the launch anew.
  using IsEnough = std::function<bool(const std::vector<ExecutedInstruction>&)>;
  std::vector<ExecutedInstruction> past(const IsEnough& is_enough);
  /// The last access that wrote to the bytes before now; nullopt: none in this launch.
  std::optional<Hit> last_write(ptx::Space space, Addr address, uint32_t bytes);

 private:
  bool is_focus_resident() const;
  void keep_focus();
  void search_back(Cycle to, const std::function<bool()>& is_found);
  Stop stop_at(std::vector<Hit> hits);
  Stop found_fault(Cycle from);
  Goal goal_of_step(Goal own) const;

  const sim::Launch& launch_;
  const sim::MachineConfig& machine_;
  uint64_t number_;
  uint32_t sms_;
  Settings& settings_;
  KernelNames names_;
  StopFinder finder_;
  LaunchReplay replay_;
  std::function<bool()> interrupted_;
  WarpPlace focus_;
  bool has_focus_ = false;
  uint32_t lane_ = 0;
};

}  // namespace warptime::debug
