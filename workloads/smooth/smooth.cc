// smooth: a 3 x 3 filter over an image, through textures and without.
#include <algorithm>

#include "host/workload/compare.h"
#include "host/workload/random.h"
#include "host/workload/workload.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kBlockX = 16, kBlockY = 8;

/// Row by row, a texel each; beyond an edge the edge's texel goes on.
template <class T>
std::vector<T> smooth(const std::vector<T>& image, int width, int height) {
  std::vector<T> out(image.size());
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      T sum = 0;
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
          int column = std::clamp(x + dx, 0, width - 1), row = std::clamp(y + dy, 0, height - 1);
          sum += static_cast<T>((2 - dx * dx) * (2 - dy * dy)) * image[static_cast<size_t>(row * width + column)];
        }
      out[static_cast<size_t>(y * width + x)] = sum * static_cast<T>(0.0625);
    }
  return out;
}

void run(host::WorkloadContext& context) {
  host::Device& device = context.device;
  auto width = static_cast<uint32_t>(context["width"]), height = static_cast<uint32_t>(context["height"]);
  size_t texels = size_t{width} * height;
  // Whole numbers below 256: every sum is exact, whatever its order.
  host::SplitMix64 random(5);
  std::vector<float> image(texels), result(texels), expected;
  for (float& texel : image) texel = static_cast<float>(random.next() & 255);
  if (context.check) expected = smooth(image, static_cast<int>(width), static_cast<int>(height));

  auto module = device.load_module_file(context.directory + "/smooth.ptx");
  host::Buffer device_image = device.allocate<float>(texels, "image"), out = device.allocate<float>(texels, "out");
  device.copy_to(device_image, image, "image");
  sim::Texture texture;
  texture.name = "image";
  texture.base = device_image.address;
  texture.size = {width, height, 1};

  for (const char* variant : {"linear", "point", "plain"}) {
    if (!context.runs(variant)) continue;
    std::string name = variant;
    texture.filter = name == "linear" ? sim::FilterMode::Linear : sim::FilterMode::Point;
    host::Argument source = name == "plain" ? host::Argument(device_image) : device.make_texture(texture);
    device.copy_to(out, std::vector<float>(texels), "out");
    device.launch(module, "smooth_" + name, {(width + kBlockX - 1) / kBlockX, (height + kBlockY - 1) / kBlockY},
                  {kBlockX, kBlockY}, {source, host::arg_u32(width), host::arg_u32(height), out});
    device.copy_from(result, out, "out");
    if (context.check)
      context.checks.push_back(host::compare("out of " + name, ptx::Type::F32, std::as_bytes(std::span(result)),
                                             std::as_bytes(std::span(expected)), {0, 0}));
  }
}

const bool kRegistered = host::register_workload({
    .name = "smooth",
    .summary = "a 3 x 3 filter over an image, by filtered and plain texture fetches and by loads",
    .variants = {"linear", "point", "plain"},
    .parameters =
        {{.name = "width", .default_value = 512, .low = 1, .high = 8192, .choices = {}, .what = "texels a row"},
         {.name = "height", .default_value = 512, .low = 1, .high = 8192, .choices = {}, .what = "rows"}},
    .published = {},
    .run = run,
});

}  // namespace
}  // namespace warptime::workloads
