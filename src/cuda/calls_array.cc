// CUDA arrays: allocation, and copies to and from them. The layers of an array and the faces of a cube lie behind each
// other as the slices of a volume do. The levels of a mipmapped array are arrays of their own.
#include <algorithm>
#include <bit>

#include "cuda/texture.h"
#include "cuda/work.h"

namespace warptime::cuda {

namespace {

CopySide place_in(Runtime& r, const void* array, size_t x, size_t y) {
  return {.array = &r.array_of(array), .x = x, .y = y};
}
CopySide memory(const void* pointer, size_t pitch) { return {.pointer = const_cast<void*>(pointer), .pitch = pitch}; }

CopyWork plane_copy(CopySide to, CopySide from, size_t width, size_t height, int kind, bool asynchronous) {
  return {.to = to, .from = from, .bytes = width, .rows = height, .kind = kind, .asynchronous = asynchronous};
}

/// Bytes of an array in the order of its rows, from a place on.
void* run_in(Runtime& r, const void* handle, size_t x, size_t y, size_t bytes) {
  const Array& array = r.array_of(handle);
  const size_t first = y * array.row_bytes() + x;
  if (x > array.row_bytes() || first > array.buffer.bytes || bytes > array.buffer.bytes - first)
    throw CallError{Error::InvalidValue};
  return pointer_to(array.buffer.address + first);
}

enum : unsigned { kLayered = 1, kSurface = 2, kCubemap = 4, kGather = 8 };

void* make_array(Runtime& r, const ChannelFormat& format, Extent extent, unsigned flags) {
  const bool layered = (flags & kLayered) != 0, is_cube = (flags & kCubemap) != 0;
  if (extent.width == 0 || (extent.depth > 0 && extent.height == 0 && !layered)) throw CallError{Error::InvalidValue};
  if ((flags & ~(kLayered | kSurface | kCubemap | kGather)) != 0)
    throw CallError{Error::NotSupported, "warptime: sparse and mapped arrays are not supported\n"};
  if (is_cube &&
      (extent.width != extent.height || extent.depth == 0 || extent.depth % 6 != 0 || (!layered && extent.depth != 6)))
    throw CallError{Error::InvalidValue};
  Array array{.format = format, .extent = extent, .flags = flags};
  if (array.texel_bytes() == 0) throw CallError{Error::InvalidChannelDescriptor};
  const size_t rows = array.height() * array.depth();
  if (extent.width > kMostTexels || array.height() > kMostTexels || array.depth() > kMostTexels ||
      array.row_bytes() > ~size_t{0} / rows)
    throw CallError{Error::InvalidValue};
  r.captures.check_unsafe();
  const size_t bytes = array.row_bytes() * rows;
  array.buffer = {address_of(r.allocate(bytes, "cudaMallocArray")), bytes};
  auto made = std::make_unique<Array>(array);
  void* handle = made.get();
  r.arrays[handle] = std::move(made);
  return handle;
}

void free_array(Runtime& r, void* handle) {
  r.free(pointer_to(r.array_of(handle).buffer.address));
  r.arrays.erase(handle);
}

Error make_array(void** handle, const ChannelFormat* format, Extent extent, unsigned flags) {
  return call([&](Runtime& r) {
    if (handle == nullptr || format == nullptr) return Error::InvalidValue;
    *handle = make_array(r, *format, extent, flags);
    return Error::Success;
  });
}

/// A level has half as many texels as the one before, and as many layers and faces. An axis that is missing has 0.
Extent extent_of_level(const Extent& first, unsigned level, unsigned flags) {
  auto texels = [&](size_t of) { return of == 0 ? 0 : std::max<size_t>(of >> level, 1); };
  const bool keeps_depth = (flags & (kLayered | kCubemap)) != 0;
  return {texels(first.width), texels(first.height), keeps_depth ? first.depth : texels(first.depth)};
}

}  // namespace

CUDA_FUNCTION(cudaMallocArray)
(void** array, const ChannelFormat* format, size_t width, size_t height, unsigned flags) {
  return make_array(array, format, {width, height, 0}, flags);
}
CUDA_FUNCTION(cudaMalloc3DArray)(void** array, const ChannelFormat* format, Extent extent, unsigned flags) {
  return make_array(array, format, extent, flags);
}
CUDA_FUNCTION(cudaFreeArray)(void* handle) {
  if (handle == nullptr) return Error::Success;
  return call([&](Runtime& r) {
    if (r.array_of(handle).is_level) return Error::InvalidValue;
    free_array(r, handle);
    return Error::Success;
  });
}
/// More levels than down to one texel are not made.
CUDA_FUNCTION(cudaMallocMipmappedArray)
(void** made, const ChannelFormat* format, Extent extent, unsigned levels, unsigned flags) {
  return call([&](Runtime& r) {
    if (made == nullptr || format == nullptr) return Error::InvalidValue;
    const bool keeps_depth = (flags & (kLayered | kCubemap)) != 0;
    const size_t longest = std::max({extent.width, extent.height, keeps_depth ? 0 : extent.depth});
    levels = std::clamp(levels, 1u, std::max(1u, static_cast<unsigned>(std::bit_width(longest))));
    if (levels > kMostLevels) return Error::InvalidValue;
    auto array = std::make_unique<MipmappedArray>();
    for (unsigned level = 0; level < levels; ++level) {
      array->levels.push_back(make_array(r, *format, extent_of_level(extent, level, flags), flags));
      r.arrays[array->levels.back()]->is_level = true;
    }
    *made = array.get();
    r.mipmapped_arrays[*made] = std::move(array);
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaFreeMipmappedArray)(void* handle) {
  if (handle == nullptr) return Error::Success;
  return call([&](Runtime& r) {
    for (void* level : r.mipmapped_array_of(handle).levels) free_array(r, level);
    r.mipmapped_arrays.erase(handle);
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaGetMipmappedArrayLevel)(void** level, const void* handle, unsigned number) {
  return call([&](Runtime& r) {
    const MipmappedArray& array = r.mipmapped_array_of(handle);
    if (level == nullptr || number >= array.levels.size()) return Error::InvalidValue;
    *level = array.levels[number];
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaArrayGetInfo)(ChannelFormat* format, Extent* extent, unsigned* flags, void* handle) {
  return call([&](Runtime& r) {
    const Array& array = r.array_of(handle);
    if (format != nullptr) *format = array.format;
    if (extent != nullptr) *extent = array.extent;
    if (flags != nullptr) *flags = array.flags;
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaGetChannelDesc)(ChannelFormat* format, const void* handle) {
  return call([&](Runtime& r) {
    *format = r.array_of(handle).format;
    return Error::Success;
  });
}
extern "C" ChannelFormat warptime_cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
  return {x, y, z, w, kind};
}

CUDA_FUNCTION(cudaMemcpy2DToArray)
(void* array, size_t x, size_t y, const void* from, size_t pitch, size_t width, size_t height, int kind) {
  return call([&](Runtime& r) {
    return perform_now(r, plane_copy(place_in(r, array, x, y), memory(from, pitch), width, height, kind, false));
  });
}
CUDA_FUNCTION(cudaMemcpy2DToArrayAsync)
(void* array, size_t x, size_t y, const void* from, size_t pitch, size_t width, size_t height, int kind, void* stream) {
  return call([&](Runtime& r) {
    return submit(r, stream, plane_copy(place_in(r, array, x, y), memory(from, pitch), width, height, kind, true));
  });
}
CUDA_FUNCTION(cudaMemcpy2DFromArray)
(void* to, size_t pitch, const void* array, size_t x, size_t y, size_t width, size_t height, int kind) {
  return call([&](Runtime& r) {
    return perform_now(r, plane_copy(memory(to, pitch), place_in(r, array, x, y), width, height, kind, false));
  });
}
CUDA_FUNCTION(cudaMemcpy2DFromArrayAsync)
(void* to, size_t pitch, const void* array, size_t x, size_t y, size_t width, size_t height, int kind, void* stream) {
  return call([&](Runtime& r) {
    return submit(r, stream, plane_copy(memory(to, pitch), place_in(r, array, x, y), width, height, kind, true));
  });
}
CUDA_FUNCTION(cudaMemcpy2DArrayToArray)
(void* to, size_t to_x, size_t to_y, const void* from, size_t from_x, size_t from_y, size_t width, size_t height,
 int kind) {
  return call([&](Runtime& r) {
    return perform_now(
        r, plane_copy(place_in(r, to, to_x, to_y), place_in(r, from, from_x, from_y), width, height, kind, false));
  });
}
CUDA_FUNCTION(cudaMemcpyToArray)(void* array, size_t x, size_t y, const void* from, size_t bytes, int kind) {
  return call([&](Runtime& r) { return perform_now(r, line_copy(run_in(r, array, x, y, bytes), from, bytes, kind)); });
}
CUDA_FUNCTION(cudaMemcpyToArrayAsync)
(void* array, size_t x, size_t y, const void* from, size_t bytes, int kind, void* stream) {
  return call(
      [&](Runtime& r) { return submit(r, stream, line_copy(run_in(r, array, x, y, bytes), from, bytes, kind, true)); });
}
CUDA_FUNCTION(cudaMemcpyFromArray)(void* to, const void* array, size_t x, size_t y, size_t bytes, int kind) {
  return call([&](Runtime& r) { return perform_now(r, line_copy(to, run_in(r, array, x, y, bytes), bytes, kind)); });
}
CUDA_FUNCTION(cudaMemcpyFromArrayAsync)
(void* to, const void* array, size_t x, size_t y, size_t bytes, int kind, void* stream) {
  return call(
      [&](Runtime& r) { return submit(r, stream, line_copy(to, run_in(r, array, x, y, bytes), bytes, kind, true)); });
}
CUDA_FUNCTION(cudaMemcpyArrayToArray)
(void* to, size_t to_x, size_t to_y, const void* from, size_t from_x, size_t from_y, size_t bytes, int kind) {
  return call([&](Runtime& r) {
    return perform_now(
        r, line_copy(run_in(r, to, to_x, to_y, bytes), run_in(r, from, from_x, from_y, bytes), bytes, kind));
  });
}

}  // namespace warptime::cuda
