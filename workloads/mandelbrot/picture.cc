// PNG through libpng's simplified interface: one call, errors as a message in the image.
#include "picture.h"

#include <fmt/format.h>
#include <png.h>

#include <cstring>

#include "host/device.h"

namespace warptime::workloads {

void write_png(const std::string& file, const std::vector<uint32_t>& pixels, uint32_t size) {
  std::vector<uint8_t> bytes;
  bytes.reserve(3 * pixels.size());
  for (uint32_t pixel : pixels)
    for (int shift : {16, 8, 0}) bytes.push_back(static_cast<uint8_t>(pixel >> shift));
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  image.width = image.height = size;
  image.format = PNG_FORMAT_RGB;
  if (png_image_write_to_file(&image, file.c_str(), 0, bytes.data(), 0, nullptr) == 0)
    throw host::InputError(fmt::format("error: cannot write {}: {}\n", file, image.message));
}

}  // namespace warptime::workloads
