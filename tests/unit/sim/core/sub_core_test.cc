// When a sub-core may issue, and for how long an instruction holds it.
#include "sim/core/sub_core.h"

#include <catch2/catch.hpp>

using namespace warptime;
using namespace warptime::sim;

namespace {

IssueConfig sub_cores(uint32_t count) {
  IssueConfig issue;
  issue.ports = count;
  return issue;
}

}  // namespace

TEST_CASE("warp slots are dealt out to sub-cores in turn") {
  CHECK(SubCore(sub_cores(1), 0).slots() == ~uint64_t{0});
  CHECK(SubCore(sub_cores(2), 1).slots() == 0xaaaaaaaaaaaaaaaa);
  CHECK(SubCore(sub_cores(4), 2).slots() == 0x4444444444444444);
}

TEST_CASE("a sub-core issues no earlier than it is free") {
  SubCore sub_core(sub_cores(1), 0);
  CHECK(sub_core.next() == kNever);
  sub_core.wake(10);
  CHECK(sub_core.next() == 10);
  CHECK(sub_core.hold(10, 4, 0) == 4);
  sub_core.issued(10);
  CHECK(sub_core.next() == 14);
  sub_core.sleep_until(30);
  sub_core.wake(12);
  CHECK(sub_core.next() == 14);
  sub_core.wake(20);  // later than what is known already
  CHECK(sub_core.next() == 14);
}

TEST_CASE("the second of two that issue together holds the sub-core only for what is longer") {
  SubCore sub_core(sub_cores(1), 0);
  CHECK(sub_core.hold(10, 4, 0) == 4);
  CHECK(sub_core.hold(10, 2, 0) == 0);
  CHECK(sub_core.hold(10, 6, 0) == 2);
  CHECK(sub_core.free() == 16);
  CHECK(sub_core.hold(20, 4, 0) == 4);
  CHECK(sub_core.free() == 24);
}

TEST_CASE("of sub-cores with the same cycle the one that issued longest ago goes first") {
  SubCore a(sub_cores(2), 0), b(sub_cores(2), 1);
  a.hold(10, 4, 0);
  b.hold(10, 2, 0);
  a.wake(20);
  b.wake(20);
  CHECK(b.goes_before(a));
  CHECK_FALSE(a.goes_before(b));
  b.sleep_until(21);
  CHECK(a.goes_before(b));
}
