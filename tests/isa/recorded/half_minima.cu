// atom.{min,max}.noftz of vectors of half precision: a line for each form, 4 hexadecimal digits for each of 256
// results.
//   nvcc -std=c++17 -O1 -arch=sm_90a half_minima.cu -o half_minima
//   ./half_minima | gzip -9n > half_minima.gz
// Recorded on 2026-11-28 on an NVIDIA H200 (driver 580.159.04, CUDA 13.0).
#include "record.h"
static uint16_t sample(bool bf, uint32_t k) {
  const uint16_t f16[] = {0,      0x8000, 1,      0x8001, 0x3ff,  0x83ff, 0x400,  0x8400, 0x3c00, 0xbc00,
                          0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe00, 0x7c01, 0xfc01, 0x7fff, 0xffff};
  const uint16_t b16[] = {0,      0x8000, 1,      0x8001, 0x7f,   0x807f, 0x80,   0x8080, 0x3f80, 0xbf80,
                          0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0xffc0, 0x7f81, 0xff81, 0x7fff, 0xffff};
  const uint32_t h = mixed(k + 1);
  return (h & 3) != 0 ? (bf ? b16 : f16)[(h >> 8) % 20] : h >> 16;
}
#define K2(NAME, T, OP)                                                                           \
  __global__ void NAME(uint16_t* m, const uint16_t* b, uint16_t* o) {                             \
    int i = threadIdx.x * 2;                                                                      \
    asm volatile("{.reg .b16 a<4>; ld.global.v2.b16 {a0,a1},[%1]; atom.global." OP ".noftz.v2." T \
                 " {a2,a3},[%0],{a0,a1}; st.global.v2.b16 [%2],{a2,a3};}" ::"l"(m + i),           \
                 "l"(b + i), "l"(o + i)                                                           \
                 : "memory");                                                                     \
  }
#define K4(NAME, T, OP)                                                                                   \
  __global__ void NAME(uint16_t* m, const uint16_t* b, uint16_t* o) {                                     \
    int i = threadIdx.x * 4;                                                                              \
    asm volatile("{.reg .b16 a<8>; ld.global.v4.b16 {a0,a1,a2,a3},[%1]; atom.global." OP ".noftz.v4." T   \
                 " {a4,a5,a6,a7},[%0],{a0,a1,a2,a3}; st.global.v4.b16 [%2],{a4,a5,a6,a7};}" ::"l"(m + i), \
                 "l"(b + i), "l"(o + i)                                                                   \
                 : "memory");                                                                             \
  }
#define K8(NAME, T, OP)                                                                                    \
  __global__ void NAME(uint16_t* m, const uint16_t* b, uint16_t* o) {                                      \
    int i = threadIdx.x * 8;                                                                               \
    asm volatile(                                                                                          \
        "{.reg .b16 a<8>; .reg .b16 d<8>; ld.global.v4.b16 {a0,a1,a2,a3},[%1]; ld.global.v4.b16 "          \
        "{a4,a5,a6,a7},[%1+8]; atom.global." OP ".noftz.v8." T                                             \
        " {d0,d1,d2,d3,d4,d5,d6,d7},[%0],{a0,a1,a2,a3,a4,a5,a6,a7}; st.global.v4.b16 [%2],{d0,d1,d2,d3}; " \
        "st.global.v4.b16 [%2+8],{d4,d5,d6,d7};}" ::"l"(m + i),                                            \
        "l"(b + i), "l"(o + i)                                                                             \
        : "memory");                                                                                       \
  }
#define P2(NAME, T, OP)                                                                           \
  __global__ void NAME(uint16_t* m, const uint16_t* b, uint16_t* o) {                             \
    int i = threadIdx.x * 4;                                                                      \
    asm volatile("{.reg .b32 a<4>; ld.global.v2.b32 {a0,a1},[%1]; atom.global." OP ".noftz.v2." T \
                 " {a2,a3},[%0],{a0,a1}; st.global.v2.b32 [%2],{a2,a3};}" ::"l"(m + i),           \
                 "l"(b + i), "l"(o + i)                                                           \
                 : "memory");                                                                     \
  }
#define P4(NAME, T, OP)                                                                                   \
  __global__ void NAME(uint16_t* m, const uint16_t* b, uint16_t* o) {                                     \
    int i = threadIdx.x * 8;                                                                              \
    asm volatile("{.reg .b32 a<8>; ld.global.v4.b32 {a0,a1,a2,a3},[%1]; atom.global." OP ".noftz.v4." T   \
                 " {a4,a5,a6,a7},[%0],{a0,a1,a2,a3}; st.global.v4.b32 [%2],{a4,a5,a6,a7};}" ::"l"(m + i), \
                 "l"(b + i), "l"(o + i)                                                                   \
                 : "memory");                                                                             \
  }
#define BOTH(M, S, T) M(S##_min, T, "min") M(S##_max, T, "max")
BOTH(K2, v2_f16, "f16")
BOTH(K4, v4_f16, "f16") BOTH(K8, v8_f16, "f16") BOTH(K2, v2_bf16, "bf16") BOTH(K4, v4_bf16, "bf16")
    BOTH(K8, v8_bf16, "bf16") BOTH(P2, v2_f16x2, "f16x2") BOTH(P4, v4_f16x2, "f16x2") BOTH(P2, v2_bf16x2, "bf16x2")
        BOTH(P4, v4_bf16x2, "bf16x2") __global__ void r_min(uint16_t* m, const uint16_t* b, uint16_t*) {
  int i = threadIdx.x * 2;
  asm volatile(
      "{.reg .b16 a<4>; ld.global.v2.b16 {a0,a1},[%1]; red.global.min.noftz.v2.f16 [%0],{a0,a1};}" ::"l"(m + i),
      "l"(b + i)
      : "memory");
}
int main() {
  struct Form {
    const char* name;
    void (*k)(uint16_t*, const uint16_t*, uint16_t*);
    int each;
    bool bf;
  };
#define F(S, E, B) \
  {#S "_min", S##_min, E, B}, { #S "_max", S##_max, E, B }
  const Form forms[] = {F(v2_f16, 2, false),
                        F(v4_f16, 4, false),
                        F(v8_f16, 8, false),
                        F(v2_bf16, 2, true),
                        F(v4_bf16, 4, true),
                        F(v8_bf16, 8, true),
                        F(v2_f16x2, 4, false),
                        F(v4_f16x2, 8, false),
                        F(v2_bf16x2, 4, true),
                        F(v4_bf16x2, 8, true),
                        {"red_v2_f16_min", r_min, 2, false}};
  const int n = 256;
  uint16_t *m, *b, *o;
  CK(cudaMalloc(&m, 2 * n));
  CK(cudaMalloc(&b, 2 * n));
  CK(cudaMalloc(&o, 2 * n));
  uint32_t form = 0;
  for (const Form& f : forms) {
    std::vector<uint16_t> hm(n), hb(n), r(n), old(n);
    for (int i = 0; i < n; ++i)
      hm[i] = sample(f.bf, form * 1024 + 2 * i), hb[i] = sample(f.bf, form * 1024 + 2 * i + 1);
    ++form;
    CK(cudaMemcpy(m, hm.data(), 2 * n, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(b, hb.data(), 2 * n, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(o, hm.data(), 2 * n, cudaMemcpyHostToDevice));
    f.k<<<1, n / f.each>>>(m, b, o);
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(r.data(), m, 2 * n, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(old.data(), o, 2 * n, cudaMemcpyDeviceToHost));
    printf("%s %s ", f.name, old == hm ? "old" : "OTHER");
    for (int i = 0; i < n; ++i) printf("%04x", r[i]);
    printf("\n");
  }
}
