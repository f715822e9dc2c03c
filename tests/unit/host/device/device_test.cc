// The device: modules and their variables, memory, launches, faults, the clock.
#include "host/report/report.h"
#include "sim/gpu/gpu.h"
#include "sim/mem/tensor_map.h"
#include "unit/host/host_test.h"

namespace warptime::host {

namespace {

const char* const kModule = R"(
.version 6.0
.target sm_30
.address_size 64

.const .align 4 .b32 table[2] = {5, 6};
.global .align 4 .u32 counter = 7;
.global .align 8 .u64 pointer = counter;

// out[tid] = value
.visible .entry fill(.param .u64 out, .param .u32 value)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [value];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd2, %r2, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r1;
  ret;
}

// out[0] = table[1], out[1] = *pointer
.visible .entry variables(.param .u64 out)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  ld.const.u32 %r1, [table+4];
  st.global.u32 [%rd1], %r1;
  ld.global.u64 %rd2, [pointer];
  ld.global.u32 %r2, [%rd2];
  st.global.u32 [%rd1+4], %r2;
  ret;
}
)";

std::shared_ptr<const SourceText> source(const std::string& text) {
  return std::make_shared<SourceText>("test.ptx", text);
}

struct DeviceExample {
  Device device{default_machine(), {}};
  ModuleRef module = device.load_module(source(kModule));

  std::vector<uint32_t> variables() {
    Buffer out = device.allocate<uint32_t>(2, "out");
    device.launch(module, "variables", {1}, {1}, {out});
    std::vector<uint32_t> values(2);
    device.copy_from(values, out, "out");
    return values;
  }
  template <class T>
  void set(std::string_view symbol, const std::vector<T>& values) {
    device.set_symbol(module, symbol, std::as_bytes(std::span<const T>(values)));
  }
};

}  // namespace

TEST_CASE("A kernel runs and its result comes back") {
  DeviceExample example;
  Buffer out = example.device.allocate<uint32_t>(64, "out");
  example.device.launch(example.module, "fill", {1}, {64}, {out, arg_u32(42)});
  std::vector<uint32_t> values(64);
  example.device.copy_from(values, out, "out");
  CHECK(values == std::vector<uint32_t>(64, 42));
  REQUIRE(example.device.launches().size() == 1);
  CHECK(example.device.launches()[0].kernel == "fill");
  CHECK(example.device.launches()[0].cycles > 0);
  CHECK(example.device.simulate_seconds() > 0);
}

TEST_CASE("Module variables have their initial values, addresses of other variables among them") {
  DeviceExample example;
  CHECK(example.variables() == std::vector<uint32_t>{6, 7});
}

TEST_CASE("Module variables can be set between launches") {
  DeviceExample example;
  example.set<uint32_t>("table", {50, 60});
  CHECK(example.variables() == std::vector<uint32_t>{60, 7});
  example.set<uint32_t>("counter", {70});
  CHECK(example.variables() == std::vector<uint32_t>{60, 70});
}

TEST_CASE("Setting a variable takes the time of a small copy, in the order of the calls") {
  DeviceExample example;
  example.set<uint32_t>("table", {50, 60});
  // 10 us and 8 bytes at 1.5 GB/s; the host waits for it.
  CHECK(example.device.now_us() == Approx(10 + 8 / 1500.0));
  example.device.launch(example.module, "fill", {1}, {64}, {example.device.allocate<uint32_t>(64, "out"), arg_u32(42)});
  example.set<uint32_t>("counter", {70});
  const std::vector<TimelineEvent>& timeline = example.device.timeline();
  REQUIRE(timeline.size() == 3);
  CHECK(timeline[0].kind == TimelineEvent::Kind::Copy);
  CHECK(timeline[0].direction == TimelineEvent::Direction::HostToDevice);
  CHECK(timeline[0].name == "table");
  CHECK(timeline[0].bytes == 8);
  CHECK(timeline[1].kind == TimelineEvent::Kind::Kernel);
  CHECK(timeline[2].name == "counter");
  CHECK(timeline[2].start_us == timeline[1].end_us);
  CHECK(timeline[2].end_us - timeline[2].start_us == Approx(10 + 4 / 1500.0));

  sim::RunOptions functional;
  functional.functional = true;
  Device untimed{default_machine(), functional};
  std::vector<uint32_t> values{50, 60};
  untimed.set_symbol(untimed.load_module(source(kModule)), "table", std::as_bytes(std::span(values)));
  CHECK(untimed.timeline().empty());
  CHECK(untimed.now_us() == 0);
}

TEST_CASE("Setting a variable that does not exist, or with another size") {
  DeviceExample example;
  std::string unknown = input_error([&] { example.set<uint32_t>("tabel", {1, 2}); });
  CHECK(unknown.find("no .const or .global variable \"tabel\"") != std::string::npos);
  CHECK(input_error([&] { example.set<uint32_t>("table", {1}); }).find("has 8 bytes, but 4 were given") !=
        std::string::npos);
}

TEST_CASE("An unknown kernel names the nearest one") {
  DeviceExample example;
  std::string error = input_error([&] { example.device.launch(example.module, "fil", {1}, {1}, {}); });
  CHECK(error == "error: \"test.ptx\" has no kernel \"fil\"\n         hint: did you mean \"fill\"?\n");
}

TEST_CASE("A bad launch changes nothing") {
  DeviceExample example;
  Buffer out = example.device.allocate<uint32_t>(64, "out");
  input_error([&] { example.device.launch(example.module, "fill", {1}, {1024}, {out, arg_u32(1)}); });
  input_error([&] { example.device.launch(example.module, "fill", {1}, {64}, {out}); });
  CHECK(example.device.launches().empty());
  CHECK(example.device.timeline().empty());
}

TEST_CASE("A kernel that the machine cannot execute is compiled once, and refused each time") {
  const TemporaryFolder folder;
  folder.write("other.yaml", "features: [global_atomics]\n");
  sim::Machine machine = default_machine();
  machine.folder = folder / "";
  Device device(machine, {});
  const ModuleRef module = device.load_module(
      source(".version 6.0\n.target sm_30\n.visible .entry k(.param .u32 p) { .reg .b32 %r<3>; ld.param.u32 %r1, [p];\n"
             "atom.global.add.u32 %r2, [%r1], 1; ret; }"));
  auto refusal = [&] { return input_error([&] { device.launch(module, "k", {1}, {1}, {arg_u32(0)}); }); };
  const std::string first = refusal();
  CHECK_THAT(first, Catch::Contains("machines with it: other"));
  folder.write("other.yaml", "features: []\n");
  CHECK(refusal() == first);
  CHECK(device.launches().empty());
}

TEST_CASE("PTX with a mistake is an error with its place") {
  Device device(default_machine(), {});
  std::string error = input_error([&] {
    device.load_module(source(".version 6.0\n.target sm_30\n.entry k()\n{\n  addd.s32 %r1, %r2, %r3;\n  ret;\n}\n"));
  });
  CHECK(error.find("test.ptx:5:3: error:") != std::string::npos);
  CHECK(input_error([&] { device.load_module_file("/nowhere/k.ptx"); }).find("cannot read \"/nowhere/k.ptx\"") !=
        std::string::npos);
}

TEST_CASE("Constant memory has a size") {
  auto load = [](int bytes) {
    Device device(default_machine(), {});
    device.load_module(source(".version 6.0\n.target sm_30\n.const .b8 big[" + std::to_string(bytes) + "];\n"));
  };
  CHECK_NOTHROW(load(65536));
  CHECK(input_error([&] { load(65537); }).find("65537 bytes of .const variables") != std::string::npos);
}

TEST_CASE("Device memory has a size") {
  Device device(default_machine(), {});
  CHECK_NOTHROW(device.allocate_bytes(400 << 20, "half"));
  std::string error = input_error([&] { device.allocate_bytes(400 << 20, "other half"); });
  CHECK(error.find("\"other half\" (419430400 bytes) does not fit in device memory") != std::string::npos);
  CHECK(error.find("of 805306368 bytes are free") != std::string::npos);
}

TEST_CASE("The host cannot copy past the end of a buffer") {
  Device device(default_machine(), {});
  Buffer buffer = device.allocate<uint32_t>(4, "x");
  std::vector<uint32_t> five(5);
  CHECK_THROWS_AS(device.copy_to(buffer, five, "x"), InputError);
  CHECK_THROWS_AS(device.copy_from(five, buffer, "x"), InputError);
  CHECK_THROWS_AS(device.write_bytes(0, std::as_bytes(std::span<const uint32_t>(five))), InputError);
}

TEST_CASE("A tensor map as an argument: what the driver allows, within one allocation") {
  Device device(default_machine(), {});
  Buffer buffer = device.allocate<uint32_t>(64 * 8, "x");
  sim::TensorMap map;
  map.type = sim::TensorMap::Type::U32;
  map.rank = 2;
  map.address = buffer.address;
  map.dims = {64, 8, 1, 1, 1};
  map.strides = {256, 0, 0, 0};
  map.box = {32, 4, 1, 1, 1};
  const Argument argument = device.make_tensor_map(map);
  CHECK(argument.kind == Argument::Kind::Bytes);
  REQUIRE(argument.bytes.size() == sim::TensorMap::kBytes);
  const auto read = sim::TensorMap::of(
      std::span<const std::byte, sim::TensorMap::kBytes>(argument.bytes.data(), sim::TensorMap::kBytes));
  REQUIRE(read);
  CHECK(read->address == buffer.address);
  CHECK(read->strides == map.strides);
  map.dims[1] = 9;
  CHECK_THAT(input_error([&] { device.make_tensor_map(map); }),
             Catch::Contains("the tensor has 2304 bytes, more than are allocated at its address"));
  map.box[1] = 257;
  CHECK_THAT(input_error([&] { device.make_tensor_map(map); }), Catch::Contains("a box has 1 to 256 elements"));
}

TEST_CASE("A store past the end of a buffer is a fault of the program") {
  for (bool functional : {false, true}) {
    sim::RunOptions options;
    options.functional = functional;
    Device device(default_machine(), options);
    ModuleRef module = device.load_module(source(kModule));
    Buffer out = device.allocate<uint32_t>(63, "out");
    try {
      device.launch(module, "fill", {1}, {64}, {out, arg_u32(1)});
      FAIL("no fault");
    } catch (const FaultError& error) {
      CHECK(error.fault.kind == sim::Fault::Kind::OutOfBounds);
      CHECK(error.fault.thread == std::array<uint32_t, 3>{63, 0, 0});
      CHECK(std::string(error.what()).find("test.ptx:20:3: error:") != std::string::npos);
    }
  }
}

TEST_CASE("Copies and kernels follow each other on the clock") {
  DeviceExample example;
  std::vector<uint32_t> values(15000);
  Buffer buffer = example.device.allocate<uint32_t>(15000, "x");
  example.device.copy_to(buffer, values, "x");
  example.device.launch(example.module, "fill", {1}, {32}, {buffer, arg_u32(1)});
  example.device.copy_from(values, buffer, "x");
  const auto& t = example.device.timeline();
  REQUIRE(t.size() == 3);
  // 10 us and 60,000 bytes at 1.5 GB/s: 40 us.
  CHECK(t[0].start_us == 0);
  CHECK(t[0].end_us == Approx(50));
  CHECK(t[0].bytes == 60000);
  CHECK(t[0].direction == TimelineEvent::Direction::HostToDevice);
  CHECK(t[1].start_us == t[0].end_us);
  // 7 us of launch, then the kernel.
  CHECK(t[1].end_us - t[1].start_us == Approx(7 + example.device.launches()[0].time_us));
  CHECK(t[2].direction == TimelineEvent::Direction::DeviceToHost);
  CHECK(t[2].end_us - t[2].start_us == Approx(50));
}

TEST_CASE("A machine without timing runs functionally and has no clock") {
  sim::Machine machine = default_machine();
  machine.config.has_timing = false;
  Device device(machine, {});
  CHECK(device.options().functional);
  ModuleRef module = device.load_module(source(kModule));
  Buffer out = device.allocate<uint32_t>(64, "out");
  device.launch(module, "fill", {1}, {64}, {out, arg_u32(1)});
  device.time_copy(TimelineEvent::Direction::HostToDevice, 100, "x");
  CHECK_FALSE(device.launches()[0].timed);
  CHECK(device.timeline().empty());
}

TEST_CASE("A launch is timed as on a new device, whatever parts of the chip those before it used") {
  // Grids from one block to more than the chip holds, some of them after a launch that used other SMs and partitions.
  const std::vector<uint32_t> grids{1, 40, 3, 1, 200, 16, 2, 1000, 1};
  DeviceExample used;
  Buffer out = used.device.allocate<uint32_t>(1000 * 64, "out");
  for (uint32_t blocks : grids) {
    CAPTURE(blocks);
    DeviceExample fresh;
    Buffer same = fresh.device.allocate<uint32_t>(1000 * 64, "out");
    REQUIRE(same.address == out.address);
    RunReport a, b;
    a.launches = {used.device.launch(used.module, "fill", {blocks}, {64}, {out, arg_u32(42)})};
    b.launches = {fresh.device.launch(fresh.module, "fill", {blocks}, {64}, {same, arg_u32(42)})};
    CHECK(to_json_text(a) == to_json_text(b));
    uint64_t slots = 0;
    for (const sim::IssueSlots& sm : a.launches[0].issue_by_sm) slots += sm.slots;
    CHECK(a.launches[0].issue_by_sm.size() == 16);
    CHECK(slots == a.launches[0].issue.slots);
  }
}

TEST_CASE("An observer is told about launches and the timeline, which the device then does not keep") {
  struct Observer : RunObserver {
    std::vector<std::string> told;
    void launch(const sim::LaunchStatistics& launch) override { told.push_back(launch.kernel); }
    void event(const TimelineEvent& event) override { told.push_back("event " + event.name); }
  } observer;
  DeviceExample example;
  Buffer out = example.device.allocate<uint32_t>(64, "out");
  std::vector<uint32_t> values(64);
  example.device.observe(&observer);
  for (int i = 0; i < 3; ++i) example.device.launch(example.module, "fill", {1}, {64}, {out, arg_u32(42)});
  example.device.copy_from(values, out, "out");
  CHECK(observer.told ==
        std::vector<std::string>{"fill", "event fill", "fill", "event fill", "fill", "event fill", "event out"});
  CHECK(example.device.launches().size() == 1);
  CHECK(example.device.timeline().empty());
}

}  // namespace warptime::host
