// sust.p and sured.p: the bytes of arrays afterwards.
//   nvcc -std=c++17 -O1 -arch=sm_90a formatted_surfaces.cu -o formatted_surfaces
//   ./formatted_surfaces | gzip -9n > formatted_surfaces.gz
// Recorded on 2026-11-28 on an NVIDIA H200 (driver 580.159.04, CUDA 13.0).
#include "record.h"
static uint32_t sample(uint32_t k) {
  const uint32_t v[] = {0,          1,          2,          0xffffffff, 0xfffffffe, 127,        128,        129,
                        255,        256,        257,        0xffffff80, 0xffffff7f, 0xffffff00, 32767,      32768,
                        65535,      65536,      0xffff8000, 0xffff7fff, 0x7fffffff, 0x80000000, 0x3f800000, 0xbf800000,
                        0x3f000000, 0x7f800000, 0x7fc00000, 0x477fe000, 0x477ff000, 0x33800000, 0x387fc000, 0x40490fdb};
  const uint32_t h = mixed(k + 1);
  return (h & 3) != 0 ? v[(h >> 8) % 32] : h;
}
template <int V>
__global__ void store(cudaSurfaceObject_t s, const uint32_t* d, int w) {
  int x = threadIdx.x % w, y = threadIdx.x / w;
  const uint32_t* p = d + threadIdx.x * 4;
  if (V == 1) asm volatile("sust.p.2d.b32.trap [%0,{%1,%2}],%3;" ::"l"(s), "r"(x), "r"(y), "r"(p[0]) : "memory");
  if (V == 2)
    asm volatile("sust.p.2d.v2.b32.trap [%0,{%1,%2}],{%3,%4};" ::"l"(s), "r"(x), "r"(y), "r"(p[0]), "r"(p[1])
                 : "memory");
  if (V == 4)
    asm volatile("sust.p.2d.v4.b32.trap [%0,{%1,%2}],{%3,%4,%5,%6};" ::"l"(s), "r"(x), "r"(y), "r"(p[0]), "r"(p[1]),
                 "r"(p[2]), "r"(p[3])
                 : "memory");
}
__global__ void edges(cudaSurfaceObject_t s,
                      int clamp) {  // x from -3, y from -2; what is stored is the place where it goes if clamped
  int x = (int)(threadIdx.x % 16) - 3, y = (int)(threadIdx.x / 16) - 2;
  uint32_t v = 100 + min(max(x, 0), 7) + 8 * min(max(y, 0), 3);
  if (clamp) asm volatile("sust.p.2d.b32.clamp [%0,{%1,%2}],%3;" ::"l"(s), "r"(x), "r"(y), "r"(v) : "memory");
  else asm volatile("sust.p.2d.b32.zero [%0,{%1,%2}],%3;" ::"l"(s), "r"(x), "r"(y), "r"(v) : "memory");
}
__global__ void line(cudaSurfaceObject_t s) {
  int x = threadIdx.x;
  asm volatile("sust.p.1d.b32.trap [%0,{%1}],%2;" ::"l"(s), "r"(x), "r"(200 + x) : "memory");
}
__global__ void volume(cudaSurfaceObject_t s) {
  int x = threadIdx.x % 4, y = threadIdx.x / 4 % 2, z = threadIdx.x / 8;
  asm volatile("sust.p.3d.b32.trap [%0,{%1,%2,%3,%3}],%4;" ::"l"(s), "r"(x), "r"(y), "r"(z), "r"(300 + (int)threadIdx.x)
               : "memory");
}
__global__ void lines(cudaSurfaceObject_t s) {
  int x = threadIdx.x % 8, l = threadIdx.x / 8;
  asm volatile("sust.p.a1d.b32.trap [%0,{%1,%2}],%3;" ::"l"(s), "r"(l), "r"(x), "r"(400 + (int)threadIdx.x) : "memory");
}
__global__ void layers(cudaSurfaceObject_t s) {
  int x = threadIdx.x % 4, y = threadIdx.x / 4 % 2, l = threadIdx.x / 8;
  asm volatile("sust.p.a2d.b32.trap [%0,{%1,%2,%3,%3}],%4;" ::"l"(s), "r"(l), "r"(x), "r"(y),
               "r"(500 + (int)threadIdx.x)
               : "memory");
}
#define RED(NAME, OP)                                                                                        \
  __global__ void NAME(cudaSurfaceObject_t s, const uint32_t* d) {                                           \
    int x = threadIdx.x % 8, y = threadIdx.x / 8 % 4;                                                        \
    asm volatile("sured.p." OP ".2d.b32.trap [%0,{%1,%2}],%3;" ::"l"(s), "r"(x), "r"(y), "r"(d[threadIdx.x]) \
                 : "memory");                                                                                \
  }
RED(r_add, "add")
RED(r_min, "min") RED(r_max, "max") RED(r_and, "and") RED(r_or, "or")
#define RED64(NAME, OP)                                                                                      \
  __global__ void NAME(cudaSurfaceObject_t s, const uint32_t* d) {                                           \
    int x = threadIdx.x % 8, y = threadIdx.x / 8 % 4;                                                        \
    uint64_t v = d[threadIdx.x] | (uint64_t)d[threadIdx.x + 128] << 32;                                      \
    asm volatile("sured.p." OP ".2d.b64.trap [%0,{%1,%2}],%3;" ::"l"(s), "r"(x), "r"(y), "l"(v) : "memory"); \
  }
    RED64(w_min, "min") RED64(w_max, "max") struct Surface {
  cudaArray_t a;
  cudaSurfaceObject_t s;
  size_t row, rows;
};
static int make(Surface& out, cudaChannelFormatDesc f, cudaExtent e, unsigned flags, size_t texel) {
  CK(cudaMalloc3DArray(&out.a, &f, e, flags | cudaArraySurfaceLoadStore));
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = out.a;
  CK(cudaCreateSurfaceObject(&out.s, &r));
  out.row = e.width * texel;
  out.rows = (e.height ? e.height : 1) * (e.depth ? e.depth : 1);
  std::vector<uint8_t> b(out.row * out.rows, 0xcd);
  cudaMemcpy3DParms c{};
  c.srcPtr = {b.data(), out.row, e.width, e.height ? e.height : 1};
  c.dstArray = out.a;
  c.extent = {e.width, e.height ? e.height : 1, e.depth ? e.depth : 1};
  c.kind = cudaMemcpyHostToDevice;
  CK(cudaMemcpy3D(&c));
  return 0;
}
static int show(Surface& s, cudaExtent e) {
  CK(cudaDeviceSynchronize());
  std::vector<uint8_t> b(s.row * s.rows);
  cudaMemcpy3DParms c{};
  c.dstPtr = {b.data(), s.row, e.width, e.height ? e.height : 1};
  c.srcArray = s.a;
  c.extent = {e.width, e.height ? e.height : 1, e.depth ? e.depth : 1};
  c.kind = cudaMemcpyDeviceToHost;
  CK(cudaMemcpy3D(&c));
  for (uint8_t x : b) printf("%02x", x);
  printf("\n");
  cudaDestroySurfaceObject(s.s);
  cudaFreeArray(s.a);
  return 0;
}
int main() {
  uint32_t* d;
  std::vector<uint32_t> h(256);
  for (int i = 0; i < 256; ++i) h[i] = sample(i);
  CK(cudaMalloc(&d, 1024));
  CK(cudaMemcpy(d, h.data(), 1024, cudaMemcpyHostToDevice));
  const struct {
    const char* n;
    int bits;
    cudaChannelFormatKind k;
  } fs[] = {{"u8", 8, cudaChannelFormatKindUnsigned},   {"s8", 8, cudaChannelFormatKindSigned},
            {"u16", 16, cudaChannelFormatKindUnsigned}, {"s16", 16, cudaChannelFormatKindSigned},
            {"u32", 32, cudaChannelFormatKindUnsigned}, {"s32", 32, cudaChannelFormatKindSigned},
            {"f32", 32, cudaChannelFormatKindFloat},    {"f16", 16, cudaChannelFormatKindFloat}};
  const cudaExtent e{8, 4, 0};
  Surface s;
  for (auto& f : fs)
    for (int n : {1, 2, 4}) {
      const cudaChannelFormatDesc c =
          cudaCreateChannelDesc(f.bits, n > 1 ? f.bits : 0, n > 2 ? f.bits : 0, n > 2 ? f.bits : 0, f.k);
      const size_t texel = f.bits / 8 * n;
      for (int v : {1, 2, 4}) {
        if (make(s, c, e, 0, texel)) return 1;
        (v == 1 ? store<1> : v == 2 ? store<2> : store<4>)<<<1, 32>>>(s.s, d, 8);
        printf("store %s %d v%d ", f.n, n, v);
        if (show(s, e)) return 1;
      }
      if (n == 1 || n == 4)
        for (int clamp : {0, 1}) {
          if (make(s, c, e, 0, texel)) return 1;
          edges<<<1, 128>>>(s.s, clamp);
          printf("edges %s %d %s ", f.n, n, clamp ? "clamp" : "zero");
          if (show(s, e)) return 1;
        }
    }
  const cudaChannelFormatDesc u = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindUnsigned),
                              i = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindSigned),
                              u2 = cudaCreateChannelDesc(32, 32, 0, 0, cudaChannelFormatKindUnsigned),
                              i2 = cudaCreateChannelDesc(32, 32, 0, 0, cudaChannelFormatKindSigned);
  {
    cudaExtent x{32, 0, 0};
    if (make(s, u, x, 0, 4)) return 1;
    line<<<1, 32>>>(s.s);
    printf("geometry 1d ");
    if (show(s, x)) return 1;
  }
  {
    cudaExtent x{4, 2, 4};
    if (make(s, u, x, 0, 4)) return 1;
    volume<<<1, 32>>>(s.s);
    printf("geometry 3d ");
    if (show(s, x)) return 1;
  }
  {
    cudaExtent x{8, 0, 4};
    if (make(s, u, x, cudaArrayLayered, 4)) return 1;
    lines<<<1, 32>>>(s.s);
    printf("geometry a1d ");
    if (show(s, x)) return 1;
  }
  {
    cudaExtent x{4, 2, 4};
    if (make(s, u, x, cudaArrayLayered, 4)) return 1;
    layers<<<1, 32>>>(s.s);
    printf("geometry a2d ");
    if (show(s, x)) return 1;
  }
  const struct {
    const char* n;
    void (*k)(cudaSurfaceObject_t, const uint32_t*);
  } rs[] = {{"add", r_add}, {"min", r_min}, {"max", r_max}, {"and", r_and}, {"or", r_or}};
  for (auto& r : rs)
    for (int k = 0; k < 4; ++k) {
      if (make(s,
               k == 0   ? u
               : k == 1 ? i
               : k == 2 ? u2
                        : cudaCreateChannelDesc(8, 8, 8, 8, cudaChannelFormatKindUnsigned),
               e, 0, k == 2 ? 8 : 4))
        return 1;
      r.k<<<1, 128>>>(s.s, d);
      printf("reduce %s %s ", r.n, k == 0 ? "u32" : k == 1 ? "s32" : k == 2 ? "u32x2" : "u8x4");
      if (show(s, e)) return 1;
    }
  for (int k = 0; k < 4; ++k) {
    if (make(s, k % 2 ? i2 : u2, e, 0, 8)) return 1;
    (k < 2 ? w_min : w_max)<<<1, 128>>>(s.s, d);
    printf("reduce64 %s %s ", k < 2 ? "min" : "max", k % 2 ? "s32x2" : "u32x2");
    if (show(s, e)) return 1;
  }
}
