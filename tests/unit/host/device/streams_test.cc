// Streams and events, in microseconds worked out by hand. The machine here: 10 us of launch, 4 of a call, 6 to notice
// an end; a copy 8 us and, of pinned memory, 1000 bytes a microsecond both ways; 86.4 GB/s of DRAM.
#include <nlohmann/json.hpp>

#include "host/device/host_clock.h"
#include "host/report/report.h"
#include "sim/gpu/gpu.h"
#include "sim/model/machine_loader.h"
#include "unit/host/host_test.h"

namespace warptime::host {

namespace {

constexpr auto kThere = TimelineEvent::Direction::HostToDevice;
constexpr auto kHome = TimelineEvent::Direction::DeviceToHost;

sim::HostConfig stream_figures(uint32_t copy_engines) {
  sim::HostConfig config;
  config.launch_us = 10;
  config.call_us = 4;
  config.synchronize_us = 6;
  config.copy_latency_us = 8;
  config.pinned_host_to_device_gb_s = 1;
  config.pinned_device_to_host_gb_s = 1;
  config.copy_engines = copy_engines;
  return config;
}

CopyOptions in(Stream stream) { return {.pinned = true, .asynchronous = true, .stream = stream}; }

void check_times(const TimelineEvent& event, double start_us, double end_us) {
  CAPTURE(event.name, event.stream);
  CHECK(event.start_us == start_us);
  CHECK(event.end_us == end_us);
}

struct StreamExample {
  explicit StreamExample(uint32_t copy_engines) : device(machine(copy_engines), {}) {}
  static sim::Machine machine(uint32_t copy_engines) {
    sim::Machine out = default_machine();
    out.config.host = stream_figures(copy_engines);
    return out;
  }
  Device device;
};

}  // namespace

TEST_CASE("Without a copy engine nothing overlaps, whatever the streams") {
  HostClock clock(stream_figures(0));
  Stream a = clock.new_stream(), b = clock.new_stream();
  clock.kernel("k", 50, false, a);        // 0 to 60
  clock.copy(kThere, 12000, "x", in(b));  // 60 to 80
  clock.copy(kHome, 12000, "y", in(a));   // 80 to 100
  clock.kernel("l", 10, false, b);        // 100 to 110
  const auto& t = clock.timeline();
  check_times(t[0], 0, 60);
  check_times(t[1], 60, 80);
  check_times(t[2], 80, 100);
  check_times(t[3], 100, 110);
  CHECK(clock.now_us() == 16);
}

TEST_CASE("With one copy engine a copy runs beside a kernel of another stream, copies one after the other") {
  HostClock clock(stream_figures(1));
  Stream a = clock.new_stream(), b = clock.new_stream();
  clock.kernel("k", 50, false, a);        // 0 to 60
  clock.copy(kThere, 12000, "x", in(b));  // called for at 4: 4 to 24
  clock.copy(kHome, 12000, "y", in(b));   // 24 to 44
  clock.copy(kHome, 12000, "z", in(a));   // after the kernel of its stream: 60 to 80
  clock.kernel("l", 10, false, b);        // b is free at 44, the kernels at 60: 60 to 70
  const auto& t = clock.timeline();
  check_times(t[0], 0, 60);
  check_times(t[1], 4, 24);
  check_times(t[2], 24, 44);
  check_times(t[3], 60, 80);
  check_times(t[4], 60, 70);
}

TEST_CASE("With two copy engines copies of both directions run beside each other") {
  HostClock clock(stream_figures(2));
  Stream a = clock.new_stream(), b = clock.new_stream();
  clock.copy(kThere, 12000, "x", in(a));  // 0 to 20
  clock.copy(kHome, 12000, "y", in(b));   // 4 to 24
  clock.copy(kThere, 12000, "z", in(b));  // after y: 24 to 44
  const auto& t = clock.timeline();
  check_times(t[0], 0, 20);
  check_times(t[1], 4, 24);
  check_times(t[2], 24, 44);
}

TEST_CASE("The default stream waits for all others, and they for it") {
  HostClock clock(stream_figures(2));
  Stream a = clock.new_stream(), b = clock.new_stream();
  clock.kernel("k", 50, false, a);                                         // 0 to 60
  clock.copy(kThere, 12000, "x", {.pinned = true, .asynchronous = true});  // 60 to 80
  clock.copy(kHome, 12000, "y", in(b));                                    // 80 to 100
  const auto& t = clock.timeline();
  check_times(t[1], 60, 80);
  check_times(t[2], 80, 100);
  CHECK(t[0].stream == 1);
  CHECK(t[1].stream == 0);
  CHECK(t[2].stream == 2);
}

TEST_CASE("An engine takes what is called for in the order of the calls") {
  HostClock clock(stream_figures(1));
  Stream a = clock.new_stream(), b = clock.new_stream();
  clock.kernel("k", 50, false, a);        // 0 to 60
  clock.copy(kHome, 12000, "y", in(a));   // 60 to 80
  clock.copy(kThere, 12000, "x", in(b));  // behind it, although its stream is free: 80 to 100
  check_times(clock.timeline()[2], 80, 100);
}

TEST_CASE("A stream waits for an event of another one") {
  HostClock clock(stream_figures(1));
  Stream a = clock.new_stream(), b = clock.new_stream();
  clock.kernel("k", 50, false, a);        // 0 to 60
  double event = clock.record_event(a);   // host: 8
  clock.kernel("m", 50, false, a);        // 60 to 110: not before the event
  clock.wait(b, event);                   // host: 16
  clock.copy(kThere, 12000, "x", in(b));  // 60 to 80
  CHECK(event == 60);
  check_times(clock.timeline()[2], 60, 80);
  CHECK_FALSE(clock.query(event));  // host: 20 to 24
  clock.synchronize(event);
  CHECK(clock.now_us() == 66);
  CHECK(clock.query(event));  // 70
  clock.synchronize(b);       // until 80
  CHECK(clock.now_us() == 86);
  clock.synchronize();  // until 110
  CHECK(clock.now_us() == 116);
}

TEST_CASE("The host waits for a copy of pageable memory, in any stream, but not for other streams") {
  HostClock clock(stream_figures(1));
  Stream a = clock.new_stream(), b = clock.new_stream();
  clock.kernel("k", 500, false, a);                                     // 0 to 510
  clock.copy(kThere, 12000, "x", {.asynchronous = true, .stream = b});  // 4 to 4 + 8 + 12000 / 1500
  CHECK(clock.now_us() == 20);
  CHECK(clock.timeline()[1].end_us == 20);
}

TEST_CASE("A synchronous launch in a stream waits for that stream only") {
  HostClock clock(stream_figures(1));
  Stream a = clock.new_stream(), b = clock.new_stream();
  clock.copy(kThere, 100000, "x", in(b));  // 0 to 108
  clock.kernel("k", 50, true, a);          // 4 to 64; the host notices at 70
  CHECK(clock.now_us() == 70);
}

TEST_CASE("Copies on the device and fills move their bytes at the bandwidth of DRAM and let the host go on") {
  StreamExample example(1);
  Device& device = example.device;
  CHECK(peak_bandwidth_gb_s(device.machine().config) == Approx(86.4));
  Buffer x = device.allocate_bytes(864'000, "x"), y = device.allocate_bytes(864'000, "y");
  device.fill_bytes(x, 7, 864'000, "x");                        // 10 us to launch, 10 to write
  device.copy_on_device(y, x, 432'000, "y", {.to_offset = 8});  // 10 to read and write
  CHECK(device.now_us() == 8);
  const auto& t = device.timeline();
  CHECK(t[0].kind == TimelineEvent::Kind::Fill);
  CHECK(t[0].direction == TimelineEvent::Direction::None);
  CHECK(t[0].bytes == 864'000);
  CHECK(t[0].end_us == Approx(20));
  CHECK(t[1].kind == TimelineEvent::Kind::Copy);
  CHECK(t[1].direction == TimelineEvent::Direction::DeviceToDevice);
  CHECK(t[1].start_us == Approx(20));
  CHECK(t[1].end_us == Approx(30));
  std::vector<uint8_t> values(12);
  device.read_bytes(std::as_writable_bytes(std::span(values)), y.address);
  CHECK(values == std::vector<uint8_t>{0, 0, 0, 0, 0, 0, 0, 0, 7, 7, 7, 7});
}

TEST_CASE("A program's calls go to their streams and the report names a stream other than the default one") {
  StreamExample example(1);
  Device& device = example.device;
  Stream stream = device.create_stream();
  std::vector<uint32_t> values(3000, 5);
  Buffer x = device.allocate<uint32_t>(3000, "x"), y = device.allocate<uint32_t>(3000, "y");
  device.copy_to(x, values, "x", in(stream));  // 0 to 20
  Event there = device.record_event(stream);
  CHECK_FALSE(device.query_event(there));  // the host is at 8
  device.wait_event(stream, there);
  device.copy_on_device(y, x, 12000, "y", {.stream = stream});
  device.fill_bytes(x, 0, 12000, "x", {.stream = stream});
  device.copy_from(values, y, "y", in(stream));
  CHECK(there.when_us == 20);
  CHECK(values == std::vector<uint32_t>(3000, 5));
  device.synchronize(stream);
  CHECK(device.query_event(there));
  for (const TimelineEvent& event : device.timeline()) CHECK(event.stream == stream.id);

  RunReport report;
  report.machine = device.machine();
  report.timeline = device.timeline();
  device.fill_bytes(x, 0, 4, "x");
  report.timeline.push_back(device.timeline().back());
  auto json = to_json(report)["timeline"];
  CHECK(json[0]["stream"] == 1);
  CHECK(json[1]["direction"] == "device_to_device");
  CHECK(json[2]["kind"] == "fill");
  CHECK(json[2]["direction"].is_null());
  CHECK_FALSE(json[4].contains("stream"));
}

TEST_CASE("A stream of another device is refused by every call, and nothing is copied") {
  StreamExample example(1);
  Device& device = example.device;
  std::vector<uint32_t> ones(4, 1), values(4);
  Buffer x = device.allocate<uint32_t>(4, "x"), y = device.allocate<uint32_t>(4, "y");
  const std::string expected = "error: this device has not created a stream 3\n";
  Stream other{3};
  CHECK(input_error([&] { device.copy_to(x, ones, "x", in(other)); }) == expected);
  CHECK(input_error([&] { device.copy_from(values, x, "x", in(other)); }) == expected);
  CHECK(input_error([&] { device.copy_on_device(x, y, 4, "x", {.stream = other}); }) == expected);
  CHECK(input_error([&] { device.fill_bytes(x, 1, 4, "x", {.stream = other}); }) == expected);
  CHECK(input_error([&] { device.time_copy(kThere, 4, "x", in(other)); }) == expected);
  CHECK(input_error([&] { device.record_event(other); }) == expected);
  CHECK(input_error([&] { device.wait_event(other, {}); }) == expected);
  CHECK(input_error([&] { device.synchronize(other); }) == expected);
  device.copy_from(values, x, "x");
  CHECK(values == std::vector<uint32_t>(4));
  CHECK(device.timeline().size() == 1);
}

TEST_CASE("A functional run has streams and no time") {
  sim::RunOptions functional;
  functional.functional = true;
  Device device(default_machine(), functional);
  Stream stream = device.create_stream();
  Buffer x = device.allocate_bytes(64, "x");
  device.fill_bytes(x, 1, 64, "x", {.stream = stream});
  Event event = device.record_event(stream);
  device.wait_event(stream, event);
  CHECK(device.query_event(event));
  device.synchronize(stream);
  device.synchronize(event);
  device.free(x);
  CHECK(event.when_us == 0);
  CHECK(device.now_us() == 0);
  CHECK(device.timeline().empty());
}

namespace {

// Each thread adds to its own word, turn after turn.
constexpr const char* kAdding = R"(.version 3.0
.target sm_20
.address_size 64
.visible .entry adding(.param .u64 words, .param .u32 turns)
{
  .reg .b64 %rd<4>; .reg .b32 %r<8>; .reg .pred %p<2>;
  ld.param.u64 %rd1, [words]; ld.param.u32 %r5, [turns];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.u32 %r1, %r1, %r2, %r3; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;
turn:
  ld.global.u32 %r4, [%rd1]; add.u32 %r4, %r4, 1; st.global.u32 [%rd1], %r4;
  sub.u32 %r5, %r5, 1; setp.ne.u32 %p1, %r5, 0;
  @%p1 bra turn;
  exit;
}
)";

LaunchOptions in_stream(Stream stream) {
  LaunchOptions out;
  out.stream = stream;
  return out;
}

struct QueueExample {
  explicit QueueExample(uint32_t concurrent) : device(machine(concurrent), {}) {
    module = device.load_module(std::make_shared<SourceText>("adding.ptx", kAdding));
    for (Stream& stream : streams) stream = device.create_stream();
    for (Buffer& buffer : buffers) buffer = device.allocate<uint32_t>(128, "words");
  }
  static sim::Machine machine(uint32_t concurrent) {
    Diagnostics diagnostics;
    sim::Machine out = sim::load_machine("geforce-gtx-480", {}, WARPTIME_SOURCE_DIR "/configs", diagnostics)->machine;
    out.config.host = stream_figures(1);
    out.config.chip.concurrent_kernels = concurrent;
    return out;
  }
  PendingLaunch enqueue(size_t buffer, Stream stream, uint32_t turns = 200) {
    return device.enqueue(module, "adding", {2}, {64}, {buffers[buffer], arg_u32(turns)}, in_stream(stream));
  }
  uint32_t word(size_t buffer) {
    uint32_t out = 0;
    device.read_bytes(std::as_writable_bytes(std::span(&out, 1)), buffers[buffer].address);
    return out;
  }

  Device device;
  ModuleRef module;
  std::array<Stream, 2> streams;
  std::array<Buffer, 2> buffers;
};

}  // namespace

TEST_CASE("A module lives as long as launches of it wait") {
  QueueExample example(4);
  for (size_t i = 0; i < 2; ++i) example.enqueue(i, example.streams[i]);
  example.module = nullptr;
  CHECK(example.word(0) == example.word(1));
  CHECK(example.device.launches().size() == 2);
}

TEST_CASE("Kernels that were enqueued in two streams run side by side where the machine can") {
  QueueExample one(1), many(16);
  for (QueueExample* example : {&one, &many}) {
    example->enqueue(0, example->streams[0]);
    example->enqueue(1, example->streams[1]);
    CHECK(example->word(0) == 200);
    CHECK(example->word(1) == 200);
    CHECK(example->device.launches().size() == 2);
  }
  const auto &alone = one.device.timeline(), &together = many.device.timeline();
  CHECK(alone[1].start_us >= alone[0].end_us);
  CHECK(together[1].start_us < together[0].end_us);
  CHECK(together[1].start_us == Approx(4).margin(0.1));  // when the host called
  CHECK(together[1].end_us < alone[1].end_us);
  CHECK(together[0].stream == 1);
  CHECK(together[1].stream == 2);
}

TEST_CASE("Kernels that were enqueued in one stream follow each other, and what the stream had before") {
  QueueExample example(16);
  std::vector<uint32_t> there(128, 7);
  example.device.copy_to(example.buffers[0], there, "x", in(example.streams[0]));
  const PendingLaunch first = example.enqueue(0, example.streams[0]);
  const PendingLaunch second = example.enqueue(0, example.streams[0], 50);
  CHECK(second.result().counted().counts.warp_instructions < first.result().counted().counts.warp_instructions);
  CHECK(example.word(0) == 257);
  const auto& t = example.device.timeline();
  REQUIRE(t.size() == 3);
  CHECK(t[1].end_us > t[0].end_us);
  CHECK(t[2].end_us > t[1].end_us);
}

TEST_CASE("A launch in the default stream waits for what was enqueued") {
  QueueExample example(16);
  example.enqueue(0, example.streams[0]);
  example.device.launch(example.module, "adding", {2}, {64}, {example.buffers[0], arg_u32(3)});
  CHECK(example.word(0) == 203);
  const auto& t = example.device.timeline();
  CHECK(t[1].start_us >= t[0].end_us);
}

TEST_CASE("The fault of an enqueued kernel comes with what runs it, and stays with its result") {
  QueueExample example(16);
  const PendingLaunch wrong = example.device.enqueue(example.module, "adding", {2}, {64}, {arg_u64(4), arg_u32(1)},
                                                     in_stream(example.streams[0]));
  CHECK_THROWS_AS(example.device.synchronize(), FaultError);
  CHECK(example.device.launches().size() == 1);
  CHECK_THROWS_AS(wrong.result(), FaultError);
  CHECK_THROWS_AS(example.device.enqueue(example.module, "adding", {2}, {64}, {}, in_stream(example.streams[0])),
                  InputError);
}

}  // namespace warptime::host
