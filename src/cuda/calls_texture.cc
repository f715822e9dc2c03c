// Texture objects, and texture references of CUDA 11.
#include <algorithm>
#include <cstring>

#include "cuda/texture.h"
#include "cuda/work.h"

namespace warptime::cuda {

namespace {

[[noreturn]] void refuse(std::string_view what) {
  throw CallError{Error::NotSupported, fmt::format("warptime: textures with {} are not supported\n", what)};
}

/// The type and number of channels.
void set_format(sim::Texture& texture, const ChannelFormat& format) {
  const int bits[] = {format.x, format.y, format.z, format.w};
  uint8_t channels = 0;
  while (channels < 4 && bits[channels] != 0) ++channels;
  for (int i = 0; i < 4; ++i)
    if (bits[i] != (i < channels ? format.x : 0)) throw CallError{Error::InvalidChannelDescriptor};
  using ptx::Type;
  struct Row {
    int kind, bits;
    Type type;
  };
  constexpr Row kRows[] = {{ChannelFormat::kSigned, 8, Type::S8},     {ChannelFormat::kSigned, 16, Type::S16},
                           {ChannelFormat::kSigned, 32, Type::S32},   {ChannelFormat::kUnsigned, 8, Type::U8},
                           {ChannelFormat::kUnsigned, 16, Type::U16}, {ChannelFormat::kUnsigned, 32, Type::U32},
                           {ChannelFormat::kFloat, 32, Type::F32}};
  texture.channels = channels;
  for (const Row& row : kRows)
    if (row.kind == format.kind && row.bits == format.x) {
      texture.channel = row.type;
      return;
    }
  if (format.kind == ChannelFormat::kFloat && format.x == 16) refuse("16-bit floating-point texels");
  throw CallError{Error::InvalidChannelDescriptor};
}

void set_modes(sim::Texture& texture, const TextureModes& modes) {
  constexpr int kLastAddress = static_cast<int>(sim::AddressMode::Border);
  for (size_t axis = 0; axis < 3; ++axis) {
    if (modes.address[axis] < 0 || modes.address[axis] > kLastAddress) throw CallError{Error::InvalidValue};
    texture.address[axis] = static_cast<sim::AddressMode>(modes.address[axis]);
    for (float color : modes.border)
      if (texture.address[axis] == sim::AddressMode::Border && color != 0) refuse("another border than zero");
  }
  if (modes.filter < 0 || modes.filter > 1 || modes.read < 0 || modes.read > 1) throw CallError{Error::InvalidValue};
  if (modes.srgb != 0) refuse("sRGB");
  texture.filter = static_cast<sim::FilterMode>(modes.filter);
  // Texels of 32 bits are read as they are.
  const bool narrow = ptx::bits(texture.channel) <= 16;
  texture.read = narrow ? static_cast<sim::ReadMode>(modes.read) : sim::ReadMode::Element;
  texture.normalized_coordinates = modes.normalized != 0;
}

/// In linear memory: what is beyond its end reads as zero, and nothing is filtered.
void set_linear(sim::Texture& texture, const void* pointer, size_t bytes) {
  texture.base = address_of(pointer);
  const size_t texels = bytes / texture.texel_bytes();
  if (texels == 0 || texels > kMostTexels) throw CallError{Error::InvalidValue};
  texture.size = {static_cast<uint32_t>(texels), 1, 1};
  texture.address[0] = sim::AddressMode::Border;
  texture.filter = sim::FilterMode::Point;
  texture.tiled = false;
}

void set_pitched(sim::Texture& texture, const void* pointer, size_t width, size_t height, size_t pitch) {
  if (width == 0 || height == 0 || width > kMostTexels || height > kMostTexels || pitch < width * texture.texel_bytes())
    throw CallError{Error::InvalidValue};
  texture.base = address_of(pointer);
  texture.size = {static_cast<uint32_t>(width), static_cast<uint32_t>(height), 1};
  texture.pitch = pitch;
  texture.tiled = false;
}

void set_array(sim::Texture& texture, const Array& array) {
  texture.base = array.buffer.address;
  texture.size = {static_cast<uint32_t>(array.width()), static_cast<uint32_t>(array.height()),
                  static_cast<uint32_t>(array.depth())};
}

void set_levels(Runtime& r, sim::Texture& texture, const MipmappedArray& array, const TextureModes& modes) {
  constexpr unsigned kLayered = 1, kCubemap = 4;
  if (modes.mipmap_filter < 0 || modes.mipmap_filter > 1) throw CallError{Error::InvalidValue};
  if (!texture.normalized_coordinates) refuse("several levels and coordinates that count texels");
  if (modes.anisotropy > 1) refuse("anisotropic filtering");
  const Array& first = r.array_of(array.levels[0]);
  set_array(texture, first);
  texture.levels = static_cast<uint32_t>(array.levels.size());
  for (size_t level = 1; level < array.levels.size(); ++level)
    texture.further[level - 1] = r.array_of(array.levels[level]).buffer.address;
  texture.level_filter = static_cast<sim::FilterMode>(modes.mipmap_filter);
  texture.level_bias = modes.mipmap_bias;
  texture.least_level = modes.mipmap_first;
  texture.most_level = modes.mipmap_last;
  texture.is_layered = (first.flags & (kLayered | kCubemap)) != 0;
}

void check_aligned(Runtime& r, const void* pointer) {
  if (address_of(pointer) % r.machine().memory.allocation_alignment != 0)
    throw CallError{Error::InvalidValue,
                    fmt::format("error: a texture begins at {:#x}, which is not a multiple of {} bytes "
                                "(cudaDeviceProp::textureAlignment)\n",
                                address_of(pointer), r.machine().memory.allocation_alignment)};
}

sim::Texture texture_of(Runtime& r, const Resource& resource, const TextureModes& modes) {
  sim::Texture texture{.name = "object"};
  switch (resource.kind) {
    case Resource::kArray: {
      const Array& array = r.array_of(resource.pointer);
      set_format(texture, array.format);
      set_modes(texture, modes);
      set_array(texture, array);
      return texture;
    }
    case Resource::kLinear:
    case Resource::kPitched:
      check_aligned(r, resource.pointer);
      set_format(texture, resource.format);
      set_modes(texture, modes);
      if (resource.kind == Resource::kLinear) set_linear(texture, resource.pointer, resource.bytes_or_width);
      else set_pitched(texture, resource.pointer, resource.bytes_or_width, resource.height, resource.pitch);
      return texture;
    case Resource::kMipmapped: {
      const MipmappedArray& array = r.mipmapped_array_of(resource.pointer);
      set_format(texture, r.array_of(array.levels[0]).format);
      set_modes(texture, modes);
      set_levels(r, texture, array, modes);
      return texture;
    }
  }
  throw CallError{Error::InvalidValue};
}

const TextureObject& object_of(Runtime& r, unsigned long long handle) {
  auto found = r.textures.find(handle);
  if (found == r.textures.end()) throw CallError{Error::InvalidValue};
  return found->second;
}

/// Binds a reference; `place` says where its texels are.
template <class Place>
Error bind(const TextureReference* reference, const ChannelFormat* format, Place place) {
  return call([&](Runtime& r) {
    auto found = r.references.find(reference);
    if (found == r.references.end()) return Error::InvalidTexture;
    const ReferenceSymbol& known = found->second;
    TextureModes modes{};
    modes.filter = reference->filter;
    modes.read = known.normalized ? 1 : 0;
    modes.srgb = reference->srgb;
    modes.normalized = reference->normalized;
    std::memcpy(modes.address, reference->address, sizeof modes.address);
    sim::Texture texture{.name = known.symbol.name};
    set_format(texture, *format);
    set_modes(texture, modes);
    place(r, texture);
    r.device().bind_texture(r.load(*known.symbol.image), known.symbol.name, texture);
    return Error::Success;
  });
}

}  // namespace

CUDA_FUNCTION(cudaCreateTextureObject)
(unsigned long long* made, const Resource* resource, const TextureModes* modes, const ResourceView* view) {
  return call([&](Runtime& r) {
    if (made == nullptr || resource == nullptr || modes == nullptr) return Error::InvalidValue;
    if (view != nullptr && view->format != 0) refuse("another view of their resource");
    TextureObject object{.resource = *resource, .modes = *modes};
    object.handle = r.device().make_texture(texture_of(r, *resource, *modes));
    *made = object.handle.bits;
    r.textures[*made] = object;
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaDestroyTextureObject)(unsigned long long handle) {
  if (handle == 0) return Error::Success;
  return call([&](Runtime& r) {
    r.device().destroy_texture(object_of(r, handle).handle);
    r.textures.erase(handle);
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaGetTextureObjectResourceDesc)(Resource* resource, unsigned long long handle) {
  return call([&](Runtime& r) {
    *resource = object_of(r, handle).resource;
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaGetTextureObjectTextureDesc)(TextureModes* modes, unsigned long long handle) {
  return call([&](Runtime& r) {
    *modes = object_of(r, handle).modes;
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaGetTextureObjectResourceViewDesc)(ResourceView*, unsigned long long handle) {
  return call([&](Runtime& r) {
    object_of(r, handle);
    return Error::InvalidValue;  // none has one
  });
}
/// A surface is a texture's bytes as they are: its handle is one of theirs.
CUDA_FUNCTION(cudaCreateSurfaceObject)(unsigned long long* made, const Resource* resource) {
  return call([&](Runtime& r) {
    if (made == nullptr || resource == nullptr || resource->kind != Resource::kArray) return Error::InvalidValue;
    constexpr unsigned kSurface = 2;
    if ((r.array_of(resource->pointer).flags & kSurface) == 0) return Error::InvalidValue;
    TextureObject object{.resource = *resource};
    sim::Texture surface = texture_of(r, *resource, object.modes);
    surface.is_surface = true;
    object.handle = r.device().make_texture(surface);
    *made = object.handle.bits;
    r.textures[*made] = object;
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaDestroySurfaceObject)(unsigned long long handle) {
  if (handle == 0) return Error::Success;
  return call([&](Runtime& r) {
    r.device().destroy_texture(object_of(r, handle).handle);
    r.textures.erase(handle);
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaGetSurfaceObjectResourceDesc)(Resource* resource, unsigned long long handle) {
  return call([&](Runtime& r) {
    *resource = object_of(r, handle).resource;
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaDeviceGetTexture1DLinearMaxWidth)(size_t* texels, const ChannelFormat*, int device) {
  if (device != 0) return last_error() = Error::InvalidDevice;
  *texels = kMostTexels;
  return Error::Success;
}

CUDA_FUNCTION(__cudaRegisterTexture)
(void** handle, const TextureReference* reference, const void**, const char* name, int, int normalized, int) {
  Runtime& r = Runtime::get();
  std::lock_guard guard(r.lock());
  r.references[reference] = {{reinterpret_cast<Image*>(handle), name}, normalized != 0};
  return Error::Success;
}
CUDA_FUNCTION(cudaBindTexture)
(size_t* offset, const TextureReference* reference, const void* pointer, const ChannelFormat* format, size_t bytes) {
  if (offset != nullptr) *offset = 0;
  return bind(reference, format, [&](Runtime& r, sim::Texture& texture) {
    if (offset == nullptr) check_aligned(r, pointer);
    const auto all = r.device().allocation_at(address_of(pointer));
    // Programs may give any size: up to the end of the memory.
    const size_t there = all ? all->address + all->bytes - address_of(pointer) : 0;
    set_linear(texture, pointer, std::min(bytes, there));
  });
}
CUDA_FUNCTION(cudaBindTexture2D)
(size_t* offset, const TextureReference* reference, const void* pointer, const ChannelFormat* format, size_t width,
 size_t height, size_t pitch) {
  if (offset != nullptr) *offset = 0;
  return bind(reference, format, [&](Runtime& r, sim::Texture& texture) {
    if (offset == nullptr) check_aligned(r, pointer);
    set_pitched(texture, pointer, width, height, pitch);
  });
}
CUDA_FUNCTION(cudaBindTextureToArray)
(const TextureReference* reference, const void* array, const ChannelFormat* format) {
  return bind(reference, format, [&](Runtime& r, sim::Texture& texture) { set_array(texture, r.array_of(array)); });
}
/// What reads it afterwards is undefined: it still finds the texels until their memory is freed.
CUDA_FUNCTION(cudaUnbindTexture)(const TextureReference* reference) {
  return call([&](Runtime& r) { return r.references.count(reference) == 1 ? Error::Success : Error::InvalidTexture; });
}
CUDA_FUNCTION(cudaGetTextureAlignmentOffset)(size_t* offset, const TextureReference* reference) {
  return call([&](Runtime& r) {
    *offset = 0;
    return r.references.count(reference) == 1 ? Error::Success : Error::InvalidTexture;
  });
}
CUDA_FUNCTION(cudaGetTextureReference)(const TextureReference** found, const TextureReference* symbol) {
  return call([&](Runtime& r) {
    if (r.references.count(symbol) == 0) return Error::InvalidTexture;
    *found = symbol;
    return Error::Success;
  });
}

}  // namespace warptime::cuda
