// A warm run takes nothing from the heap: between two progress reports (4096 steps apart, far over 10,000 cycles) of a
// kernel that loads, stores, diverges, meets at barriers and whose blocks come and go, operator new is never called.
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <new>

#include "host/device/device.h"
#include "sim/gpu/gpu.h"
#include "sim/model/machine.h"

namespace {

std::atomic<uint64_t> allocations{0};

void* counted(std::size_t bytes, std::size_t alignment) {
  ++allocations;
  void* p = alignment <= alignof(std::max_align_t)
                ? std::malloc(bytes)
                : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

}  // namespace

void* operator new(std::size_t bytes) { return counted(bytes, 1); }
void* operator new[](std::size_t bytes) { return counted(bytes, 1); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return counted(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t& tag) noexcept { return operator new(bytes, tag); }
// g++ 12 inlines these but not the news, and takes them for a mismatched pair.
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace {

using namespace warptime;

// Block b, thread t: 40 rounds of load, barrier, divergent add, store to its own word and to a scattered one.
const char* const kKernel = R"(.version 6.4
.target sm_75
.address_size 64
.visible .entry busy(.param .u64 buf)
{
.reg .b32 %r<16>;
.reg .b64 %rd<8>;
.reg .pred %p<4>;
.shared .align 4 .b8 sh[512];
ld.param.u64 %rd1, [buf];
mov.u32 %r1, %tid.x;
mov.u32 %r2, %ctaid.x;
shl.b32 %r3, %r2, 7;
add.s32 %r3, %r3, %r1;
and.b32 %r3, %r3, 65535;
mul.wide.u32 %rd2, %r3, 4;
add.s64 %rd3, %rd1, %rd2;
shl.b32 %r4, %r1, 2;
mov.u32 %r5, 40;
LOOP:
ld.global.u32 %r6, [%rd3];
st.shared.u32 [%r4], %r6;
bar.sync 0;
and.b32 %r7, %r1, 1;
setp.eq.u32 %p1, %r7, 0;
@%p1 bra EVEN;
add.s32 %r6, %r6, 3;
EVEN:
ld.shared.u32 %r8, [%r4];
add.s32 %r6, %r6, %r8;
st.global.u32 [%rd3], %r6;
bar.sync 0;
add.s32 %r5, %r5, -1;
setp.ne.s32 %p2, %r5, 0;
@%p2 bra LOOP;
ret;
}
)";

}  // namespace

TEST_CASE("a warm run allocates nothing", "[allocation]") {
  for (uint32_t threads : {1u, 2u}) {
    sim::Machine machine;
    machine.name = "test";
    machine.config.chip.tpcs = 2;
    machine.config.memory.bytes = 1 << 24;
    std::vector<uint64_t> at_reports;
    at_reports.reserve(64);
    struct Counter final : sim::LaunchListener {
      explicit Counter(std::vector<uint64_t>& to) : LaunchListener({.progress = true}), at_reports(to) {}
      void progress(const sim::RunMoment& moment) override {
        if (moment.is_end) return;  // the statistics of the launch exist
        if (at_reports.size() < at_reports.capacity()) at_reports.push_back(allocations.load());
      }
      std::vector<uint64_t>& at_reports;
    } counter(at_reports);
    sim::RunOptions options;
    options.threads = threads;
    options.listener = &counter;
    host::Device device(machine, options);
    host::Buffer buffer = device.allocate<uint32_t>(65536, "buf");
    auto module = device.load_module(std::make_shared<SourceText>("busy.ptx", kKernel));
    device.launch(module, "busy", {1800, 1, 1}, {128, 1, 1}, {buffer});
    REQUIRE(at_reports.size() >= 6);
    // Until then queues still reach their largest length.
    size_t warm = at_reports.size() * 3 / 4;
    for (size_t i = warm; i < at_reports.size(); ++i) CHECK(at_reports[i] == at_reports[warm]);
  }
}
