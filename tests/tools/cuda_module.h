// A CUDA program as nvcc compiles it with -lineinfo: a kernel with a function of its own and one of a toolkit header
// inlined into it, a static variable with a mangled name, and two kernels of one template.
#pragma once

#include <string>
#include <string_view>

namespace warptime::test {

inline constexpr std::string_view kCudaSource = R"(__device__ __forceinline__ void add(int* p, int i) {
  atomicAdd(p + i, 1);
}
__global__ void count(const float* x, int* bins, int n) {
  __shared__ float tile[32];
  tile[threadIdx.x] = x[threadIdx.x];
  add(bins, n);
}
template <class T> __global__ void fill(T* p) { *p = 1; }
)";

/// A string of .debug_str: ".b8 95,90,...,0".
inline std::string debug_string(std::string_view text) {
  std::string out = ".b8 ";
  for (char c : text) out += std::to_string(static_cast<unsigned char>(c)) + ",";
  return out + "0\n";
}

/// Line 31 is the atomic operation.
inline std::string cuda_module() {
  return R"(.version 7.5
.target sm_75
.address_size 64
.visible .entry _Z5countPKfPii(
  .param .u64 _Z5countPKfPii_param_0,
  .param .u64 _Z5countPKfPii_param_1,
  .param .u32 _Z5countPKfPii_param_2
)
{
  .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<2>;
  .loc 1 4 0
  .shared .align 4 .b8 _ZZ5countPKfPiiE4tile[128];
  ld.param.u64 %rd1, [_Z5countPKfPii_param_0];
  ld.param.u64 %rd2, [_Z5countPKfPii_param_1];
  ld.param.u32 %r1, [_Z5countPKfPii_param_2];
  .loc 1 6 3
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd3, %r2, 4;
  add.s64 %rd4, %rd1, %rd3;
  ld.global.f32 %f1, [%rd4];
  shl.b32 %r3, %r2, 2;
  mov.u32 %r4, _ZZ5countPKfPiiE4tile;
  add.s32 %r5, %r4, %r3;
  st.shared.f32 [%r5], %f1;
  .loc 1 7 3
  .loc 1 2 3, function_name $L__info_string0, inlined_at 1 7 3
  mul.wide.s32 %rd5, %r1, 4;
  add.s64 %rd6, %rd2, %rd5;
  .loc 1 2 3, function_name $L__info_string0, inlined_at 1 7 3
  .loc 2 107 3, function_name $L__info_string1, inlined_at 1 2 3
  atom.global.add.u32 %r6, [%rd6], 1;
  .loc 1 8 1
  ret;
}
.visible .entry _Z4fillIfEvPT_(.param .u64 p) {
  .loc 1 9 49
  ret;
}
.visible .entry _Z4fillIdEvPT_(.param .u64 p) {
  .loc 1 9 49
  ret;
}
.file 1 "k.cu"
.file 2 "/usr/local/cuda/bin/../targets/x86_64-linux/include/device_atomic_functions.hpp"
.section .debug_str
{
$L__info_string0:
)" + debug_string("_Z3addPii") +
         "$L__info_string1:\n" + debug_string("_ZN13_INTERNAL_abc9atomicAddEPii") + "}\n";
}

}  // namespace warptime::test
