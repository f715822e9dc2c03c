// The record of a warp's cycles: states without gaps, and what belongs to a window.
#include "sim/core/warp_trace.h"

#include <catch2/catch.hpp>

using namespace warptime;
using namespace warptime::sim;
using Kind = TraceEvent::Kind;

namespace {

constexpr uint32_t kSlot = 5;

struct Recorder {
  explicit Recorder(Cycle from = 0, Cycle to = kNever) {
    log.from = from;
    log.to = to;
    trace.record(&log);
    trace.starts(kSlot, 100, 7, 1);
  }
  TraceLog log;
  WarpTrace trace;
};

struct State {
  Kind kind;
  Stall reason;
  Cycle begin, end;
  bool operator==(const State&) const = default;
};

std::vector<State> states(const TraceLog& log) {
  std::vector<State> out;
  for (const TraceEvent& event : log.events)
    if (event.is_state()) out.push_back({event.kind, event.reason, event.begin, event.end});
  return out;
}

std::vector<std::pair<Kind, Cycle>> moments(const TraceLog& log) {
  std::vector<std::pair<Kind, Cycle>> out;
  for (const TraceEvent& event : log.events)
    if (!event.is_state()) out.emplace_back(event.kind, event.begin);
  return out;
}

}  // namespace

TEST_CASE("a wait is first for its reason, then for the pipe, then for others") {
  Recorder r;
  r.trace.waited(kSlot, 0, 120, Stall::AluDependency, 126, Stall::SpBusy, 130);
  r.trace.issued(kSlot, 0, ~0u, ~0u, 132);
  // Nothing was in the way: the next issue follows at once.
  r.trace.waited(kSlot, 1, 132, Stall::AluDependency, 126, Stall::SpBusy, 132);
  r.trace.issued(kSlot, 1, ~0u, ~0u, 134);
  // The result came after the pipe was free.
  r.trace.waited(kSlot, 2, 140, Stall::GlobalDependency, 139, Stall::SpBusy, 140);
  r.trace.issued(kSlot, 2, ~0u, ~0u, 142);
  r.trace.ends(kSlot);
  CHECK(states(r.log) == std::vector<State>{{Kind::Stall, Stall::AluDependency, 100, 120},
                                            {Kind::Stall, Stall::SpBusy, 120, 126},
                                            {Kind::Ready, Stall::NoWarp, 126, 130},
                                            {Kind::Issue, Stall::NoWarp, 130, 132},
                                            {Kind::Issue, Stall::NoWarp, 132, 134},
                                            {Kind::Stall, Stall::GlobalDependency, 134, 140},
                                            {Kind::Issue, Stall::NoWarp, 140, 142}});
  REQUIRE(r.log.warps.size() == 1);
  CHECK(r.log.warps[0].slot == kSlot);
  CHECK(r.log.warps[0].block == 7);
  CHECK(r.log.warps[0].begin == 100);
  CHECK(r.log.warps[0].end == 142);
}

TEST_CASE("a barrier's wait ends with its release, whatever the warp waits for then") {
  Recorder r;
  r.trace.issued(kSlot, 0, ~0u, ~0u, 104);
  r.trace.arrives(kSlot, 3);
  r.trace.released(kSlot, 1, 124, Stall::Barrier);
  r.trace.waited(kSlot, 1, 150, Stall::GlobalDependency, 0, Stall::SpBusy, 150);
  CHECK(states(r.log) == std::vector<State>{{Kind::Issue, Stall::NoWarp, 100, 104},
                                            {Kind::Stall, Stall::Barrier, 104, 124},
                                            {Kind::Stall, Stall::GlobalDependency, 124, 150}});
  CHECK(moments(r.log) ==
        std::vector<std::pair<Kind, Cycle>>{{Kind::Mask, 100}, {Kind::Arrive, 104}, {Kind::Release, 124}});
}

TEST_CASE("a fence's release is not a barrier's") {
  Recorder r;
  r.trace.released(kSlot, 1, 124, Stall::Fence);
  CHECK(states(r.log) == std::vector<State>{{Kind::Stall, Stall::Fence, 100, 124}});
  CHECK(moments(r.log).empty());
}

TEST_CASE("a mask changes where the instruction before it ended") {
  Recorder r;
  r.trace.issued(kSlot, 0, ~0u, 0xffff, 102);
  r.trace.waited(kSlot, 1, 110, Stall::InstructionFetch, 0, Stall::SpBusy, 110);
  r.trace.issued(kSlot, 1, 0xffff, 0xffff, 112);
  r.trace.issued(kSlot, 2, 0xffff, 0xff, 114);
  CHECK(moments(r.log) == std::vector<std::pair<Kind, Cycle>>{{Kind::Mask, 100}, {Kind::Mask, 102}});
}

TEST_CASE("a window takes what touches it, at its edges exactly") {
  auto recorded = [](Cycle from, Cycle to) {
    Recorder r(from, to);
    r.trace.issued(kSlot, 0, ~0u, ~0u, 104);
    r.trace.arrives(kSlot, 0);
    return std::pair(states(r.log).size(), moments(r.log).size());
  };
  using Pair = std::pair<size_t, size_t>;
  // The issue is [100, 104), its first mask at 100, the arrival at 104.
  CHECK(recorded(0, 100) == Pair(0, 0));
  CHECK(recorded(0, 101) == Pair(1, 1));
  CHECK(recorded(103, 104) == Pair(1, 0));
  CHECK(recorded(103, 105) == Pair(1, 1));
  CHECK(recorded(104, 105) == Pair(0, 1));
  CHECK(recorded(105, 200) == Pair(0, 0));
}

TEST_CASE("of the memory queue, changes and what held when the window began") {
  Recorder r(200, 300);
  for (auto [cycle, length] :
       {std::pair<Cycle, uint32_t>{10, 0}, {150, 4}, {160, 6}, {210, 6}, {220, 5}, {299, 0}, {300, 9}})
    r.trace.queue(cycle, length);
  REQUIRE(r.log.queue.size() == 3);
  CHECK(r.log.queue[0].cycle == 160);
  CHECK(r.log.queue[0].transactions == 6);
  CHECK(r.log.queue[1].cycle == 220);
  CHECK(r.log.queue[2].cycle == 299);
}

TEST_CASE("a warp of an SM that is not recorded leaves nothing") {
  WarpTrace trace;
  CHECK_FALSE(trace.recording());
  trace.starts(0, 1, 0, 0);
  trace.waited(0, 0, 5, Stall::AluDependency, 0, Stall::SpBusy, 5);
  trace.issued(0, 0, 1, 1, 7);
  trace.arrives(0, 0);
  trace.released(0, 0, 9, Stall::Barrier);
  trace.ends(0);
}
