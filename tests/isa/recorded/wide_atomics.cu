// atom.exch.b128 and atom.cas.b128: the lanes' old words in global and shared memory, and cycles of chains.
//   nvcc -std=c++17 -O1 -arch=sm_90a wide_atomics.cu -o wide_atomics
//   ./wide_atomics | gzip -9n > wide_atomics.gz
// Recorded on 2026-11-28 on an NVIDIA H200 (driver 580.159.04, CUDA 13.0).
#include "record.h"
#define OPS(NAME, SPACE, OP, EXTRA)                                                                  \
  __device__ inline ulonglong2 NAME(uint64_t p, ulonglong2 b, ulonglong2 c) {                        \
    ulonglong2 d;                                                                                    \
    asm volatile("{.reg .b128 q0,q1,q2; mov.b128 q1,{%3,%4}; mov.b128 q2,{%5,%6}; atom" SPACE "." OP \
                 ".b128 q0,[%2],q1" EXTRA "; mov.b128 {%0,%1},q0;}"                                  \
                 : "=l"(d.x), "=l"(d.y)                                                              \
                 : "l"(p), "l"(b.x), "l"(b.y), "l"(c.x), "l"(c.y)                                    \
                 : "memory");                                                                        \
    return d;                                                                                        \
  }
OPS(g_exch, ".global", "exch", "")
OPS(g_cas, ".global", "cas", ",q2") OPS(n_exch, "", "exch", "") OPS(n_cas, "", "cas", ",q2")
    OPS(s_exch, ".shared", "exch", "") OPS(s_cas, ".shared", "cas", ",q2") __global__
    void values(ulonglong2* m, ulonglong2* out, int kind, int words) {
  __shared__ __align__(16) ulonglong2 s[32];
  int l = threadIdx.x;
  s[l] = m[l];
  __syncwarp();
  ulonglong2 b{1000ull + l, 2000ull + l}, c{3000ull + l, 4000ull + l}, r;
  int w = l % words;
  if (kind & 1) {
    b = m[w];
    if (l % 3 == 1) b.x ^= 1;
    if (l % 3 == 2) b.y ^= 1ull << 63;
  }
  uint64_t g = (uint64_t)__cvta_generic_to_global(m + w), sh = (uint64_t)__cvta_generic_to_shared(s + w);
  __syncwarp();
  switch (kind) {
    case 0: r = g_exch(g, b, c); break;
    case 1: r = g_cas(g, b, c); break;
    case 2: r = s_exch(sh, b, c); break;
    case 3: r = s_cas(sh, b, c); break;
    case 4: r = n_exch((uint64_t)(m + w), b, c); break;
    default: r = n_cas((uint64_t)(s + w), b, c); break;
  }
  __syncwarp();
  out[l] = r;
  out[32 + l] = (kind == 2 || kind == 3 || kind == 5) ? s[l] : m[l];
}
template <int K>
__global__ void chain(ulonglong2* m, long long* t) {
  __shared__ __align__(16) ulonglong2 s[32];
  uint64_t g = (uint64_t)__cvta_generic_to_global(m), sh = (uint64_t)__cvta_generic_to_shared(s);
  ulonglong2 v{1, 2}, c{1, 2};
  uint64_t x = 1;
  s[0] = v;
  m[0] = v;
  __syncthreads();
  for (int pass = 0; pass < 2; ++pass) {
    long long a = clock64();
    for (int i = 0; i < 64; ++i) {
      if (K == 0) v = g_exch(g, v, c);
      if (K == 1) v = g_cas(g, v, c);
      if (K == 2) v = s_exch(sh, v, c);
      if (K == 3) v = s_cas(sh, v, c);
      if (K == 4) asm volatile("atom.global.exch.b64 %0,[%1],%2;" : "=l"(x) : "l"(g), "l"(x) : "memory");
      if (K == 5) asm volatile("atom.shared.exch.b64 %0,[%1],%2;" : "=l"(x) : "l"(sh), "l"(x) : "memory");
      if (K == 6) asm volatile("atom.shared.cas.b64 %0,[%1],%2,%3;" : "=l"(x) : "l"(sh), "l"(x), "l"(x) : "memory");
    }
    t[0] = clock64() - a;
  }
  t[1] = v.x + x;
}
int main() {
  ulonglong2 *m, *o;
  long long* t;
  CK(cudaMalloc(&m, 512));
  CK(cudaMalloc(&o, 1024));
  CK(cudaMalloc(&t, 64));
  for (int kind = 0; kind < 6; ++kind)
    for (int words : {32, 8, 1}) {
      std::vector<ulonglong2> h(32), r(64);
      for (int i = 0; i < 32; ++i) h[i] = {10ull + i, 20ull + i};
      CK(cudaMemcpy(m, h.data(), 512, cudaMemcpyHostToDevice));
      values<<<1, 32>>>(m, o, kind, words);
      CK(cudaDeviceSynchronize());
      CK(cudaMemcpy(r.data(), o, 1024, cudaMemcpyDeviceToHost));
      printf("values %d %d", kind, words);
      for (auto& v : r) printf(" %llx,%llx", v.x, v.y);
      printf("\n");
    }
  const char* names[] = {"global exch b128", "global cas b128", "shared exch b128", "shared cas b128",
                         "global exch b64",  "shared exch b64", "shared cas b64"};
  void (*ks[])(ulonglong2*, long long*) = {chain<0>, chain<1>, chain<2>, chain<3>, chain<4>, chain<5>, chain<6>};
  for (int k = 0; k < 7; ++k)
    for (int threads : {1, 32}) {
      ks[k]<<<1, threads>>>(m, t);
      CK(cudaDeviceSynchronize());
      long long c;
      CK(cudaMemcpy(&c, t, 8, cudaMemcpyDeviceToHost));
      printf("chain %s threads %d: %.2f cycles\n", names[k], threads, c / 64.0);
    }
}
