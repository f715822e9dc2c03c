// Global memory by footprint: one thread follows pointers from line to line in a random order, through the L1 (.ca) or
// past it (.cg); and what loads that the L1 holds occupy of it.
#include <fmt/format.h>

#include <numeric>

#include "measure/micro/micro.h"

namespace warptime::measure {

namespace {

constexpr uint64_t kChaseLine = 128;
/// From here on, a thread passes over the ring once, without lines of the round before: the pointers are pages apart.
constexpr uint64_t kSparse = 131072, kSparseStride = 65536;

std::string chase_ptx(const char* cache) {
  std::string load;
  for (int i = 0; i < 8; ++i) load += fmt::format("  ld.global.{}.u64 %at, [%at];\n", cache);
  auto loop = [&](const char* name, const char* count) {
    return fmt::format(
        "  ld.param.u32 %n, [{1}];\n  setp.eq.u32 %p, %n, 0;\n  @%p bra no_{0};\n{0}:\n{2}  sub.u32 %n, %n, 8;\n"
        "  setp.gt.s32 %p, %n, 0;\n  @%p bra {0};\nno_{0}:\n",
        name, count, load);
  };
  return ptx_header() +
         fmt::format(
             R"(.visible .entry chase_{}(.param .u64 out, .param .u64 start, .param .u32 warm, .param .u32 steps)
{{
  .reg .u64 %at, %out;
  .reg .u32 %n, %begin, %end, %low;
  .reg .pred %p;
  ld.param.u64 %at, [start];
  ld.param.u64 %out, [out];
{}  mov.u32 %begin, %clock;
{}  mov.u32 %end, %clock;
  sub.u32 %end, %end, %begin;
  st.global.u32 [%out], %end;
  st.global.u64 [%out+8], %at;
  ret;
}}
)",
             cache, loop("warming", "warm"), loop("timed", "steps"));
}

/// A random ring: where each line is, in the order in which they are visited.
std::vector<uint64_t> ring_of(uint64_t bytes, uint64_t stride) {
  std::vector<uint64_t> order(bytes / stride);
  std::iota(order.begin(), order.end(), uint64_t{0});
  uint64_t seed = 12345;
  for (size_t i = order.size() - 1; i > 0; --i) {
    seed = seed * 6364136223846793005 + 1442695040888963407;
    std::swap(order[i], order[(seed >> 33) % (i + 1)]);
  }
  for (uint64_t& at : order) {
    const uint64_t lines = stride / kChaseLine;
    at = at * stride + (at * 2654435761u) % lines * kChaseLine;
  }
  return order;
}

/// Writes the ring's pointers; returns the first.
DevicePointer write_ring(MicroGpu& gpu, DevicePointer at, uint64_t kilobytes) {
  const bool sparse = kilobytes >= kSparse;
  const std::vector<uint64_t> order = ring_of(kilobytes << 10, sparse ? kSparseStride : kChaseLine);
  std::vector<uint64_t> image(sparse ? 0 : (kilobytes << 10) / 8);
  for (size_t i = 0; i < order.size(); ++i) {
    const uint64_t next = at + order[(i + 1) % order.size()];
    if (sparse) gpu.write(at + order[i], &next, sizeof next);
    else image[order[i] / 8] = next;
  }
  if (!sparse) gpu.write(at, image.data(), image.size() * 8);
  return at + order[0];
}

void measure_chases(Micro& micro, const char* cache, DevicePointer memory, const std::vector<uint32_t>& sizes) {
  constexpr uint32_t kSteps = 4096;
  MicroGpu& gpu = micro.gpu();
  const std::string name = fmt::format("chase_{}", cache);
  void* module = gpu.load(chase_ptx(cache), name);
  const GpuKernel kernel = gpu.kernel(module, name);
  for (uint32_t kilobytes : sizes) {
    const std::string full = fmt::format("chase/{}/{}KB", cache, kilobytes);
    if (!micro.includes(full)) continue;
    DevicePointer start = write_ring(gpu, memory, kilobytes), out = micro.out();
    uint32_t steps = kSteps, warm = kilobytes >= kSparse ? 0 : static_cast<uint32_t>((kilobytes << 10) / kChaseLine);
    if (warm == 0) gpu.flush();
    gpu.run({.kernel = &kernel, .parameters = {&out, &start, &warm, &steps}});
    uint32_t cycles = 0;
    gpu.read(&cycles, out, sizeof cycles);
    micro.add(full, static_cast<double>(cycles) / kSteps, "cycles", name);
  }
  gpu.unload(module);
}

void measure_chase(Micro& micro) {
  constexpr uint32_t kMost = 1048576;
  std::vector<uint32_t> sizes;
  for (uint32_t kilobytes : {4,    32,   64,    96,    128,   160,   192,   224,   256,    384,    1024,
                             4096, 8192, 16384, 24576, 32768, 40960, 49152, 65536, 262144, 1048576})
    if (micro.includes(fmt::format("chase/ca/{}KB", kilobytes)) ||
        micro.includes(fmt::format("chase/cg/{}KB", kilobytes)))
      sizes.push_back(kilobytes);
  if (sizes.empty()) return;
  const uint64_t room = uint64_t{std::min(kMost, sizes.back())} << 10;
  const MicroMemory memory(micro.gpu(), room, "a ring of pointers");
  for (const char* cache : {"ca", "cg"})
    micro.attempt(fmt::format("chase/{}/", cache), [&] { measure_chases(micro, cache, memory.at(), sizes); });
}

/// Loads that hit the L1: 32 warps read the same 8 KB and more, words `stride` apart in a warp.
void measure_l1(Micro& micro) {
  constexpr uint64_t kRoom = 1 << 16;
  const MicroMemory memory(micro.gpu(), kRoom, "what the L1 holds");
  Chain chain{.name = "l1_load",
              .setup =
                  "  and.b32 %r10, %r0, 31;\n  mul.lo.u32 %r10, %r10, %r1;\n  mul.wide.u32 %l10, %r10, 4;\n"
                  "  add.u64 %l10, %l10, %l0;\n  mov.u32 %r11, 0;\n  mov.u32 %r3, 0;\n",
              .step =
                  [](uint32_t) {
                    std::string text =
                        "cvt.u64.u32 %l11, %r11; add.u64 %l11, %l11, %l10; add.u32 %r11, %r11, 512; "
                        "and.b32 %r11, %r11, 8191;\n";
                    for (uint32_t i = 0; i < 4; ++i)
                      text += fmt::format("  ld.global.ca.u32 %r{}, [%l11+{}];\n", 20 + i, 512 * i);
                    for (uint32_t i = 0; i < 4; ++i) text += fmt::format("  xor.b32 %r3, %r3, %r{};\n", 20 + i);
                    return text;
                  },
              .end = {},
              .repeat = 16};
  ChainKernel loaded(micro, chain);
  for (uint32_t stride : {0, 1, 2, 4, 8, 16, 32})
    micro.add(fmt::format("l1/load_u32_stride{}", stride), loaded.step_cycles(1024, stride, 3, memory.at()) / (4 * 32),
              "cycles/warp load/SM", chain.name);
  Chain wide = chain;
  wide.name = "l1_load_v4";
  wide.step = [](uint32_t) {
    return std::string(
        "cvt.u64.u32 %l11, %r11; add.u64 %l11, %l11, %l10; add.u32 %r11, %r11, 512; and.b32 %r11, %r11, 8191;\n"
        "  ld.global.ca.v4.u32 {%r20, %r21, %r22, %r23}, [%l11];\n  xor.b32 %r3, %r3, %r20;\n"
        "  xor.b32 %r3, %r3, %r21;\n  xor.b32 %r3, %r3, %r22;\n  xor.b32 %r3, %r3, %r23;\n");
  };
  micro.add("l1/load_v4", ChainKernel(micro, wide).step_cycles(1024, 4, 3, memory.at()) / 32, "cycles/warp load/SM",
            wide.name);
}

/// A load whose sector was stored to just before: of the L1, if that keeps what is stored, or of the L2.
void measure_stored(Micro& micro, const char* full) {
  const MicroMemory memory(micro.gpu(), 4096, "what is stored and loaded");
  Chain chain{.name = "load_stored",
              .setup = "  mov.u64 %l10, %l0;\n  mov.u32 %r11, 0;\n",
              .step =
                  [](uint32_t) {
                    return "st.global.u32 [%l10+4], %r11; ld.global.ca.u32 %r11, [%l10]; cvt.u64.u32 %l11, %r11; "
                           "add.u64 %l10, %l10, %l11;";
                  },
              .end = "  mov.u32 %r3, %r11;\n",
              .repeat = 16};
  micro.add(full, ChainKernel(micro, chain).step_cycles(1, 1, 3, memory.at()), "cycles", chain.name);
}

}  // namespace

void measure_caches(Micro& micro) {
  if (micro.includes_some("chase/")) micro.attempt("chase/", [&] { measure_chase(micro); });
  const char* stored = "latency/ld_stored";
  if (micro.includes(stored)) micro.attempt(stored, [&] { measure_stored(micro, stored); });
  if (micro.includes_some("l1/")) micro.attempt("l1/", [&] { measure_l1(micro); });
}

}  // namespace warptime::measure
