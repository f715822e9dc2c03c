// What features_program.cc is made of: the runtime's functions and structs by their binary interface, its device code
// in a fat binary, and their registration before main().
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

struct dim3 {
  unsigned x, y, z;
};
struct Format {
  int x, y, z, w, kind;
};
struct Extent {
  size_t width, height, depth;
};
struct Pitched {
  void* pointer;
  size_t pitch, width, height;
};
struct Copy3D {
  void* from_array;
  size_t from_at[3];
  Pitched from;
  void* to_array;
  size_t to_at[3];
  Pitched to;
  Extent extent;
  int kind;
};
struct Resource {
  int kind;
  void* pointer;
  Format format;
  size_t width, height, pitch;
};
struct Modes {
  int address[3], filter, read, srgb;
  float border[4];
  int normalized;
  unsigned rest[7];
};
struct Reference {
  int normalized, filter, address[3];
  Format format;
  int rest[21];
};
struct KernelNode {
  const void* function;
  dim3 grid, block;
  unsigned shared;
  void **arguments, **extra;
};
struct FillNode {
  void* to;
  size_t pitch;
  unsigned value, element_bytes;
  size_t width, height;
};
struct HostNode {
  void (*function)(void*);
  void* data;
};

extern "C" {
void** __cudaRegisterFatBinary(const void* wrapper);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*);
void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int);
void __cudaRegisterTexture(void**, const Reference*, const void**, const char*, int, int, int);
int cudaBindTexture2D(size_t*, const Reference*, const void*, const Format*, size_t, size_t, size_t);
asm(".symver __cudaRegisterTexture, __cudaRegisterTexture@libcudart.so.12");
asm(".symver cudaBindTexture2D, cudaBindTexture2D@libcudart.so.12");
int cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared, void* stream);
int cudaLaunchCooperativeKernel(const void*, dim3, dim3, void** arguments, size_t shared, void* stream);
int cudaMalloc(void** pointer, size_t bytes);
int cudaMallocAsync(void** pointer, size_t bytes, void* stream);
int cudaFreeAsync(void* pointer, void* stream);
int cudaFree(void* pointer);
int cudaMemcpy(void* to, const void* from, size_t bytes, int kind);
int cudaMemcpyAsync(void* to, const void* from, size_t bytes, int kind, void* stream);
int cudaMemsetAsync(void* to, int value, size_t bytes, void* stream);
int cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset, int kind);
int cudaMemcpy3D(const Copy3D*);
int cudaMemcpyPeer(void*, int, const void*, int, size_t);
int cudaMemset3D(Pitched, int, Extent);
int cudaMalloc3D(Pitched*, Extent);
int cudaMallocPitch(void**, size_t*, size_t, size_t);
int cudaMemcpy2D(void* to, size_t, const void* from, size_t, size_t width, size_t height, int kind);
int cudaMallocArray(void**, const Format*, size_t, size_t, unsigned);
int cudaMalloc3DArray(void**, const Format*, Extent, unsigned);
int cudaFreeArray(void*);
int cudaMemcpy2DToArray(void*, size_t, size_t, const void*, size_t, size_t, size_t, int);
int cudaMemcpy2DFromArray(void*, size_t, const void*, size_t, size_t, size_t, size_t, int);
Format cudaCreateChannelDesc(int, int, int, int, int);
int cudaCreateTextureObject(unsigned long long*, const Resource*, const Modes*, const void* view);
int cudaDestroyTextureObject(unsigned long long);
int cudaCreateSurfaceObject(unsigned long long*, const Resource*);
int cudaGetSymbolAddress(void**, const void*);
int cudaDeviceSynchronize();
int cudaStreamCreate(void** stream);
int cudaStreamSynchronize(void* stream);
int cudaStreamWaitEvent(void* stream, void* event, unsigned);
int cudaStreamBeginCapture(void* stream, int mode);
int cudaStreamEndCapture(void* stream, void** graph);
int cudaStreamIsCapturing(void* stream, int* status);
int cudaLaunchHostFunc(void* stream, void (*)(void*), void*);
int cudaEventCreate(void** event);
int cudaEventRecord(void* event, void* stream);
int cudaEventQuery(void* event);
int cudaGraphCreate(void** graph, unsigned flags);
int cudaGraphDestroy(void*);
int cudaGraphAddKernelNode(void**, void*, void* const*, size_t, const KernelNode*);
int cudaGraphAddMemsetNode(void**, void*, void* const*, size_t, const FillNode*);
int cudaGraphAddHostNode(void**, void*, void* const*, size_t, const HostNode*);
int cudaGraphAddMemcpyNode1D(void**, void*, void* const*, size_t, void*, const void*, size_t, int);
int cudaGraphAddChildGraphNode(void**, void*, void* const*, size_t, void*);
int cudaGraphAddDependencies(void*, void* const*, void* const*, const void*, size_t);
int cudaGraphGetNodes(void*, void**, size_t*);
int cudaGraphInstantiate(void**, void*, unsigned long long);
int cudaGraphLaunch(void*, void*);
int cudaGraphExecKernelNodeSetParams(void*, void*, const KernelNode*);
int cudaGraphExecUpdate(void*, void*, void*);
int cudaGraphExecDestroy(void*);
int cudaDeviceGetDefaultMemPool(void**, int);
int cudaMemPoolGetAttribute(void*, int, void*);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int*, const void*, int, size_t);
int cudaDeviceGetAttribute(int*, int, int);
int cudaDeviceGetP2PAttribute(int*, int, int, int);
int cudaIpcGetMemHandle(void*, void*);
int cudaFuncGetName(const char**, const void*);
int cudaGetLastError();
const char* cudaGetErrorName(int error);
}

namespace {

constexpr const char kPtx[] = R"(.version 8.0
.target sm_50
.address_size 64
.const .align 4 .f32 gain[2];
.global .texref reference;
.visible .entry scale(.param .u64 p, .param .u32 n, .param .f32 f) {
  .reg .u32 %r<6>; .reg .u64 %rd<4>; .reg .f32 %f<5>; .reg .pred %p;
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r4, %r2, %r3, %r1;
  ld.param.u32 %r5, [n]; setp.ge.u32 %p, %r4, %r5; @%p ret;
  ld.param.u64 %rd1, [p]; mul.wide.u32 %rd2, %r4, 4; add.u64 %rd3, %rd1, %rd2;
  ld.global.f32 %f1, [%rd3]; ld.param.f32 %f2, [f]; ld.const.f32 %f3, [gain+4];
  fma.rn.f32 %f4, %f1, %f2, %f3; st.global.f32 [%rd3], %f4;
  ret;
}
.visible .entry plane(.param .u64 t, .param .u64 x, .param .u64 y, .param .u64 out) {
  .reg .u32 %r1; .reg .u64 %rd<9>; .reg .f32 %f<9>;
  mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4;
  ld.param.u64 %rd2, [x]; add.u64 %rd2, %rd2, %rd1; ld.global.f32 %f1, [%rd2];
  ld.param.u64 %rd3, [y]; add.u64 %rd3, %rd3, %rd1; ld.global.f32 %f2, [%rd3];
  ld.param.u64 %rd4, [t];
  tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd4, {%f1, %f2}];
  ld.param.u64 %rd5, [out]; shl.b64 %rd6, %rd1, 2; add.u64 %rd5, %rd5, %rd6;
  st.global.v4.f32 [%rd5], {%f3, %f4, %f5, %f6};
  ret;
}
.visible .entry by_reference(.param .u64 out) {
  .reg .u32 %r1; .reg .u64 %rd<4>; .reg .f32 %f<9>;
  mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; cvt.rn.f32.u32 %f1, %r1; mov.f32 %f2, 0f3F800000;
  tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [reference, {%f1, %f2}];
  ld.param.u64 %rd2, [out]; add.u64 %rd3, %rd2, %rd1; st.global.f32 [%rd3], %f3;
  ret;
}
.visible .entry line(.param .u64 t, .param .u64 out) {
  .reg .b32 %r<7>; .reg .u64 %rd<4>;
  mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; sub.s32 %r2, %r1, 2; ld.param.u64 %rd2, [t];
  tex.1d.v4.s32.s32 {%r3, %r4, %r5, %r6}, [%rd2, {%r2}];
  ld.param.u64 %rd3, [out]; add.u64 %rd3, %rd3, %rd1; st.global.b32 [%rd3], %r3;
  ret;
}
.visible .entry box(.param .u64 t, .param .u64 out) {
  .reg .u32 %r<9>; .reg .u64 %rd<4>; .reg .f32 %f<9>;
  mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; ld.param.u64 %rd2, [t];
  and.b32 %r2, %r1, 3; shr.u32 %r3, %r1, 2; and.b32 %r4, %r3, 1; shr.u32 %r5, %r1, 3;
  cvt.rn.f32.u32 %f1, %r2; cvt.rn.f32.u32 %f2, %r4; cvt.rn.f32.u32 %f3, %r5;
  tex.3d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd2, {%f1, %f2, %f3, %f3}];
  ld.param.u64 %rd3, [out]; add.u64 %rd3, %rd3, %rd1; st.global.f32 [%rd3], %f4;
  ret;
}
// Each block adds 1 to a sum, waits for the grid, and writes the sum it then sees.
.visible .entry together(.param .u64 sum, .param .u64 out) {
  .reg .b32 %r<20>; .reg .b64 %rd<9>; .reg .pred %p<5>;
  mov.u32 %r1, %envreg2; mov.u32 %r2, %envreg1; cvt.u64.u32 %rd1, %r1; cvt.u64.u32 %rd2, %r2;
  bfi.b64 %rd1, %rd2, %rd1, 32, 32;
  setp.ne.s64 %p1, %rd1, 0; @%p1 bra GOOD;
  trap;
GOOD:
  mov.u32 %r3, %tid.x; setp.ne.u32 %p2, %r3, 0; mov.u32 %r4, %ctaid.x; mov.u32 %r5, %nctaid.x;
  @%p2 bra JOIN;
  ld.param.u64 %rd3, [sum]; atom.global.add.u32 %r6, [%rd3], 1;
  membar.gl;
  sub.u32 %r7, -2147483647, %r5; setp.eq.u32 %p3, %r4, 0; selp.b32 %r8, %r7, 1, %p3;
  atom.global.add.u32 %r9, [%rd1+4], %r8;
WAIT:
  ld.volatile.global.u32 %r10, [%rd1+4]; xor.b32 %r11, %r10, %r9; setp.ge.s32 %p4, %r11, 0; @%p4 bra WAIT;
JOIN:
  bar.sync 0;
  ld.param.u64 %rd3, [sum]; ld.volatile.global.u32 %r12, [%rd3];
  ld.param.u64 %rd4, [out]; mul.wide.u32 %rd5, %r4, 4; add.u64 %rd6, %rd4, %rd5; st.global.u32 [%rd6], %r12;
  ret;
}
// A barrier of the whole grid made by hand: all blocks have to be there.
.visible .entry by_hand(.param .u64 sum) {
  .reg .b32 %r<5>; .reg .b64 %rd<3>; .reg .pred %p<3>;
  mov.u32 %r1, %nctaid.x; ld.param.u64 %rd1, [sum]; atom.global.add.u32 %r2, [%rd1], 1;
AGAIN:
  ld.volatile.global.u32 %r3, [%rd1]; setp.lt.u32 %p1, %r3, %r1; @%p1 bra AGAIN;
  ret;
}
)";

#pragma pack(push, 1)
struct Container {
  uint32_t magic = 0xba55ed50;
  uint16_t version = 1, header_bytes = 16;
  uint64_t bytes = 64 + sizeof kPtx;
  uint16_t kind = 1, entry_version = 0x101;
  uint32_t entry_header = 64;
  uint64_t data_bytes = sizeof kPtx;
  uint32_t packed_bytes = 0, options = 0;
  uint16_t minor = 0, major = 8;
  uint32_t capability = 50;
  uint64_t name = 0, flags = 0x11, zero = 0, unpacked = 0;
  char ptx[sizeof kPtx];
} container;
#pragma pack(pop)
struct {
  uint32_t magic = 0x466243b1, version = 1;
  const void* data = &container;
  const void* file = nullptr;
} wrapper;

char scale, plane, by_reference, line, box, together, by_hand, gain;
Reference reference{};

__attribute__((constructor)) void register_all() {
  std::memcpy(container.ptx, kPtx, sizeof kPtx);
  void** handle = __cudaRegisterFatBinary(&wrapper);
  const std::pair<char*, const char*> kernels[] = {
      {&scale, "scale"},       {&plane, "plane"},    {&by_reference, "by_reference"}, {&line, "line"}, {&box, "box"},
      {&together, "together"}, {&by_hand, "by_hand"}};
  for (auto [stub, name] : kernels)
    __cudaRegisterFunction(handle, stub, stub, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  __cudaRegisterVar(handle, &gain, &gain, "gain", 0, 8, 1, 0);
  __cudaRegisterTexture(handle, &reference, nullptr, "reference", 2, 0, 0);
}

}  // namespace
