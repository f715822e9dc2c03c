// Memory: allocation, copies, fills, and the variables of modules.
#include <string_view>

#include "cuda/work.h"

namespace warptime::cuda {

namespace {

Error copy(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t bytes, size_t rows, int kind) {
  return call([&](Runtime& r) {
    CopyWork work = line_copy(to, from, bytes, kind);
    work.to.pitch = to_pitch;
    work.from.pitch = from_pitch;
    work.rows = rows;
    return perform_now(r, work);
  });
}
Error copy_later(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t bytes, size_t rows, int kind,
                 void* stream) {
  return call([&](Runtime& r) {
    CopyWork work = line_copy(to, from, bytes, kind, true);
    work.to.pitch = to_pitch;
    work.from.pitch = from_pitch;
    work.rows = rows;
    return submit(r, stream, work);
  });
}
FillWork fill_work(void* to, size_t pitch, int value, size_t bytes, size_t rows) {
  return {.to = to, .pitch = pitch, .value = static_cast<unsigned>(value), .width = bytes, .rows = rows};
}
FillWork fill_box(const PitchedPointer& to, int value, Extent extent) {
  FillWork work = fill_work(to.pointer, to.pitch, value, extent.width, extent.height);
  work.height = to.height;
  work.slices = extent.depth;
  return work;
}

template <class Make>
Error allocation(void** pointer, Make make) {
  if (pointer == nullptr) return last_error() = Error::InvalidValue;
  return call([&](Runtime& r) {
    *pointer = nullptr;
    *pointer = make(r);
    return Error::Success;
  });
}

}  // namespace

CUDA_FUNCTION(cudaMalloc)(void** pointer, size_t bytes) {
  return allocation(pointer, [&](Runtime& r) { return r.allocate(bytes, "cudaMalloc"); });
}
CUDA_FUNCTION(cudaMallocManaged)(void** pointer, size_t bytes, unsigned flags) {
  constexpr unsigned kGlobal = 1, kHost = 2;  // cudaMemAttach
  if (flags != kGlobal && flags != kHost) return last_error() = Error::InvalidValue;
  return allocation(pointer, [&](Runtime& r) {
    return r.allocate_shared(bytes, "cudaMallocManaged", HostBlock::Kind::Managed, flags, true);
  });
}
CUDA_FUNCTION(cudaHostAlloc)(void** pointer, size_t bytes, unsigned flags) {
  constexpr unsigned kAllFlags = 7;  // portable, mapped, write-combined
  if ((flags & ~kAllFlags) != 0) return last_error() = Error::InvalidValue;
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
  return copy(to, 0, from, 0, bytes, 1, kind);
}
CUDA_FUNCTION(cudaMemcpyAsync)(void* to, const void* from, size_t bytes, int kind, void* stream) {
  return copy_later(to, 0, from, 0, bytes, 1, kind, stream);
}
CUDA_FUNCTION(cudaMemcpy2D)
(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, int kind) {
  return copy(to, to_pitch, from, from_pitch, width, height, kind);
}
CUDA_FUNCTION(cudaMemcpy2DAsync)
(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, int kind, void* stream) {
  return copy_later(to, to_pitch, from, from_pitch, width, height, kind, stream);
}
CUDA_FUNCTION(cudaMemcpy3D)(const Copy3D* parameters) {
  return call([&](Runtime& r) { return perform_now(r, copy_work(r, *parameters, false)); });
}
CUDA_FUNCTION(cudaMemcpy3DAsync)(const Copy3D* parameters, void* stream) {
  return call([&](Runtime& r) { return submit(r, stream, copy_work(r, *parameters, true)); });
}
CUDA_FUNCTION(cudaMemset2D)(void* to, size_t pitch, int value, size_t width, size_t height) {
  return call([&](Runtime& r) { return perform_now(r, fill_work(to, pitch, value, width, height)); });
}
CUDA_FUNCTION(cudaMemset2DAsync)(void* to, size_t pitch, int value, size_t width, size_t height, void* stream) {
  return call([&](Runtime& r) { return submit(r, stream, fill_work(to, pitch, value, width, height)); });
}
CUDA_FUNCTION(cudaMemset)(void* to, int value, size_t bytes) { return warptime_cudaMemset2D(to, 0, value, bytes, 1); }
CUDA_FUNCTION(cudaMemsetAsync)(void* to, int value, size_t bytes, void* stream) {
  return warptime_cudaMemset2DAsync(to, 0, value, bytes, 1, stream);
}
CUDA_FUNCTION(cudaMemset3D)(PitchedPointer to, int value, Extent extent) {
  return call([&](Runtime& r) { return perform_now(r, fill_box(to, value, extent)); });
}
CUDA_FUNCTION(cudaMemset3DAsync)(PitchedPointer to, int value, Extent extent, void* stream) {
  return call([&](Runtime& r) { return submit(r, stream, fill_box(to, value, extent)); });
}

CUDA_FUNCTION(cudaMemcpyToSymbol)(const void* symbol, const void* from, size_t bytes, size_t offset, int kind) {
  return call([&](Runtime& r) { return perform_now(r, to_symbol(r, symbol, from, bytes, offset, kind)); });
}
CUDA_FUNCTION(cudaMemcpyToSymbolAsync)
(const void* symbol, const void* from, size_t bytes, size_t offset, int kind, void* stream) {
  return call([&](Runtime& r) { return submit(r, stream, to_symbol(r, symbol, from, bytes, offset, kind, true)); });
}
CUDA_FUNCTION(cudaMemcpyFromSymbol)(void* to, const void* symbol, size_t bytes, size_t offset, int kind) {
  return call([&](Runtime& r) { return perform_now(r, from_symbol(r, to, symbol, bytes, offset, kind)); });
}
CUDA_FUNCTION(cudaMemcpyFromSymbolAsync)
(void* to, const void* symbol, size_t bytes, size_t offset, int kind, void* stream) {
  return call([&](Runtime& r) { return submit(r, stream, from_symbol(r, to, symbol, bytes, offset, kind, true)); });
}
CUDA_FUNCTION(cudaGetSymbolAddress)(void** address, const void* variable) {
  return call([&](Runtime& r) {
    *address = pointer_to(r.place_of_variable(variable).address);
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
