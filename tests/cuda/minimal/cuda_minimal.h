// What the host side of a CUDA program needs when g++ compiles it: the names of CUDA C++ and the runtime's
// declarations, as far as tests/cuda/programs/ use them. build_programs.py has taken the bodies of device functions
// away and written kernel<<<...>>>(...) as cuda_minimal::call(kernel, ...)(...). Values follow the CUDA Runtime API
// manual.
#pragma once
#include <cstddef>
#include <cstdint>

#include "cuda/abi.h"
#include "cuda/errors.h"

#define __grid_constant__
#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __align__(n) alignas(n)
#define CUDART_CB
#define CUDART_VERSION 13000
#define cudaCpuDeviceId (-1)

struct int2 {
  int x, y;
};
struct int4 {
  int x, y, z, w;
};
struct uint2 {
  unsigned x, y;
};
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(16) double2 {
  double x, y;
};
struct uchar4 {
  unsigned char x, y, z, w;
};
inline float2 make_float2(float x, float y) { return {x, y}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline int2 make_int2(int x, int y) { return {x, y}; }
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

enum cudaError_t : int {
#define X(number, name, text) cudaError##name = number,
  CUDA_ERRORS(X)
#undef X
      cudaSuccess = 0
};
enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};
enum cudaMemoryType { cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged };
enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1,
  cudaDevAttrMaxBlockDimX = 2,
  cudaDevAttrMaxGridDimX = 5,
  cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrTotalConstantMemory = 9,
  cudaDevAttrWarpSize = 10,
  cudaDevAttrMaxRegistersPerBlock = 12,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrMaxThreadsPerMultiProcessor = 39,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrCooperativeLaunch = 95
};
enum cudaLimit { cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
enum cudaFuncCache { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1 };
enum {
  cudaHostAllocDefault = 0,
  cudaHostAllocMapped = 2,
  cudaHostAllocWriteCombined = 4,
  cudaHostRegisterDefault = 0,
  cudaMemAttachGlobal = 1,
  cudaDeviceMapHost = 8,
  cudaStreamDefault = 0,
  cudaStreamNonBlocking = 1,
  cudaEventDefault = 0,
  cudaEventDisableTiming = 2
};
enum cudaDriverEntryPointQueryResult { cudaDriverEntryPointSuccess = 0 };
enum { cudaEnableDefault = 0 };
typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
typedef void (*cudaHostFn_t)(void*);
typedef void (*cudaStreamCallback_t)(cudaStream_t, cudaError_t, void*);
struct cudaDeviceProp : warptime::cuda::Properties13 {};
struct cudaFuncAttributes {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes,
      preferredShmemCarveout;
  int newer[22];
};
struct cudaPointerAttributes {
  cudaMemoryType type;
  int device;
  void* devicePointer;
  void* hostPointer;
  long reserved[8];
};

// Graphs, textures and pools.
typedef struct CUgraph_st* cudaGraph_t;
typedef struct CUgraphExec_st* cudaGraphExec_t;
typedef struct CUgraphNode_st* cudaGraphNode_t;
typedef struct CUmemPoolHandle_st* cudaMemPool_t;
typedef struct cudaArray* cudaArray_t;
typedef struct cudaMipmappedArray* cudaMipmappedArray_t;
struct cudaExtent {
  size_t width, height, depth;
};
typedef unsigned long long cudaTextureObject_t;
enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal,
  cudaStreamCaptureModeThreadLocal,
  cudaStreamCaptureModeRelaxed
};
struct cudaKernelNodeParams {
  void* func;
  dim3 gridDim, blockDim;
  unsigned sharedMemBytes;
  void** kernelParams;
  void** extra;
};
struct cudaHostNodeParams {
  cudaHostFn_t fn;
  void* userData;
};
enum cudaResourceType {
  cudaResourceTypeArray,
  cudaResourceTypeMipmappedArray,
  cudaResourceTypeLinear,
  cudaResourceTypePitch2D
};
enum cudaChannelFormatKind { cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned, cudaChannelFormatKindFloat };
enum cudaTextureAddressMode { cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder };
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
struct cudaChannelFormatDesc {
  int x, y, z, w;
  cudaChannelFormatKind f;
};
struct cudaResourceDesc {
  cudaResourceType resType;
  union {
    struct {
      cudaArray_t array;
    } array;
    struct {
      cudaMipmappedArray_t mipmap;
    } mipmap;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      size_t sizeInBytes;
    } linear;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      size_t width, height, pitchInBytes;
    } pitch2D;
    int reserved[32];
  } res;
  unsigned flags;
};
struct cudaTextureDesc {
  cudaTextureAddressMode addressMode[3];
  cudaTextureFilterMode filterMode;
  cudaTextureReadMode readMode;
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned maxAnisotropy;
  cudaTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  int disableTrilinearOptimization, seamlessCubemap;
};
enum cudaMemAllocationType { cudaMemAllocationTypePinned = 1 };
enum cudaMemLocationType { cudaMemLocationTypeDevice = 1, cudaMemLocationTypeHost = 2 };
struct cudaMemLocation {
  cudaMemLocationType type;
  int id;
};
enum cudaMemoryAdvise { cudaMemAdviseSetReadMostly = 1 };
enum cudaMemPoolAttr { cudaMemPoolAttrReleaseThreshold = 4, cudaMemPoolAttrUsedMemCurrent = 7 };
struct cudaMemPoolProps {
  cudaMemAllocationType allocType;
  int handleTypes;
  cudaMemLocation location;
  void* win32SecurityAttributes;
  size_t maxSize;
  unsigned short usage;
  unsigned char reserved[54];
};

// With --default-stream per-thread some functions have other names.
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define PTDS(name) asm(#name "_ptds")
#define PTSZ(name) asm(#name "_ptsz")
#else
#define PTDS(name)
#define PTSZ(name)
#endif

extern "C" {
cudaError_t __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream);
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream);
cudaError_t __cudaGetKernel(void** kernel, const void* function);
cudaError_t __cudaLaunchKernel(void* kernel, dim3, dim3, void** arguments, size_t shared, cudaStream_t)
    PTSZ(__cudaLaunchKernel);
cudaError_t cudaLaunchKernel(const void* kernel, dim3, dim3, void** arguments, size_t shared, cudaStream_t)
    PTSZ(cudaLaunchKernel);
cudaError_t cudaLaunchCooperativeKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t)
    PTSZ(cudaLaunchCooperativeKernel);
cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned version,
                                             unsigned long long flags, cudaDriverEntryPointQueryResult*)
    PTSZ(cudaGetDriverEntryPointByVersion);
cudaError_t cudaMalloc(void** pointer, size_t bytes);
cudaError_t cudaMallocHost(void** pointer, size_t bytes);
cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height);
cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned flags = cudaMemAttachGlobal);
cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t) PTSZ(cudaMallocAsync);
cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned flags);
cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void* pointer);
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags);
cudaError_t cudaHostGetFlags(unsigned* flags, void* host);
cudaError_t cudaFree(void* pointer);
cudaError_t cudaFreeHost(void* pointer);
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t) PTSZ(cudaFreeAsync);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes*, const void* pointer);
cudaError_t cudaMemGetInfo(size_t* available, size_t* total);
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) PTDS(cudaMemcpy);
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind, cudaStream_t = nullptr)
    PTSZ(cudaMemcpyAsync);
cudaError_t cudaMemcpy2D(void*, size_t, const void*, size_t, size_t width, size_t height, cudaMemcpyKind)
    PTDS(cudaMemcpy2D);
cudaError_t cudaMemcpy2DAsync(void*, size_t, const void*, size_t, size_t, size_t, cudaMemcpyKind,
                              cudaStream_t = nullptr) PTSZ(cudaMemcpy2DAsync);
cudaError_t cudaMemset(void* to, int value, size_t bytes) PTDS(cudaMemset);
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t = nullptr) PTSZ(cudaMemsetAsync);
cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) PTDS(cudaMemset2D);
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char* cudaGetErrorName(cudaError_t);
const char* cudaGetErrorString(cudaError_t);
cudaError_t cudaGetDeviceCount(int*);
cudaError_t cudaGetDevice(int*);
cudaError_t cudaSetDevice(int);
cudaError_t cudaSetDeviceFlags(unsigned);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp*, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int device);
cudaError_t cudaDeviceGetLimit(size_t*, cudaLimit);
cudaError_t cudaDeviceSetLimit(cudaLimit, size_t);
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceReset();
cudaError_t cudaDriverGetVersion(int*);
cudaError_t cudaRuntimeGetVersion(int*);
cudaError_t cudaStreamCreate(cudaStream_t*);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t*, unsigned flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t*, unsigned flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t) PTSZ(cudaStreamSynchronize);
cudaError_t cudaStreamQuery(cudaStream_t) PTSZ(cudaStreamQuery);
cudaError_t cudaStreamGetPriority(cudaStream_t, int*) PTSZ(cudaStreamGetPriority);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned flags = 0) PTSZ(cudaStreamWaitEvent);
cudaError_t cudaStreamAddCallback(cudaStream_t, cudaStreamCallback_t, void*, unsigned) PTSZ(cudaStreamAddCallback);
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t, void*) PTSZ(cudaLaunchHostFunc);
cudaError_t cudaEventCreate(cudaEvent_t*);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t*, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = nullptr) PTSZ(cudaEventRecord);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventQuery(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float*, cudaEvent_t, cudaEvent_t);
char __cudaInitModule(void** handle);
cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) PTSZ(cudaStreamBeginCapture);
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t*) PTSZ(cudaStreamEndCapture);
cudaError_t cudaMemPrefetchAsync(const void*, size_t, cudaMemLocation, unsigned flags, cudaStream_t = nullptr)
    PTSZ(cudaMemPrefetchAsync);
cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, cudaMemLocation);
cudaError_t cudaGraphCreate(cudaGraph_t*, unsigned flags);
cudaError_t cudaGraphDestroy(cudaGraph_t);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t*, cudaGraph_t, unsigned long long flags = 0);
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t) PTSZ(cudaGraphLaunch);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t);
cudaError_t cudaGraphGetNodes(cudaGraph_t, cudaGraphNode_t*, size_t*);
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*, size_t,
                                   const cudaKernelNodeParams*);
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*, size_t,
                                 const cudaHostNodeParams*);
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*, size_t, void* to,
                                     const void* from, size_t bytes, cudaMemcpyKind);
cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t*, const cudaResourceDesc*, const cudaTextureDesc*,
                                    const void* view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t);
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t*, const cudaChannelFormatDesc*, cudaExtent, unsigned levels,
                                     unsigned flags = 0);
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t);
cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t*, cudaMipmappedArray_t, unsigned level);
cudaError_t cudaMemcpy2DToArray(cudaArray_t, size_t x, size_t y, const void*, size_t pitch, size_t width, size_t height,
                                cudaMemcpyKind) PTDS(cudaMemcpy2DToArray);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t*, int device);
cudaError_t cudaMemPoolCreate(cudaMemPool_t*, const cudaMemPoolProps*);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*);
cudaError_t cudaMallocFromPoolAsync(void**, size_t, cudaMemPool_t, cudaStream_t) PTSZ(cudaMallocFromPoolAsync);
}

/// Functions that name a kernel or a variable by itself, not by its address.
namespace cuda_minimal {
extern "C" {
cudaError_t cudaMemcpyToSymbol(const void*, const void*, size_t, size_t, cudaMemcpyKind) PTDS(cudaMemcpyToSymbol);
cudaError_t cudaMemcpyFromSymbol(void*, const void*, size_t, size_t, cudaMemcpyKind) PTDS(cudaMemcpyFromSymbol);
cudaError_t cudaMemcpyToSymbolAsync(const void*, const void*, size_t, size_t, cudaMemcpyKind, cudaStream_t)
    PTSZ(cudaMemcpyToSymbolAsync);
cudaError_t cudaMemcpyFromSymbolAsync(void*, const void*, size_t, size_t, cudaMemcpyKind, cudaStream_t)
    PTSZ(cudaMemcpyFromSymbolAsync);
cudaError_t cudaGetSymbolAddress(void**, const void*);
cudaError_t cudaGetSymbolSize(size_t*, const void*);
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes*, const void*);
cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int);
cudaError_t cudaFuncSetCacheConfig(const void*, cudaFuncCache);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int*, const void*, int threads, size_t shared);
}

/// What kernel<<<grid, block, shared, stream>>> becomes; calling it launches, by the way of nvcc's own stubs.
template <class... P>
struct Call {
  void (*kernel)(P...);
  cudaError_t configured;
  void operator()(P... values) const {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    void* id;
    if (configured != cudaSuccess || __cudaPopCallConfiguration(&grid, &block, &shared, &stream) != cudaSuccess) return;
    void* arguments[sizeof...(P) + 1] = {(void*)&values...};
    __cudaGetKernel(&id, (const void*)kernel);
    __cudaLaunchKernel(id, grid, block, arguments, shared, stream);
  }
};
template <class... P>
Call<P...> call(void (*kernel)(P...), dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = nullptr) {
  return {kernel, __cudaPushCallConfiguration(grid, block, shared, stream)};
}
/// A __managed__ variable: the runtime writes its address.
inline void** module_of_managed;
template <class T>
T& managed(void*& address) {
  __cudaInitModule(module_of_managed);
  return *(T*)address;
}
}  // namespace cuda_minimal

template <class T>
cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return cuda_minimal::cudaMemcpyToSymbol(&symbol, from, bytes, offset, kind);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return cuda_minimal::cudaMemcpyFromSymbol(to, &symbol, bytes, offset, kind);
}
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                    cudaStream_t stream = nullptr) {
  return cuda_minimal::cudaMemcpyToSymbolAsync(&symbol, from, bytes, offset, kind, stream);
}
template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream = nullptr) {
  return cuda_minimal::cudaMemcpyFromSymbolAsync(to, &symbol, bytes, offset, kind, stream);
}
template <class T>
cudaError_t cudaGetSymbolAddress(void** address, const T& symbol) {
  return cuda_minimal::cudaGetSymbolAddress(address, &symbol);
}
template <class T>
cudaError_t cudaGetSymbolSize(size_t* bytes, const T& symbol) {
  return cuda_minimal::cudaGetSymbolSize(bytes, &symbol);
}
template <class T>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, T* kernel) {
  return cuda_minimal::cudaFuncGetAttributes(attributes, (const void*)kernel);
}
template <class T>
cudaError_t cudaFuncSetAttribute(T* kernel, cudaFuncAttribute attribute, int value) {
  return cuda_minimal::cudaFuncSetAttribute((const void*)kernel, attribute, value);
}
template <class T>
cudaError_t cudaFuncSetCacheConfig(T* kernel, cudaFuncCache config) {
  return cuda_minimal::cudaFuncSetCacheConfig((const void*)kernel, config);
}
template <class T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, T* kernel, int threads, size_t shared) {
  return cuda_minimal::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void*)kernel, threads, shared);
}
/// The block with the most threads at once on an SM, of whole warps.
template <class T>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, T* kernel, size_t shared = 0, int limit = 0) {
  cudaDeviceProp device;
  int most = 0;
  *grid = *block = 0;
  if (cudaError_t error = cudaGetDeviceProperties(&device, 0)) return error;
  for (int threads = limit > 0 ? limit : device.maxThreadsPerBlock; threads > 0; threads -= device.warpSize) {
    int blocks = 0;
    if (cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared))
      return error;
    if (blocks * threads <= most) continue;
    most = blocks * threads, *block = threads, *grid = blocks * device.multiProcessorCount;
  }
  return cudaSuccess;
}
