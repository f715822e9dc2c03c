// What a sender tells its receivers at the end of a step, for the next.
#include <catch2/catch.hpp>

#include "sim/mem/channel.h"

using warptime::sim::ChannelSender;

TEST_CASE("receivers are told what was sent in the step before", "[channel]") {
  ChannelSender sender(3);
  uint64_t step = 1;
  auto sends = [&](std::initializer_list<uint32_t> channels) {
    for (uint32_t channel : channels) sender.send(channel);
    sender.publish(step++);
    return std::array{sender.fresh(0, step), sender.fresh(1, step), sender.fresh(2, step)};
  };
  using Fresh = std::array<uint32_t, 3>;
  CHECK(sends({}) == Fresh{0, 0, 0});
  CHECK(sends({1, 1, 2}) == Fresh{0, 2, 1});
  CHECK(sends({0}) == Fresh{1, 0, 0});
  for (int quiet = 0; quiet < 6; ++quiet) CHECK(sends({}) == Fresh{0, 0, 0});
  CHECK(sends({2}) == Fresh{0, 0, 1});
  CHECK(sends({2, 2}) == Fresh{0, 0, 2});
}

TEST_CASE("packets are numbered by channel", "[channel]") {
  ChannelSender sender(2);
  CHECK(sender.send(0) == 0);
  CHECK(sender.send(1) == 0);
  sender.publish(1);
  CHECK(sender.send(1) == 1);
  CHECK(sender.send(0) == 1);
}
