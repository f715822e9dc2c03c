// The ports through which SMs reach the L2: loads past the L1, stores and reductions by what a warp accesses (32
// sectors, 128 bytes, 512 bytes), of one SM, of both of a TPC, of one in each TPC, and of all.
#include <fmt/format.h>

#include "measure/micro/micro.h"

namespace warptime::measure {

namespace {

constexpr uint64_t kInL2 = uint64_t{16} << 20, kInDram = uint64_t{1} << 30;
constexpr uint32_t kEach = 4, kPortThreads = 1024;

/// Blocks on SMs that do not take part end at once. A turn accesses kEach places; `bytes`: a thread's distance.
std::string port_ptx(const std::string& name, uint32_t bytes, uint64_t footprint, uint32_t threads,
                     const std::string& access) {
  std::string text = ptx_header() + ".visible .entry " + name +
                     R"((.param .u64 memory, .param .u32 sms, .param .u32 others, .param .u32 turns)
.maxntid 1024, 1, 1
{
  .reg .u64 %at, %a, %l<4>;
  .reg .u32 %r<8>, %sms, %others, %turns, %value, %off, %v<4>, %sum;
  .reg .pred %p;
  ld.param.u64 %at, [memory];
  ld.param.u32 %sms, [sms];
  ld.param.u32 %others, [others];
  mov.u32 %r0, %smid;
  setp.ge.u32 %p, %r0, %sms;
  @%p ret;
  and.b32 %r1, %r0, %others;
  setp.ne.u32 %p, %r1, 0;
  @%p ret;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.u32 %value, %r2, %r3, %r4;
  mov.u32 %sum, 0;
)" + fmt::format("  mul.lo.u32 %off, %value, {};\n  ld.param.u32 %turns, [turns];\nnext:\n", bytes);
  for (uint32_t i = 0; i < kEach; ++i)
    text += fmt::format(
        "  and.b32 %r5, %off, {};\n  cvt.u64.u32 %a, %r5;\n  add.u64 %a, %a, %at;\n  {}\n"
        "  add.u32 %off, %off, {};\n",
        (footprint - 1) / bytes * bytes, access, bytes * threads);
  return text + R"(  sub.u32 %turns, %turns, 1;
  setp.ne.u32 %p, %turns, 0;
  @%p bra next;
  setp.eq.u32 %p, %sum, 0x12345678;
  @%p st.global.u32 [%at], %sum;
  ret;
}
)";
}

struct Access {
  const char* name;
  uint32_t bytes, turns;
  const char* text;
  uint64_t footprint = kInL2;
};
constexpr const char *kLoad = "ld.global.cg.u32 %r6, [%a]; add.u32 %sum, %sum, %r6;",
                     *kStore = "st.global.u32 [%a], %value;";
constexpr Access kAccesses[] = {
    {"load_sectors", 32, 4, kLoad},
    {"load_words", 4, 32, kLoad},
    {"load_vectors", 16, 16,
     "ld.global.cg.v4.u32 {%v0, %v1, %v2, %v3}, [%a]; add.u32 %sum, %sum, %v0; add.u32 %v1, %v1, %v2; "
     "add.u32 %sum, %sum, %v1; add.u32 %sum, %sum, %v3;"},
    {"store_sectors", 32, 4, kStore},
    {"store_words", 4, 32, kStore},
    {"store_vectors", 16, 16, "st.global.v4.u32 [%a], {%value, %value, %value, %value};"},
    {"red_sectors", 32, 4, "red.global.add.u32 [%a], %value;"},
    {"red_words", 4, 32, "red.global.add.u32 [%a], %value;"},
    {"dram_load_sectors32", 32, 4, kLoad, kInDram},
    {"dram_load_sectors64", 64, 4, kLoad, kInDram},
    {"dram_load_sectors128", 128, 2, kLoad, kInDram},
    {"dram_store_sectors32", 32, 4, kStore, kInDram},
    {"dram_store_sectors64", 64, 4, kStore, kInDram}};

void measure_port(Micro& micro, const Access& access, DevicePointer memory) {
  const std::string name = access.name, begin = fmt::format("ports/{}/", name);
  if (!micro.includes_some(begin)) return;
  void* module = micro.gpu().load(
      port_ptx(name, access.bytes, access.footprint, 2 * micro.description().sms * kPortThreads, access.text), name);
  const GpuKernel kernel = micro.gpu().kernel(module, name);
  const uint32_t sms = micro.description().sms;
  struct Part {
    const char* name;
    uint32_t sms, others, count;
  };
  for (const Part& part :
       {Part{"one", 1, 0, 1}, {"pair", 2, 0, 2}, {"tpcs", sms, 1, (sms + 1) / 2}, {"all", sms, 0, sms}}) {
    uint32_t first = part.sms, others = part.others;
    if (!micro.includes(begin + part.name) || (access.footprint == kInDram && part.count != sms)) continue;
    auto us = [&](uint32_t turns) {
      return micro.us({.kernel = &kernel,
                       .grid = {2 * sms, 1, 1},
                       .block = {kPortThreads, 1, 1},
                       .parameters = {&memory, &first, &others, &turns}});
    };
    const double more = us(3 * access.turns) - us(access.turns);
    micro.add(begin + part.name, 2.0 * part.count * kPortThreads / 32 * 2 * access.turns * kEach / more,
              "warp accesses/us", name);
  }
  micro.gpu().unload(module);
}

}  // namespace

void measure_ports(Micro& micro) {
  if (!micro.includes_some("ports/")) return;
  const MicroMemory memory(micro.gpu(), kInDram, "what ports move");
  for (const Access& access : kAccesses)
    micro.attempt(fmt::format("ports/{}/", access.name), [&] { measure_port(micro, access, memory.at()); });
}

}  // namespace warptime::measure
