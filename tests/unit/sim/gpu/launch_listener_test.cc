// Who follows launches: several at once, and what they ask for.
#include "sim/gpu/launch_listener.h"

#include <catch2/catch.hpp>

#include "sim/gpu/gpu.h"
#include "sim/model/trace.h"

namespace warptime::sim {

namespace {

struct CountingListener final : LaunchListener {
  using LaunchListener::LaunchListener;
  void progress(const RunMoment&) override { ++told; }
  int told = 0;
};

}  // namespace

TEST_CASE("several listeners are one that asks for what any of them does") {
  TraceLog log{.launch = 2}, other;
  PrintedText text;
  CountingListener a({.progress = true, .trace = &log}), b({.visits = true, .trace = &other});
  LaunchListeners all{&text, nullptr, &a, &b};
  CHECK((all.needs().prints && all.needs().progress && all.needs().visits && !all.needs().drives));
  all.printed("one ");
  all.printed("two");
  all.progress({});
  CHECK(text.text == "one two");
  CHECK((a.told == 1 && b.told == 1));
  CHECK(RunOptions{.listener = &all, .launch = 2}.needs().trace == &log);  // the first's
  CHECK(RunOptions{.listener = &all, .launch = 1}.needs().trace == nullptr);
}

TEST_CASE("launches may overlap unless a listener follows single ones") {
  TraceLog log{.launch = 7};
  LaunchListener shown({.prints = true, .progress = true}), parts({.interval = 100}), traced({.trace = &log});
  CHECK(may_overlap({}));
  CHECK(may_overlap({.listener = &shown}));
  CHECK_FALSE(may_overlap({.listener = &parts}));
  CHECK_FALSE(may_overlap({.listener = &traced, .launch = 7}));
  CHECK(may_overlap({.listener = &traced, .launch = 6}));
}

}  // namespace warptime::sim
