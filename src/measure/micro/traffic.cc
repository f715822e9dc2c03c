// Bandwidth by size, kind of traffic and number of SMs; launches of kernels that do nothing.
#include <fmt/format.h>

#include "measure/micro/micro.h"

namespace warptime::measure {

namespace {

/// A loop in which each thread takes four vectors of 16 bytes in a turn, a grid apart, and begins anew at the end of
/// the arrays: %at0 to %at3 are their offsets in bytes in the `body`, which also uses %a0 to %a3, %f and %sum.
std::string stream_ptx(const std::string& name, const std::string& body) {
  std::string text = ptx_header() + ".visible .entry " + name +
                     R"((.param .u64 to, .param .u64 from, .param .u64 other, .param .u32 vectors, .param .u32 turns)
.maxntid 1024, 1, 1
{
  .reg .u64 %to, %from, %other, %at<4>, %a<4>;
  .reg .u32 %r<5>, %n, %i, %step, %turns;
  .reg .f32 %f<20>, %sum;
  .reg .pred %p;
  ld.param.u64 %to, [to];
  ld.param.u64 %from, [from];
  ld.param.u64 %other, [other];
  ld.param.u32 %n, [vectors];
  ld.param.u32 %turns, [turns];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %nctaid.x;
  mad.lo.u32 %i, %r1, %r2, %r3;
  mul.lo.u32 %step, %r4, %r2;
  rem.u32 %i, %i, %n;
  rem.u32 %step, %step, %n;
  mov.f32 %sum, 0f00000000;
next:
)";
  for (int i = 0; i < 4; ++i)
    text += fmt::format(
        "  mul.wide.u32 %at{}, %i, 16;\n  add.u32 %i, %i, %step;\n  setp.ge.u32 %p, %i, %n;\n  @%p sub.u32 %i, %i, "
        "%n;\n",
        i);
  return text + body + R"(  sub.u32 %turns, %turns, 1;
  setp.ne.u32 %p, %turns, 0;
  @%p bra next;
  setp.eq.f32 %p, %sum, 0f449A5000;
  @%p st.global.f32 [%to], %sum;
  ret;
}
)";
}

/// The addresses of the four vectors of one array, in %a0 to %a3.
std::string places(const char* array) {
  std::string out;
  for (int i = 0; i < 4; ++i) out += fmt::format("  add.u64 %a{0}, %{1}, %at{0};\n", i, array);
  return out;
}

std::string load(const char* array) {
  std::string out = places(array);
  for (int i = 0; i < 4; ++i)
    out += fmt::format("  ld.global.cg.v4.f32 {{%f{}, %f{}, %f{}, %f{}}}, [%a{}];\n", 4 * i, 4 * i + 1, 4 * i + 2,
                       4 * i + 3, i);
  return out;
}

std::string store(const char* array) {
  std::string out = places(array);
  for (int i = 0; i < 4; ++i)
    out += fmt::format("  st.global.v4.f32 [%a{}], {{%f{}, %f{}, %f{}, %f{}}};\n", i, 4 * i, 4 * i + 1, 4 * i + 2,
                       4 * i + 3);
  return out;
}

std::string sum() {
  std::string out;
  for (int i = 0; i < 16; ++i) out += fmt::format("  add.f32 %sum, %sum, %f{};\n", i);
  return out;
}

/// to = from + 3 other.
std::string triad() {
  std::string out = load("from") + places("other");
  for (int i = 0; i < 4; ++i) {
    out += fmt::format("  ld.global.cg.v4.f32 {{%f16, %f17, %f18, %f19}}, [%a{}];\n", i);
    for (int k = 0; k < 4; ++k)
      out += fmt::format("  fma.rn.f32 %f{0}, %f{1}, 0f40400000, %f{0};\n", 4 * i + k, 16 + k);
  }
  return out + store("to");
}

/// A kernel that streams through arrays.
class Stream {
 public:
  Stream(Micro& micro, const std::string& name, const std::string& body, double arrays)
      : micro_(micro), arrays_(arrays), module_(micro.gpu().load(stream_ptx(name, body), name)) {
    kernel_ = micro.gpu().kernel(module_, name);
  }
  ~Stream() { micro_.gpu().unload(module_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// GB/s of all arrays, each of so many bytes, the one after the other in memory. `blocks` of 1024 threads.
  void add(const std::string& name, DevicePointer memory, uint64_t bytes, uint32_t passes, uint32_t blocks) {
    if (!micro_.includes(name)) return;
    DevicePointer to = memory, from = memory + bytes, other = memory + 2 * bytes;
    if (arrays_ < 2) from = memory;
    const uint64_t threads = uint64_t{blocks} * 1024,
                   wanted = std::min(bytes * passes, micro_.gpu().most_traffic()) / 16;
    auto vectors = static_cast<uint32_t>(bytes / 16),
         turns = static_cast<uint32_t>(std::max<uint64_t>(1, wanted / (4 * threads)));
    const double us = micro_.us({.kernel = &kernel_,
                                 .grid = {blocks, 1, 1},
                                 .block = {1024, 1, 1},
                                 .parameters = {&to, &from, &other, &vectors, &turns}});
    const double moved = arrays_ * 16 * 4 * static_cast<double>(threads) * turns;
    micro_.add(name, moved / us / 1e3, "GB/s", kernel_.name);
  }

 private:
  Micro& micro_;
  double arrays_;
  void* module_;
  GpuKernel kernel_;
};

void measure_streams(Micro& micro) {
  constexpr uint64_t kMb = 1 << 20, kDram = 1024 * kMb;
  const uint32_t sms = micro.description().sms, full = 2 * sms;
  const MicroMemory arrays(micro.gpu(), 3 * kDram, "arrays");
  const DevicePointer memory = arrays.at();
  Stream read(micro, "stream_read", load("from") + sum(), 1);
  Stream write(micro, "stream_write", store("to"), 1);
  Stream copy(micro, "stream_copy", load("from") + store("to"), 2);
  Stream both(micro, "stream_triad", triad(), 3);
  for (uint64_t mb : {8, 16, 24, 32, 48, 64, 96, 128, 256, 1024}) {
    const auto passes = static_cast<uint32_t>(1024 / mb);
    read.add(fmt::format("bandwidth/read/{}MB", mb), memory, mb * kMb, passes, full);
    write.add(fmt::format("bandwidth/write/{}MB", mb), memory, mb * kMb, passes, full);
    copy.add(fmt::format("bandwidth/copy/{}MB", mb), memory, mb * kMb / 2, passes, full);
    both.add(fmt::format("bandwidth/triad/{}MB", mb), memory, mb * kMb / 4, passes, full);
  }
  read.add("bandwidth/dram_read", memory, kDram, 1, full);
  write.add("bandwidth/dram_write", memory, kDram, 1, full);
  copy.add("bandwidth/dram_copy", memory, kDram, 1, full);
  both.add("bandwidth/dram_triad", memory, kDram, 1, full);
  for (uint32_t blocks = 1; blocks < 2 * sms; blocks *= 2) {
    const uint32_t some = std::min(blocks, sms);
    read.add(fmt::format("bandwidth/l2_read_sms/{}", some), memory, 16 * kMb, 8, some);
    write.add(fmt::format("bandwidth/l2_write_sms/{}", some), memory, 16 * kMb, 8, some);
    read.add(fmt::format("bandwidth/dram_read_sms/{}", some), memory, kDram / 4, 1, some);
  }
}

void measure_empty_launches(Micro& micro) {
  void* module = micro.gpu().load(ptx_header() + ".visible .entry nothing() { ret; }\n", "nothing");
  const GpuKernel kernel = micro.gpu().kernel(module, "nothing");
  auto us = [&](uint32_t blocks, uint32_t threads, uint32_t in_a_row = 1) {
    return micro.us({.kernel = &kernel, .grid = {blocks, 1, 1}, .block = {threads, 1, 1}}, in_a_row);
  };
  const uint32_t sms = micro.description().sms;
  micro.add("launch/empty_us", us(1, 32), "us", kernel.name);
  micro.add("launch/in_a_row_us", us(1, 32, LaunchTimer::kInARow), "us", kernel.name);
  for (uint32_t threads : {32, 128, 256, 1024}) {
    double before = 0;
    for (uint32_t blocks : {sms, 8 * sms, 80 * sms, 800 * sms, 8000 * sms}) {
      const double now = us(blocks, threads);
      micro.add(fmt::format("launch/empty_blocks{}_threads{}_us", blocks, threads), now, "us", kernel.name);
      if (blocks == 8000 * sms)
        micro.add(fmt::format("launch/blocks_per_us_threads{}", threads), 7200 * sms / (now - before), "blocks/us",
                  kernel.name);
      before = now;
    }
  }
  micro.gpu().unload(module);
}

}  // namespace

void measure_bandwidth(Micro& micro) {
  if (micro.includes_some("bandwidth/")) micro.attempt("bandwidth/", [&] { measure_streams(micro); });
}

void measure_launches(Micro& micro) {
  if (micro.includes_some("launch/")) micro.attempt("launch/", [&] { measure_empty_launches(micro); });
}

}  // namespace warptime::measure
