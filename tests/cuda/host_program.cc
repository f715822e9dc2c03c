// A CUDA program as nvcc builds it, made by hand so that no toolkit is needed: PTX in a fat binary, which the runtime
// gets before main(), and calls of the runtime by its binary interface. The first argument says what it does.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

struct dim3 {
  unsigned x, y, z;
};

extern "C" {
void** __cudaRegisterFatBinary(const void* wrapper);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaUnregisterFatBinary(void** handle);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*);
void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int);
void __cudaRegisterManagedVar(void**, void**, char*, const char*, int, size_t, int, int);
char __cudaInitModule(void** handle);
int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void* stream);
int __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream);
int __cudaGetKernel(void** kernel, const void* function);
int __cudaLaunchKernel(void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared, void* stream);
int cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared, void* stream);
int cudaLaunchCooperativeKernel(const void* function, dim3, dim3, void** arguments, size_t shared, void* stream);
int cudaMalloc(void** pointer, size_t bytes);
int cudaMallocManaged(void** pointer, size_t bytes, unsigned flags);
int cudaHostAlloc(void** pointer, size_t bytes, unsigned flags);
int cudaFree(void* pointer);
int cudaFreeHost(void* pointer);
int cudaMemcpy(void* to, const void* from, size_t bytes, int kind);
int cudaMemcpyAsync(void* to, const void* from, size_t bytes, int kind, void* stream);
int cudaMemcpy2D(void* to, size_t, const void* from, size_t, size_t width, size_t height, int kind);
int cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset, int kind);
int cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset, int kind);
int cudaMemset(void* to, int value, size_t bytes);
int cudaDeviceSynchronize();
int cudaDeviceReset();
int cudaStreamCreate(void** stream);
int cudaStreamDestroy(void* stream);
int cudaStreamSynchronize(void* stream);
int cudaLaunchHostFunc(void* stream, void (*function)(void*), void* data);
int cudaEventCreate(void** event);
int cudaEventRecord(void* event, void* stream);
int cudaEventElapsedTime(float* milliseconds, void* from, void* to);
int cudaDeviceGetAttribute(int* value, int attribute, int device);
int cudaArrayGetPlane(void** plane, const void* array, unsigned index);
int cudaGetLastError();
const char* cudaGetErrorName(int error);
}

namespace {

enum { kToDevice = 1, kToHost = 2, kByAddress = 4 };
constexpr unsigned kN = 100;

// add: y[i] += x[i] * factor[1], total[0] becomes the number of threads, bad: an instruction that nothing here
// executes.
constexpr const char kPtx[] = R"(.version 8.0
.target sm_50
.address_size 64
.file 1 "add.cu"
.const .align 4 .f32 factor[2];
.global .align 4 .u32 hits;
.global .attribute(.managed) .align 4 .u32 total;
.visible .entry add(.param .u32 n, .param .u64 x, .param .u64 y) {
  .reg .u32 %r<6>; .reg .u64 %rd<6>; .reg .f32 %f<5>; .reg .pred %p;
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r4, %r2, %r3, %r1;
  ld.param.u32 %r5, [n];
  setp.ge.u32 %p, %r4, %r5;
  @%p ret;
  ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y];
  mul.wide.u32 %rd3, %r4, 4;
  add.u64 %rd4, %rd1, %rd3; add.u64 %rd5, %rd2, %rd3;
  .loc 1 4 3
  ld.global.f32 %f1, [%rd4]; ld.global.f32 %f2, [%rd5];
  ld.const.f32 %f3, [factor+4];
  fma.rn.f32 %f4, %f1, %f3, %f2;
  .loc 1 5 3
  st.global.f32 [%rd5], %f4;
  .loc 1 6 3
  st.global.u32 [hits], %r5; st.global.u32 [total], %r5;
  ret;
}
.visible .entry bad() {
  .reg .b32 %r<9>;
  tcgen05.fence::before_thread_sync;
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

void** handle;
char add_stub, bad_stub, factor, hits;
int* total;

__attribute__((constructor)) void register_all() {
  std::memcpy(container.ptx, kPtx, sizeof kPtx);
  handle = __cudaRegisterFatBinary(&wrapper);
  __cudaRegisterFunction(handle, &add_stub, &add_stub, "add", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  __cudaRegisterFunction(handle, &bad_stub, &bad_stub, "bad", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  __cudaRegisterVar(handle, &factor, &factor, "factor", 0, 8, 1, 0);
  __cudaRegisterVar(handle, &hits, &hits, "hits", 0, 4, 0, 0);
  __cudaRegisterManagedVar(handle, reinterpret_cast<void**>(&total), nullptr, "total", 0, 4, 0, 0);
  __cudaRegisterFatBinaryEnd(handle);
  std::atexit([] { __cudaUnregisterFatBinary(handle); });
}

/// Messages name it: it is a function of the program's symbol table, whatever the compiler makes of its callers.
}  // namespace
extern "C" [[gnu::noinline]] int launch_add(dim3 grid, dim3 block, void** arguments, size_t shared, void* stream) {
  return cudaLaunchKernel(&add_stub, grid, block, arguments, shared, stream) + 0 * std::rand();
}
namespace {

int add(const void* x, void* y, unsigned threads = 64, void* stream = nullptr, size_t shared = 0, unsigned n = kN) {
  void* arguments[] = {&n, &x, &y};
  return launch_add({2, 1, 1}, {threads, 1, 1}, arguments, shared, stream);
}

/// What nvcc 13 makes of add<<<2, 64>>>.
int add_by_stub(void* x, void* y) {
  __cudaPushCallConfiguration({2, 1, 1}, {64, 1, 1}, 0, nullptr);
  dim3 grid, block;
  size_t shared;
  void *stream, *kernel;
  __cudaGetKernel(&kernel, &add_stub);
  if (__cudaPopCallConfiguration(&grid, &block, &shared, &stream) != 0) return 1;
  unsigned n = kN;
  void* arguments[] = {&n, &x, &y};
  return __cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}

void say(const char* what, int error) { std::printf("%s: %s\n", what, cudaGetErrorName(error)); }

struct Arrays {
  void *x = nullptr, *y = nullptr;
  Arrays() {
    std::vector<float> ones(kN, 1);
    cudaMalloc(&x, kN * 4);
    cudaMalloc(&y, kN * 4);
    cudaMemcpy(x, ones.data(), kN * 4, kToDevice);
    cudaMemset(y, 0, kN * 4);
    const float two = 2;
    cudaMemcpyToSymbol(&factor, &two, 4, 4, kToDevice);
  }
};

int compute() {
  Arrays a;
  std::vector<float> out(kN);
  void *first, *last, *stream, *managed, *locked;
  cudaEventCreate(&first);
  cudaEventCreate(&last);
  cudaEventRecord(first, nullptr);
  add_by_stub(a.x, a.y);
  add(a.x, a.y);
  cudaEventRecord(last, nullptr);
  cudaMemcpy(out.data(), a.y, kN * 4, kToHost);
  float ms = -1;
  cudaEventElapsedTime(&ms, first, last);
  int count = 0;
  cudaMemcpyFromSymbol(&count, &hits, 4, 0, kToHost);
  std::printf("y %g, hits %d, total %d, %s\n", out[kN - 1], count, *total, ms > 0 ? "timed" : "not timed");
  // Memory that both have, in a stream; and a part of it as a plane.
  cudaStreamCreate(&stream);
  cudaMallocManaged(&managed, kN * 4, 1);
  cudaHostAlloc(&locked, kN * 4, 0);
  for (unsigned i = 0; i < kN; ++i) static_cast<float*>(managed)[i] = 3;
  cudaMemcpyAsync(locked, a.x, kN * 4, kByAddress, stream);
  add(locked, managed, 64, stream);
  cudaStreamSynchronize(stream);
  cudaMemcpy2D(out.data(), 8, managed, 16, 8, 3, kByAddress);
  std::printf("managed %g, plane %g\n", static_cast<float*>(managed)[kN - 1], out[5]);
  int warp = 0;
  cudaDeviceGetAttribute(&warp, 10, 0);
  say("warp of 32", warp - 32);
  say("free", cudaFree(managed) + cudaFreeHost(locked) + cudaStreamDestroy(stream));
  say("last", cudaGetLastError());
  return 0;
}

int wrong_use() {
  Arrays a;
  std::vector<float> out(kN);
  say("direction", cudaMemcpy(out.data(), a.x, 4, kToDevice));
  say("beyond", cudaMemcpy(out.data(), a.x, kN * 4 + 4, kToHost));
  say("free", cudaFree(a.x));
  say("twice", cudaFree(a.x));
  say("last", cudaGetLastError());
  say("then", cudaGetLastError());
  say("block", add(a.y, a.y, 4096));
  say("shared", add(a.y, a.y, 64, nullptr, 1 << 20));
  say("function", cudaLaunchKernel(&factor, {1, 1, 1}, {1, 1, 1}, nullptr, 0, nullptr));
  say("unsupported", cudaLaunchKernel(&bad_stub, {1, 1, 1}, {1, 1, 1}, nullptr, 0, nullptr));
  say("cooperative", cudaLaunchCooperativeKernel(&bad_stub, {1, 1, 1}, {1, 1, 1}, nullptr, 0, nullptr));
  say("surface", cudaArrayGetPlane(&a.x, nullptr, 0));
  say("again", cudaArrayGetPlane(&a.x, nullptr, 0));
  say("stream", cudaStreamSynchronize(&factor));
  return 0;
}

int fault() {
  Arrays a;
  say("launch", add(a.x, reinterpret_cast<void*>(0x123456780)));
  say("last", cudaGetLastError());
  say("synchronize", cudaDeviceSynchronize());
  say("malloc", cudaMalloc(&a.x, 4));
  say("last", cudaGetLastError());
  say("reset", cudaDeviceReset());
  Arrays anew;
  say("launch", add(anew.x, anew.y));
  say("synchronize", cudaDeviceSynchronize());
  return 0;
}

/// Launches of two kinds in turn: of 100 elements, and of 50.
int many(int count) {
  Arrays a;
  void *first, *last;
  cudaEventCreate(&first);
  cudaEventCreate(&last);
  cudaEventRecord(first, nullptr);
  for (int i = 0; i < count; ++i) add(a.x, a.y, 64, nullptr, 0, i % 2 == 0 ? kN : kN / 2);
  cudaEventRecord(last, nullptr);
  std::vector<float> out(kN);
  cudaMemcpy(out.data(), a.y, kN * 4, kToHost);
  float ms = -1;
  cudaEventElapsedTime(&ms, first, last);
  std::printf("y %g %g, us %.1f\n", out[0], out[kN - 1], 1000.0 * ms);
  return 0;
}

void heard(void* what) { std::printf("host function: %s\n", static_cast<const char*>(what)); }

/// Two streams, each with a copy and a kernel, whose buffers are their own.
int streams() {
  Arrays a, b;
  void *one, *two, *locked;
  cudaStreamCreate(&one);
  cudaStreamCreate(&two);
  cudaHostAlloc(&locked, 1 << 20, 0);
  void* place;
  cudaMalloc(&place, 1 << 20);
  cudaDeviceSynchronize();
  add(a.x, a.y, 64, one);
  add(b.x, b.y, 64, two);
  cudaDeviceSynchronize();
  char text[] = "one";
  add(a.x, a.y, 64, one);
  cudaLaunchHostFunc(one, heard, text);
  cudaMemcpyAsync(place, locked, 1 << 20, kToDevice, two);
  add(a.x, a.y, 64, one);
  cudaDeviceSynchronize();
  say("last", cudaGetLastError());
  return 0;
}

/// The child of a process that has used the device cannot use it; its end leaves that of the parent alone.
int fork_child() {
  Arrays a;
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    say("child", cudaMalloc(&a.x, 4));
    say("reset", cudaDeviceReset());
    std::exit(0);
  }
  waitpid(child, nullptr, 0);
  say("parent", add(a.x, a.y));
  return 0;
}

/// Computes, and ends at once.
int end_by(const std::string& how) {
  compute();
  std::fflush(stdout);
  if (how == "_exit") _exit(5);
  return std::raise(how == "kill" ? SIGKILL : how == "abort" ? SIGABRT : SIGTERM);
}

}  // namespace

/// Reads what nothing has written, and writes behind the end of a buffer.
extern "C" [[gnu::noinline]] void check_use() {
  void *x, *y;
  cudaMalloc(&x, kN * 4);
  cudaMalloc(&y, kN * 4 - 4);
  add(x, y);
  say("last", cudaGetLastError());
}

int main(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "compute";
  if (what == "compute") return compute();
  if (what == "wrong") return wrong_use();
  if (what == "fault") return fault();
  if (what == "check") return check_use(), 0;
  if (what == "check-abort") check_use(), std::abort();
  if (what == "signal") return compute(), std::fflush(stdout), std::raise(SIGTERM);
  if (what == "many") return many(std::atoi(words[2]));
  if (what == "streams") return streams();
  if (what == "fork") return fork_child();
  if (what == "end") return end_by(words[2]);
  std::printf("%s\n", words[count - 1]);
  return std::atoi(words[1]);
}
