// PNG through libpng's simplified interface: one call, errors as a message in the image.
#include "picture.h"

#include <fmt/format.h>
#include <png.h>

#include <cstring>

#include "base/output_file.h"
#include "host/device/device.h"

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
  std::string png(PNG_IMAGE_PNG_SIZE_MAX(image), '\0');
  png_alloc_size_t size_used = png.size();
  if (png_image_write_to_memory(&image, png.data(), &size_used, 0, bytes.data(), 0, nullptr) == 0)
    throw host::InputError(fmt::format("error: cannot write {}: {}\n", file, image.message));
  OutputFile out(file);
  out.write(std::string_view(png).substr(0, size_used));
  if (!out.commit()) throw host::InputError(fmt::format("error: cannot write {}: {}\n", file, out.error()));
}

}  // namespace warptime::workloads
