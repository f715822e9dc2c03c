// Tensor maps as the driver writes them: their bytes are its own.
#include <fmt/format.h>

#include "host/device/device.h"
#include "measure/gpu.h"
#include "sim/mem/tensor_map.h"

namespace warptime::measure {

std::vector<std::byte> Gpu::tensor_map(const sim::TensorMap& map) const {
  if (driver_.encode_tiled == nullptr || driver_.encode_im2col == nullptr)
    refuse("this machine's NVIDIA driver has no tensor maps", "they came with CUDA 12.0");
  struct alignas(64) Encoded {
    std::array<std::byte, sim::TensorMap::kBytes> bytes{};
  } out;
  auto* address = reinterpret_cast<void*>(map.address);
  const int type = static_cast<int>(map.type), interleave = static_cast<int>(map.interleave),
            swizzle = static_cast<int>(map.swizzle), promotion = map.promotion, fill = map.fills_nan ? 1 : 0;
  const int result =
      map.is_im2col
          ? driver_.encode_im2col(&out, type, map.rank, address, map.dims.data(), map.strides.data(), map.lower.data(),
                                  map.upper.data(), map.channels, map.pixels, map.element_strides.data(), interleave,
                                  swizzle, promotion, fill)
          : driver_.encode_tiled(&out, type, map.rank, address, map.dims.data(), map.strides.data(), map.box.data(),
                                 map.element_strides.data(), interleave, swizzle, promotion, fill);
  if (result != 0) refuse(fmt::format("the GPU's driver refuses a tensor map: {}", text(result)));
  return {out.bytes.begin(), out.bytes.end()};
}

}  // namespace warptime::measure
