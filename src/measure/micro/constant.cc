// Constant memory: loads whose address depends on the one before, by the bytes that they go around in, with one address
// for all lanes or several.
#include <fmt/format.h>

#include "measure/micro/micro.h"

namespace warptime::measure {

namespace {

constexpr uint32_t kConstantBytes = 65536, kConstantLine = 64;

/// The word at each offset holds that offset, or the one of the next line of `ring` bytes.
void write_table(Micro& micro, DevicePointer at, uint32_t ring) {
  std::vector<uint32_t> table(kConstantBytes / 4);
  for (uint32_t i = 0; i < table.size(); ++i) table[i] = ring == 0 ? 4 * i : (4 * i + kConstantLine) % ring;
  micro.gpu().write(at, table.data(), kConstantBytes);
}

/// A chain of loads from a table; the first address is the thread's number by `setup`.
Chain chain_of(std::string name, const char* setup) {
  return {
      .name = std::move(name),
      .variables = fmt::format(".const .align 16 .b8 table[{}];\n", kConstantBytes),
      .setup = std::string("  mov.u64 %l10, table;\n") + setup,
      .step = [](uint32_t) { return "cvt.u64.u32 %l11, %r10; add.u64 %l11, %l11, %l10; ld.const.u32 %r10, [%l11];"; },
      .end = "  mov.u32 %r3, %r10;\n",
      .repeat = 16};
}

constexpr const char* kByThread = "  mul.lo.u32 %r10, %r0, %r1;\n  and.b32 %r10, %r10, 0xfffc;\n";
/// Two addresses: of lanes 0 to 15 and of lanes 16 to 31.
constexpr const char* kByHalf = "  shr.u32 %r10, %r0, 4;\n  mul.lo.u32 %r10, %r10, %r1;\n";

void measure_latency(Micro& micro, const std::string& full, const Chain& chain, uint32_t stride) {
  if (!micro.includes(full)) return;
  micro.attempt(full, [&] {
    ChainKernel loaded(micro, chain);
    write_table(micro, micro.gpu().variable(loaded.module(), "table"), 0);
    micro.add(full, loaded.step_cycles(32, stride), "cycles", chain.name);
  });
}

/// Several addresses in a warp, each thread's always the same: the lanes of an address are neighbours.
void measure_addresses(Micro& micro, uint32_t addresses) {
  const std::string begin = fmt::format("constant/addresses{}/", addresses);
  if (!micro.includes_some(begin)) return;
  micro.attempt(begin, [&] {
    Chain chain = chain_of("constant_addresses",
                           "  and.b32 %r10, %r0, 31;\n  div.u32 %r10, %r10, %r1;\n  shl.b32 %r10, %r10, 2;\n");
    ChainKernel loaded(micro, chain);
    write_table(micro, micro.gpu().variable(loaded.module(), "table"), 0);
    for (uint32_t warps : {1, 4, 32})
      micro.add(fmt::format("{}warps{}", begin, warps), loaded.step_cycles(32 * warps, 32 / addresses) / warps,
                "cycles/warp load/SM", chain.name);
  });
}

/// A ring that is gone around at least once in a round. `begin`: of the values' names.
void measure_ring(Micro& micro, const std::string& begin, uint32_t bytes) {
  Chain ring = chain_of("constant_ring", kByThread);
  ring.repeat = std::max<uint32_t>(128, bytes / kConstantLine);
  ChainKernel around(micro, ring);
  write_table(micro, micro.gpu().variable(around.module(), "table"), bytes);
  for (uint32_t warps : {1, 4, 32})
    micro.add(fmt::format("{}warps{}", begin, warps), around.step_cycles(32 * warps, 0) / warps, "cycles/warp load/SM",
              ring.name);
}

}  // namespace

void measure_constant(Micro& micro) {
  const Chain by_thread = chain_of("constant_chase", kByThread);
  measure_latency(micro, "latency/ld_const_uniform", by_thread, 0);
  measure_latency(micro, "latency/ld_const_2_addresses", chain_of("constant_chase_pairs", kByHalf), 128);
  measure_latency(micro, "latency/ld_const_32_addresses", by_thread, 4);
  for (uint32_t addresses : {1, 2, 4, 8, 32}) measure_addresses(micro, addresses);
  for (uint32_t bytes : {256, 1024, 1536, 2048, 3072, 4096, 8192, 16384, 32768, 65536}) {
    const std::string begin = fmt::format("constant/uniform_bytes{}/", bytes);
    if (micro.includes_some(begin)) micro.attempt(begin, [&] { measure_ring(micro, begin, bytes); });
  }
}

}  // namespace warptime::measure
