// Calls through registers: functions chosen by each thread, by a table, called in turn where lanes choose differently;
// what the program gets wrong. Results are worked out by hand.
#include "sim/gpu/gpu.h"
#include "sim/model/machine_loader.h"
#include "unit/host/host_test.h"

namespace warptime::host {

namespace {

constexpr const char* kFunctions = R"(.version 6.0
.target sm_30
.address_size 64
.func (.param .b32 r) twice(.param .b32 a) {
  .reg .b32 %r<3>;
  ld.param.u32 %r1, [a]; add.u32 %r2, %r1, %r1; st.param.b32 [r], %r2; ret;
}
.func (.param .b32 r) square(.param .b32 a) {
  .reg .b32 %r<3>;
  ld.param.u32 %r1, [a]; mul.lo.u32 %r2, %r1, %r1; st.param.b32 [r], %r2; ret;
}
.func (.param .b32 r) minus_one(.param .b32 a) {
  .reg .b32 %r<3>; .reg .pred %p;
  ld.param.u32 %r1, [a]; setp.eq.u32 %p, %r1, 0; @%p bra ZERO;
  sub.u32 %r1, %r1, 1;
  ZERO: st.param.b32 [r], %r1; ret;
}
.func (.param .b32 r) over(.param .b32 a, .param .b64 f);
.func (.param .b32 r) down(.param .b32 a, .param .b64 f) {
  .reg .b32 %r<3>; .reg .b64 %rd; .reg .pred %p; .param .b32 x, y; .param .b64 z;
  prototype: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);
  ld.param.u32 %r1, [a]; setp.eq.u32 %p, %r1, 0; mov.u32 %r2, 7; @%p bra DONE;
  ld.param.u64 %rd, [f]; sub.u32 %r2, %r1, 1; st.param.b32 [x], %r2; st.param.b64 [z], %rd;
  call (y), %rd, (x, z), prototype;
  ld.param.b32 %r2, [y]; add.u32 %r2, %r2, %r1;
  DONE: st.param.b32 [r], %r2; ret;
}
.func (.param .b32 r) over(.param .b32 a, .param .b64 f) {
  .reg .b32 %r<3>; .reg .b64 %rd; .reg .pred %p; .param .b32 x, y; .param .b64 z;
  targets: .calltargets over, down;
  ld.param.u32 %r1, [a]; setp.eq.u32 %p, %r1, 0; mov.u32 %r2, 7; @%p bra DONE;
  ld.param.u64 %rd, [f]; sub.u32 %r2, %r1, 1; st.param.b32 [x], %r2; st.param.b64 [z], %rd;
  call (y), %rd, (x, z), targets;
  ld.param.b32 %r2, [y]; mad.lo.u32 %r2, %r1, 2, %r2;
  DONE: st.param.b32 [r], %r2; ret;
}
.func (.param .b64 r) wide(.param .b64 a) { .reg .b64 %rd<2>; ld.param.u64 %rd1, [a]; st.param.b64 [r], %rd1; ret; }
.global .u64 table[3] = {twice, square, minus_one};
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<4>;
  mov.u32 %r0, %tid.x; mov.u32 %r1, 1000; ld.param.u64 %rd0, [out]; mad.wide.u32 %rd0, %r0, 4, %rd0;
)";
constexpr const char* kCall = R"(
  { .param .b32 argument; .param .b32 result;
    st.param.b32 [argument], %r0;
    prototype: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (result), %rd1, (argument), prototype;
    ld.param.b32 %r1, [result]; }
)";

std::vector<uint32_t> run_calls(const std::string& machine, const std::string& body) {
  Diagnostics diagnostics;
  auto loaded = sim::load_machine(machine, {}, WARPTIME_SOURCE_DIR "/configs", diagnostics);
  REQUIRE(loaded.has_value());
  sim::RunOptions options;
  options.functional = machine == "generic";
  Device device(loaded->machine, options);
  std::string text = kFunctions + body + "  st.global.u32 [%rd0], %r1; ret;\n}\n";
  ModuleRef module = device.load_module(std::make_shared<SourceText>("k.ptx", text));
  std::vector<uint32_t> out(64);
  Buffer buffer = device.allocate<uint32_t>(out.size(), "out");
  device.launch(module, "k", {1}, {static_cast<uint32_t>(out.size())}, {buffer});
  device.copy_from(out, buffer, "out");
  return out;
}

uint32_t of_function(uint32_t function, uint32_t x) {
  if (function == 0) return 2 * x;
  return function == 1 ? x * x : x - (x != 0 ? 1 : 0);
}

}  // namespace

TEST_CASE("a call through a register reaches the function whose address it holds") {
  for (const char* machine : {"generic", "jetson-tk1"}) {
    INFO(machine);
    auto got = run_calls(machine, std::string("mov.u64 %rd1, square;") + kCall);
    for (uint32_t i = 0; i < 64; ++i) CHECK(got[i] == i * i);
  }
}

TEST_CASE("lanes that call different functions all come back behind the call") {
  for (const char* machine : {"generic", "jetson-tk1"}) {
    INFO(machine);
    std::string choose =
        "rem.u32 %r2, %r0, 3; mov.u64 %rd2, table; mad.wide.u32 %rd2, %r2, 8, %rd2; ld.global.u64 %rd1, [%rd2];\n";
    auto got = run_calls(machine, choose + kCall);
    for (uint32_t i = 0; i < 64; ++i) CHECK(got[i] == of_function(i % 3, i));
    // Only the upper lanes of each warp call; then all add one.
    std::string some = "and.b32 %r3, %r0, 16; setp.eq.u32 %p1, %r3, 0; @%p1 bra BEHIND;\n";
    got = run_calls(machine, choose + some + kCall + "BEHIND: add.u32 %r1, %r1, 1;\n");
    for (uint32_t i = 0; i < 64; ++i) CHECK(got[i] == (i % 32 < 16 ? 1000 : of_function(i % 3, i)) + 1);
  }
}

TEST_CASE("a call through a register whose guard is false for some lanes") {
  for (const char* machine : {"generic", "jetson-tk1"}) {
    INFO(machine);
    std::string call = kCall;
    call.replace(call.find("call (result)"), 0, "@%p1 ");
    auto got = run_calls(machine,
                         "and.b32 %r2, %r0, 1; mov.u64 %rd2, table; mad.wide.u32 %rd2, %r2, 8, %rd2;\n"
                         "ld.global.u64 %rd1, [%rd2]; setp.lt.u32 %p1, %r0, 40;\n" +
                             call);
    for (uint32_t i = 0; i < 64; ++i) CHECK(got[i] == (i < 40 ? of_function(i % 2, i) : 0));
  }
}

TEST_CASE("functions call themselves through a register") {
  // down(n, f) = n == 0 ? 7 : n + f(n - 1, f), each lane by the function that it was given: down, or over (2n + ...).
  for (const char* machine : {"generic", "jetson-tk1"}) {
    INFO(machine);
    auto got = run_calls(machine, R"(
  { .param .b32 argument, result; .param .b64 function;
    and.b32 %r2, %r0, 15; st.param.b32 [argument], %r2;
    and.b32 %r2, %r0, 1; setp.eq.u32 %p1, %r2, 0;
    mov.u64 %rd1, down; mov.u64 %rd2, over; selp.b64 %rd1, %rd1, %rd2, %p1; st.param.b64 [function], %rd1;
    prototype: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);
    call (result), %rd1, (argument, function), prototype;
    ld.param.b32 %r1, [result]; }
)");
    for (uint32_t i = 0; i < 64; ++i) {
      uint32_t n = i % 16;
      CHECK(got[i] == n * (n + 1) / 2 * (i % 2 + 1) + 7);
    }
  }
}

TEST_CASE("a call through a register to no function, or to one that does not fit, is a fault") {
  for (const char* machine : {"generic", "jetson-tk1"}) {
    INFO(machine);
    CHECK_THROWS_WITH(run_calls(machine, std::string("mov.u64 %rd1, 12345;") + kCall),
                      Catch::Contains("call of 0x3039, where no function with the call's prototype begins"));
    CHECK_THROWS_WITH(run_calls(machine, std::string("mov.u64 %rd1, 0;") + kCall), Catch::Contains("call of 0x0"));
    // The address of a function with other parameters, and one past a function's.
    CHECK_THROWS_AS(run_calls(machine, std::string("mov.u64 %rd1, wide;") + kCall), FaultError);
    CHECK_THROWS_AS(run_calls(machine, std::string("mov.u64 %rd1, twice; add.u64 %rd1, %rd1, 1;") + kCall), FaultError);
    // One lane calls a bad address; the other lanes of its warp are right.
    try {
      run_calls(machine, std::string("mov.u64 %rd1, twice; setp.eq.u32 %p1, %r0, 37; @%p1 mov.u64 %rd1, 3;") + kCall);
      FAIL("no fault");
    } catch (const FaultError& error) {
      CHECK(error.fault.kind == sim::Fault::Kind::CallTarget);
      CHECK(error.fault.thread[0] == 37);
    }
  }
}

}  // namespace warptime::host
