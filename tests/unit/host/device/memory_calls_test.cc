// Device memory over its life: allocated, filled, copied, freed, used afterwards.
#include <fmt/format.h>

#include "host/report/report.h"
#include "sim/model/texture.h"
#include "unit/host/host_test.h"

namespace warptime::host {

namespace {

const char* const kStore = R"(
.version 6.0
.target sm_30
.address_size 64
.global .texref image;
.visible .entry store(.param .u64 out)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, 9;
  st.global.u32 [%rd1], %r1;
  ret;
}
.visible .entry fetch(.param .u64 out)
{
  .reg .b32 %r<6>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, 0;
  tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [image, {%r1}];
  st.global.u32 [%rd1], %r2;
  ret;
}
)";

struct MemoryExample {
  Device device{default_machine(), {}};
  ModuleRef module = device.load_module(std::make_shared<SourceText>("store.ptx", kStore));

  uint32_t first_of(const Buffer& buffer) {
    uint32_t value = 0;
    device.read_bytes(std::as_writable_bytes(std::span(&value, 1)), buffer.address);
    return value;
  }
};

}  // namespace

TEST_CASE("What a launch returns stays as it is") {
  MemoryExample example;
  Buffer out = example.device.allocate<uint32_t>(1, "out");
  const sim::LaunchStatistics& first = example.device.launch(example.module, "store", {1}, {1}, {out});
  const uint64_t cycles = first.cycles;
  for (int i = 0; i < 100; ++i) example.device.launch(example.module, "store", {64}, {64}, {out});
  CHECK(first.cycles == cycles);
  CHECK(first.kernel == "store");
  CHECK(first.issue_by_sm.size() == 16);
  CHECK(example.device.launches()[0].cycles == cycles);
}

TEST_CASE("What a launch returns outlives its device") {
  sim::LaunchStatistics kept;
  {
    MemoryExample example;
    Buffer out = example.device.allocate<uint32_t>(1, "out");
    kept = example.device.launch(example.module, "store", {1}, {1}, {out});
  }
  CHECK(kept.kernel == "store");
  CHECK(kept.counts.warp_instructions == 4);
}

TEST_CASE("Freed memory can be allocated again, and is zero then") {
  MemoryExample example;
  Device& device = example.device;
  const uint64_t third = device.bytes_free() / 3;
  for (int i = 0; i < 20; ++i) {
    Buffer large = device.allocate_bytes(third, "large");
    Buffer small = device.allocate_bytes(100, "small");
    CHECK(example.first_of(large) == 0);
    CHECK(example.first_of(small) == 0);
    device.fill_bytes(large, 0xff, 1'000'000, "large");
    device.fill_bytes(small, 0xff, 100, "small");
    CHECK(example.first_of(large) == 0xffffffff);
    device.free(large);
    device.free(small);
  }
}

TEST_CASE("What does not fit is refused with the largest piece that is free") {
  MemoryExample example;
  Device& device = example.device;
  const uint64_t half = device.bytes_free() / 2;
  Buffer low = device.allocate_bytes(half, "low");
  Buffer high = device.allocate_bytes(device.bytes_free(), "high");
  CHECK(device.bytes_free() == 0);
  device.free(low);
  CHECK(device.bytes_free() >= half);
  CHECK(device.bytes_free() < half + 1024);
  CHECK_FALSE(device.try_allocate(half + 1024, "more"));
  CHECK(device.allocate_bytes(device.bytes_free(), "again").address == low.address);
  CHECK(device.bytes_free() == 0);
  device.free(high);
}

TEST_CASE("A use of freed memory by the host is an error") {
  MemoryExample example;
  Device& device = example.device;
  Buffer x = device.allocate<uint32_t>(4, "x"), y = device.allocate<uint32_t>(4, "y");
  std::vector<uint32_t> values(4);
  device.free(x);
  const std::string where = fmt::format("16 bytes at address {:#x}, in \"x\", which has been freed\n", x.address);
  CHECK(input_error([&] { device.copy_to(x, values, "x"); }) == "error: the host writes " + where);
  CHECK(input_error([&] { device.copy_from(values, x, "x"); }) == "error: the host reads " + where);
  CHECK(input_error([&] { device.copy_on_device(x, y, 16, "x"); }) == "error: a copy writes " + where);
  CHECK(input_error([&] { device.copy_on_device(y, x, 16, "x"); }) == "error: a copy reads " + where);
  CHECK(input_error([&] { device.fill_bytes(x, 0, 16, "x"); }) == "error: a fill writes " + where);
  CHECK(input_error([&] { device.free(x); }) == "error: \"x\" (16 bytes) is freed twice\n");
  CHECK(device.timeline().empty());
}

TEST_CASE("Only the beginning of a buffer can be freed") {
  MemoryExample example;
  Device& device = example.device;
  Buffer x = device.allocate<uint32_t>(4, "x");
  CHECK_THAT(input_error([&] { device.free({x.address + 4, 12}); }), Catch::Contains("which is inside \"x\"\n"));
  CHECK_THAT(input_error([&] { device.free({x.address + 400, 12}); }), Catch::Contains("where no buffer begins\n"));
  CHECK_THAT(input_error([&] { device.free({~Addr{0}, 12}); }), Catch::Contains("where no buffer begins\n"));
  device.free({});
  device.free(x);
  Buffer nothing = device.allocate_bytes(0, "nothing");
  device.free(nothing);
  CHECK_THAT(input_error([&] { device.free(nothing); }), Catch::Contains("\"nothing\" (0 bytes) is freed twice\n"));
}

TEST_CASE("A kernel that uses freed memory faults and the message says so") {
  MemoryExample example;
  Device& device = example.device;
  Buffer x = device.allocate<uint32_t>(4, "x");
  device.launch(example.module, "store", {1}, {1}, {x});
  device.free(x);
  try {
    device.launch(example.module, "store", {1}, {1}, {x});
    FAIL("no fault");
  } catch (const FaultError& error) {
    CHECK(error.fault.kind == sim::Fault::Kind::OutOfBounds);
    CHECK_THAT(error.what(), Catch::Contains("it is in \"x\" (16 bytes at 0x"));
    CHECK_THAT(error.what(), Catch::Contains("which the host program has freed"));
  }
}

TEST_CASE("A texture ends with its memory") {
  MemoryExample example;
  Device& device = example.device;
  Buffer texels = device.allocate<uint32_t>(4, "texels"), out = device.allocate<uint32_t>(1, "out");
  sim::Texture texture{.name = "image", .base = texels.address, .size = {4, 1, 1}, .channel = ptx::Type::U32};
  device.bind_texture(example.module, "image", texture);
  device.launch(example.module, "fetch", {1}, {1}, {out});
  device.free(texels);
  CHECK_THAT(input_error([&] { device.launch(example.module, "fetch", {1}, {1}, {out}); }),
             Catch::Contains("texture \"image\" is not bound: its memory has been freed"));
  CHECK_THAT(input_error([&] { device.bind_texture(example.module, "image", texture); }),
             Catch::Contains("more than are allocated at its address"));
}

TEST_CASE("A copy within the device may not overlap itself") {
  MemoryExample example;
  Device& device = example.device;
  Buffer x = device.allocate<uint32_t>(8, "x");
  CHECK_THAT(input_error([&] { device.copy_on_device(x, x, 16, "x", {.to_offset = 15}); }),
             Catch::Contains("overlaps itself"));
  device.fill_bytes(x, 3, 16, "x");
  device.copy_on_device(x, x, 16, "x", {.to_offset = 16});
  std::vector<uint8_t> values(32);
  device.copy_from(values, x, "x");
  CHECK(values == std::vector<uint8_t>(32, 3));
  CHECK_THAT(input_error([&] { device.copy_on_device(x, x, 17, "x", {.to_offset = 16}); }),
             Catch::Contains("where nothing is allocated"));
  device.copy_on_device(x, x, 0, "x");  // nothing: allowed, and takes its time
  CHECK(device.timeline().back().bytes == 0);
}

TEST_CASE("Free waits for the device") {
  MemoryExample example;
  Device& device = example.device;
  Buffer x = device.allocate<uint32_t>(4, "x");
  device.launch(example.module, "store", {1}, {1}, {x});
  CHECK(device.now_us() < device.timeline()[0].end_us);
  device.free(x);
  CHECK(device.now_us() == device.timeline()[0].end_us);
}

TEST_CASE("More elements than addresses do not fit") {
  MemoryExample example;
  CHECK_THAT(input_error([&] { example.device.allocate<double>(uint64_t{1} << 61, "x"); }),
             Catch::Contains("does not fit in device memory"));
}

TEST_CASE("Only copies between host and device are timed by direction") {
  MemoryExample example;
  for (auto direction : {TimelineEvent::Direction::None, TimelineEvent::Direction::DeviceToDevice})
    CHECK_THAT(input_error([&] { example.device.time_copy(direction, 4, "x"); }),
               Catch::Contains("copy_on_device copies within the device"));
}

}  // namespace warptime::host
