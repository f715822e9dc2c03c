// map_f64_to_f32: a module that asks for it runs on a machine without double precision. Its values are those of f32
// arithmetic, in memory that stays f64.
#include <bit>
#include <cmath>

#include "sim/gpu/gpu.h"
#include "sim/model/statistics.h"
#include "unit/host/host_test.h"

namespace warptime::host {

namespace {

std::string module_text(const std::string& target) {
  return ".version 1.4\n.target " + target + R"(
.entry k(.param .u64 data, .param .f64 tenth)
{
  .reg .u64 %rd<4>;
  .reg .u32 %r<5>;
  .reg .f32 %f<2>;
  .reg .f64 %d<9>;
  .reg .pred %p<3>;
  ld.param.u64 %rd1, [data];
  ld.param.f64 %d8, [tenth];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 64;
  add.u64 %rd3, %rd1, %rd2;
  ld.global.f64 %d0, [%rd3];
  add.f64 %d1, %d0, %d8;
  div.rn.f64 %d2, %d1, 0d4008000000000000;
  fma.rn.f64 %d3, %d0, %d1, %d2;
  sqrt.rn.f64 %d4, %d3;
  setp.lt.f64 %p1|%p2, %d4, 0d4014000000000000;
  @%p1 neg.f64 %d4, %d4;
  @%p2 add.rz.f64 %d4, %d4, %d8;
  cvt.rzi.s32.f64 %r2, %d3;
  cvt.rn.f64.s32 %d5, %r2;
  cvt.rn.f32.f64 %f1, %d1;
  cvt.f64.f32 %d6, %f1;
  set.gt.u32.f64 %r3, %d0, %d5;
  cvt.rn.f64.u32 %d7, %r3;
  st.global.f64 [%rd3+8], %d1;
  st.global.f64 [%rd3+16], %d2;
  st.global.f64 [%rd3+24], %d3;
  st.global.f64 [%rd3+32], %d4;
  st.global.f64 [%rd3+40], %d5;
  st.global.f64 [%rd3+48], %d6;
  st.global.f64 [%rd3+56], %d7;
  exit;
}
)";
}

struct Run {
  std::vector<double> data = std::vector<double>(20 * 8);
  sim::LaunchStatistics statistics;

  Run(const std::string& target, sim::MachineConfig config) {
    for (size_t lane = 0; lane < 20; ++lane) data[lane * 8] = 0.7 + 1.3 * static_cast<double>(lane);
    Device device({"test", std::move(config), ""}, {});
    auto module = device.load_module(std::make_shared<SourceText>("k.ptx", module_text(target)));
    Buffer buffer = device.allocate<double>(data.size(), "data");
    device.copy_to(buffer, data, "data");
    statistics = device.launch(module, "k", {1}, {20}, {buffer, arg_f64(0.1)});
    device.copy_from(data, buffer, "data");
  }
};

/// What a lane's seven results are in arithmetic of type T. `sum_down`: the sum rounded toward zero.
template <class T>
std::vector<double> expected(double input, T (*sum_down)(T, T)) {
  T x = static_cast<T>(input), tenth = static_cast<T>(0.1), sum = x + tenth, third = sum / 3;
  T fused = std::fma(x, sum, third), root = std::sqrt(fused);
  root = root < 5 ? -root : sum_down(root, tenth);
  T whole = std::trunc(fused);
  return {sum, third, fused, root, whole, static_cast<float>(sum), x > whole ? static_cast<T>(4294967295.0) : 0};
}
float float_down(float a, float b) {
  double exact = static_cast<double>(a) + static_cast<double>(b);  // of these numbers exact
  auto near = static_cast<float>(exact);
  return static_cast<double>(near) > exact ? std::nextafter(near, 0.0f) : near;
}

}  // namespace

TEST_CASE("A module that asks to map f64 to f32 computes in f32 and stores f64, on a machine without f64") {
  Run run("sm_10, map_f64_to_f32", {});
  size_t differ = 0;
  for (size_t lane = 0; lane < 20; ++lane) {
    INFO("lane " << lane);
    std::vector<double> want = expected<float>(run.data[lane * 8], float_down);
    for (size_t i = 0; i < want.size(); ++i) CHECK(run.data[lane * 8 + 1 + i] == want[i]);
    differ += run.data[lane * 8 + 2] != (run.data[lane * 8] + 0.1) / 3 ? 1 : 0;
  }
  CHECK(differ > 15);  // and not what f64 gives
  CHECK(run.statistics.counts.flops > 0);
  CHECK(run.statistics.counts.flops_f64 == 0);
  CHECK(run.statistics.pipes.dp == 0);
}

TEST_CASE("A machine maps where its file says so, also if it has double precision") {
  sim::MachineConfig config;
  config.features = {"f64"};
  Run as_is("sm_13", config);
  CHECK(as_is.data[2] == (0.7 + 0.1) / 3);
  CHECK(as_is.statistics.counts.flops == 0);
  CHECK(as_is.statistics.pipes.dp > 0);
  config.map_f64_to_f32 = true;
  Run mapped("sm_13", config);
  CHECK(mapped.data == Run("sm_10, map_f64_to_f32", {}).data);
  CHECK(mapped.statistics.counts.flops == as_is.statistics.counts.flops_f64);
}

TEST_CASE("A converted number may be in a register that is wider than its type") {
  Device device({"test", {}, ""}, {});
  auto module = device.load_module(std::make_shared<SourceText>("k.ptx", R"(.version 1.4
.target sm_10, map_f64_to_f32
.entry k(.param .u64 data)
{
  .reg .b64 %rd<4>;
  .reg .f64 %d<3>;
  ld.param.u64 %rd1, [data];
  ld.global.f64 %d1, [%rd1];
  mov.b64 %rd2, -1;
  cvt.rn.f32.f64 %rd2, %d1;
  cvt.f64.f32 %d2, %rd2;
  st.global.f64 [%rd1], %d2;
  st.global.u64 [%rd1+8], %rd2;
  exit;
}
)"));
  std::vector<double> data{0.1, 0};
  Buffer buffer = device.allocate<double>(data.size(), "data");
  device.copy_to(buffer, data, "data");
  device.launch(module, "k", {1}, {32}, {buffer});
  device.copy_from(data, buffer, "data");
  CHECK(data[0] == static_cast<double>(0.1f));
  CHECK(std::bit_cast<uint64_t>(data[1]) == std::bit_cast<uint32_t>(0.1f));  // extended with zeros
}

TEST_CASE("Without the mapping f64 is an error: of the target, or of the machine") {
  CHECK_THAT(input_error([] { Run("sm_10", {}); }), Catch::Contains("needs .target sm_13, this module has sm_10"));
  CHECK_THAT(input_error([] { Run("sm_13", {}); }),
             Catch::Contains("k.ptx:16:3: error: \"add.f64\" needs a machine with the feature f64"));
}

}  // namespace warptime::host
