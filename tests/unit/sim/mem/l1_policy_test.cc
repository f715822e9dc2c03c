// Which lines an L1 data cache keeps.
#include "sim/mem/l1_policy.h"

#include <catch2/catch.hpp>

using namespace warptime;
using namespace warptime::sim;

namespace {

L1Policy policy_of(LineAllocation allocate, uint32_t history) {
  L1Config l1;
  l1.cache = {4096, 128, 4, 40};
  l1.allocate = allocate;
  l1.history = history;
  return L1Policy(l1);
}

}  // namespace

TEST_CASE("L1 policy: every miss is kept") {
  L1Policy policy = policy_of(LineAllocation::every_miss, 4);
  policy.missed(0);
  CHECK(policy.keeps(0));
  CHECK(policy.keeps(128));
}

TEST_CASE("L1 policy: a line is kept from its second miss on, if the history has room for the lines between") {
  L1Policy policy = policy_of(LineAllocation::reused, 4);
  for (Addr line = 0; line < 512; line += 128) policy.missed(line);
  for (Addr line = 0; line < 512; line += 128) CHECK_FALSE(policy.keeps(line));
  policy.missed(128);
  CHECK(policy.keeps(128));
  CHECK_FALSE(policy.keeps(0));
  policy.missed(4 * 128);  // takes the place of line 0
  policy.missed(0);
  CHECK_FALSE(policy.keeps(0));
  CHECK_FALSE(policy.keeps(4 * 128));
  CHECK(policy.keeps(128));
}
