// Atomic operations on global and shared memory: latencies of chains, and rates by how many lanes have the same word.
#include <fmt/format.h>

#include "measure/micro/micro.h"

namespace warptime::measure {

namespace {

struct AtomicOperation {
  const char* name;
  const char* latency;  // X is the value that the next one needs
};
constexpr AtomicOperation kAtomicOperations[] = {
    {"", "atom.{}.exch.b32 %r10, [%{}], %r10;"},
    {"_add", "atom.{}.add.u32 %r10, [%{}], %r10;"},
    {"_cas", "atom.{}.cas.b32 %r10, [%{}], %r10, %r10;"},
    {"_f32", "atom.{}.add.f32 %f10, [%{}], %f10;"},
};

/// The latency in one thread: additions of a warp are one for ptxas.
void measure_atomic_latency(Micro& micro, const char* space, const AtomicOperation& operation) {
  const std::string full = fmt::format("latency/atom_{}{}", space, operation.name);
  if (!micro.includes(full)) return;
  micro.attempt(full, [&] {
    const bool shared = std::string_view(space) == "shared";
    Chain chain{
        .name = fmt::format("atom_{}{}", space, operation.name),
        .shared = shared ? "  .shared .align 16 .b8 words[64];\n" : "",
        .setup = shared ? "  mov.u32 %r10, 0;\n  mov.f32 %f10, 0f00000000;\n  mov.u32 %r11, words;\n"
                          "  st.shared.u32 [%r11], %r10;\n"
                        : "  mov.u32 %r10, 0;\n  mov.f32 %f10, 0f00000000;\n",
        .step = [&](uint32_t) { return fmt::format(fmt::runtime(operation.latency), space, shared ? "r11" : "l0"); },
        .end = "  mov.b32 %r12, %f10;\n  or.b32 %r3, %r10, %r12;\n",
        .repeat = 16};
    const MicroMemory memory(micro.gpu(), 64, "words for atomics");
    micro.add(full, ChainKernel(micro, chain).step_cycles(1, 1, 3, memory.at()), "cycles", chain.name);
  });
}

constexpr uint32_t kTimes = 64, kAtomicThreads = 1024;

/// %l1 is the thread's word: `lane and a` words of 4 bytes times b further on, of one place for all warps.
std::string atomic_rate_ptx(const std::string& name, const std::string& step) {
  std::string text =
      ptx_header() + ".visible .entry " + name + R"((.param .u64 words, .param .u32 lanes, .param .u32 bytes)
{
  .reg .u32 %r<6>, %value;
  .reg .f32 %f<3>;
  .reg .u64 %l<3>;
  ld.param.u64 %l0, [words];
  ld.param.u32 %r0, [lanes];
  ld.param.u32 %r5, [bytes];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  and.b32 %r4, %r4, %r0;
  mul.lo.u32 %r4, %r4, %r5;
  cvt.u64.u32 %l1, %r4;
  add.u64 %l1, %l1, %l0;
  mov.u32 %value, %r3;
  mov.f32 %f0, 0f3F800000;
  mov.u32 %r0, 0;
)";
  for (uint32_t i = 0; i < kTimes; ++i) text += "  " + step + "\n";
  return text + "  setp.eq.u32 %p, %r0, 0x12345678;\n  @%p st.global.u32 [%l0], %r0;\n  ret;\n}\n";
}

struct AtomicRate {
  const char* name;
  const char* step;
};
constexpr AtomicRate kAtomicRates[] = {
    {"red", "red.global.add.u32 [%l1], 1;"},
    {"red_f32", "red.global.add.f32 [%l1], %f0;"},
    {"atom", "atom.global.add.u32 %r3, [%l1], %value; xor.b32 %r0, %r0, %r3;"},
    {"cas", "atom.global.cas.b32 %r3, [%l1], %value, %r0; xor.b32 %r0, %r0, %r3;"},
    // An address that ptxas finds to be the same for all lanes.
    {"red_uniform", "red.global.add.u32 [%l0], %value;"},
    {"atom_uniform", "atom.global.add.u32 %r3, [%l0], %value; xor.b32 %r0, %r0, %r3;"}};

/// The words by names: of one operation, all of a warp's in one word, four words, and so on.
struct AtomicWordsOfWarp {
  const char* name;
  uint32_t mask, bytes;
};
constexpr AtomicWordsOfWarp kAtomicWords[] = {{"one_word", 0, 4},      {"two_words", 1, 4},    {"four_words", 3, 4},
                                              {"32_words", 31, 4},     {"32_sectors", 31, 32}, {"own_words", ~0u, 4},
                                              {"own_sectors", ~0u, 32}};

void measure_atomic_rate(Micro& micro, const AtomicRate& rate, DevicePointer at) {
  const bool plain = std::string_view(rate.name) == "red", uniform = std::string_view(rate.name).ends_with("uniform");
  auto name_of = [&](const AtomicWordsOfWarp& words) {
    return plain ? fmt::format("atomics/{}", words.name) : fmt::format("atomics/{}_{}", rate.name, words.name);
  };
  std::string text = atomic_rate_ptx(rate.name, rate.step);
  text.replace(text.find("  .reg .f32"), 0, "  .reg .pred %p;\n");
  void* module = nullptr;
  GpuKernel kernel;
  const uint32_t sms = micro.description().sms;
  for (const AtomicWordsOfWarp& words : kAtomicWords) {
    if (uniform && words.mask != 0) break;
    for (uint32_t blocks : {sms, 1u}) {
      const std::string full = name_of(words) + (blocks == 1 ? "/sms1" : "");
      if (!micro.includes(full)) continue;
      if (module == nullptr) kernel = micro.gpu().kernel(module = micro.gpu().load(text, rate.name), rate.name);
      uint32_t mask = words.mask, bytes = words.bytes;
      const double us = micro.us({.kernel = &kernel,
                                  .grid = {blocks, 1, 1},
                                  .block = {kAtomicThreads, 1, 1},
                                  .parameters = {&at, &mask, &bytes}});
      micro.add(full, blocks * (kAtomicThreads / 32.0) * kTimes / us, "warp operations/us", kernel.name);
    }
  }
  if (module != nullptr) micro.gpu().unload(module);
}

}  // namespace

void measure_atomics(Micro& micro) {
  for (const char* space : {"global", "shared"})
    for (const AtomicOperation& operation : kAtomicOperations) measure_atomic_latency(micro, space, operation);
  if (!micro.includes_some("atomics/")) return;
  const MicroMemory memory(micro.gpu(), uint64_t{micro.description().sms} * kAtomicThreads * 32, "words for atomics");
  for (const AtomicRate& rate : kAtomicRates)
    micro.attempt(fmt::format("atomics/{}", rate.name), [&] { measure_atomic_rate(micro, rate, memory.at()); });
}

}  // namespace warptime::measure
