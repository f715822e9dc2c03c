// A trace that `warptime trace -o FILE.json` wrote (the Trace Event Format), read value by value for the page. Memory
// is bounded: of a trace with more states than a page has, each warp keeps of every so many cycles the longest state.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/json_reader.h"
#include "report/kernel_rows.h"

namespace warptime::report {

class TraceFile : public JsonEvents {
 public:
  explicit TraceFile(size_t most_states) : most_states_(most_states) {}

  void begin_object(std::string_view key) override;
  void begin_list(std::string_view key) override;
  void end() override;
  void number(std::string_view key, double value, std::string_view digits) override;
  void text(std::string_view key, std::string_view value) override;
  void word(std::string_view, std::string_view) override {}

  /// What the file says about the run; empty or 0: nothing.
  std::string target, machine, machine_hash, kernel;
  uint64_t launch = 0, cycles = 0, sm = 0;
  bool has_events() const { return has_events_; }  // a list `traceEvents`, perhaps empty
  uint64_t states() const { return states_; }      // that were read

  /// JSON in the form of trace_json, without requests and stacks. `kernel_rows`: the rows to which the states refer;
  /// nullptr: to none. Only if states() is not 0.
  nlohmann::ordered_json json(const KernelRows* kernel_rows, size_t most_states, std::vector<std::string>& notes);

 private:
  struct State {
    uint64_t begin = 0, end = 0;
    uint64_t length = 0;  // its own, although it stands for others from begin to end
    int state = 0;
    uint32_t line = 0;
    uint32_t mask = 0, lanes = 0;
  };
  struct Warp {
    std::string block;
    uint32_t index = 0;
    int64_t slot = -1;
    std::vector<State> states;
  };
  /// The members of the event that is read.
  struct Event {
    std::string phase, name, category, active, named;
    uint64_t process = 0, thread = 0, begin = 0, length = 0, line = 0, lanes = 0, slot = 0;
    bool has_slot = false;
  };

  void add(const Event& event);
  bool append(std::vector<State>& states, const State& state) const;
  void shorten(size_t most);
  static int state_of(const Event& event);
  static void give_slots(std::vector<Warp*>& warps);
  nlohmann::ordered_json warp_json(const Warp& warp, size_t number, const std::unordered_map<uint32_t, size_t>& rows,
                                   std::vector<uint32_t>& masks) const;

  size_t most_states_;
  size_t depth_ = 0;
  bool in_about_ = false, in_events_ = false, has_events_ = false, in_arguments_ = false;
  Event event_;
  uint64_t states_ = 0;
  size_t kept_ = 0;
  uint64_t resolution_ = 1;                              // cycles of which the longest state is kept
  std::map<uint64_t, std::string> blocks_;               // by process
  std::map<std::pair<uint64_t, uint64_t>, Warp> warps_;  // by process and thread
};

}  // namespace warptime::report
