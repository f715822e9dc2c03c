// CUDA arrays: allocation, and copies to and from them. The layers of an array and the faces of a cube lie behind each
// other as the slices of a volume do. Left out: mipmapped arrays.
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

Error make_array(void** handle, const ChannelFormat* format, Extent extent, unsigned flags) {
  return call([&](Runtime& r) {
    enum : unsigned { kLayered = 1, kSurface = 2, kCubemap = 4, kGather = 8 };
    const bool layered = (flags & kLayered) != 0, is_cube = (flags & kCubemap) != 0;
    if (handle == nullptr || format == nullptr || extent.width == 0 ||
        (extent.depth > 0 && extent.height == 0 && !layered))
      return Error::InvalidValue;
    if ((flags & ~(kLayered | kSurface | kCubemap | kGather)) != 0)
      throw CallError{Error::NotSupported, "warptime: sparse and mapped arrays are not supported\n"};
    if (is_cube && (extent.width != extent.height || extent.depth == 0 || extent.depth % 6 != 0 ||
                    (!layered && extent.depth != 6)))
      return Error::InvalidValue;
    Array array{.format = *format, .extent = extent, .flags = flags};
    if (array.texel_bytes() == 0) return Error::InvalidChannelDescriptor;
    const size_t rows = array.height() * array.depth();
    if (extent.width > kMostTexels || array.height() > kMostTexels || array.depth() > kMostTexels ||
        array.row_bytes() > ~size_t{0} / rows)
      return Error::InvalidValue;
    r.captures.check_unsafe();
    const size_t bytes = array.row_bytes() * rows;
    array.buffer = {address_of(r.allocate(bytes, "cudaMallocArray")), bytes};
    auto made = std::make_unique<Array>(array);
    *handle = made.get();
    r.arrays[*handle] = std::move(made);
    return Error::Success;
  });
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
    const Array& array = r.array_of(handle);
    r.free(pointer_to(array.buffer.address));
    r.arrays.erase(handle);
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
