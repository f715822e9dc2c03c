// A program of the CUDA driver API made by hand, linked with libcuda.so.1 as any is.
#include <cstdint>
#include <cstdio>
#include <cstring>

extern "C" {
int cuInit(unsigned);
int cuDeviceGetCount(int*);
int cuDevicePrimaryCtxRetain(void**, int);
int cuCtxSetCurrent(void*);
int cuCtxGetDevice_v2(int*, void*);
int cuCtxSynchronize_v2(void*);
int cuModuleLoadData(void**, const void*);
int cuModuleLoadDataEx(void**, const void*, unsigned, const int*, void**);
int cuModuleUnload(void*);
int cuModuleGetFunction(void**, void*, const char*);
int cuModuleGetGlobal_v2(uint64_t*, size_t*, void*, const char*);
int cuLinkCreate_v2(unsigned, int*, void**, void**);
int cuLinkAddData_v2(void*, int, const void*, size_t, const char*, unsigned, int*, void**);
int cuLinkComplete(void*, void**, size_t*);
int cuLinkDestroy(void*);
int cuMemAlloc_v2(uint64_t*, size_t);
int cuMemFree_v2(uint64_t);
int cuMemcpyHtoD_v2(uint64_t, const void*, size_t);
int cuMemcpyDtoH_v2(void*, uint64_t, size_t);
int cuMemsetD16_v2(uint64_t, unsigned short, size_t);
int cuMemAddressReserve(uint64_t*, size_t, size_t, uint64_t, unsigned long long);
int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
int cuStreamSynchronize(void*);
int cuMipmappedArrayCreate(void**, const void* shape, unsigned levels);
int cuMipmappedArrayGetLevel(void**, void*, unsigned);
int cuMipmappedArrayDestroy(void*);
int cuArrayDestroy(void*);
int cuArray3DGetDescriptor_v2(void* shape, void*);
int cuTexObjectCreate(uint64_t*, const void* resource, const void* texture, const void* view);
int cuGetErrorName(int, const char**);
int cuGetErrorString(int, const char**);
int cuGetProcAddress_v2(const char*, void**, int, uint64_t, int*);
}

namespace {

constexpr const char kPtx[] = R"(.version 8.0
.target sm_50
.address_size 64
.visible .global .align 4 .u32 total[2] = {0, 5};
.visible .entry add(.param .u64 p, .param .u32 by) {
  .reg .u32 %r<5>; .reg .u64 %rd<4>;
  mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; ld.param.u64 %rd2, [p]; add.u64 %rd3, %rd2, %rd1;
  ld.global.u32 %r2, [%rd3]; ld.param.u32 %r3, [by]; add.u32 %r4, %r2, %r3; st.global.u32 [%rd3], %r4;
  ret;
}
.visible .entry levels(.param .u64 p, .param .u64 texture) {
  .reg .u32 %r<4>; .reg .u64 %rd<3>;
  ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [texture]; txq.num_mipmap_levels.b32 %r1, [%rd2];
  txq.level.width.b32 %r2, [%rd2], 1; mad.lo.u32 %r3, %r1, 100, %r2; st.global.u32 [%rd1], %r3;
  ret;
}
.visible .global .align 16 .u32 data[4];
.visible .entry forty_registers() {
  .reg .u32 %v<40>;
  ld.global.v4.u32 {%v0, %v1, %v2, %v3}, [data]; ld.global.v4.u32 {%v4, %v5, %v6, %v7}, [data];
  ld.global.v4.u32 {%v8, %v9, %v10, %v11}, [data]; ld.global.v4.u32 {%v12, %v13, %v14, %v15}, [data];
  ld.global.v4.u32 {%v16, %v17, %v18, %v19}, [data]; ld.global.v4.u32 {%v20, %v21, %v22, %v23}, [data];
  ld.global.v4.u32 {%v24, %v25, %v26, %v27}, [data]; ld.global.v4.u32 {%v28, %v29, %v30, %v31}, [data];
  ld.global.v4.u32 {%v32, %v33, %v34, %v35}, [data]; ld.global.v4.u32 {%v36, %v37, %v38, %v39}, [data];
  st.global.v4.u32 [data], {%v0, %v1, %v2, %v3}; st.global.v4.u32 [data], {%v4, %v5, %v6, %v7};
  st.global.v4.u32 [data], {%v8, %v9, %v10, %v11}; st.global.v4.u32 [data], {%v12, %v13, %v14, %v15};
  st.global.v4.u32 [data], {%v16, %v17, %v18, %v19}; st.global.v4.u32 [data], {%v20, %v21, %v22, %v23};
  st.global.v4.u32 [data], {%v24, %v25, %v26, %v27}; st.global.v4.u32 [data], {%v28, %v29, %v30, %v31};
  st.global.v4.u32 [data], {%v32, %v33, %v34, %v35}; st.global.v4.u32 [data], {%v36, %v37, %v38, %v39};
  ret;
}
)";

struct Shape {  // CUDA_ARRAY3D_DESCRIPTOR
  size_t width, height, depth;
  int format;
  unsigned channels, flags;
};
struct MipmappedResource {  // CUDA_RESOURCE_DESC
  int kind;
  void* array;
  int rest[34];
};
struct TextureModes {  // CUDA_TEXTURE_DESC
  int address[3], filter;
  unsigned flags, anisotropy;
  int mipmap_filter;
  float bias, first, last, border[4];
  int rest[12];
};

/// A mipmapped array of 8 by 4 texels, its second level, and a texture of it in a kernel.
void mipmaps(void* module, uint64_t memory) {
  constexpr int kFloats = 0x20, kMipmapped = 1;
  constexpr unsigned kNormalized = 2;
  const Shape shape{8, 4, 0, kFloats, 1, 0};
  Shape second{};
  void *array = nullptr, *level = nullptr, *function = nullptr;
  const int made = cuMipmappedArrayCreate(&array, &shape, 3), missing = cuMipmappedArrayGetLevel(&level, array, 3),
            found = cuMipmappedArrayGetLevel(&level, array, 1), freed = cuArrayDestroy(level);
  cuArray3DGetDescriptor_v2(&second, level);
  std::printf("mipmaps %d, level 3 %d, level 1 %d: %zu x %zu, freed alone %d\n", made, missing, found, second.width,
              second.height, freed);
  MipmappedResource resource{};
  resource.kind = kMipmapped;
  resource.array = array;
  TextureModes modes{};
  modes.flags = kNormalized;
  modes.last = 3;
  uint64_t texture = 0;
  const int created = cuTexObjectCreate(&texture, &resource, &modes, nullptr);
  cuModuleGetFunction(&function, module, "levels");
  void* arguments[] = {&memory, &texture};
  const int launched = cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr);
  uint32_t told = 0;
  cuMemcpyDtoH_v2(&told, memory, sizeof told);
  const int gone = cuMipmappedArrayDestroy(array), again = cuMipmappedArrayDestroy(array);
  std::printf("texture %d, launch %d: %u, destroyed %d, %d\n", created, launched, told, gone, again);
}

}  // namespace

int main() {
  int count = 0;
  void *context, *module, *function, *other;
  uint64_t memory = 0, global = 0;
  const int early = cuDeviceGetCount(&count), init = cuInit(0);
  cuDeviceGetCount(&count);
  std::printf("early %d, init %d, devices %d\n", early, init, count);
  std::printf("no context %d\n", cuMemAlloc_v2(&memory, 8));
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxSetCurrent(context);
  int device = 7;
  const int found = cuCtxGetDevice_v2(&device, context);
  std::printf("device %d of the context %d, synchronized %d\n", device, found, cuCtxSynchronize_v2(context));
  const int loaded = cuModuleLoadData(&module, kPtx);
  std::printf("load %d %d\n", loaded, cuModuleGetFunction(&function, module, "add"));
  uint32_t values[2] = {5, 7}, by = 2;
  cuMemAlloc_v2(&memory, sizeof values);
  cuMemcpyHtoD_v2(memory, values, sizeof values);
  void* arguments[] = {&memory, &by};
  int error = cuLaunchKernel(function, 1, 1, 1, 2, 1, 1, 0, nullptr, arguments, nullptr);
  cuMemcpyDtoH_v2(values, memory, sizeof values);
  std::printf("launch %d: %u %u\n", error, values[0], values[1]);
  struct {
    uint64_t pointer;
    uint32_t by;
  } block{memory, 14};
  size_t bytes = 12;
  void* extra[] = {reinterpret_cast<void*>(1), &block, reinterpret_cast<void*>(2), &bytes, nullptr};
  error = cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra);
  cuMemcpyDtoH_v2(values, memory, sizeof values);
  std::printf("block %d: %u\n", error, values[0]);
  cuModuleGetGlobal_v2(&global, &bytes, module, "total");
  cuMemcpyDtoH_v2(values, global, sizeof values);
  std::printf("global %zu bytes: %u\n", bytes, values[1]);
  cuModuleGetFunction(&other, module, "forty_registers");
  for (unsigned threads = 512; threads <= 1024; threads *= 2) {
    error = cuLaunchKernel(other, 1, 1, 1, threads, 1, 1, 0, nullptr, nullptr, nullptr);
    std::printf("%u threads %d\n", threads, error);
  }
  cuMemsetD16_v2(memory + 2, 0xbeef, 1);
  cuMemcpyDtoH_v2(values, memory, sizeof values);
  std::printf("filled %x\n", values[0] >> 16);
  mipmaps(module, memory);
  const int missing = cuModuleGetFunction(&other, module, "none");
  cuMemFree_v2(memory);
  const int twice = cuMemFree_v2(memory);
  std::printf("missing %d, twice %d, handle %d\n", missing, twice, cuStreamSynchronize(&count));
  const char *name, *text;
  cuGetErrorName(1, &name);
  cuGetErrorString(1, &text);
  std::printf("%s: %s\n", name, text);
  cuGetErrorName(2, &name);
  std::printf("%s\n", name);
  char log[400] = {};
  const int options[] = {5, 6};
  void* places[] = {log, reinterpret_cast<void*>(sizeof log)};
  error = cuModuleLoadDataEx(&other, ".version 8.0\n.target sm_50\n.address_size 64\nnonsense\n", 2, options, places);
  std::printf("bad module %d, log %d\n", error, std::strstr(log, "nonsense") != nullptr);
  void *linker, *image;
  cuLinkCreate_v2(0, nullptr, nullptr, &linker);
  cuLinkAddData_v2(linker, 1, kPtx, sizeof kPtx, "a.ptx", 0, nullptr, nullptr);
  cuLinkComplete(linker, &image, &bytes);
  error = cuModuleLoadData(&other, image);
  cuLinkDestroy(linker);
  cuModuleGetFunction(&function, other, "add");
  cuModuleUnload(module);
  values[0] = 5;
  by = 2;
  cuMemAlloc_v2(&memory, sizeof values);
  cuMemcpyHtoD_v2(memory, values, 4);
  cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr);
  cuMemcpyDtoH_v2(values, memory, 4);
  std::printf("linked %d: %u\n", error, values[0]);
  cuMemAddressReserve(&global, 0, 0, 0, 0);
  void *plain, *second, *none;
  int status = 0;
  cuGetProcAddress_v2("cuMemAlloc", &plain, 12000, 0, &status);
  cuGetProcAddress_v2("cuMemAlloc_v2", &second, 12000, 0, &status);
  cuGetProcAddress_v2("cuNothing", &none, 12000, 0, &status);
  std::printf("by name %d %d %d\n", plain != nullptr && plain == second, status, none != nullptr);
  return 0;
}
