// mandelbrot: Lyman's kernel in single and double precision. The CPU does the same operations in the same order, each
// rounded by itself, so every pixel must have the same colour.
#include <array>

#include "host/device/model.h"
#include "host/workload/compare.h"
#include "host/workload/workload.h"
#include "picture.h"

namespace warptime::workloads {
namespace {

/// A square of the plane: its smallest coordinates and its side.
struct Square {
  double left, top, width;
};

// Parameter `region`.
constexpr std::array<Square, 5> kRegions{{
    {-2.0, -1.5, 3.0},   // 0: the whole set
    {-2.0, -2.0, 4.0},   // 1: the circle in which points have not escaped
    {-1.5, -1.0, 2.0},   // 2: the set, cut tightly
    {-1.25, -0.4, 1.0},  // 3: the unit square around the seahorse valley
    {-0.8, 0.05, 0.1},   // 4: the seahorse valley
}};

/// One for each number of iterations (up to 65535 all different: red and green together name it), black for `depth`.
std::vector<uint32_t> colours(uint32_t depth) {
  std::vector<uint32_t> out(depth + 1);
  for (uint32_t i = 0; i < depth; ++i) {
    uint32_t red = (11 * i) & 0xff, green = ((31 * i) & 0xff) ^ (i >> 8), blue = (128 + 3 * i) & 0xff;
    out[i] = red << 16 | green << 8 | blue;
  }
  return out;
}

template <class T>
uint32_t escape(T cr, T ci, uint32_t most) {
  T zr = 0, zi = 0, zr_squared = 0, zi_squared = 0;
  uint32_t i = 0;
  for (; i < most; ++i) {
    zi = zr * zi;
    zi += zi;
    zi += ci;
    zr = zr_squared - zi_squared + cr;
    zr_squared = zr * zr;
    zi_squared = zi * zi;
    if (zr_squared + zi_squared > 4) break;
  }
  return i;
}

template <class T>
std::vector<uint32_t> reference(const Square& square, T step, uint32_t depth, uint32_t size,
                                const std::vector<uint32_t>& colour_of) {
  std::vector<uint32_t> image(size_t{size} * size);
  for (uint32_t y = 0; y < size; ++y)
    for (uint32_t x = 0; x < size; ++x) {
      T cr = T(square.left) + static_cast<T>(x) * step, ci = T(square.top) + static_cast<T>(y) * step;
      image[size_t{y} * size + x] = colour_of[escape(cr, ci, depth)];
    }
  return image;
}

host::Argument argument(float value) { return host::arg_f32(value); }
host::Argument argument(double value) { return host::arg_f64(value); }

template <class T>
void draw(host::WorkloadContext& context, const host::ModuleRef& module, const std::string& variant) {
  host::Device& device = context.device;
  auto size = static_cast<uint32_t>(context["size"]), depth = static_cast<uint32_t>(context["depth"]);
  auto blocks = static_cast<uint32_t>(context["blocks"]), threads = static_cast<uint32_t>(context["threads"]);
  const Square& square = kRegions[static_cast<size_t>(context["region"])];
  T step = static_cast<T>(square.width / size);
  std::vector<uint32_t> colour_of = colours(depth), image(size_t{size} * size);

  host::Buffer device_image = device.allocate<uint32_t>(image.size(), "image of " + variant);
  host::Buffer device_colours = device.allocate<uint32_t>(colour_of.size(), "colours");
  device.copy_to(device_colours, colour_of, "colours");
  device.launch(module, "mandelbrot_" + variant, {blocks}, {threads},
                {device_image, argument(T(square.left)), argument(T(square.top)), argument(step), host::arg_u32(depth),
                 host::arg_u32(size), device_colours});
  device.copy_from(image, device_image, "image");
  if (auto file = context.outputs.find("image"); file != context.outputs.end()) write_png(file->second, image, size);

  if (!context.check) return;
  bool mapped = device.machine().config.map_f64_to_f32;  // and then f64 is f32
  std::vector<uint32_t> expected = mapped ? reference<float>(square, static_cast<float>(step), depth, size, colour_of)
                                          : reference<T>(square, step, depth, size, colour_of);
  context.checks.push_back(host::compare("image of " + variant, ptx::Type::U32, std::as_bytes(std::span(image)),
                                         std::as_bytes(std::span(expected)), {}));
}

void run(host::WorkloadContext& context) {
  auto module = context.device.load_module_file(context.directory + "/mandelbrot.ptx");
  if (context.runs("f32")) draw<float>(context, module, "f32");
  if (context.runs("f64")) draw<double>(context, module, "f64");
}

const bool kRegistered = host::register_workload({
    .name = "mandelbrot",
    .summary = "the Mandelbrot set as Lyman 2014, in single and in double precision",
    .variants = {"f32", "f64"},
    .parameters =
        {{.name = "blocks", .default_value = 256, .low = 1, .high = 65535, .choices = {}, .what = "blocks"},
         {.name = "threads", .default_value = 256, .low = 1, .high = 1024, .choices = {}, .what = "threads per block"},
         {.name = "size", .default_value = 256, .low = 1, .high = 4096, .choices = {}, .what = "pixels a side"},
         {.name = "depth", .default_value = 100, .low = 1, .high = 65535, .choices = {}, .what = "iterations at most"},
         {.name = "region",
          .default_value = 0,
          .low = 0,
          .high = kRegions.size() - 1,
          .choices = {},
          .what = "part of the plane: 0 and 1 around the set, 2 cut tightly, 3 around the seahorse valley, 4 in it"}},
    .published = {},
    .needs = {{"f64", {"f64"}}},
    .outputs = {{"image", "the picture, as PNG (of the last variant that ran)"}},
    .run = run,
});

}  // namespace
}  // namespace warptime::workloads
