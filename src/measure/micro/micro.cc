#include "measure/micro/micro.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/device/device.h"

namespace warptime::measure {

namespace {

/// What a diagnostic, "error: a sentence\nmore", says first.
std::string first_sentence(std::string_view diagnostic) {
  constexpr std::string_view kError = "error: ";
  if (diagnostic.starts_with(kError)) diagnostic.remove_prefix(kError.size());
  return std::string(diagnostic.substr(0, diagnostic.find('\n')));
}

}  // namespace

bool is_selected(std::string_view name, const std::vector<std::string>& only) {
  return only.empty() ||
         std::any_of(only.begin(), only.end(), [&](const std::string& begin) { return name.starts_with(begin); });
}

bool Micro::includes_some(std::string_view beginning) const {
  return includes(beginning) || std::any_of(only_.begin(), only_.end(),
                                            [&](const std::string& begin) { return begin.starts_with(beginning); });
}

void Micro::add(std::string name, double value, std::string unit, std::string kernel) {
  if (!includes(name)) return;
  if (std::isfinite(value)) values_.push_back({std::move(name), value, std::move(unit), std::move(kernel)});
  else failures_.push_back({std::move(name), "its kernel took no time"});
}

void Micro::attempt(std::string name, const std::function<void()>& measure) {
  if (has_fault_) return;
  try {
    measure();
  } catch (const host::InputError& error) {
    failures_.push_back({std::move(name), first_sentence(error.what())});
  } catch (const GpuFault& fault) {
    failures_.push_back({std::move(name), fault.what()});
    has_fault_ = true;
  }
}

double Micro::cycles(const GpuLaunch& launch) {
  const uint32_t warps = std::max(1u, launch.block[0] / 32);
  struct Clocks {
    uint32_t begin, end;
  };
  std::vector<Clocks> of_warps(warps);
  uint32_t best = ~0u;
  for (uint32_t i = 0; i < gpu_.tries(); ++i) {
    gpu_.run(launch);
    gpu_.read(of_warps.data(), out_, of_warps.size() * sizeof of_warps[0]);
    // From the first warp's start to the last one's end, seen from the start of warp 0: the clock may wrap around.
    int32_t first = 0, last = 0;
    for (const Clocks& clocks : of_warps) {
      first = std::min(first, static_cast<int32_t>(clocks.begin - of_warps[0].begin));
      last = std::max(last, static_cast<int32_t>(clocks.end - of_warps[0].begin));
    }
    best = std::min(best, static_cast<uint32_t>(last - first));
  }
  return best;
}

std::string ptx_header(uint32_t capability) {
  return fmt::format(".version 7.0\n.target sm_{}\n.address_size 64\n", capability);
}

std::string chain_ptx(const Chain& chain) {
  std::string text = fmt::format(
      R"({}.visible .entry {}(.param .u64 out, .param .u64 in, .param .u32 rounds, .param .u32 a, .param .u32 b)
.maxntid 1024, 1, 1
{{
  .reg .b32 %r<64>;
  .reg .u32 %rounds, %begin, %end, %lane, %warp;
  .reg .f32 %f<64>;
  .reg .f64 %d<64>;
  .reg .u64 %l<64>, %out;
  .reg .b16 %h<16>;
  .reg .pred %p<16>, %more, %first;
{}  mov.u32 %r0, %tid.x;
  ld.param.u32 %r1, [a];
  ld.param.u32 %r2, [b];
  ld.param.u64 %l0, [in];
  ld.param.u32 %rounds, [rounds];
{}  bar.sync 0;
  mov.u32 %begin, %clock;
again:
  .pragma "nounroll";
)",
      chain.variables, chain.name, chain.shared, chain.setup);
  for (uint32_t i = 0; i < chain.repeat; ++i) text += "  " + chain.step(i) + "\n";
  return text + "  sub.u32 %rounds, %rounds, 1;\n  setp.ne.u32 %more, %rounds, 0;\n  @%more bra again;\n" +
         "  mov.u32 %end, %clock;\n" + chain.end + R"(  ld.param.u64 %out, [out];
  shr.u32 %warp, %r0, 5;
  and.b32 %lane, %r0, 31;
  setp.eq.u32 %first, %lane, 0;
  mad.wide.u32 %l1, %warp, 8, %out;
  @%first st.global.v2.u32 [%l1], {%begin, %end};
  mad.wide.u32 %l2, %r0, 4, %out;
  st.global.u32 [%l2+4096], %r3;
  ret;
}
)";
}

ChainKernel::ChainKernel(Micro& micro, const Chain& chain, uint32_t capability)
    : micro_(micro),
      repeat_(chain.repeat),
      module_(micro.gpu().load(ptx_header(capability) + chain_ptx(chain), chain.name)),
      kernel_(micro.gpu().kernel(module_, chain.name)) {}

double ChainKernel::step_cycles(uint32_t threads, uint32_t a, uint32_t b, DevicePointer in) {
  constexpr uint32_t kShort = 2, kLong = 10;
  DevicePointer out = micro_.out();
  auto run = [&](uint32_t rounds) {
    return micro_.cycles({.kernel = &kernel_, .block = {threads, 1, 1}, .parameters = {&out, &in, &rounds, &a, &b}});
  };
  const double shorter = run(kShort), longer = run(kLong);
  return (longer - shorter) / ((kLong - kShort) * repeat_);
}

MicroResults measure_micro(MicroGpu& gpu, std::vector<std::string> only) {
  Micro micro(gpu, std::move(only));
  auto clock = [&](const char* name) {
    if (micro.includes(name)) micro.attempt(name, [&] { micro.add(name, gpu.sm_mhz(), "MHz", "clocks"); });
  };
  clock("sm_clock");
  measure_pipes(micro);
  measure_shared(micro);
  measure_constant(micro);
  measure_caches(micro);
  measure_atomics(micro);
  measure_bandwidth(micro);
  measure_ports(micro);
  measure_launches(micro);
  clock("sm_clock_end");
  return micro.take();
}

}  // namespace warptime::measure
