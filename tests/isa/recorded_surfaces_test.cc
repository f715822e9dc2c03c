// Formatted stores to surfaces and reductions in them against what an H200 left in its arrays
// (recorded/formatted_surfaces.cu). Arrays of f16, which the simulator does not have, are left out.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <catch2/catch.hpp>

#include "recorded_text.h"
#include "sim/model/texture.h"

namespace warptime {

namespace {

using recorded::Kernel;
using Words = std::vector<std::string>;

uint32_t surface_sample(uint32_t number) {
  static constexpr uint32_t kSpecial[] = {
      0,          1,          2,          0xffffffff, 0xfffffffe, 127,        128,        129,
      255,        256,        257,        0xffffff80, 0xffffff7f, 0xffffff00, 32767,      32768,
      65535,      65536,      0xffff8000, 0xffff7fff, 0x7fffffff, 0x80000000, 0x3f800000, 0xbf800000,
      0x3f000000, 0x7f800000, 0x7fc00000, 0x477fe000, 0x477ff000, 0x33800000, 0x387fc000, 0x40490fdb};
  return recorded::drawn(kSpecial, number);
}

/// "u8", "s32" and so on.
sim::Texture surface_of(const std::string& channel, uint32_t channels, std::array<uint32_t, 3> size) {
  static const std::map<std::string, ptx::Type> kTypes{
      {"u8", ptx::Type::U8},   {"s8", ptx::Type::S8},   {"u16", ptx::Type::U16}, {"s16", ptx::Type::S16},
      {"u32", ptx::Type::U32}, {"s32", ptx::Type::S32}, {"f32", ptx::Type::F32}};
  sim::Texture out;
  out.channel = kTypes.at(channel);
  out.channels = static_cast<uint8_t>(channels);
  out.size = size;
  out.is_surface = true;
  return out;
}

/// The bytes of an array afterwards. %rd1 is the surface's handle, %rd0 the numbers that are drawn.
std::string after(const std::string& body, const sim::Texture& surface, uint32_t threads, bool functional) {
  Kernel kernel(body, functional);
  std::vector<uint32_t> data;
  for (uint32_t i = 0; i < 256; ++i) data.push_back(surface_sample(i));
  sim::Texture texture = surface;
  const host::Buffer array = kernel.buffer(std::vector<uint8_t>(surface.bytes(), 0xcd)), in = kernel.buffer(data);
  texture.base = array.address;
  kernel.run(threads, in, kernel.device.make_texture(texture), in);
  std::string out;
  for (uint8_t byte : kernel.read<uint8_t>(array, surface.bytes())) out += fmt::format("{:02x}", byte);
  return out;
}

std::string store_kernel(uint32_t vector) {
  std::string out =
      "and.b32 %r3, %r0, 7; shr.u32 %r4, %r0, 3; mul.wide.u32 %rd4, %r0, 16; add.u64 %rd0, %rd0, %rd4;\n"
      "ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd0];\n";
  return out + (vector == 1   ? "sust.p.2d.b32.trap [%rd1, {%r3, %r4}], %r5;"
                : vector == 2 ? "sust.p.2d.v2.b32.trap [%rd1, {%r3, %r4}], {%r5, %r6};"
                              : "sust.p.2d.v4.b32.trap [%rd1, {%r3, %r4}], {%r5, %r6, %r7, %r8};");
}

/// Every place of an array of 8 by 4 texels, and places around it; what is stored is the number of the nearest.
std::string edge_kernel(const std::string& outside) {
  return fmt::format(
      "and.b32 %r3, %r0, 15; sub.s32 %r3, %r3, 3; shr.u32 %r4, %r0, 4; sub.s32 %r4, %r4, 2;\n"
      "max.s32 %r5, %r3, 0; min.s32 %r5, %r5, 7; max.s32 %r6, %r4, 0; min.s32 %r6, %r6, 3;\n"
      "mad.lo.u32 %r5, %r6, 8, %r5; add.u32 %r5, %r5, 100; sust.p.2d.b32.{} [%rd1, {{%r3, %r4}}], %r5;",
      outside);
}

const char* geometry_kernel(const std::string& geometry) {
  if (geometry == "1d") return "add.u32 %r3, %r0, 200; sust.p.1d.b32.trap [%rd1, {%r0}], %r3;";
  if (geometry == "a1d")
    return "add.u32 %r3, %r0, 400; and.b32 %r4, %r0, 7; shr.u32 %r5, %r0, 3;\n"
           "sust.p.a1d.b32.trap [%rd1, {%r5, %r4}], %r3;";
  if (geometry == "3d")
    return "add.u32 %r3, %r0, 300; and.b32 %r4, %r0, 3; shr.u32 %r5, %r0, 2; and.b32 %r5, %r5, 1; shr.u32 %r6, %r0, "
           "3;\nsust.p.3d.b32.trap [%rd1, {%r4, %r5, %r6, %r6}], %r3;";
  return "add.u32 %r3, %r0, 500; and.b32 %r4, %r0, 3; shr.u32 %r5, %r0, 2; and.b32 %r5, %r5, 1; shr.u32 %r6, %r0, 3;\n"
         "sust.p.a2d.b32.trap [%rd1, {%r6, %r4, %r5, %r5}], %r3;";
}

std::string reduction_kernel(const std::string& operation, bool wide) {
  return fmt::format(
      "and.b32 %r3, %r0, 7; shr.u32 %r4, %r0, 3; and.b32 %r4, %r4, 3; mul.wide.u32 %rd4, %r0, 4; add.u64 %rd0, %rd0, "
      "%rd4;\nld.global.u32 %r5, [%rd0]; ld.global.u32 %r6, [%rd0+512]; mov.b64 %rd5, {{%r5, %r6}};\n"
      "sured.p.{}.2d.b{}.trap [%rd1, {{%r3, %r4}}], {};",
      operation, wide ? 64 : 32, wide ? "%rd5" : "%r5");
}

/// A line's first words say what was done.
std::string here(const Words& line, bool functional) {
  const std::string& what = line[0];
  if (what == "store") {
    const auto channels = static_cast<uint32_t>(std::stoul(line[2]));
    return after(store_kernel(static_cast<uint32_t>(line[3][1] - '0')), surface_of(line[1], channels, {8, 4, 1}), 32,
                 functional);
  }
  if (what == "edges") {
    const auto channels = static_cast<uint32_t>(std::stoul(line[2]));
    return after(edge_kernel(line[3]), surface_of(line[1], channels, {8, 4, 1}), 128, functional);
  }
  if (what == "geometry") {
    const std::array<uint32_t, 3> size = line[1] == "1d"    ? std::array<uint32_t, 3>{32, 1, 1}
                                         : line[1] == "a1d" ? std::array<uint32_t, 3>{8, 1, 4}
                                                            : std::array<uint32_t, 3>{4, 2, 4};
    return after(geometry_kernel(line[1]), surface_of("u32", 1, size), 32, functional);
  }
  const size_t x = line[2].find('x');
  const uint32_t channels = x == std::string::npos ? 1 : static_cast<uint32_t>(line[2][x + 1] - '0');
  return after(reduction_kernel(line[1], what == "reduce64"), surface_of(line[2].substr(0, x), channels, {8, 4, 1}),
               128, functional);
}

}  // namespace

TEST_CASE("formatted stores and reductions leave in a surface what they leave on a GPU", "[recorded]") {
  size_t compared = 0;
  for (const Words& line : recorded::lines_of("formatted_surfaces.gz")) {
    if (line.at(1) == "f16") continue;
    ++compared;
    for (bool functional : {true, false}) {
      INFO(fmt::format("{}{}", fmt::join(line.begin(), line.end() - 1, " "), functional ? "" : ", timed"));
      CHECK(here(line, functional) == line.back());
    }
  }
  CHECK(compared == 119);
}

}  // namespace warptime
