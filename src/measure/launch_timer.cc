#include "measure/launch_timer.h"

#include <algorithm>

namespace warptime::measure {

namespace {

// nothing: ends at once. hold: until so many cycles have passed. clocks: the same, and counts the cycles and the
// nanoseconds of %globaltimer. Its loop reads both and ends by what it reads, so that no compiler removes it. sweep:
// reads 16 bytes for each thread and turn.
constexpr const char* kPtx = R"(.version 6.4
.target sm_50
.address_size 64
.visible .entry nothing() { ret; }
.visible .entry hold(.param .u32 cycles)
{
  .reg .u32 %r<4>;
  .reg .pred %p;
  ld.param.u32 %r1, [cycles];
  mov.u32 %r2, %clock;
again:
  mov.u32 %r3, %clock;
  sub.u32 %r3, %r3, %r2;
  setp.lt.u32 %p, %r3, %r1;
  @%p bra again;
  ret;
}
.visible .entry sweep(.param .u64 from, .param .u64 bytes)
{
  .reg .u64 %at, %end, %step, %from, %bytes;
  .reg .u32 %r<5>, %v<4>, %any;
  .reg .pred %p;
  ld.param.u64 %from, [from];
  ld.param.u64 %bytes, [bytes];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %nctaid.x;
  mad.lo.u32 %r1, %r1, %r2, %r3;
  mul.lo.u32 %r4, %r4, %r2;
  mad.wide.u32 %at, %r1, 16, %from;
  mul.wide.u32 %step, %r4, 16;
  add.u64 %end, %from, %bytes;
  mov.u32 %any, 0;
again:
  setp.ge.u64 %p, %at, %end;
  @%p bra done;
  ld.global.cg.v4.u32 {%v0, %v1, %v2, %v3}, [%at];
  or.b32 %v0, %v0, %v1;
  or.b32 %v2, %v2, %v3;
  or.b32 %any, %any, %v0;
  or.b32 %any, %any, %v2;
  add.u64 %at, %at, %step;
  bra again;
done:
  setp.ne.u32 %p, %any, 0;
  @%p st.global.u32 [%from], %any;
  ret;
}
.visible .entry clocks(.param .u64 out, .param .u64 cycles)
{
  .reg .u64 %c<5>, %t<4>, %out;
  .reg .pred %p;
  ld.param.u64 %out, [out];
  ld.param.u64 %c4, [cycles];
  mov.u64 %t1, %globaltimer;
  mov.u64 %c1, %clock64;
again:
  mov.u64 %t2, %globaltimer;
  mov.u64 %c2, %clock64;
  sub.u64 %t3, %t2, %t1;
  sub.u64 %c3, %c2, %c1;
  setp.lt.u64 %p, %c3, %c4;
  @%p bra again;
  st.global.u64 [%out], %c3;
  st.global.u64 [%out+8], %t3;
  ret;
}
)";

// Long enough to submit what follows: some 5 us for each launch.
constexpr uint32_t kHoldForOne = 60'000, kHoldForMany = 400'000;  // cycles
// A few milliseconds: %globaltimer may advance once in a microsecond only.
constexpr uint64_t kClockCycles = 5'000'000;

}  // namespace

const char* own_kernels() { return kPtx; }

LaunchTimer::LaunchTimer(Gpu& gpu, uint32_t repetitions)
    : gpu_(gpu),
      repetitions_(repetitions),
      flush_bytes_(std::max<uint64_t>(2 * gpu.description().l2_bytes, uint64_t{1} << 20)),
      flush_at_(gpu.allocate(flush_bytes_, "what is read to empty the L2")),
      out_(gpu.allocate(16, "clocks")) {
  void* module = gpu.load(kPtx, "warptime's own kernels");
  nothing_ = gpu.kernel(module, "nothing");
  hold_ = gpu.kernel(module, "hold");
  clocks_ = gpu.kernel(module, "clocks");
  sweep_ = gpu.kernel(module, "sweep");
}

void LaunchTimer::flush() {
  constexpr uint32_t kThreads = 1024;
  gpu_.start({.kernel = &sweep_,
              .grid = {2 * gpu_.description().sms, 1, 1},
              .block = {kThreads, 1, 1},
              .parameters = {&flush_at_, &flush_bytes_}});
}

void LaunchTimer::hold(uint32_t cycles) { gpu_.start({.kernel = &hold_, .parameters = {&cycles}}); }

double LaunchTimer::once(const GpuLaunch& launch, uint32_t times) {
  hold(times == 1 ? kHoldForOne : kHoldForMany);
  gpu_.begin_time();
  for (uint32_t i = 0; i < times; ++i) gpu_.start(launch);
  gpu_.end_time();
  return gpu_.elapsed_us("kernel " + launch.kernel->name) / times;
}

LaunchTimes LaunchTimer::time(const GpuLaunch& launch, const std::function<void()>& begin,
                              const std::function<void()>& restore) {
  LaunchTimes out;
  for (uint32_t i = 0; i < repetitions_; ++i) {
    if (begin) begin();
    flush();
    out.cold.us.push_back(once(launch, 1));
  }
  for (uint32_t i = 0; i < repetitions_; ++i) {
    if (restore) restore();
    gpu_.start(launch);
    if (restore) restore();
    out.warm.us.push_back(once(launch, 1));
  }
  constexpr double kLongUs = 5000;  // then the spread of rows is seen in the others as well
  const uint32_t rows = out.warm.median() > kLongUs ? 1 : repetitions_;
  for (uint32_t i = 0; i < rows; ++i) {
    if (restore) restore();
    out.in_a_row.us.push_back(once(launch, kInARow));
  }
  return out;
}

double LaunchTimer::again(const GpuLaunch& launch, uint32_t in_a_row) {
  constexpr uint32_t kTries = 7;
  Times times;
  gpu_.start(launch);
  for (uint32_t i = 0; i < kTries; ++i) times.us.push_back(once(launch, in_a_row));
  return times.median();
}

LaunchTimes LaunchTimer::empty() { return time({.kernel = &nothing_}, {}, {}); }

double LaunchTimer::sm_mhz() {
  uint64_t counts[2] = {0, 0};
  uint64_t cycles = kClockCycles;
  for (int i = 0; i < 2; ++i) {  // the first lets a resting GPU reach its clock
    gpu_.start({.kernel = &clocks_, .parameters = {&out_, &cycles}});
    gpu_.wait("measuring the clock");
  }
  gpu_.read(counts, out_, sizeof counts);
  return counts[1] == 0 ? 0 : 1e3 * static_cast<double>(counts[0]) / static_cast<double>(counts[1]);
}

}  // namespace warptime::measure
