// Forms of later targets, executed on `generic` and, where its features allow, with timing on a machine that has them:
// what no golden vector shows. Values are those of the manual's formulas (PTX ISA 9.0).
#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "sim/gpu/gpu.h"
#include "sim/model/machine_loader.h"
#include "unit/host/host_test.h"

namespace warptime::host {

namespace {

using Words = std::vector<uint32_t>;

sim::Machine machine_with_all(bool functional) {
  Diagnostics diagnostics;
  auto loaded = sim::load_machine("generic", {}, WARPTIME_SOURCE_DIR "/configs", diagnostics);
  REQUIRE(loaded.has_value());
  if (functional) return loaded->machine;
  sim::Machine machine = default_machine();
  machine.config.features = loaded->machine.config.features;
  return machine;
}

/// A kernel of one warp that leaves a word of each thread in %r1. %r0 is the thread, %rd2 a buffer of 1,024 words,
/// which holds 0, 1, 2 ... before, and %rd3 the handle of `texture`, whose texels are that buffer.
struct Program {
  std::string body;
  std::string outside = {};
  std::optional<sim::Texture> texture = {};
};
Words run(const Program& program, bool functional) {
  sim::RunOptions options;
  options.functional = functional;
  Device device(machine_with_all(functional), options);
  std::string text = fmt::format(
      ".version 9.0\n.target sm_100a\n.address_size 64\n{}\n"
      ".visible .entry k(.param .u64 out, .param .u64 data, .param .u64 texture)\n{{\n"
      "  .reg .b32 %r<32>; .reg .b64 %rd<16>; .reg .pred %p<8>; .reg .f32 %f<16>; .reg .b16 %h<8>; .reg .b8 %b<4>;\n"
      "  mov.u32 %r0, %tid.x; mov.u32 %r1, 0; cvt.rn.f32.u32 %f0, %r0;\n"
      "  ld.param.u64 %rd2, [data]; ld.param.u64 %rd3, [texture];\n{}\n"
      "  ld.param.u64 %rd0, [out]; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd0, %rd0, %rd1;\n"
      "  st.global.u32 [%rd0], %r1;\n  ret;\n}}\n",
      program.outside, program.body);
  ModuleRef module = device.load_module(std::make_shared<SourceText>("k.ptx", text));
  Words out(32), data(1024);
  for (uint32_t i = 0; i < data.size(); ++i) data[i] = i;
  Buffer results = device.allocate<uint32_t>(out.size(), "out"), words = device.allocate<uint32_t>(data.size(), "data");
  device.copy_to(words, data, "data");
  Argument handle = arg_u64(0);
  if (program.texture) {
    sim::Texture texture = *program.texture;
    texture.base = words.address;
    handle = device.make_texture(texture);
  }
  device.launch(module, "k", {1}, {32}, {results, words, handle});
  device.copy_from(out, results, "out");
  return out;
}

template <class F>
void check_program(const Program& program, const F& expected) {
  for (bool functional : {true, false}) {
    Words out = run(program, functional);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      INFO("thread " << lane << (functional ? ", functional" : ", timed"));
      CHECK(out[lane] == expected(lane));
    }
  }
}

std::string fault_of(const Program& program) {
  try {
    run(program, true);
  } catch (const FaultError& error) {
    return error.fault.message;
  }
  return "none";
}

sim::Texture image(uint32_t width, uint32_t height, uint32_t depth) {
  sim::Texture texture;
  texture.size = {width, height, depth};
  texture.channel = ptx::Type::U32;
  return texture;
}
sim::Texture numbers(uint32_t width, uint32_t height, uint32_t depth) {
  sim::Texture texture = image(width, height, depth);
  texture.channel = ptx::Type::F32;
  return texture;
}
/// Makes the buffer f32 numbers 0, 1, 2 ...
constexpr const char* kToNumbers =
    "mov.u32 %r30, %r0;\nNEXT: mul.wide.u32 %rd4, %r30, 4; add.u64 %rd4, %rd4, %rd2; cvt.rn.f32.u32 %f1, %r30;\n"
    "st.global.f32 [%rd4], %f1; add.u32 %r30, %r30, 32; setp.lt.u32 %p1, %r30, 1024; @%p1 bra NEXT;\n"
    "bar.sync 0; membar.gl;\n";

uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }

}  // namespace

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

TEST_CASE("surfaces: what is outside is a fault, the nearest place, or nothing") {
  // 8 x 4 words; lane l is at x = l - 4, y = 3.
  std::string at = "sub.s32 %r2, %r0, 4; shl.b32 %r3, %r2, 2; mov.u32 %r4, 3; add.u32 %r5, %r0, 1000;\n";
  auto nearest = [](uint32_t lane) { return std::min<uint32_t>(lane < 4 ? 0 : lane - 4, 7); };
  Program zero{.body = at + "suld.b.2d.b32.zero {%r1}, [%rd3, {%r3, %r4}];", .texture = image(8, 4, 1)};
  check_program(zero, [](uint32_t lane) { return lane < 4 || lane >= 12 ? 0 : 24 + lane - 4; });
  Program clamp{.body = at + "suld.b.2d.b32.clamp {%r1}, [%rd3, {%r3, %r4}];", .texture = image(8, 4, 1)};
  check_program(clamp, [&](uint32_t lane) { return 24 + nearest(lane); });
  Program trap{.body = at + "suld.b.2d.b32.trap {%r1}, [%rd3, {%r3, %r4}];", .texture = image(8, 4, 1)};
  CHECK(fault_of(trap) == "load of 4 bytes outside of its surface");
  Program stores{.body = at +
                         "sust.b.2d.b32.zero [%rd3, {%r3, %r4}], {%r5}; membar.gl;\n"
                         "mul.wide.u32 %rd4, %r0, 4; add.u64 %rd4, %rd4, %rd2; ld.global.u32 %r1, [%rd4];",
                 .texture = image(8, 4, 1)};
  check_program(stores, [](uint32_t lane) { return lane < 24 ? lane : 1000 + lane - 24 + 4; });
  Program adds{.body = at +
                       "sured.b.add.2d.u32.clamp [%rd3, {%r3, %r4}], 10; membar.gl; bar.sync 0;\n"
                       "mul.wide.u32 %rd4, %r0, 4; add.u64 %rd4, %rd4, %rd2; ld.global.u32 %r1, [%rd4];",
               .texture = image(8, 4, 1)};
  check_program(adds, [](uint32_t lane) {
    uint32_t times = lane < 24 ? 0 : lane == 24 ? 5 : lane == 31 ? 21 : 1;
    return lane + 10 * times;
  });
  CHECK(fault_of({"suld.b.1d.b32.trap {%r1}, [%rd3, {%r0}];"}) == "no texture is bound to the handle 0x0");
}

TEST_CASE("surfaces of three dimensions and of layers") {
  Program volume{.body =
                     "and.b32 %r2, %r0, 3; shl.b32 %r3, %r2, 2; shr.u32 %r4, %r0, 2; and.b32 %r4, %r4, 3;\n"
                     "shr.u32 %r5, %r0, 4; suld.b.3d.b32.trap {%r1}, [%rd3, {%r3, %r4, %r5, %r5}];",
                 .texture = image(4, 4, 2)};
  check_program(volume, [](uint32_t lane) { return lane; });
  Program layers{.body =
                     "and.b32 %r2, %r0, 7; shl.b32 %r3, %r2, 2; shr.u32 %r4, %r0, 3;\n"
                     "suld.b.a1d.v2.b16.clamp {%h1, %h2}, [%rd3, {%r4, %r3}]; mov.b32 %r1, {%h1, %h2};",
                 .texture = image(8, 1, 4)};
  check_program(layers, [](uint32_t lane) { return lane; });
}

TEST_CASE("arrays of textures: the layer is a number of its own, the nearest that there is") {
  Program program{
      .body = std::string(kToNumbers) +
              "and.b32 %r2, %r0, 3; cvt.rn.f32.u32 %f1, %r2; add.f32 %f1, %f1, 0f3F000000; shr.u32 %r3, %r0, 2;\n"
              "mov.f32 %f2, 0f3F800000; tex.a2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd3, {%r3, %f1, %f2, %f2}];\n"
              "mov.b32 %r1, %f3;",
      .texture = numbers(4, 2, 5)};
  program.texture->filter = sim::FilterMode::Linear;  // halfway between two rows
  check_program(program, [](uint32_t lane) {
    uint32_t layer = std::min<uint32_t>(lane / 4, 4);
    return bits(static_cast<float>(layer * 8 + lane % 4) + 2);
  });
}

TEST_CASE("tld4: four texels, from below left against the clock") {
  Program program{.body = std::string(kToNumbers) +
                          "mov.f32 %f1, 0f40000000; mov.f32 %f2, 0f3F800000;\n"
                          "tld4.r.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd3, {%f1, %f2}];\n"
                          "mov.f32 %f7, 0f42C80000; fma.rn.f32 %f3, %f3, %f7, %f4; fma.rn.f32 %f3, %f3, %f7, %f5;\n"
                          "fma.rn.f32 %f3, %f3, %f7, %f6; cvt.rni.u32.f32 %r1, %f3;",
                  .texture = numbers(4, 4, 1)};
  check_program(program, [](uint32_t) { return 5060201u; });
}

TEST_CASE("a cube map: the face that a direction points to") {
  // Faces of 2 x 2: texel n of face f is 4f + n. Each direction points to a quarter of a face.
  Program program{
      .body = std::string(kToNumbers) +
              "mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f3F000000; mov.f32 %f3, 0fBF000000;\n"  // +x: y .5, z -.5
              "setp.eq.u32 %p1, %r0, 1; @%p1 mov.f32 %f1, 0fBF800000;\n"                      // -x
              "setp.eq.u32 %p1, %r0, 2; @%p1 mov.f32 %f2, 0f40000000;\n"                      // +y
              "setp.eq.u32 %p1, %r0, 3; @%p1 mov.f32 %f2, 0fC0000000;\n"                      // -y
              "setp.eq.u32 %p1, %r0, 4; @%p1 mov.f32 %f3, 0f40000000;\n"                      // +z
              "setp.eq.u32 %p1, %r0, 5; @%p1 mov.f32 %f3, 0fC0000000;\n"                      // -z
              "tex.cube.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd3, {%f1, %f2, %f3, %f3}];\n"
              "cvt.rni.u32.f32 %r1, %f4;",
      .texture = numbers(2, 2, 6)};
  constexpr uint32_t kTexels[] = {0 + 1, 4 + 0, 8 + 1, 12 + 3, 16 + 1, 20 + 0};
  check_program(program, [&](uint32_t lane) { return kTexels[lane < 6 ? lane : 0]; });
}

TEST_CASE("txq and suq tell what a texture is") {
  Program program{.body =
                      "txq.width.b32 %r2, [%rd3]; suq.height.b32 %r3, [%rd3]; txq.depth.b32 %r4, [%rd3];\n"
                      "istypep.texref %p1, %rd3; istypep.samplerref %p2, %rd3; istypep.surfref %p3, 77;\n"
                      "mad.lo.u32 %r1, %r2, 100, %r3; mad.lo.u32 %r1, %r1, 100, %r4;\n"
                      "@%p1 add.u32 %r1, %r1, 1000000; @%p2 add.u32 %r1, %r1, 2000000; @%p3 add.u32 %r1, %r1, 4000000;",
                  .texture = image(7, 5, 3)};
  check_program(program, [](uint32_t) { return 1070503u; });
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
