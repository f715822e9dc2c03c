// Microseconds of the host's clock, worked out by hand. The figures of the machine here: 10 us of launch, 4 of an
// asynchronous call, 6 to notice the device's end; a copy 8 us and 1 GB/s (1000 bytes a microsecond) out of pageable, 2
// out of pinned memory; back 0.5 and 4.
#include "host/device/host_clock.h"

#include <catch2/catch.hpp>

#include "host/device/device.h"
#include "sim/gpu/gpu.h"
#include "unit/host/host_test.h"

namespace warptime::host {

namespace {

constexpr auto kTo = TimelineEvent::Direction::HostToDevice;
constexpr auto kBack = TimelineEvent::Direction::DeviceToHost;

sim::HostConfig figures() {
  sim::HostConfig config;
  config.launch_us = 10;
  config.call_us = 4;
  config.synchronize_us = 6;
  config.copy_latency_us = 8;
  config.host_to_device_gb_s = 1;
  config.device_to_host_gb_s = 0.5;
  config.pinned_host_to_device_gb_s = 2;
  config.pinned_device_to_host_gb_s = 4;
  return config;
}

void check(const TimelineEvent& event, double start_us, double end_us) {
  CAPTURE(event.name);
  CHECK(event.start_us == start_us);
  CHECK(event.end_us == end_us);
}

}  // namespace

TEST_CASE("A copy takes a fixed time and its bytes at the bandwidth of its direction and memory") {
  HostClock clock(figures());
  clock.copy(kTo, 16000, "a");                      // 8 + 16
  clock.copy(kTo, 16000, "b", {.pinned = true});    // 8 + 8
  clock.copy(kBack, 16000, "c");                    // 8 + 32
  clock.copy(kBack, 16000, "d", {.pinned = true});  // 8 + 4
  clock.copy(kTo, 0, "e");                          // 8
  const auto& t = clock.timeline();
  REQUIRE(t.size() == 5);
  check(t[0], 0, 24);
  check(t[1], 24, 40);
  check(t[2], 40, 80);
  check(t[3], 80, 92);
  check(t[4], 92, 100);
  CHECK(clock.now_us() == 100);
  CHECK(t[2].kind == TimelineEvent::Kind::Copy);
  CHECK(t[2].direction == kBack);
  CHECK(t[2].bytes == 16000);
}

TEST_CASE("A launch returns after the call, and what needs its result waits") {
  HostClock clock(figures());
  clock.kernel("k", 50);  // first block at 10, end at 60
  CHECK(clock.now_us() == 4);
  clock.copy(kBack, 1000, "r");  // 60 to 60 + 8 + 2
  check(clock.timeline()[0], 0, 60);
  check(clock.timeline()[1], 60, 70);
  CHECK(clock.now_us() == 70);
}

TEST_CASE("The way to the first block is hidden behind a kernel that is long enough") {
  for (double first : {2.0, 3.0, 4.0, 5.0, 30.0}) {
    // The first kernel ends at 10 + first. The second is called for at 4; its first block cannot come before 14, so
    // from a first kernel of 4 us on nothing of the launch is seen.
    HostClock clock(figures());
    clock.kernel("a", first);
    clock.kernel("b", 20);
    check(clock.timeline()[0], 0, 10 + first);
    check(clock.timeline()[1], 10 + first, first < 4 ? 34 : 30 + first);
    CHECK(clock.now_us() == 8);
  }
}

TEST_CASE("Empty kernels in a row follow at the pace of the host's calls") {
  HostClock clock(figures());
  for (int i = 0; i < 100; ++i) clock.kernel("k", 0);
  // The last one is called for at 99 x 4, and begins 10 later.
  check(clock.timeline().back(), 402, 406);
  CHECK(clock.now_us() == 400);
}

TEST_CASE("A synchronous launch ends for the host a while after the kernel") {
  HostClock clock(figures());
  clock.kernel("a", 50, true);  // 0 to 60; the host knows at 66
  CHECK(clock.now_us() == 66);
  clock.kernel("b", 1, true);  // 66 to 77
  check(clock.timeline()[1], 66, 77);
  CHECK(clock.now_us() == 83);
}

TEST_CASE("Waiting for an idle device costs the waiting alone, for a busy one its rest") {
  HostClock clock(figures());
  clock.synchronize();
  CHECK(clock.now_us() == 6);
  clock.kernel("k", 20);  // called for at 6, ends at 36
  clock.synchronize();
  CHECK(clock.now_us() == 42);
}

TEST_CASE("Only copies of pinned memory let the host go on") {
  HostClock pinned(figures()), pageable(figures());
  pinned.copy(kTo, 16000, "x", {.pinned = true, .asynchronous = true});  // 0 to 16
  CHECK(pinned.now_us() == 4);
  pinned.kernel("k", 5);  // called for at 4: the way takes until 14, the copy until 16
  check(pinned.timeline()[0], 0, 16);
  check(pinned.timeline()[1], 16, 21);
  pageable.copy(kTo, 16000, "x", {.pinned = false, .asynchronous = true});  // 0 to 24
  CHECK(pageable.now_us() == 24);
}

TEST_CASE("Events time what the device did between them") {
  HostClock clock(figures());
  double begin = clock.record_event();  // the device is idle: now
  clock.kernel("a", 30);                // called for at 4, 14 to 44
  clock.kernel("b", 20);                // 44 to 64
  double end = clock.record_event();
  CHECK(begin == 0);
  CHECK(end == 64);
  CHECK(clock.now_us() == 16);  // four calls; the host did not wait
  clock.synchronize();
  CHECK(clock.record_event() == 70);
}

TEST_CASE("A device has the clock of its machine") {
  sim::Machine machine = default_machine();
  machine.config.host = figures();
  Device device(machine, {});
  std::vector<float> values(4000);
  Buffer x = device.allocate<float>(4000, "x");
  Event begin = device.record_event();
  device.copy_to(x, values, "x", {.pinned = true});  // from 4: 8 + 8
  Event end = device.record_event();
  CHECK(Device::elapsed_us(begin, end) == 20);
  CHECK(device.now_us() == 24);
  device.synchronize();
  CHECK(device.now_us() == 30);
  check(device.timeline()[0], 4, 20);

  sim::RunOptions functional;
  functional.functional = true;
  Device timeless(machine, functional);
  Buffer y = timeless.allocate<float>(4000, "y");
  timeless.copy_to(y, values, "y");
  timeless.synchronize();
  CHECK(timeless.record_event().when_us == 0);
  CHECK(timeless.now_us() == 0);
  CHECK(timeless.timeline().empty());
}

}  // namespace warptime::host
