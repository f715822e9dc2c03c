// Forms of PTX that old and foreign compilers write, executed: values, timed and functional. What the front end accepts
// and prints is in tests/ptx.
#include <fmt/format.h>

#include "sim/gpu/gpu.h"
#include "sim/model/machine_loader.h"
#include "unit/host/host_test.h"

namespace warptime::host {

namespace {

struct Program {
  std::string version = ".version 7.0\n.target sm_75";
  std::string outside = {};  // before the kernel
  std::string body = {};     // %r0: the thread; it leaves its result in %r1
};

/// One warp of the program's kernel: %r1 of each thread. On `generic` without time, or on a machine with timing.
std::vector<uint32_t> run_form(const Program& program, bool functional) {
  Diagnostics diagnostics;
  auto loaded =
      sim::load_machine(functional ? "generic" : "jetson-tk1", {}, WARPTIME_SOURCE_DIR "/configs", diagnostics);
  REQUIRE(loaded.has_value());
  sim::RunOptions options;
  options.functional = functional;
  Device device(loaded->machine, options);
  std::string text = fmt::format(
      "{}\n.address_size 64\n{}\n.visible .entry k(.param .u64 out)\n{{\n"
      "  .reg .b32 %r<16>;\n  .reg .b64 %rd<8>;\n  .reg .pred %p<8>;\n  .reg .f32 %f<8>;\n"
      "  mov.u32 %r0, %tid.x;\n  mov.u32 %r1, 0;\n{}\n"
      "  ld.param.u64 %rd0, [out];\n  mul.wide.u32 %rd1, %r0, 4;\n  add.u64 %rd0, %rd0, %rd1;\n"
      "  st.global.u32 [%rd0], %r1;\n  ret;\n}}\n",
      program.version, program.outside, program.body);
  ModuleRef module = device.load_module(std::make_shared<SourceText>("k.ptx", text));
  std::vector<uint32_t> out(32);
  Buffer buffer = device.allocate<uint32_t>(out.size(), "out");
  device.launch(module, "k", {1}, {32}, {buffer});
  device.copy_from(out, buffer, "out");
  return out;
}

template <class Expected>
void check_form(const Program& program, const Expected& expected) {
  for (bool functional : {false, true}) {
    INFO((functional ? "functional" : "timed") << ": " << program.body);
    std::vector<uint32_t> got = run_form(program, functional);
    for (uint32_t i = 0; i < 32; ++i) {
      INFO("thread " << i);
      CHECK(got[i] == expected(i));
    }
  }
}

const std::string kOldVersion = ".version 2.3\n.target sm_20";

}  // namespace

TEST_CASE("predicates that are negated where they are read") {
  const std::string is_odd = "and.b32 %r2, %r0, 1; setp.eq.u32 %p1, %r2, 1; setp.lt.u32 %p2, %r0, 10;\n";
  auto odd = [](uint32_t i) { return (i & 1) != 0; };
  auto result = [](const std::string& how) { return how + " selp.u32 %r1, 7, 9, %p3;"; };
  check_form({.body = is_odd + result("and.pred %p3, %p2, !%p1;")},
             [&](uint32_t i) { return i < 10 && !odd(i) ? 7u : 9u; });
  check_form({.body = is_odd + result("and.pred %p3, !%p2, %p1;")},
             [&](uint32_t i) { return i >= 10 && odd(i) ? 7u : 9u; });
  check_form({.body = is_odd + result("or.pred %p3, !%p1, !%p2;")},
             [&](uint32_t i) { return !odd(i) || i >= 10 ? 7u : 9u; });
  check_form({.body = is_odd + result("xor.pred %p3, %p1, !%p2;")},
             [&](uint32_t i) { return odd(i) != (i >= 10) ? 7u : 9u; });
  check_form({.body = is_odd + result("not.pred %p3, !%p1;")}, [&](uint32_t i) { return odd(i) ? 7u : 9u; });
  check_form({.body = is_odd + result("mov.pred %p3, !%p1;")}, [&](uint32_t i) { return odd(i) ? 9u : 7u; });
  check_form({.body = is_odd + "selp.u32 %r1, 7, 9, !%p1;"}, [&](uint32_t i) { return odd(i) ? 9u : 7u; });
}

TEST_CASE("variables that a body declares for itself are the module's") {
  // Two kernels and a function have an x each; the module has one, too.
  Program program{.outside =
                      ".global .u32 x = 1000;\n"
                      ".func (.reg .u32 r) f() { .const .u32 x[2] = {3, 40}; .reg .u64 a; mov.u64 a, x;\n"
                      "  ld.const.u32 r, [a+4]; ret; }\n"
                      ".entry other() { .global .u32 x = 5; ret; }\n",
                  .body =
                      ".global .u32 y = 200; .global .u64 py = y;\n"
                      "ld.global.u32 %r2, [x]; call (%r3), f; ld.global.u64 %rd2, [py]; ld.global.u32 %r4, [%rd2];\n"
                      "{ .global .u32 x = 7; ld.global.u32 %r5, [x]; }\n"
                      "add.u32 %r1, %r2, %r3; add.u32 %r1, %r1, %r4; add.u32 %r1, %r1, %r5;"};
  check_form(program, [](uint32_t) { return 1247u; });
}

TEST_CASE("a variable's name without a state space is its generic address") {
  Program program{.body =
                      ".local .u64 l; .shared .u32 s[32]; .global .u32 g = 5; .reg .u64 a;\n"
                      "cvt.u64.u32 %rd2, %r0; st.u64 [l], %rd2; ld.u64 %rd3, [l]; cvt.u32.u64 %r2, %rd3;\n"
                      "st.u32 [s+8], 60; ld.u32 %r3, [s+8]; ld.u32 %r4, [g];\n"
                      "add.u32 %r1, %r2, %r3; add.u32 %r1, %r1, %r4;"};
  check_form(program, [](uint32_t i) { return i + 65; });
}

TEST_CASE("an atomic operation on the name of a shared variable") {
  Program program{.body =
                      ".shared .u32 s; st.shared.u32 [s], 0; bar.sync 0; atom.add.u32 %r2, [s], 2; bar.sync 0;\n"
                      "red.add.u32 [s], 1; bar.sync 0; ld.u32 %r1, [s];"};
  check_form(program, [](uint32_t) { return 96u; });
}

TEST_CASE("predicates and vectors of registers are passed to a function and back") {
  Program program{
      .version = kOldVersion,
      .outside =
          ".func (.reg .pred o, .reg .v2 .u32 v) f(.reg .pred i, .reg .v4 .u16 w) {\n"
          "  .reg .u32 t; .reg .pred p;\n"
          "  cvt.u32.u16 v.x, w.y; cvt.u32.u16 v.y, w.w; setp.gt.u32 p, v.x, 16; xor.pred o, p, i; ret; }\n",
      .body =
          ".reg .v4 .u16 w; .reg .v2 .u32 v; .reg .pred in, res;\n"
          "mov.u16 w.x, 1; cvt.u16.u32 w.y, %r0; mov.u16 w.z, 2; mov.u16 w.w, 500;\n"
          "and.b32 %r2, %r0, 1; setp.eq.u32 in, %r2, 1;\n"
          "call (res, v), f, (in, w); add.u32 %r1, v.x, v.y; @res add.u32 %r1, %r1, 1000;"};
  check_form(program, [](uint32_t i) { return i + 500 + ((i > 16) != ((i & 1) != 0) ? 1000 : 0); });
}

TEST_CASE("a function that calls itself keeps the predicates that it was given") {
  // f(p, n): the sum of n, n - 1 ... 1 where p holds, else of 1 for each.
  Program program{
      .version = kOldVersion,
      .outside =
          ".func (.reg .u32 r, .reg .pred o) f(.reg .pred p, .reg .u32 n) {\n"
          "  .reg .u32 m; .reg .pred z, q, w;\n  mov.u32 r, 0; setp.eq.u32 z, n, 0; mov.pred o, !p; @z ret;\n"
          "  sub.u32 m, n, 1; not.pred q, p; call (r, w), f, (q, m);\n"
          "  @p add.u32 r, r, n; @!p add.u32 r, r, 1; mov.pred o, w; ret; }\n",
      .body =
          ".reg .pred in, res; and.b32 %r2, %r0, 1; setp.eq.u32 in, %r2, 1;\n"
          "call (%r1, res), f, (in, %r0); @res add.u32 %r1, %r1, 10000;"};
  check_form(program, [](uint32_t thread) {
    uint32_t sum = 0;
    bool p = (thread & 1) != 0;
    for (uint32_t n = thread; n > 0; --n, p = !p) sum += p ? n : 1;
    return sum + (p ? 0u : 10000u);
  });
}

TEST_CASE("the last argument of a function may be a list of any size") {
  Program program{
      .outside =
          ".func (.param .b32 r) largest(.param .b32 n, .param .align 8 .b8 list[]) {\n"
          "  .reg .u32 i, v, best; .reg .u64 p; .reg .pred done;\n"
          "  ld.param.u32 i, [n]; mov.u32 best, 0; mov.u64 p, list;\n"
          "NEXT: setp.eq.u32 done, i, 0; @done bra END; ld.param.u32 v, [p]; max.u32 best, best, v;\n"
          "  add.u64 p, p, 4; sub.u32 i, i, 1; bra NEXT;\nEND: st.param.b32 [r], best; ret; }\n",
      .body =
          "{ .param .b32 r; .param .b32 n; .param .align 8 .b8 v[12];\n"
          "  st.param.b32 [n], 3; st.param.b32 [v], 5; st.param.b32 [v+4], %r0; st.param.b32 [v+8], 9;\n"
          "  call (r), largest, (n, v); ld.param.b32 %r2, [r]; }\n"
          "{ .param .b32 r; .param .b32 n; .param .align 8 .b8 v[4];\n"
          "  st.param.b32 [n], 1; st.param.b32 [v], 100; call (r), largest, (n, v); ld.param.b32 %r3, [r]; }\n"
          "{ .param .b32 r; .param .b32 n; st.param.b32 [n], 0;\n"
          "  call (r), largest, (n); ld.param.b32 %r4, [r]; }\n"
          "add.u32 %r1, %r2, %r3; add.u32 %r1, %r1, %r4;"};
  check_form(program, [](uint32_t i) { return std::max(9u, i) + 100; });
}

TEST_CASE("a fraction may begin with its point") {
  Program program{.outside = ".global .f32 g[2] = {.25, -.5e1};\n",
                  .body =
                      "mov.f32 %f1, .5; add.f32 %f1, %f1, .25E2; ld.global.f32 %f2, [g+4];\n"
                      "add.f32 %f1, %f1, %f2; cvt.rni.u32.f32 %r1, %f1;"};
  check_form(program, [](uint32_t) { return 20u; });
}

TEST_CASE("registers of the module are one for a kernel and the functions that it calls") {
  Program program{
      .version = kOldVersion,
      .outside =
          ".reg .u32 %g<4>; .reg .pred flag; .reg .v2 .u32 pair;\n"
          ".func g() { add.u32 %g1, %g1, pair.y; not.pred flag, flag; ret; }\n"
          ".func f() { .reg .u32 %g2; mov.u32 %g2, 77; mul.lo.u32 %g1, %g1, 2; call g; mov.u32 pair.x, 1000; ret; }\n"
          ".entry alone() { mov.u32 %g1, 9; ret; }\n",
      .body =
          "mov.u32 %g1, %r0; mov.u32 %g2, 5; mov.u32 pair.y, 3; setp.gt.u32 flag, %r0, 15; mov.u32 pair.x, 0;\n"
          "call f; add.u32 %r1, %g1, %g2; add.u32 %r1, %r1, pair.x; @flag add.u32 %r1, %r1, 5000;"};
  check_form(program, [](uint32_t i) { return 2 * i + 3 + 5 + 1000 + (i > 15 ? 0 : 5000); });
}

TEST_CASE("the address of a kernel is a number of its own, and nothing that can be called") {
  Program program{
      .outside = ".func f() { ret; }\n.entry c(.param .u32 a) { ret; }\n.entry d() { ret; }\n.global .u64 at = c;\n",
      .body =
          "mov.u64 %rd2, c; mov.u64 %rd3, d; ld.global.u64 %rd4, [at]; mov.u64 %rd5, f;\n"
          "setp.eq.u64 %p1, %rd2, %rd4; setp.ne.and.u64 %p1, %rd2, %rd3, %p1;\n"
          "setp.ne.and.u64 %p1, %rd2, %rd5, %p1; setp.ne.and.u64 %p1, %rd2, 0, %p1; selp.u32 %r1, 1, 0, %p1;"};
  check_form(program, [](uint32_t) { return 1u; });
  program.body = "mov.u64 %rd2, d; { P: .callprototype _(); call %rd2, (), P; }";
  CHECK_THROWS_AS(run_form(program, true), FaultError);
  program = {.outside =
                 ".entry c() { ret; }\n"
                 ".extern .func (.param .b32 r) cudaLaunchDeviceV2(.param .b64 a, .param .b64 s);\n",
             .body = "{ .param .b32 r; .param .b64 a, s; call (r), cudaLaunchDeviceV2, (a, s); }"};
  CHECK_THAT(input_error([&] { run_form(program, true); }),
             Catch::Contains("the device runtime (kernels launched by kernels) is not simulated"));
}

TEST_CASE("a load that reaches beyond its parameter gets what follows it") {
  for (bool functional : {false, true}) {
    Device device(default_machine(), [&] {
      sim::RunOptions options;
      options.functional = functional;
      return options;
    }());
    ModuleRef module = device.load_module(std::make_shared<SourceText>(
        "k.ptx",
        ".version 2.3\n.target sm_10\n.address_size 32\n"
        ".entry k(.param .u32 out, .param .b8 a, .param .u32 b) { .reg .u32 r<4>;\n"
        "  ld.param.u32 r0, [out]; ld.param.u32 r1, [a+4]; ld.param.u32 r2, [a]; ld.param.u32 r3, [b+4];\n"
        "  st.global.u32 [r0], r1; st.global.u32 [r0+4], r2; st.global.u32 [r0+8], r3; ret; }\n"));
    Buffer out = device.allocate<uint32_t>(3, "out");
    Argument byte;
    byte.kind = Argument::Kind::Bytes;
    byte.bytes = {std::byte{17}};
    device.launch(module, "k", {1}, {1}, {out, byte, arg_u32(1234)});
    std::vector<uint32_t> values(3);
    device.copy_from(values, out, "out");
    CHECK(values == std::vector<uint32_t>{1234, 17, 0});
  }
}

TEST_CASE("vectors of registers move as a whole, whatever overlaps") {
  Program program{.body =
                      ".reg .v2 .u32 a; .reg .v4 .u32 b, c; .reg .v4 .u16 h; .reg .v2 .u64 w;\n"
                      "mov.v4.u32 b, {%r0, 20, 300, 4000}; mov.v4.u32 c, b; mov.v4.u32 {c.y, c.x, c.w, c.z}, c;\n"
                      "mov.v2.u32 a, {c.x, c.y}; mov.v2.u32 {a.x, a.y}, {a.y, a.x}; mov.b64 %rd2, a;\n"
                      "mov.v2.u64 w, {%rd2, 5}; mov.b64 {%r2, %r3}, w.x;\n"  // the thread, 20
                      "mov.v4.u32 b, %tid; mov.v4.u16 h, %ntid; cvt.u32.u16 %r4, h.x;\n"
                      "mov.v2.u32 {%r5, _}, {b.x, b.y}; mov.b64 {%r6, _}, w.y;\n"
                      "mad.lo.u32 %r1, %r2, 1000, %r3; mad.lo.u32 %r1, c.z, 1000000, %r1;\n"
                      "sub.u32 %r1, %r1, %r5; add.u32 %r1, %r1, %r4; add.u32 %r1, %r1, %r6;"};
  check_form(program, [](uint32_t i) { return i * 1000 + 20 + 4000u * 1000000u - i + 32 + 5; });
}

TEST_CASE("brkpt ends the run as a fault, where a thread executes it") {
  Program program{.body = "setp.gt.u32 %p1, %r0, 40; @%p1 brkpt; mov.u32 %r1, 3;"};
  check_form(program, [](uint32_t) { return 3u; });
  program.body = "setp.gt.u32 %p1, %r0, 20; @%p1 brkpt;";
  for (bool functional : {false, true}) {
    try {
      run_form(program, functional);
      FAIL("no fault");
    } catch (const FaultError& error) {
      CHECK_THAT(error.what(), Catch::Contains("the program executed brkpt"));
    }
  }
}

}  // namespace warptime::host
