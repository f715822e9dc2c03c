// Forms of later targets: what no golden vector shows. Values are those of the manual's formulas (PTX ISA 9.0).
#include <cmath>

#include "unit/host/kernels/later_program.h"

namespace warptime::host {

using namespace later;

TEST_CASE("redux of f32: the order of min and max, with and without NaN") {
  // Lane i has (i - 16) / 2, lane 3 a NaN.
  std::string values =
      "add.f32 %f1, %f0, 0fC1800000; mul.f32 %f1, %f1, 0f3F000000; setp.eq.u32 %p1, %r0, 3; @%p1 mov.f32 %f1, "
      "0f7FC00001;\n";
  auto of = [&](const char* form) {
    return Program{values + "redux.sync." + form + ".f32 %f2, %f1, -1; mov.b32 %r1, %f2;"};
  };
  check_program(of("min"), [](uint32_t) { return bits(-8.0f); });
  check_program(of("max"), [](uint32_t) { return bits(7.5f); });
  check_program(of("min.abs"), [](uint32_t) { return bits(0.0f); });
  check_program(of("max.abs"), [](uint32_t) { return bits(8.0f); });
  check_program(of("max.NaN"), [](uint32_t) { return 0x7fffffffu; });
  check_program(of("min.abs.NaN"), [](uint32_t) { return 0x7fffffffu; });
}

TEST_CASE("numbers of 4 bits: the nearest, of two the even one, at most 6") {
  constexpr float kFrom[] = {0,    0.25f, 0.26f, 0.5f, 0.75f, 1,    1.25f, 1.5f, 1.75f, 2,     2.5f,
                             2.6f, 3,     3.5f,  4,    5,     5.1f, 6,     7,    1e30f, -0.5f, -3};
  constexpr uint32_t kTo[] = {0, 0, 1, 1, 2, 2, 2, 3, 4, 4, 4, 5, 5, 6, 6, 6, 7, 7, 7, 7, 9, 13};
  for (size_t i = 0; i < std::size(kFrom); ++i) {
    Program program{
        fmt::format("mov.f32 %f1, 0f{:08X}; mov.f32 %f2, 0f00000000; cvt.rn.satfinite.e2m1x2.f32 %b1, %f1, "
                    "%f2;\n mov.b16 %h1, {{%b1, 0}}; cvt.u32.u16 %r1, %h1;",
                    bits(kFrom[i]))};
    INFO(kFrom[i]);
    CHECK(run(program, true)[0] == kTo[i] << 4);
  }
  Program nan{
      "mov.f32 %f1, 0f7FC00000; mov.f32 %f2, 0fFF800000; cvt.rn.satfinite.e2m1x2.f32 %b1, %f1, %f2; mov.b16 %h1, {%b1, "
      "0}; cvt.u32.u16 %r1, %h1;"};
  CHECK(run(nan, true)[0] == 0x7f);  // a NaN is the largest number, minus infinity the least
}

TEST_CASE("numbers of 4, 6 and 8 bits are what they were when they come back") {
  // Both numbers of a register, as f16 and back.
  for (const char* type : {"e2m3x2", "e3m2x2"}) {
    Program program{
        fmt::format("shl.b32 %r2, %r0, 9; or.b32 %r2, %r2, %r0; and.b32 %r2, %r2, 0x3f3f; cvt.u16.u32 %h1, "
                    "%r2; cvt.rn.f16x2.{0} %r3, %h1;\n mov.b32 {{%h2, %h3}}, %r3; cvt.f32.f16 %f1, %h2; "
                    "cvt.f32.f16 %f2, %h3;\n cvt.rn.satfinite.{0}.f32 %h4, %f2, %f1; cvt.u32.u16 %r1, %h4;",
                    type)};
    INFO(type);
    check_program(program, [](uint32_t lane) { return (lane << 9 | lane) & 0x3f3f; });
  }
  Program scales{
      "mul.lo.u32 %r2, %r0, 7; shl.b32 %r3, %r0, 11; or.b32 %r2, %r2, %r3; and.b32 %r2, %r2, 0xffff; cvt.u16.u32 %h1, "
      "%r2;\n cvt.rn.bf16x2.ue8m0x2 %r3, %h1; cvt.rz.ue8m0x2.bf16x2 %h2, %r3; cvt.u32.u16 %r1, %h2;"};
  check_program(scales, [](uint32_t lane) { return (lane * 7 | lane << 11) & 0xffff; });
}

TEST_CASE("cvt.rs: the first number is above, and takes the upper random bits") {
  // 1 + 3/4 of the distance to the next bf16, and -1 less as much; random bits that round the first, the second, both.
  auto pair = [](const char* random) {
    return Program{
        fmt::format("mov.f32 %f1, 0f3F80C000; mov.f32 %f2, 0fBF80C000; mov.b32 %r2, {};\n"
                    "cvt.rs.bf16x2.f32 %r1, %f1, %f2, %r2;",
                    random)};
  };
  check_program(pair("0x00000000"), [](uint32_t) { return 0x3f80bf80u; });
  check_program(pair("0x40000000"), [](uint32_t) { return 0x3f81bf80u; });
  check_program(pair("0x3fff4000"), [](uint32_t) { return 0x3f80bf81u; });
  check_program(pair("0x40004000"), [](uint32_t) { return 0x3f81bf81u; });
  // The upper 16 bits are those of the first two of four numbers.
  Program four{
      "mov.f32 %f1, 0f3F880000; mov.f32 %f2, 0fC0000000; mov.f32 %f3, 0f3F880000; mov.f32 %f4, 0f43E80000;\n"
      "mov.b32 %r2, 0x80007fff; cvt.rs.satfinite.e4m3x4.f32 %r1, {%f1, %f2, %f3, %f4}, %r2;"};
  check_program(four, [](uint32_t) { return 0x39c0387eu; });
  // 1.25 of four bits: of each number 8 bits; only those of the last are enough.
  Program small{
      "mov.f32 %f1, 0f3FA00000; mov.b32 %r2, 0x7f7f7f80;\n"
      "cvt.rs.satfinite.e2m1x4.f32 %h1, {%f1, %f1, %f1, %f1}, %r2; cvt.u32.u16 %r1, %h1;"};
  check_program(small, [](uint32_t) { return 0x2223u; });
}

TEST_CASE("vectors of 256 bits are loaded and stored by one instruction") {
  Program program{
      "mul.wide.u32 %rd4, %r0, 32; add.u64 %rd4, %rd4, %rd2;\n"
      "ld.global.v8.b32 {%r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9}, [%rd4];\n"
      "st.global.v8.b32 [%rd4], {%r9, %r8, %r7, %r6, %r5, %r4, %r3, %r2};\n"
      "ld.global.v4.b64 {%rd5, %rd6, %rd7, %rd8}, [%rd4]; cvt.u32.u64 %r10, %rd5; shr.u64 %rd8, %rd8, 32;\n"
      "cvt.u32.u64 %r11, %rd8; mad.lo.u32 %r1, %r10, 1000, %r11;"};
  check_program(program, [](uint32_t lane) { return (lane * 8 + 7) * 1000 + lane * 8; });
  CHECK(fault_of({"add.u64 %rd4, %rd2, 16; ld.global.v4.f64 {%rd5, %rd6, %rd7, %rd8}, [%rd4];"}) ==
        "misaligned load of 32 bytes in global memory");
}

TEST_CASE("alloca: local memory of each call, given back when it returns") {
  Program program{
      .body =
          "mov.u32 %r2, 0;\nAGAIN: { .param .b32 n; .param .b32 sum; add.u32 %r3, %r0, %r2; and.b32 %r3, %r3, 63;\n"
          "st.param.b32 [n], %r3; call (sum), f, (n); ld.param.b32 %r4, [sum]; }\n"
          "add.u32 %r1, %r1, %r4; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 300; @%p1 bra AGAIN;",
      .outside =
          ".func (.param .b32 sum) f(.param .b32 n) {\n"
          "  .reg .b32 %n, %i, %s, %v; .reg .b64 %bytes, %at, %next; .reg .pred %more;\n"
          "  ld.param.b32 %n, [n]; mul.wide.u32 %bytes, %n, 4; alloca.u64 %at, %bytes, 32; mov.u32 %i, 0;\n"
          "  mov.u64 %next, %at; mov.u32 %s, 0;\n"
          "FILL: setp.ge.u32 %more, %i, %n; @%more bra READ; st.local.u32 [%next], %i; add.u64 %next, %next, 4;\n"
          "  add.u32 %i, %i, 1; bra FILL;\n"
          "READ: setp.eq.u64 %more, %next, %at; @%more bra END; sub.u64 %next, %next, 4; ld.local.u32 %v, "
          "[%next];\n  add.u32 %s, %s, %v; bra READ;\n"
          "END: st.param.b32 [sum], %s; ret;\n}\n"};
  check_program(program, [](uint32_t lane) {
    uint32_t sum = 0;
    for (uint32_t call = 0; call < 300; ++call) {
      uint32_t n = (lane + call) & 63;
      sum += n == 0 ? 0 : n * (n - 1) / 2;
    }
    return sum;
  });
}

TEST_CASE("stacksave and stackrestore: what is claimed after is at the same place") {
  Program program{
      "stacksave.u64 %rd4; alloca.u64 %rd5, 64; stackrestore.u64 %rd4; alloca.u64 %rd6, 32; alloca.u64 %rd7, 16;\n"
      "sub.u64 %rd5, %rd5, %rd6; sub.u64 %rd7, %rd7, %rd6; add.u64 %rd5, %rd5, %rd7; cvt.u32.u64 %r1, %rd5;"};
  check_program(program, [](uint32_t) { return 32u; });
}

TEST_CASE("a result of 128 bits in the registers of the operands") {
  // Each lane's word in shared memory is lane + 1000 and lane; it is compared with itself and swapped for 7 and 9.
  Program program{
      .body =
          "cvt.u64.u32 %rd4, %r0; add.u64 %rd5, %rd4, 1000; mov.b128 %q0, {%rd5, %rd4}; mov.b128 %q1, {7, 9};\n"
          "shl.b32 %r2, %r0, 4; mov.u32 %r3, words; add.u32 %r2, %r2, %r3; st.shared.b128 [%r2], %q0;\n"
          "atom.shared.cas.b128 %q1, [%r2], %q0, %q1; mov.b128 {%rd6, %rd7}, %q1;\n"
          "ld.shared.v2.b64 {%rd8, %rd9}, [%r2]; shl.b64 %rd8, %rd8, 16; shl.b64 %rd9, %rd9, 20;\n"
          "add.u64 %rd6, %rd6, %rd7; add.u64 %rd6, %rd6, %rd8; add.u64 %rd6, %rd6, %rd9; cvt.u32.u64 %r1, %rd6;",
      .outside = ".shared .align 16 .b8 words[512];"};
  check_program(program, [](uint32_t lane) { return 1000 + 2 * lane + (7u << 16) + (9u << 20); });
}

TEST_CASE("machines without these instructions name the feature") {
  Diagnostics diagnostics;
  auto loaded = sim::load_machine("geforce-8800-gtx", {}, WARPTIME_SOURCE_DIR "/configs", diagnostics);
  REQUIRE(loaded.has_value());
  for (auto [instruction, feature] :
       {std::pair{"vadd.u32.u32.u32 %r1, %r2, %r3", "video"},
        std::pair{"vadd4.u32.u32.u32 %r1, %r2, %r3, %r4", "video_simd"},
        std::pair{"add.u16x2 %r1, %r2, %r3", "packed_16"}, std::pair{"add.f32x2 %d1, %d2, %d3", "packed_f32"},
        std::pair{"cvt.rn.f16x2.e4m3x2 %r1, %h1", "fp8"}, std::pair{"cvt.rn.f16x2.e2m3x2 %r1, %h1", "fp4"}}) {
    Device device(loaded->machine, {});
    auto module = device.load_module(std::make_shared<SourceText>(
        "k.ptx",
        fmt::format(".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k() {{ .reg .b32 %r<8>; .reg "
                    ".b64 %d<8>; .reg .b16 %h<4>; {}; ret; }}",
                    instruction)));
    std::string message;
    try {
      device.launch(module, "k", {1}, {32}, {});
    } catch (const std::exception& error) {
      message = error.what();
    }
    INFO(instruction << ": " << message);
    CHECK(message.find(fmt::format("needs a machine with the feature {} (", feature)) != std::string::npos);
  }
}

}  // namespace warptime::host
