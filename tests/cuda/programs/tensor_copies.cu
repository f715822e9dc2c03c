// A matrix is transposed by tiles: a tensor copy brings each to shared memory, another takes the result away; at the edges the
// tiles lie partly outside. The tensor maps are made by the driver's function, which is asked for by its name; what it
// must refuse it refuses. Needs compute capability 9.0.
//   nvcc -ptx -std=c++17 -arch=compute_90 -lineinfo tensor_copies.cu -o tensor_copies.ptx
// flags: -arch=compute_90
#include "program.h"

const int kTile = 16, kRows = 70, kColumns = 52;  // rows of 208 and of 288 bytes

// What cuda.h has of it.
struct alignas(64) TensorMap {
  unsigned long long words[16];
};
using Encode = int (*)(TensorMap*, int type, unsigned rank, void* address, const unsigned long long* dims,
                       const unsigned long long* strides, const unsigned* box, const unsigned* steps, int interleave,
                       int swizzle, int promotion, int fill);
const int kFloat32 = 7, kInvalidValue = 1;

__global__ void transpose(const __grid_constant__ TensorMap from, const __grid_constant__ TensorMap to) {
  __shared__ alignas(128) float in[kTile * kTile];
  __shared__ alignas(128) float out[kTile * kTile];
  __shared__ alignas(8) unsigned long long full;
  const unsigned object = static_cast<unsigned>(__cvta_generic_to_shared(&full));
  const unsigned in_at = static_cast<unsigned>(__cvta_generic_to_shared(in));
  const unsigned out_at = static_cast<unsigned>(__cvta_generic_to_shared(out));
  const int x = blockIdx.x * kTile, y = blockIdx.y * kTile;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(object) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(object), "r"(kTile * kTile * 4) : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(in_at),
        "l"(&from), "r"(x), "r"(y), "r"(object)
        : "memory");
  }
  __syncthreads();
  unsigned done = 0;
  while (done == 0)
    asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(done)
                 : "r"(object)
                 : "memory");
  for (int i = threadIdx.x; i < kTile * kTile; i += blockDim.x) out[i % kTile * kTile + i / kTile] = in[i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&to), "r"(y), "r"(x),
                 "r"(out_at)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

TensorMap map_of(Encode encode, float* data, unsigned long long columns, unsigned long long rows,
                 unsigned long long pitch) {
  TensorMap map;
  const unsigned box[] = {kTile, kTile}, steps[] = {1, 1};
  const unsigned long long dims[] = {columns, rows};
  if (encode(&map, kFloat32, 2, data, dims, &pitch, box, steps, 0, 0, 0, 0) != 0) std::printf("no tensor map\n");
  return map;
}

int main() {
  const int pitch = 72;  // of the result, in elements
  std::vector<float> in(kRows * kColumns), expected(kColumns * pitch);
  unsigned state = 5;
  for (float& value : in) value = draw_float(state);
  for (int y = 0; y < kRows; ++y)
    for (int x = 0; x < kColumns; ++x) expected[x * pitch + y] = in[y * kColumns + x];
  Array<float> on_in(in), on_out(kColumns * pitch);
  CHECK(cudaMemset(on_out.data, 0, kColumns * pitch * sizeof(float)));
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found;
  CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found));
  const Encode encode = reinterpret_cast<Encode>(function);
  const TensorMap from = map_of(encode, on_in, kColumns, kRows, kColumns * 4), to = map_of(encode, on_out, kRows, kColumns, pitch * 4);
  transpose<<<dim3((kColumns + kTile - 1) / kTile, (kRows + kTile - 1) / kTile), 64>>>(from, to);
  int wrong = differences(on_out.get(), expected);
  // Rows that do not begin at multiples of 16 bytes, and a swizzle that is narrower than the box.
  TensorMap other;
  const unsigned long long dims[] = {kColumns, kRows}, odd = 200, even = 208;
  const unsigned box[] = {kTile, kTile}, steps[] = {1, 1};
  wrong += encode(&other, kFloat32, 2, on_in.data, dims, &odd, box, steps, 0, 0, 0, 0) != kInvalidValue;
  wrong += encode(&other, kFloat32, 2, on_in.data, dims, &even, box, steps, 0, 1, 0, 0) != kInvalidValue;
  return verdict("tensor_copies", wrong);
}
