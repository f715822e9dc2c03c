// Calls for several devices, of which there is one; and other questions about memory and streams.
#include <cstring>

#include "cuda/work.h"
#include "sim/model/occupancy.h"

namespace warptime::cuda {

namespace {

struct PeerCopy {  // cudaMemcpy3DPeerParms
  void* from_array;
  Position from_position;
  PitchedPointer from;
  int from_device;
  void* to_array;
  Position to_position;
  PitchedPointer to;
  int to_device;
  Extent extent;
};

void check_devices(int first, int second) {
  if (first != 0 || second != 0) throw CallError{Error::InvalidDevice};
}

Copy3D plain(const PeerCopy& copy) {
  check_devices(copy.from_device, copy.to_device);
  return {copy.from_array, copy.from_position, copy.from, copy.to_array, copy.to_position,
          copy.to,         copy.extent,        kByAddress};
}

/// cudaLaunchAttributeID of streams: access policy, synchronization, memory domains, priority.
bool is_of_streams(int id) { return id == 1 || id == 3 || id == 8 || id == 9 || id == 10; }

/// The attributes of a stream; the default stream's, too.
std::map<int, AttributeValue>& attributes_of(Runtime& r, const void* stream) {
  r.stream_of(stream);
  return r.stream_attributes[reinterpret_cast<uintptr_t>(stream) <= 1 ? nullptr : stream];
}

}  // namespace

CUDA_FUNCTION(cudaMemcpyPeer)(void* to, int to_device, const void* from, int from_device, size_t bytes) {
  return call([&](Runtime& r) {
    check_devices(to_device, from_device);
    return perform_now(r, line_copy(to, from, bytes, kDeviceToDevice));
  });
}
CUDA_FUNCTION(cudaMemcpyPeerAsync)
(void* to, int to_device, const void* from, int from_device, size_t bytes, void* stream) {
  return call([&](Runtime& r) {
    check_devices(to_device, from_device);
    return submit(r, stream, line_copy(to, from, bytes, kDeviceToDevice, true));
  });
}
CUDA_FUNCTION(cudaMemcpy3DPeer)(const PeerCopy* copy) {
  return call([&](Runtime& r) { return perform_now(r, copy_work(r, plain(*copy), false)); });
}
CUDA_FUNCTION(cudaMemcpy3DPeerAsync)(const PeerCopy* copy, void* stream) {
  return call([&](Runtime& r) { return submit(r, stream, copy_work(r, plain(*copy), true)); });
}
CUDA_FUNCTION(cudaDeviceCanAccessPeer)(int* can, int device, int peer) {
  *can = 0;
  return device == 0 && peer == 0 ? Error::Success : last_error() = Error::InvalidDevice;
}
/// The machine has one device only.
CUDA_FUNCTION(cudaDeviceEnablePeerAccess)(int, unsigned) { return last_error() = Error::InvalidDevice; }
CUDA_FUNCTION(cudaDeviceDisablePeerAccess)(int) { return last_error() = Error::InvalidDevice; }
CUDA_FUNCTION(cudaDeviceGetP2PAttribute)(int*, int attribute, int, int) {
  constexpr int kFirst = 1, kLast = 4;
  return last_error() = attribute < kFirst || attribute > kLast ? Error::InvalidValue : Error::InvalidDevice;
}
CUDA_FUNCTION(cudaSetValidDevices)(const int* devices, int count) {
  for (int i = 0; i < count; ++i)
    if (devices[i] != 0) return last_error() = Error::InvalidDevice;
  return count >= 0 ? Error::Success : last_error() = Error::InvalidValue;
}
extern "C" Error warptime_get_zero(int* value) {  // a preference that nobody has set
  *value = 0;
  return Error::Success;
}

CUDA_FUNCTION(cudaMemRangeGetAttribute)(void* data, size_t bytes, int attribute, const void* pointer, size_t count) {
  return call([&](Runtime& r) {
    enum : int { kReadMostly = 1, kLastOfOldest = 4, kNowhere = -2 };
    const HostBlock* block = r.host_block(pointer);
    if (block == nullptr || block->kind != HostBlock::Kind::Managed || count == 0 || bytes % sizeof(int) != 0 ||
        bytes == 0 || attribute < kReadMostly || attribute > kLastOfOldest)
      return Error::InvalidValue;
    for (size_t i = 0; i < bytes / sizeof(int); ++i)
      static_cast<int*>(data)[i] = attribute == kReadMostly ? 0 : kNowhere;
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaMemRangeGetAttributes)
(void** data, const size_t* bytes, const int* attributes, size_t number, const void* pointer, size_t count) {
  for (size_t i = 0; i < number; ++i)
    if (const Error error = warptime_cudaMemRangeGetAttribute(data[i], bytes[i], attributes[i], pointer, count);
        error != Error::Success)
      return error;
  return Error::Success;
}

CUDA_FUNCTION(cudaStreamGetAttribute)(void* stream, int id, AttributeValue* value) {
  return call([&](Runtime& r) {
    if (!is_of_streams(id)) return Error::InvalidValue;
    *value = attributes_of(r, stream)[id];
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaStreamSetAttribute)(void* stream, int id, const AttributeValue* value) {
  return call([&](Runtime& r) {
    if (!is_of_streams(id)) return Error::InvalidValue;
    attributes_of(r, stream)[id] = *value;
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaStreamCopyAttributes)(void* to, void* from) {
  return call([&](Runtime& r) {
    const std::map<int, AttributeValue> copied = attributes_of(r, from);
    attributes_of(r, to) = copied;
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaStreamGetId)(void* stream, unsigned long long* id) {
  return call([&](Runtime& r) {
    *id = r.stream_of(stream).id;
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaStreamGetDevice)(void* stream, int* device) {
  return call([&](Runtime& r) {
    r.stream_of(stream);
    *device = 0;
    return Error::Success;
  });
}

CUDA_FUNCTION(cudaFuncGetName)(const char** name, const void* function) {
  return call([&](Runtime& r) {
    *name = r.kernel_of(function).name.c_str();
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaFuncGetParamInfo)(const void* function, size_t index, size_t* offset, size_t* bytes) {
  return call([&](Runtime& r) {
    const ptx::Kernel& kernel = r.ptx_of(r.kernel_of(function));
    if (index >= kernel.parameters.size()) return Error::InvalidValue;
    const ptx::Symbol& parameter = kernel.symbols[kernel.parameters[index]];
    if (offset != nullptr) *offset = parameter.offset;
    if (bytes != nullptr) *bytes = parameter.size;
    return Error::Success;
  });
}
/// The most for each of so many blocks on an SM.
CUDA_FUNCTION(cudaOccupancyAvailableDynamicSMemPerBlock)
(size_t* bytes, const void* function, int blocks, int threads) {
  return call([&](Runtime& r) {
    if (blocks <= 0 || threads <= 0) return Error::InvalidValue;
    const ptx::Kernel& kernel = r.ptx_of(r.kernel_of(function));
    const sim::MachineConfig& machine = r.machine();
    const auto size = static_cast<uint32_t>(threads);
    const uint32_t registers = sim::registers_allocated(machine, kernel, size);
    auto fits = [&](uint32_t dynamic) {
      return sim::occupancy(machine, size, registers, sim::shared_bytes_per_block(machine, kernel, dynamic))
                 .blocks_per_sm >= static_cast<uint32_t>(blocks);
    };
    if (size > machine.sm.max_threads_per_block || !fits(0)) return Error::InvalidValue;
    uint32_t low = 0, high = machine.sm.shared.bytes + 1;  // fits, and does not
    while (high - low > 1) {
      const uint32_t middle = low + (high - low) / 2;
      (fits(middle) ? low : high) = middle;
    }
    *bytes = low;
    return Error::Success;
  });
}

}  // namespace warptime::cuda
