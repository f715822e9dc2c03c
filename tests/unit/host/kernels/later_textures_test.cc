// Forms of textures and surfaces of later targets: what no record of a GPU shows. Values are those of the manual's
// formulas (PTX ISA 9.0).
#include "unit/host/kernels/later_program.h"

namespace warptime::host {

using namespace later;

namespace {

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

}  // namespace

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
  // A query distinguishes handles of surfaces and of textures.
  Program surface{.body =
                      "istypep.texref %p1, %rd3; istypep.samplerref %p2, %rd3; istypep.surfref %p3, %rd3;\n"
                      "@%p1 add.u32 %r1, %r1, 1; @%p2 add.u32 %r1, %r1, 2; @%p3 add.u32 %r1, %r1, 4;",
                  .texture = image(7, 5, 3)};
  check_program(surface, [](uint32_t) { return 1u; });
  surface.texture->is_surface = true;
  check_program(surface, [](uint32_t) { return 4u; });
}

TEST_CASE("levels of detail: a texture of one level uses it, and txq returns the size of each level") {
  Program one{.body = std::string(kToNumbers) +
                      "mov.f32 %f1, 0f40200000; mov.f32 %f2, 0f40A00000;\n"
                      "tex.level.1d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd3, {%f1}], %f2;\n"
                      "tex.grad.1d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd3, {%f1}], {%f2}, {%f2};\n"
                      "tex.base.1d.v4.f32.f32 {%f5, %f6, %f7, %f8}, [%rd3, {%f1}];\n"
                      "add.f32 %f3, %f3, %f4; add.f32 %f3, %f3, %f5; cvt.rni.u32.f32 %r1, %f3;",
              .texture = numbers(8, 1, 1)};
  check_program(one, [](uint32_t) { return 6u; });
  Program sizes{.body =
                    "txq.num_mipmap_levels.b32 %r2, [%rd3]; txq.level.width.b32 %r3, [%rd3], 1;\n"
                    "txq.level.height.b32 %r4, [%rd3], 2; txq.level.depth.b32 %r5, [%rd3], %r0;\n"
                    "mad.lo.u32 %r1, %r2, 100, %r3; mad.lo.u32 %r1, %r1, 100, %r4; mad.lo.u32 %r1, %r1, 100, %r5;",
                .texture = image(14, 5, 3)};
  sizes.texture->levels = 3;
  check_program(sizes, [](uint32_t lane) { return 3070100u + (lane == 0 ? 3 : 1); });
  // Texels by their numbers: of the level with the number, the nearest that there is.
  Program whole{.body =
                    "mov.u32 %r2, 1; sub.s32 %r3, %r0, 1;\n"
                    "tex.level.1d.v4.u32.s32 {%r1, %r4, %r5, %r6}, [%rd3, {%r2}], %r3;",
                .texture = image(8, 1, 1)};
  whole.texture->levels = 2;
  whole.further = 100;
  check_program(whole, [](uint32_t lane) { return lane < 2 ? 1u : 101u; });
}

TEST_CASE("each level of a texture is in memory, or it is not one") {
  sim::RunOptions options;
  options.functional = true;
  Device device(machine_with_all(true), options);
  sim::Texture texture = numbers(8, 1, 1);
  const Buffer first = device.allocate<float>(8, "first"), second = device.allocate<float>(4, "second");
  texture.base = first.address;
  texture.further[0] = second.address;
  auto error_of = [&](const sim::Texture& made) -> std::string {
    try {
      device.make_texture(made);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "none";
  };
  texture.levels = 17;
  CHECK_THAT(error_of(texture), Catch::Contains("has 17 levels; textures have 1 to 16"));
  texture.levels = 3;
  CHECK_THAT(error_of(texture), Catch::Contains("needs 8 bytes, more than are allocated at level 2's address"));
  texture.levels = 2;
  CHECK(error_of(texture) == "none");
  texture.channel = ptx::Type::U32;
  texture.level_filter = sim::FilterMode::Linear;
  CHECK_THAT(error_of(texture), Catch::Contains("cannot filter channels of u32"));
  texture.channel = ptx::Type::F32;
  // Memory of a level that is freed takes the texture along.
  const Argument handle = device.make_texture(texture);
  device.free(second);
  ModuleRef module = device.load_module(std::make_shared<SourceText>(
      "k.ptx",
      ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 t) { .reg .f32 %f<6>; .reg .b64 "
      "%rd1; ld.param.u64 %rd1, [t]; mov.f32 %f5, 0f00000000; tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5}]; "
      "ret; }"));
  CHECK_THROWS_WITH(device.launch(module, "k", {1}, {32}, {handle}), Catch::Contains("no texture is bound"));
}

TEST_CASE("a fetch from a multisampled texture is legal, and refused where its kernel is loaded") {
  std::string message;
  try {
    run({.body = "tex.2dms.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%rd3, {%r0, %r0, %r0, %r0}];", .texture = image(8, 4, 1)},
        true);
  } catch (const std::exception& error) {
    message = error.what();
  }
  CHECK(message.find("\"tex.2dms.v4.u32.s32\" reads a multisampled texture, which no function of CUDA makes") !=
        std::string::npos);
}

}  // namespace warptime::host
