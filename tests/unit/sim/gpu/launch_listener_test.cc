// Who follows launches: several at once, and what they ask for.
#include "sim/gpu/launch_listener.h"

#include <catch2/catch.hpp>

#include "sim/gpu/gpu.h"
#include "sim/model/trace.h"

namespace warptime::sim {

namespace {

struct Counting final : LaunchListener {
  using LaunchListener::LaunchListener;
  void progress(const RunMoment&) override { ++told; }
  int told = 0;
};

}  // namespace

TEST_CASE("several listeners are one that asks for what any of them does") {
  TraceLog log{.launch = 2}, other;
  PrintedText text;
  Counting a({.progress = true, .trace = &log}), b({.visits = true, .trace = &other});
  LaunchListeners all{&text, nullptr, &a, &b};
  CHECK((all.needs().prints && all.needs().progress && all.needs().visits && !all.needs().drives));
  CHECK(all.needs().trace == &log);
  all.printed("one ");
  all.printed("two");
  CHECK(text.text == "one two");
  all.progress({});
  CHECK((a.told == 1 && b.told == 1));
  CHECK(RunOptions{.listener = &all, .launch = 2}.needs().trace == &log);
  CHECK(RunOptions{.listener = &all, .launch = 1}.needs().trace == nullptr);
}

TEST_CASE("launches may overlap unless a listener follows single ones") {
  PrintedText text;
  Counting progress({.progress = true}), interval({.interval = 100}), visitor({.visits = true});
  TraceLog log{.launch = 7};
  LaunchListener tracer({.trace = &log});
  auto overlap = [](LaunchListener* one, LaunchListener* other) {
    LaunchListeners all{one, other};
    return may_overlap({.listener = &all});
  };
  CHECK(may_overlap({}));
  CHECK(overlap(&text, &progress));
  CHECK_FALSE(overlap(&text, &interval));
  CHECK_FALSE(overlap(&visitor, &progress));
  CHECK_FALSE(overlap(&progress, &tracer));  // whichever launch it is of
}

}  // namespace warptime::sim
