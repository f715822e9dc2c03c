// Hides copies behind kernels: eight parts of an array in two streams, beside the same in the default stream. The
// argument is the name of a machine, which needs a copy engine for the two to differ.
#include <cstdio>
#include <vector>

#include "host/device/device.h"
#include "sim/gpu/gpu.h"
#include "sim/model/machine_loader.h"

using namespace warptime;

constexpr const char* kPtx = R"(.version 6.0
.target sm_30
.address_size 64
.visible .entry increment (.param .u64 data) {
  .reg .b32 %r<6>;
  .reg .b64 %rd<4>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  ld.param.u64 %rd1, [data];
  mul.wide.u32 %rd2, %r4, 4;
  add.u64 %rd3, %rd1, %rd2;
  ld.global.u32 %r5, [%rd3];
  add.u32 %r5, %r5, 1;
  st.global.u32 [%rd3], %r5;
  exit;
}
)";

// The time of the host program, in microseconds; 0 if a result is wrong.
double run(const sim::Machine& machine, bool overlapping) {
  constexpr int kParts = 8;
  constexpr uint32_t kBlocks = 64, kThreads = 256;
  host::Device device(machine, {});
  auto module = device.load_module(std::make_shared<SourceText>("increment.ptx", kPtx));
  host::Stream streams[2] = {};
  if (overlapping)
    for (host::Stream& stream : streams) stream = device.create_stream();
  std::vector<std::vector<uint32_t>> parts(kParts, std::vector<uint32_t>(kBlocks * kThreads, 41));
  std::vector<host::Buffer> buffers;
  for (int i = 0; i < kParts; ++i) buffers.push_back(device.allocate<uint32_t>(kBlocks * kThreads, "part"));
  for (int i = 0; i < kParts; ++i) {
    host::Stream stream = streams[i % 2];
    device.copy_to(buffers[i], parts[i], "there", {.pinned = true, .asynchronous = true, .stream = stream});
    device.launch(module, "increment", {kBlocks}, {kThreads}, {buffers[i]}, {.stream = stream});
  }
  for (int i = 0; i < kParts; ++i)
    device.copy_from(parts[i], buffers[i], "back", {.pinned = true, .asynchronous = true, .stream = streams[i % 2]});
  device.synchronize();
  for (const host::Buffer& buffer : buffers) device.free(buffer);
  for (const auto& part : parts)
    for (uint32_t value : part)
      if (value != 42) return 0;
  return device.now_us();
}

int main(int, char** argv) {
  Diagnostics diagnostics;
  auto loaded = sim::load_machine(argv[1], {}, WARPTIME_CONFIGS, diagnostics);
  if (!loaded) return std::fputs(diagnostics.to_text().c_str(), stderr), 2;
  double serial = run(loaded->machine, false), overlapping = run(loaded->machine, true);
  std::printf("%.1f us in one stream, %.1f us in two\n", serial, overlapping);
  bool can_overlap = loaded->machine.config.host.copy_engines > 0;
  return serial > 0 && (can_overlap ? overlapping < serial : overlapping == serial) ? 0 : 1;
}
