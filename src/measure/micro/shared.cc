// Shared memory: the latency of a load, what bank conflicts add, and the cycles that loads, stores and atomics occupy.
#include <fmt/format.h>

#include "measure/micro/micro.h"

namespace warptime::measure {

namespace {

constexpr const char* kArray = "  .shared .align 16 .b8 words[32768];\n";

/// %r10: the address of the thread's word, so that a warp's words are %r1 words apart; each word holds its own address.
constexpr const char* kOwnWord = R"(  mov.u32 %r11, words;
  and.b32 %r12, %r0, 31;
  mul.lo.u32 %r12, %r12, %r1;
  shl.b32 %r12, %r12, 2;
  add.u32 %r10, %r11, %r12;
  st.shared.u32 [%r10], %r10;
)";

void measure_latency(Micro& micro) {
  Chain chain{.name = "shared_chase",
              .shared = kArray,
              .setup = kOwnWord,
              .step = [](uint32_t) { return "ld.shared.u32 %r10, [%r10];"; },
              .end = "  mov.u32 %r3, %r10;\n"};
  ChainKernel loaded(micro, chain);
  for (uint32_t degree : {1, 2, 4, 8, 16, 32})
    micro.add(degree == 1 ? "latency/ld_shared" : fmt::format("latency/ld_shared_degree{}", degree),
              loaded.step_cycles(32, degree), "cycles", chain.name);
}

void measure_rate(Micro& micro, const std::string& name, const std::string& unit, const Chain& chain,
                  std::initializer_list<uint32_t> strides, const char* of_stride) {
  if (!micro.includes_some("shared/" + name)) return;
  constexpr uint32_t kWarps = 32;
  micro.attempt("shared/" + name, [&] {
    ChainKernel loaded(micro, chain);
    for (uint32_t stride : strides)
      micro.add(fmt::format("shared/{}_{}{}", name, of_stride, stride),
                loaded.step_cycles(32 * kWarps, stride) / kWarps, unit, chain.name);
  });
}

}  // namespace

void measure_shared(Micro& micro) {
  const char* latency = "latency/ld_shared";
  if (micro.includes_some(latency)) micro.attempt(latency, [&] { measure_latency(micro); });
  // The address of a load comes from the one before last, so that none can be left out; 32 warps hide that.
  Chain load{.name = "shared_load",
             .shared = kArray,
             .setup = std::string(kOwnWord) + "  add.u32 %r14, %r10, 4096;\n  st.shared.u32 [%r14], %r14;\n",
             .step = [](uint32_t i) { return fmt::format("ld.shared.u32 %r{0}, [%r{0}];", i % 2 == 0 ? 10 : 14); },
             .end = "  xor.b32 %r3, %r10, %r14;\n"};
  measure_rate(micro, "load", "cycles/warp load/SM", load, {0, 1, 2, 4, 8, 16, 32}, "degree");
  // Here it comes from all four words of the load before.
  Chain load_4{
      .name = "shared_load_v4",
      .shared = kArray,
      .setup = std::string(kOwnWord) + "  mov.u32 %r13, 0;\n  st.shared.v4.u32 [%r10], {%r10, %r13, %r13, %r13};\n",
      .step =
          [](uint32_t) {
            return "ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r10]; or.b32 %r20, %r20, %r21; "
                   "or.b32 %r22, %r22, %r23; or.b32 %r10, %r20, %r22;";
          },
      .end = "  mov.u32 %r3, %r10;\n"};
  measure_rate(micro, "load_v4", "cycles/warp load/SM", load_4, {0, 4}, "stride");
  Chain store{.name = "shared_store",
              .shared = kArray,
              .setup = kOwnWord,
              .step = [](uint32_t) { return "st.volatile.shared.u32 [%r10], %r10;"; },
              .end = "  mov.u32 %r3, 0;\n"};
  measure_rate(micro, "store", "cycles/warp store/SM", store, {0, 1, 2, 4, 8, 16, 32}, "degree");
  Chain red{.name = "shared_red",
            .shared = kArray,
            .setup = kOwnWord,
            .step = [](uint32_t) { return "red.shared.add.u32 [%r10], %r2;"; },
            .end = "  mov.u32 %r3, 0;\n",
            .repeat = 16};
  measure_rate(micro, "red", "cycles/warp red/SM", red, {0, 1, 2, 4, 32}, "stride");
  // An address that ptxas finds to be the same for all lanes.
  Chain uniform = red;
  uniform.name = "shared_red_uniform";
  uniform.step = [](uint32_t) { return "red.shared.add.u32 [words], %r0;"; };
  measure_rate(micro, "red_uniform", "cycles/warp red/SM", uniform, {0}, "stride");
  Chain atom = red;
  atom.name = "shared_atom";
  atom.step = [](uint32_t) { return "atom.shared.add.u32 %r3, [%r10], %r3;"; };
  atom.setup += "  mov.u32 %r3, 0;\n";
  atom.end = {};
  measure_rate(micro, "atom", "cycles/warp atom/SM", atom, {0, 1, 2, 32}, "stride");
}

}  // namespace warptime::measure
