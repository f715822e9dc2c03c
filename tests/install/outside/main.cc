// A program outside the repository: doubles an array on the simulated machine and looks at the result.
#include <cstdio>

#include "host/device/device.h"
#include "host/report/report.h"
#include "host/workload/workload.h"
#include "sim/gpu/gpu.h"
#include "sim/model/machine_loader.h"

constexpr const char* kPtx = R"(.version 1.4
.target sm_10
.entry twice (.param .u32 data) {
  .reg .u32 %r<4>;
  .reg .f32 %f<2>;
  mov.u32 %r1, %tid.x;
  shl.b32 %r1, %r1, 2;
  ld.param.u32 %r2, [data];
  add.u32 %r3, %r1, %r2;
  ld.global.f32 %f1, [%r3];
  add.f32 %f1, %f1, %f1;
  st.global.f32 [%r3], %f1;
  exit;
}
)";

int main(int, char** argv) {
  using namespace warptime;
  Diagnostics diagnostics;
  auto loaded = sim::load_machine(argv[1], {}, WARPTIME_CONFIGS, diagnostics);
  if (!loaded) return std::fputs(diagnostics.to_text().c_str(), stderr), 2;
  host::Device device(loaded->machine, {});
  auto module = device.load_module(std::make_shared<SourceText>("twice.ptx", kPtx));
  std::vector<float> values(64, 1.5f);
  host::Buffer buffer = device.allocate<float>(values.size(), "values");
  device.copy_to(buffer, values, "values");
  const auto& statistics = device.launch(module, "twice", {}, {64}, {buffer});
  device.copy_from(values, buffer, "values");
  std::printf("%g after %llu cycles\n", values[63], static_cast<unsigned long long>(statistics.cycles));
  bool timed = loaded->machine.config.has_timing;  // "generic" computes values only
  return values[63] == 3.0f && (statistics.cycles > 0) == timed ? 0 : 1;
}
