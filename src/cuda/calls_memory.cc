// Memory: allocation, copies, fills, and the variables of modules.
#include <cstring>
#include <string_view>

#include "cuda/abi.h"
#include "cuda/runtime.h"

namespace warptime::cuda {

namespace {

/// Whether it is the device's alone, so that the host must not touch it.
bool is_device_only(Runtime& runtime, const void* pointer) {
  return runtime.host_block(pointer) == nullptr && runtime.device().allocation_at(address_of(pointer)).has_value();
}

/// For the timeline and messages.
std::string name_of(const void* pointer) { return fmt::format("{:#x}", address_of(pointer)); }

int kind_of(Runtime& runtime, const void* to, const void* from, int kind) {
  if (kind != kByAddress) return kind;
  auto on_device = [&](const void* p) { return runtime.device().allocation_at(address_of(p)).has_value(); };
  return (on_device(from) ? kDeviceToHost : kHostToHost) + (on_device(to) ? kHostToDevice : 0);
}

host::CopyOptions options_of(Runtime& runtime, const void* of_host, void* stream, bool asynchronous) {
  const bool pinned = runtime.host_block(of_host) != nullptr;
  return {.pinned = pinned, .asynchronous = asynchronous && pinned, .stream = runtime.stream_of(stream)};
}

/// `rows` rows of `bytes` bytes, one pitch after the other.
struct Copy {
  void* to;
  size_t to_pitch;
  const void* from;
  size_t from_pitch;
  size_t bytes, rows;
  int kind;
  void* stream = nullptr;
  bool asynchronous = false;
};

Error copy(Runtime& runtime, const Copy& c) {
  if (c.bytes == 0 || c.rows == 0) return Error::Success;
  if (c.kind < kHostToHost || c.kind > kByAddress) return Error::InvalidMemcpyDirection;
  if (c.rows > 1 && (c.to_pitch < c.bytes || c.from_pitch < c.bytes)) return Error::InvalidPitchValue;
  host::Device& device = runtime.device();
  const int kind = kind_of(runtime, c.to, c.from, c.kind);
  const bool from_host = kind == kHostToHost || kind == kHostToDevice;
  const bool to_host = kind == kHostToHost || kind == kDeviceToHost;
  if ((from_host && is_device_only(runtime, c.from)) || (to_host && is_device_only(runtime, c.to)))
    throw CallError{
        Error::InvalidValue,
        fmt::format("error: the host would {} address {:#x}, which is memory of the device\n         hint: the "
                    "copy has the wrong direction\n",
                    from_host ? "read" : "write", address_of(from_host ? c.from : c.to))};
  const host::CopyOptions options = options_of(runtime, from_host ? c.from : c.to, c.stream, c.asynchronous);
  const size_t total = c.bytes * c.rows;
  auto* to = static_cast<std::byte*>(c.to);
  const auto* from = static_cast<const std::byte*>(c.from);
  for (size_t row = 0; row < c.rows; ++row, to += c.to_pitch, from += c.from_pitch) {
    switch (kind) {
      case kHostToHost: std::memmove(to, from, c.bytes); break;
      case kHostToDevice: device.write_bytes(address_of(to), {from, c.bytes}); break;
      case kDeviceToHost: device.read_bytes({to, c.bytes}, address_of(from)); break;
      default:
        device.copy_on_device({address_of(to), c.bytes}, {address_of(from), c.bytes}, c.bytes, name_of(c.to),
                              {.stream = options.stream});
    }
  }
  using Direction = host::TimelineEvent::Direction;
  if (kind == kHostToDevice) device.time_copy(Direction::HostToDevice, total, name_of(c.to), options);
  if (kind == kDeviceToHost) device.time_copy(Direction::DeviceToHost, total, name_of(c.from), options);
  return Error::Success;
}

Error fill(Runtime& runtime, void* to, size_t pitch, int value, size_t bytes, size_t rows, void* stream) {
  for (size_t row = 0; row < rows && bytes > 0; ++row)
    runtime.device().fill_bytes({address_of(to) + row * pitch, bytes}, static_cast<uint8_t>(value), bytes, name_of(to),
                                {.stream = runtime.stream_of(stream)});
  return Error::Success;
}

Error copy_symbol(const void* variable, void* to, const void* from, size_t bytes, size_t offset, int kind, void* stream,
                  bool asynchronous) {
  return call([&](Runtime& r) {
    const Symbol& symbol = r.variable_of(variable);
    const host::ModuleRef& module = r.load(*symbol.image);
    const void* other = to == nullptr ? from : to;
    if (is_device_only(r, other)) {
      const auto place = r.device().find_symbol(module, symbol.name);
      if (!place || kind == kHostToDevice || kind == kDeviceToHost) return Error::InvalidValue;
      auto* at = static_cast<std::byte*>(pointer_to(place->address + offset));
      return copy(r, {to == nullptr ? at : to, 0, to == nullptr ? from : at, 0, bytes, 1, kDeviceToDevice, stream});
    }
    const host::CopyOptions options = options_of(r, other, stream, asynchronous);
    if (to == nullptr)
      r.device().copy_to_symbol(module, symbol.name, {static_cast<const std::byte*>(from), bytes}, offset, options);
    else r.device().copy_from_symbol({static_cast<std::byte*>(to), bytes}, module, symbol.name, offset, options);
    return Error::Success;
  });
}

template <class Work>
Error allocation(void** pointer, Work work) {
  if (pointer == nullptr) return last_error() = Error::InvalidValue;
  return call([&](Runtime& r) {
    *pointer = nullptr;
    *pointer = work(r);
    return Error::Success;
  });
}

}  // namespace

CUDA_FUNCTION(cudaMalloc)(void** pointer, size_t bytes) {
  return allocation(pointer, [&](Runtime& r) { return r.allocate(bytes, "cudaMalloc"); });
}
CUDA_FUNCTION(cudaMallocAsync)(void** pointer, size_t bytes, void*) {
  return allocation(pointer, [&](Runtime& r) { return r.allocate(bytes, "cudaMallocAsync"); });
}
CUDA_FUNCTION(cudaMallocManaged)(void** pointer, size_t bytes, unsigned flags) {
  if (bytes == 0) return last_error() = Error::InvalidValue;
  return allocation(pointer, [&](Runtime& r) {
    return r.allocate_shared(bytes, "cudaMallocManaged", HostBlock::Kind::Managed, flags, true);
  });
}
CUDA_FUNCTION(cudaHostAlloc)(void** pointer, size_t bytes, unsigned flags) {
  return allocation(pointer, [&](Runtime& r) {
    return r.allocate_shared(bytes, "cudaHostAlloc", HostBlock::Kind::PageLocked, flags, false);
  });
}
CUDA_FUNCTION(cudaMallocHost)(void** pointer, size_t bytes) { return warptime_cudaHostAlloc(pointer, bytes, 0); }
CUDA_FUNCTION(cudaMallocPitch)(void** pointer, size_t* pitch, size_t width, size_t height) {
  return allocation(pointer, [&](Runtime& r) {
    const size_t unit = r.machine().memory.allocation_alignment;
    *pitch = (width + unit - 1) / unit * unit;
    if (height != 0 && *pitch > ~size_t{0} / height) throw CallError{Error::MemoryAllocation};
    return r.allocate(*pitch * height, "cudaMallocPitch");
  });
}
CUDA_FUNCTION(cudaMalloc3D)(PitchedPointer* made, Extent extent) {
  made->width = extent.width;
  made->height = extent.height;
  return warptime_cudaMallocPitch(&made->pointer, &made->pitch, extent.width, extent.height * extent.depth);
}

CUDA_FUNCTION(cudaFree)(void* pointer) {
  return call([&](Runtime& r) {
    r.device();
    r.free(pointer);
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaFreeAsync)(void* pointer, void*) { return warptime_cudaFree(pointer); }
CUDA_FUNCTION(cudaFreeHost)(void* pointer) {
  return call([&](Runtime& r) {
    r.free_host(pointer);
    return Error::Success;
  });
}

CUDA_FUNCTION(cudaHostRegister)(void* pointer, size_t bytes, unsigned flags) {
  return call([&](Runtime& r) {
    if (pointer == nullptr || bytes == 0) return Error::InvalidValue;
    if (r.host_block(pointer) != nullptr) return Error::HostMemoryAlreadyRegistered;
    r.host_blocks[reinterpret_cast<uintptr_t>(pointer)] = {bytes, HostBlock::Kind::Registered, false, flags};
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaHostUnregister)(void* pointer) {
  return call([&](Runtime& r) {
    auto block = r.host_blocks.find(reinterpret_cast<uintptr_t>(pointer));
    if (block == r.host_blocks.end() || block->second.kind != HostBlock::Kind::Registered)
      return Error::HostMemoryNotRegistered;
    r.host_blocks.erase(block);
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaHostGetDevicePointer)(void** device, void* host, unsigned) {
  return call([&](Runtime& r) {
    const HostBlock* block = r.host_block(host);
    if (block == nullptr) return Error::InvalidValue;
    if (!block->shared) return Error::NotSupported;
    *device = host;
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaHostGetFlags)(unsigned* flags, void* host) {
  return call([&](Runtime& r) {
    const HostBlock* block = r.host_block(host);
    if (block == nullptr) return Error::InvalidValue;
    *flags = block->flags;
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaPointerGetAttributes)(PointerAttributes* attributes, const void* pointer) {
  return call([&](Runtime& r) {
    const HostBlock* block = r.host_block(pointer);
    const bool device = r.device().allocation_at(address_of(pointer)).has_value();
    auto* same = const_cast<void*>(pointer);
    *attributes = {PointerAttributes::kUnregistered, device || block != nullptr ? 0 : -2, device ? same : nullptr,
                   block != nullptr ? same : nullptr};
    if (block != nullptr)
      attributes->type =
          block->kind == HostBlock::Kind::Managed ? PointerAttributes::kManaged : PointerAttributes::kHost;
    else if (device) attributes->type = PointerAttributes::kDevice;
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaMemGetInfo)(size_t* available, size_t* total) {
  return call([&](Runtime& r) {
    *available = r.device().bytes_free();
    *total = r.machine().memory.bytes;
    return Error::Success;
  });
}

CUDA_FUNCTION(cudaMemcpy)(void* to, const void* from, size_t bytes, int kind) {
  return call([&](Runtime& r) { return copy(r, {to, 0, from, 0, bytes, 1, kind}); });
}
CUDA_FUNCTION(cudaMemcpyAsync)(void* to, const void* from, size_t bytes, int kind, void* stream) {
  return call([&](Runtime& r) { return copy(r, {to, 0, from, 0, bytes, 1, kind, stream, true}); });
}
CUDA_FUNCTION(cudaMemcpy2D)
(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, int kind) {
  return call([&](Runtime& r) { return copy(r, {to, to_pitch, from, from_pitch, width, height, kind}); });
}
CUDA_FUNCTION(cudaMemcpy2DAsync)
(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, int kind, void* stream) {
  return call([&](Runtime& r) { return copy(r, {to, to_pitch, from, from_pitch, width, height, kind, stream, true}); });
}
CUDA_FUNCTION(cudaMemset)(void* to, int value, size_t bytes) {
  return call([&](Runtime& r) { return fill(r, to, 0, value, bytes, 1, nullptr); });
}
CUDA_FUNCTION(cudaMemsetAsync)(void* to, int value, size_t bytes, void* stream) {
  return call([&](Runtime& r) { return fill(r, to, 0, value, bytes, 1, stream); });
}
CUDA_FUNCTION(cudaMemset2D)(void* to, size_t pitch, int value, size_t width, size_t height) {
  return call([&](Runtime& r) { return fill(r, to, pitch, value, width, height, nullptr); });
}
CUDA_FUNCTION(cudaMemset2DAsync)(void* to, size_t pitch, int value, size_t width, size_t height, void* stream) {
  return call([&](Runtime& r) { return fill(r, to, pitch, value, width, height, stream); });
}

CUDA_FUNCTION(cudaMemcpyToSymbol)(const void* symbol, const void* from, size_t bytes, size_t offset, int kind) {
  return copy_symbol(symbol, nullptr, from, bytes, offset, kind, nullptr, false);
}
CUDA_FUNCTION(cudaMemcpyToSymbolAsync)
(const void* symbol, const void* from, size_t bytes, size_t offset, int kind, void* stream) {
  return copy_symbol(symbol, nullptr, from, bytes, offset, kind, stream, true);
}
CUDA_FUNCTION(cudaMemcpyFromSymbol)(void* to, const void* symbol, size_t bytes, size_t offset, int kind) {
  return copy_symbol(symbol, to, nullptr, bytes, offset, kind, nullptr, false);
}
CUDA_FUNCTION(cudaMemcpyFromSymbolAsync)
(void* to, const void* symbol, size_t bytes, size_t offset, int kind, void* stream) {
  return copy_symbol(symbol, to, nullptr, bytes, offset, kind, stream, true);
}
CUDA_FUNCTION(cudaGetSymbolAddress)(void** address, const void* variable) {
  return call([&](Runtime& r) {
    const Symbol& symbol = r.variable_of(variable);
    const auto place = r.device().find_symbol(r.load(*symbol.image), symbol.name);
    if (!place) return Error::NotSupported;  // constants have no address of their own
    *address = pointer_to(place->address);
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaGetSymbolSize)(size_t* bytes, const void* variable) {
  return call([&](Runtime& r) {
    const Symbol& symbol = r.variable_of(variable);
    for (const ptx::Symbol& known : host::Device::ptx_of(r.load(*symbol.image)).symbols)
      if (known.name == symbol.name) return *bytes = known.size, Error::Success;
    return Error::InvalidSymbol;
  });
}

}  // namespace warptime::cuda
