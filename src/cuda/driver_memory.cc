// Memory of the driver API: copies, fills, arrays and what it says of pointers.
#include <cstring>

#include "cuda/driver.h"

namespace warptime::cuda {

namespace {

struct DriverSide2D {  // a half of CUDA_MEMCPY2D
  size_t x, y;
  int type;
  const void* host;
  Addr device;
  void* array;
  size_t pitch;
};
struct Copy2D {
  DriverSide2D from, to;
  size_t width, height;
};
struct DriverSide3D {  // a half of CUDA_MEMCPY3D
  size_t x, y, z, level;
  int type;
  const void* host;
  Addr device;
  void* array;
  void* reserved;
  size_t pitch, height;
};
struct DriverCopy3D {
  DriverSide3D from, to;
  size_t width, height, depth;
};

enum MemoryType : int { kHost = 1, kDevice = 2, kArray = 3, kUnified = 4 };

template <class Side>
CopySide side_of(Runtime& r, const Side& side) {
  CopySide out{.pitch = side.pitch, .x = side.x, .y = side.y};
  if constexpr (requires { side.z; }) {
    out.z = side.z;
    out.height = side.height;
  }
  switch (side.type) {
    case kHost: out.pointer = const_cast<void*>(side.host); return out;
    case kDevice:
    case kUnified: out.pointer = pointer_to(side.device); return out;
    case kArray: out.array = &r.array_of(side.array); return out;
    default: throw CallError{Error::InvalidValue};
  }
}
CopyWork copy_of(Runtime& r, const Copy2D& copy) {
  return {.to = side_of(r, copy.to), .from = side_of(r, copy.from), .bytes = copy.width, .rows = copy.height};
}
CopyWork copy_of(Runtime& r, const DriverCopy3D& copy) {
  return {.to = side_of(r, copy.to),
          .from = side_of(r, copy.from),
          .bytes = copy.width,
          .rows = copy.height,
          .slices = copy.depth};
}

Result copy_line(void* to, const void* from, size_t bytes, int kind) {
  return drive([&](Runtime& r) { return perform_now(r, line_copy(to, from, bytes, kind)); });
}
Result copy_line(void* to, const void* from, size_t bytes, int kind, void* stream) {
  return drive([&](Runtime& r) { return submit(r, stream, line_copy(to, from, bytes, kind, true)); });
}

FillWork fill_of(Addr to, size_t pitch, unsigned value, unsigned element, size_t width, size_t rows) {
  return {.to = pointer_to(to), .pitch = pitch, .value = value, .element_bytes = element, .width = width, .rows = rows};
}
Result fill(const FillWork& work) {
  if (address_of(work.to) % work.element_bytes != 0) return kInvalidValue;
  return drive([&](Runtime& r) { return perform_now(r, work); });
}
Result fill(const FillWork& work, void* stream) {
  if (address_of(work.to) % work.element_bytes != 0) return kInvalidValue;
  return drive([&](Runtime& r) { return submit(r, stream, work); });
}

struct ArrayShape {  // CUDA_ARRAY3D_DESCRIPTOR
  size_t width, height, depth;
  int format;
  unsigned channels, flags;
};
struct FlatShape {  // CUDA_ARRAY_DESCRIPTOR
  size_t width, height;
  int format;
  unsigned channels;
};
struct FormatRow {
  int format, bits, kind;  // CUarray_format
};
constexpr FormatRow kFormats[] = {{0x01, 8, ChannelFormat::kUnsigned},  {0x02, 16, ChannelFormat::kUnsigned},
                                  {0x03, 32, ChannelFormat::kUnsigned}, {0x08, 8, ChannelFormat::kSigned},
                                  {0x09, 16, ChannelFormat::kSigned},   {0x0a, 32, ChannelFormat::kSigned},
                                  {0x10, 16, ChannelFormat::kFloat},    {0x20, 32, ChannelFormat::kFloat}};

std::optional<ChannelFormat> format_of(int format, unsigned channels) {
  for (const FormatRow& row : kFormats) {
    if (row.format != format || (channels != 1 && channels != 2 && channels != 4)) continue;
    const auto bits = [&](unsigned channel) { return channels > channel ? row.bits : 0; };
    return ChannelFormat{bits(0), bits(1), bits(2), bits(3), row.kind};
  }
  return std::nullopt;
}

/// Its texture description has the same members in another order.
struct DriverTexture {  // CUDA_TEXTURE_DESC
  int address[3], filter;
  unsigned flags, anisotropy;
  int mipmap_filter;
  float mipmap_bias, mipmap_first, mipmap_last, border[4];
  int reserved[12];
};
struct DriverResource {  // CUDA_RESOURCE_DESC
  int kind;
  void* pointer;
  int format;
  unsigned channels;
  size_t bytes_or_width, height, pitch;
};

}  // namespace

extern "C" Error warptime_cudaMalloc3DArray(void** array, const ChannelFormat* format, Extent extent, unsigned flags);
extern "C" Error warptime_cudaMallocMipmappedArray(void** array, const ChannelFormat* format, Extent extent,
                                                   unsigned levels, unsigned flags);
extern "C" Error warptime_cudaCreateTextureObject(unsigned long long* made, const Resource* resource,
                                                  const TextureModes* modes, const ResourceView* view);
extern "C" Error warptime_cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height);

DRIVER_FUNCTION(cuMemAlloc)(Addr* address, size_t bytes) {
  return drive([&](Runtime& r) {
    if (bytes == 0 || address == nullptr) return Error::InvalidValue;
    *address = address_of(r.allocate(bytes, "cuMemAlloc"));
    return Error::Success;
  });
}
DRIVER_FUNCTION(cuMemAllocPitch)(void** address, size_t* pitch, size_t width, size_t height, unsigned) {
  return drive([&](Runtime&) { return warptime_cudaMallocPitch(address, pitch, width, height); });
}
DRIVER_FUNCTION(cuMemFree)(void* pointer) {
  return drive([&](Runtime& r) {
    if (pointer == nullptr) return Error::InvalidValue;
    r.free(pointer);
    return Error::Success;
  });
}
DRIVER_FUNCTION(cuMemGetAddressRange)(Addr* base, size_t* bytes, Addr address) {
  return drive([&](Runtime& r) {
    const auto buffer = r.device().allocation_at(address);
    if (!buffer) return Error::SymbolNotFound;
    if (base != nullptr) *base = buffer->address;
    if (bytes != nullptr) *bytes = buffer->bytes;
    return Error::Success;
  });
}

DRIVER_FUNCTION(cuMemcpy)(void* to, const void* from, size_t bytes) { return copy_line(to, from, bytes, kByAddress); }
DRIVER_FUNCTION(cuMemcpyAsync)(void* to, const void* from, size_t bytes, void* stream) {
  return copy_line(to, from, bytes, kByAddress, stream);
}
DRIVER_FUNCTION(cuMemcpyHtoD)(void* to, const void* from, size_t bytes) {
  return copy_line(to, from, bytes, kHostToDevice);
}
DRIVER_FUNCTION(cuMemcpyDtoH)(void* to, const void* from, size_t bytes) {
  return copy_line(to, from, bytes, kDeviceToHost);
}
DRIVER_FUNCTION(cuMemcpyDtoD)(void* to, const void* from, size_t bytes) {
  return copy_line(to, from, bytes, kDeviceToDevice);
}
DRIVER_FUNCTION(cuMemcpyHtoDAsync)(void* to, const void* from, size_t bytes, void* stream) {
  return copy_line(to, from, bytes, kHostToDevice, stream);
}
DRIVER_FUNCTION(cuMemcpyDtoHAsync)(void* to, const void* from, size_t bytes, void* stream) {
  return copy_line(to, from, bytes, kDeviceToHost, stream);
}
DRIVER_FUNCTION(cuMemcpyDtoDAsync)(void* to, const void* from, size_t bytes, void* stream) {
  return copy_line(to, from, bytes, kDeviceToDevice, stream);
}
DRIVER_FUNCTION(cuMemcpyPeer)(void* to, void*, const void* from, void*, size_t bytes) {
  return copy_line(to, from, bytes, kDeviceToDevice);
}
DRIVER_FUNCTION(cuMemcpyPeerAsync)(void* to, void*, const void* from, void*, size_t bytes, void* stream) {
  return copy_line(to, from, bytes, kDeviceToDevice, stream);
}
DRIVER_FUNCTION(cuMemcpy2D)(const Copy2D* copy) {
  return drive([&](Runtime& r) { return perform_now(r, copy_of(r, *copy)); });
}
DRIVER_FUNCTION(cuMemcpy2DAsync)(const Copy2D* copy, void* stream) {
  return drive([&](Runtime& r) {
    CopyWork work = copy_of(r, *copy);
    work.asynchronous = true;
    return submit(r, stream, work);
  });
}
DRIVER_FUNCTION(cuMemcpy3D)(const DriverCopy3D* copy) {
  return drive([&](Runtime& r) { return perform_now(r, copy_of(r, *copy)); });
}
DRIVER_FUNCTION(cuMemcpy3DAsync)(const DriverCopy3D* copy, void* stream) {
  return drive([&](Runtime& r) {
    CopyWork work = copy_of(r, *copy);
    work.asynchronous = true;
    return submit(r, stream, work);
  });
}

#define FILL_FUNCTIONS(bits, Value)                                                                     \
  DRIVER_FUNCTION(cuMemsetD##bits)(Addr to, Value value, size_t count) {                                \
    return fill(fill_of(to, 0, value, bits / 8, count, 1));                                             \
  }                                                                                                     \
  DRIVER_FUNCTION(cuMemsetD##bits##Async)(Addr to, Value value, size_t count, void* stream) {           \
    return fill(fill_of(to, 0, value, bits / 8, count, 1), stream);                                     \
  }                                                                                                     \
  DRIVER_FUNCTION(cuMemsetD2D##bits)(Addr to, size_t pitch, Value value, size_t width, size_t height) { \
    return fill(fill_of(to, pitch, value, bits / 8, width, height));                                    \
  }                                                                                                     \
  DRIVER_FUNCTION(cuMemsetD2D##bits##Async)                                                             \
  (Addr to, size_t pitch, Value value, size_t width, size_t height, void* stream) {                     \
    return fill(fill_of(to, pitch, value, bits / 8, width, height), stream);                            \
  }
FILL_FUNCTIONS(8, uint8_t)
FILL_FUNCTIONS(16, uint16_t)
FILL_FUNCTIONS(32, unsigned)
#undef FILL_FUNCTIONS

DRIVER_FUNCTION(cuPointerGetAttribute)(void* out, int attribute, const void* pointer) {
  return drive([&](Runtime& r) {
    enum : int {
      kContext = 1,
      kMemoryType = 2,
      kDevicePointer = 3,
      kHostPointer = 4,
      kBufferId = 7,
      kIsManaged = 8,
      kOrdinal = 9,
      kRangeStart = 11,
      kRangeSize = 12,
      kMapped = 13
    };
    const HostBlock* block = r.host_block(pointer);
    const auto buffer = r.device().allocation_at(address_of(pointer));
    if (block == nullptr && !buffer) return Error::InvalidValue;
    const bool managed = block != nullptr && block->kind == HostBlock::Kind::Managed;
    auto wide = [&](uint64_t value) { std::memcpy(out, &value, sizeof value); };
    auto narrow = [&](uint32_t value) { std::memcpy(out, &value, sizeof value); };
    switch (attribute) {
      case kContext: wide(reinterpret_cast<uintptr_t>(current_context())); break;
      case kMemoryType: narrow(block != nullptr && !managed ? kHost : kDevice); break;
      case kDevicePointer:
        if (!buffer) return Error::InvalidValue;
        wide(address_of(pointer));
        break;
      case kHostPointer:
        if (block == nullptr) return Error::InvalidValue;
        wide(address_of(pointer));
        break;
      case kBufferId: wide(buffer ? buffer->address : address_of(pointer)); break;
      case kIsManaged: narrow(managed ? 1 : 0); break;
      case kOrdinal: narrow(0); break;
      case kRangeStart: wide(buffer ? buffer->address : address_of(pointer)); break;
      case kRangeSize: wide(buffer ? buffer->bytes : block->bytes); break;
      case kMapped: narrow(1); break;
      default: return Error::NotSupported;
    }
    return Error::Success;
  });
}
/// What is unknown of one is 0.
DRIVER_FUNCTION(cuPointerGetAttributes)(unsigned count, const int* attributes, void** out, const void* pointer) {
  constexpr int kMemoryType = 2;
  for (unsigned i = 0; i < count; ++i)
    if (warptime_cuPointerGetAttribute(out[i], attributes[i], pointer) != kDone)
      std::memset(out[i], 0, attributes[i] == kMemoryType ? sizeof(unsigned) : 1);
  return kDone;
}

DRIVER_FUNCTION(cuArray3DCreate)(void** array, const ArrayShape* shape) {
  const std::optional<ChannelFormat> format = format_of(shape->format, shape->channels);
  if (!format) return kInvalidValue;
  return drive([&](Runtime&) {
    return warptime_cudaMalloc3DArray(array, &*format, {shape->width, shape->height, shape->depth}, shape->flags);
  });
}
DRIVER_FUNCTION(cuArrayCreate)(void** array, const FlatShape* shape) {
  const ArrayShape full{shape->width, shape->height, 0, shape->format, shape->channels, 0};
  return warptime_cuArray3DCreate(array, &full);
}
DRIVER_FUNCTION(cuArray3DGetDescriptor)(ArrayShape* shape, const void* array) {
  return drive([&](Runtime& r) {
    const Array& of = r.array_of(array);
    *shape = {of.extent.width, of.extent.height, of.extent.depth, 0, 0, of.flags};
    shape->channels = static_cast<unsigned>(of.texel_bytes() * 8) / static_cast<unsigned>(of.format.x);
    for (const FormatRow& row : kFormats)
      if (row.bits == of.format.x && row.kind == of.format.kind) shape->format = row.format;
    return Error::Success;
  });
}
DRIVER_FUNCTION(cuArrayGetDescriptor)(FlatShape* shape, const void* array) {
  ArrayShape full{};
  const Result result = warptime_cuArray3DGetDescriptor(&full, array);
  if (result == kDone) *shape = {full.width, full.height, full.format, full.channels};
  return result;
}
DRIVER_FUNCTION(cuMipmappedArrayCreate)(void** array, const ArrayShape* shape, unsigned levels) {
  const std::optional<ChannelFormat> format = format_of(shape->format, shape->channels);
  if (!format) return kInvalidValue;
  return drive([&](Runtime&) {
    return warptime_cudaMallocMipmappedArray(array, &*format, {shape->width, shape->height, shape->depth}, levels,
                                             shape->flags);
  });
}
DRIVER_FUNCTION(cuTexObjectCreate)
(unsigned long long* made, const DriverResource* from, const DriverTexture* texture, const ResourceView* view) {
  enum : unsigned { kReadAsInteger = 1, kNormalized = 2, kSrgb = 16 };
  Resource resource{};
  resource.kind = from->kind;
  resource.pointer = from->pointer;
  if (from->kind != Resource::kArray && from->kind != Resource::kMipmapped) {
    const std::optional<ChannelFormat> format = format_of(from->format, from->channels);
    if (!format) return kInvalidValue;
    resource.format = *format;
    resource.bytes_or_width = from->bytes_or_width;
    resource.height = from->height;
    resource.pitch = from->pitch;
  }
  TextureModes modes{};
  std::memcpy(modes.address, texture->address, sizeof modes.address);
  std::memcpy(modes.border, texture->border, sizeof modes.border);
  modes.filter = texture->filter;
  modes.read = (texture->flags & kReadAsInteger) == 0 ? 1 : 0;
  modes.normalized = (texture->flags & kNormalized) != 0 ? 1 : 0;
  modes.srgb = (texture->flags & kSrgb) != 0 ? 1 : 0;
  modes.anisotropy = texture->anisotropy;
  modes.mipmap_filter = texture->mipmap_filter;
  modes.mipmap_bias = texture->mipmap_bias;
  modes.mipmap_first = texture->mipmap_first;
  modes.mipmap_last = texture->mipmap_last;
  return drive([&](Runtime&) { return warptime_cudaCreateTextureObject(made, &resource, &modes, view); });
}

}  // namespace warptime::cuda
