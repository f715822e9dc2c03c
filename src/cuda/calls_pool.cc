// Memory in the order of streams: cudaMallocAsync and memory pools. A pool keeps no memory that is free, so that what
// it has reserved is what is used. Left out: pools that other processes share.
#include <algorithm>

#include "cuda/graph.h"

namespace warptime::cuda {

namespace {

enum PoolAttribute : int {  // cudaMemPoolAttr
  kFollowEvents = 1,
  kOpportunistic = 2,
  kInternal = 3,
  kThreshold = 4,
  kReserved = 5,
  kReservedHigh = 6,
  kUsed = 7,
  kUsedHigh = 8
};
constexpr int kOnDevice = 1;  // cudaMemLocationTypeDevice

struct Location {  // cudaMemLocation
  int type, id;
};
struct PoolProperties {  // cudaMemPoolProps
  int allocation_type, handle_types;
  Location location;
};
struct Access {  // cudaMemAccessDesc
  Location location;
  int flags;
};

Error find_pool(void** pool, int device, MemoryPool& (*which)(Runtime&)) {
  if (device != 0) return last_error() = Error::InvalidDevice;
  return call([&](Runtime& r) {
    *pool = &which(r);
    return Error::Success;
  });
}
MemoryPool& default_pool(Runtime& r) {
  if (r.pools.empty()) r.pools.push_back(std::make_unique<MemoryPool>());
  return *r.pools.front();
}
MemoryPool& current_pool(Runtime& r) { return r.current_pool == nullptr ? default_pool(r) : *r.current_pool; }
MemoryPool& pool_of(Runtime& r, const void* handle) {
  for (const auto& pool : r.pools)
    if (pool.get() == handle) return *pool;
  throw CallError{Error::InvalidValue};
}

Error allocate_from(MemoryPool& (*which)(Runtime&, const void*), const void* pool, void** pointer, size_t bytes,
                    void* stream) {
  return call([&](Runtime& r) {
    if (pointer == nullptr) return Error::InvalidValue;
    *pointer = nullptr;
    MemoryPool& from = which(r, pool);
    if (r.captures.of(r, stream) != nullptr) return submit(r, stream, allocate_work(r, bytes, *pointer));
    r.stream_of(stream);
    *pointer = r.allocate(bytes, "cudaMallocAsync", false);
    if (bytes == 0) return Error::Success;
    r.pool_memory[*pointer] = {&from, bytes};
    from.used += bytes;
    from.most_used = std::max(from.most_used, from.used);
    return Error::Success;
  });
}

}  // namespace

CUDA_FUNCTION(cudaMallocAsync)(void** pointer, size_t bytes, void* stream) {
  return allocate_from([](Runtime& r, const void*) -> MemoryPool& { return current_pool(r); }, nullptr, pointer, bytes,
                       stream);
}
CUDA_FUNCTION(cudaMallocFromPoolAsync)(void** pointer, size_t bytes, void* pool, void* stream) {
  return allocate_from(pool_of, pool, pointer, bytes, stream);
}
/// Launches that use it have been executed, or are queued before it.
CUDA_FUNCTION(cudaFreeAsync)(void* pointer, void* stream) {
  return call([&](Runtime& r) {
    if (r.captures.of(r, stream) != nullptr) return submit(r, stream, free_work(r, pointer));
    r.device();
    r.stream_of(stream);
    r.free(pointer, false);
    return Error::Success;
  });
}

CUDA_FUNCTION(cudaDeviceGetDefaultMemPool)(void** pool, int device) { return find_pool(pool, device, default_pool); }
CUDA_FUNCTION(cudaDeviceGetMemPool)(void** pool, int device) { return find_pool(pool, device, current_pool); }
CUDA_FUNCTION(cudaDeviceSetMemPool)(int device, void* pool) {
  if (device != 0) return last_error() = Error::InvalidDevice;
  return call([&](Runtime& r) {
    r.current_pool = &pool_of(r, pool);
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaMemPoolCreate)(void** pool, const PoolProperties* properties) {
  return call([&](Runtime& r) {
    if (pool == nullptr || properties == nullptr || properties->location.type != kOnDevice) return Error::InvalidValue;
    if (properties->location.id != 0) return Error::InvalidDevice;
    if (properties->handle_types != 0) return Error::NotSupported;
    default_pool(r);
    r.pools.push_back(std::make_unique<MemoryPool>());
    *pool = r.pools.back().get();
    return Error::Success;
  });
}
/// What is allocated from it stays until it is freed.
CUDA_FUNCTION(cudaMemPoolDestroy)(void* pool) {
  return call([&](Runtime& r) {
    MemoryPool& gone = pool_of(r, pool);
    if (&gone == &default_pool(r)) return Error::InvalidValue;
    std::erase_if(r.pool_memory, [&](const auto& entry) { return entry.second.pool == &gone; });
    if (r.current_pool == &gone) r.current_pool = nullptr;
    std::erase_if(r.pools, [&](const auto& one) { return one.get() == &gone; });
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaMemPoolTrimTo)(void* pool, size_t) {
  return call([&](Runtime& r) {
    pool_of(r, pool);
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaMemPoolGetAttribute)(void* pool, int attribute, void* value) {
  return call([&](Runtime& r) {
    const MemoryPool& of = pool_of(r, pool);
    auto* wide = static_cast<uint64_t*>(value);
    switch (attribute) {
      case kFollowEvents:
      case kOpportunistic:
      case kInternal: *static_cast<int*>(value) = of.reuse[attribute - 1]; break;
      case kThreshold: *wide = of.threshold; break;
      case kReserved:
      case kUsed: *wide = of.used; break;
      case kReservedHigh:
      case kUsedHigh: *wide = of.most_used; break;
      default: return Error::InvalidValue;
    }
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaMemPoolSetAttribute)(void* pool, int attribute, const void* value) {
  return call([&](Runtime& r) {
    MemoryPool& of = pool_of(r, pool);
    const auto* wide = static_cast<const uint64_t*>(value);
    switch (attribute) {
      case kFollowEvents:
      case kOpportunistic:
      case kInternal: of.reuse[attribute - 1] = *static_cast<const int*>(value); break;
      case kThreshold: of.threshold = *wide; break;
      case kReservedHigh:
      case kUsedHigh:
        if (*wide != 0) return Error::InvalidValue;
        of.most_used = of.used;
        break;
      default: return Error::InvalidValue;
    }
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaMemPoolSetAccess)(void* pool, const Access* accesses, size_t count) {
  return call([&](Runtime& r) {
    constexpr int kReadWrite = 3;
    pool_of(r, pool);
    for (size_t i = 0; i < count; ++i) {
      if (accesses[i].location.type != kOnDevice || accesses[i].location.id != 0) return Error::InvalidDevice;
      if (accesses[i].flags != kReadWrite) return Error::InvalidValue;  // its own device always has access
    }
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaMemPoolGetAccess)(int* flags, void* pool, const Location* location) {
  return call([&](Runtime& r) {
    constexpr int kReadWrite = 3;
    pool_of(r, pool);
    *flags = location->type == kOnDevice && location->id == 0 ? kReadWrite : 0;
    return Error::Success;
  });
}

CUDA_FUNCTION(cudaDeviceGetGraphMemAttribute)(int device, int attribute, uint64_t* value) {
  if (device != 0) return last_error() = Error::InvalidDevice;
  return call([&](Runtime& r) {
    constexpr int kLast = 3;
    if (attribute < 0 || attribute > kLast) return Error::InvalidValue;
    *value = 0;
    for (const void* pointer : r.graph_memory)
      if (const auto buffer = r.device().allocation_at(address_of(pointer))) *value += buffer->bytes;
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaDeviceSetGraphMemAttribute)(int device, int attribute, const uint64_t* value) {
  if (device != 0) return last_error() = Error::InvalidDevice;
  constexpr int kUsedHighOfGraphs = 1, kReservedHighOfGraphs = 3;
  const bool known = attribute == kUsedHighOfGraphs || attribute == kReservedHighOfGraphs;
  return known && *value == 0 ? Error::Success : last_error() = Error::InvalidValue;
}
CUDA_FUNCTION(cudaDeviceGraphMemTrim)(int device) {
  return device == 0 ? Error::Success : last_error() = Error::InvalidDevice;
}

}  // namespace warptime::cuda
