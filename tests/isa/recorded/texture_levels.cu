// Mipmapped textures: tex.level, tex.grad, tex.base, tex on levels whose texels are the level's number, and on random
// ones.
//   nvcc -std=c++17 -O1 -arch=sm_90a texture_levels.cu -o texture_levels
//   ./texture_levels | gzip -9n > texture_levels.gz
// Recorded on 2026-11-28 on an NVIDIA H200 (driver 580.159.04, CUDA 13.0).
#include "record.h"
__global__ void by_level(cudaTextureObject_t t, const float4* c, float4* o, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) o[i] = tex2DLod<float4>(t, c[i].x, c[i].y, c[i].z);
}
__global__ void by_level1(cudaTextureObject_t t, const float* l, float* o, int n) {
  int i = threadIdx.x;
  if (i < n) o[i] = tex2DLod<float>(t, 0.3f, 0.4f, l[i]);
}
__global__ void plain(cudaTextureObject_t t, float* o) {
  o[0] = tex2D<float>(t, 0.3f, 0.4f);
  float a, b, c, d;
  asm volatile("tex.base.2d.v4.f32.f32 {%0,%1,%2,%3},[%4,{%5,%6}];"
               : "=f"(a), "=f"(b), "=f"(c), "=f"(d)
               : "l"(t), "f"(0.3f), "f"(0.4f));
  o[1] = a;
}
__global__ void grad2(cudaTextureObject_t t, const float4* g, float* o, int n) {
  int i = threadIdx.x;
  if (i < n) o[i] = tex2DGrad<float>(t, 0.3f, 0.4f, make_float2(g[i].x, g[i].y), make_float2(g[i].z, g[i].w));
}
__global__ void grad1(cudaTextureObject_t t, const float4* g, float* o, int n) {
  int i = threadIdx.x;
  if (i < n) o[i] = tex1DGrad<float>(t, 0.3f, g[i].x, g[i].z);
}
__global__ void grad3(cudaTextureObject_t t, const float4* g, float* o, int n) {
  int i = threadIdx.x;
  if (i < n)
    o[i] = tex3DGrad<float>(t, 0.3f, 0.4f, 0.6f, make_float4(g[i].x, g[i].y, g[i].z, 0),
                            make_float4(g[i].w, 0, g[i].y, 0));
}
__global__ void gradc(cudaTextureObject_t t, const float4* g, float* o, int n) {
  int i = threadIdx.x;
  if (i < n)
    o[i] = texCubemapGrad<float>(t, 1.0f, 0.4f, 0.3f, make_float4(g[i].x, g[i].y, g[i].z, 0),
                                 make_float4(g[i].w, 0, g[i].y, 0));
}
static uint32_t bits(float f) {
  uint32_t b;
  memcpy(&b, &f, 4);
  return b;
}
static int fill(cudaMipmappedArray_t m, unsigned levels, cudaExtent e, bool random, bool layered) {
  for (unsigned l = 0; l < levels; ++l) {
    cudaArray_t a;
    CK(cudaGetMipmappedArrayLevel(&a, m, l));
    size_t w = e.width >> l, h = e.height >> l, d = layered ? e.depth : e.depth >> l;
    w += !w;
    h += !h;
    d += !d;
    std::vector<float> v(w * h * d);
    for (size_t i = 0; i < v.size(); ++i)
      v[i] = random ? (float)((int)(mixed(l * 65536 + i) % 256) - 128) * 0.5f : (float)l;
    cudaMemcpy3DParms c{};
    c.srcPtr = {v.data(), w * 4, w, h};
    c.dstArray = a;
    c.extent = {w, h, d};
    c.kind = cudaMemcpyHostToDevice;
    CK(cudaMemcpy3D(&c));
  }
  return 0;
}
static int texture(cudaTextureObject_t* t, cudaMipmappedArray_t m, bool linear, bool mip_linear, float bias, float lo,
                   float hi) {
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeMipmappedArray;
  r.res.mipmap.mipmap = m;
  cudaTextureDesc d{};
  d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = cudaAddressModeClamp;
  d.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
  d.normalizedCoords = 1;
  d.mipmapFilterMode = mip_linear ? cudaFilterModeLinear : cudaFilterModePoint;
  d.mipmapLevelBias = bias;
  d.minMipmapLevelClamp = lo;
  d.maxMipmapLevelClamp = hi;
  CK(cudaCreateTextureObject(t, &r, &d, nullptr));
  return 0;
}
int main() {
  float *in, *out;
  CK(cudaMalloc(&in, 65536));
  CK(cudaMalloc(&out, 65536));
  const auto f = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t m;
  CK(cudaMallocMipmappedArray(&m, &f, {64, 32, 0}, 7));
  if (fill(m, 7, {64, 32, 0}, false, false)) return 1;
  std::vector<float> l;
  for (int i = -40; i < 300; ++i) l.push_back(i / 37.0f);
  for (int i = 0; i < 64; ++i) l.push_back(1 + i / 1024.0f);
  for (int i = 0; i < 32; ++i) l.push_back(2.5f + (i - 16) / 2048.0f);
  for (float x : {-0.0f, 1e30f, -1e30f, NAN, INFINITY, 6.0f, 5.999f, 7.0f}) l.push_back(x);
  CK(cudaMemcpy(in, l.data(), l.size() * 4, cudaMemcpyHostToDevice));
  struct Mode {
    bool linear;
    float bias, lo, hi;
  } modes[] = {{false, 0, 0, 99},      {true, 0, 0, 99},        {true, 0.75f, 0, 99},      {true, -1.3f, 0, 99},
               {true, 0, 1.25f, 3.5f}, {false, 0, 1.25f, 3.5f}, {true, 0.5f, 1.25f, 3.5f}, {false, 0.6f, 0, 99},
               {true, 0, 0, 0},        {true, 0, 2, 2}};
  std::vector<float> r(l.size());
  for (auto& k : modes) {
    cudaTextureObject_t t;
    if (texture(&t, m, true, k.linear, k.bias, k.lo, k.hi)) return 1;
    by_level1<<<1, 512>>>(t, in, out, (int)l.size());
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(r.data(), out, r.size() * 4, cudaMemcpyDeviceToHost));
    printf("level %d %g %g %g", k.linear, k.bias, k.lo, k.hi);
    for (size_t i = 0; i < l.size(); ++i) printf(" %x:%x", bits(l[i]), bits(r[i]));
    printf("\n");
    plain<<<1, 1>>>(t, out);
    CK(cudaDeviceSynchronize());
    float p[2];
    CK(cudaMemcpy(p, out, 8, cudaMemcpyDeviceToHost));
    printf("plain %d %g %g %g %g %g\n", k.linear, k.bias, k.lo, k.hi, p[0], p[1]);
    cudaDestroyTextureObject(t);
  }
  std::vector<float4> g;
  for (int i = 0; i < 400; ++i) {
    float v[4];
    for (int k = 0; k < 4; ++k) {
      uint32_t h = mixed(i * 4 + k + 7);
      v[k] = ((h >> 4) % 5 == 0 ? 0.0f : (float)((int)(h >> 12 & 1023) - 512) / 512.0f) * exp2f(-(float)(h % 8));
    }
    if (i < 40) v[1] = v[2] = v[3] = 0;
    else if (i < 80) v[0] = v[2] = v[3] = 0;
    else if (i < 120) v[2] = v[3] = 0;
    g.push_back({v[0], v[1], v[2], v[3]});
  }
  CK(cudaMemcpy(in, g.data(), g.size() * 16, cudaMemcpyHostToDevice));
  r.resize(g.size());
  auto gradients = [&](const char* n, cudaMipmappedArray_t a,
                       void (*k)(cudaTextureObject_t, const float4*, float*, int)) {
    cudaTextureObject_t t;
    if (texture(&t, a, true, true, 0, 0, 99)) return 1;
    k<<<1, 512>>>(t, (const float4*)in, out, (int)g.size());
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(r.data(), out, r.size() * 4, cudaMemcpyDeviceToHost));
    printf("grad %s", n);
    for (size_t i = 0; i < g.size(); ++i)
      printf(" %x,%x,%x,%x:%x", bits(g[i].x), bits(g[i].y), bits(g[i].z), bits(g[i].w), bits(r[i]));
    printf("\n");
    return 0;
  };
  if (gradients("2d", m, grad2)) return 1;
  cudaMipmappedArray_t m1, m3, mc;
  CK(cudaMallocMipmappedArray(&m1, &f, {64, 0, 0}, 7));
  if (fill(m1, 7, {64, 0, 0}, false, false) || gradients("1d", m1, grad1)) return 1;
  CK(cudaMallocMipmappedArray(&m3, &f, {32, 16, 64}, 7));
  if (fill(m3, 7, {32, 16, 64}, false, false) || gradients("3d", m3, grad3)) return 1;
  CK(cudaMallocMipmappedArray(&mc, &f, {32, 32, 6}, 6, cudaArrayCubemap));
  if (fill(mc, 6, {32, 32, 6}, false, true) || gradients("cube", mc, gradc)) return 1;
  cudaMipmappedArray_t mr;
  CK(cudaMallocMipmappedArray(&mr, &f, {16, 12, 0}, 5));
  if (fill(mr, 5, {16, 12, 0}, true, false)) return 1;
  std::vector<float4> c;
  for (int i = 0; i < 512; ++i)
    c.push_back({(float)(mixed(3 * i + 1) % 4096) / 4096, (float)(mixed(3 * i + 2) % 4096) / 4096,
                 (float)(mixed(3 * i + 3) % 1280) / 256, 0});
  CK(cudaMemcpy(in, c.data(), c.size() * 16, cudaMemcpyHostToDevice));
  for (int k = 0; k < 4; ++k) {
    cudaTextureObject_t t;
    if (texture(&t, mr, k & 1, k & 2, 0, 0, 99)) return 1;
    by_level<<<4, 128>>>(t, (const float4*)in, (float4*)out, 512);
    CK(cudaDeviceSynchronize());
    std::vector<float4> v(512);
    CK(cudaMemcpy(v.data(), out, 8192, cudaMemcpyDeviceToHost));
    printf("random %d %d", k & 1, k >> 1);
    for (auto& x : v) printf(" %x", bits(x.x));
    printf("\n");
  }
}
