// What senders tell their receivers.
#include <catch2/catch.hpp>

#include "sim/mem/channel.h"

using warptime::sim::Channel;
using warptime::sim::Outbox;

TEST_CASE("packets are numbered, and told, by channel", "[channel]") {
  Outbox outbox;
  CHECK(outbox.send(0) == 0);
  CHECK(outbox.send(1) == 0);
  CHECK(outbox.send(1) == 1);
  CHECK(outbox.sent(0) == 1);
  CHECK(outbox.sent(1) == 2);
  CHECK(outbox.sent(2) == 0);
}

TEST_CASE("a receiver sees what it was told, in order, and round and round", "[channel]") {
  Channel<uint32_t> channel(3);
  uint32_t sent = 0, taken = 0;
  for (int turn = 0; turn < 100; ++turn) {
    uint32_t fresh = turn % 4;
    for (uint32_t i = 0; i < fresh; ++i, ++sent) channel.send(sent) = sent;
    CHECK(channel.empty());
    channel.look(sent);
    CHECK(channel.size() == fresh);
    for (; !channel.empty(); channel.take()) CHECK(channel.front() == taken++);
  }
  CHECK(taken == sent);
}
