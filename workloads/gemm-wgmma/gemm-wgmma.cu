// C = A B as libraries for compute capability 9.0 write it: one thread brings tiles into shared memory by tensor
// copies, two warpgroups multiply them by wgmma, mbarrier objects say which stages are full and which are free; f16
// factors, f32 sums. A block computes 128 x 128 of C, a warpgroup 64 x 128 of them; tiles of 64 of k, four stages. n is
// a multiple of 128. Both matrices are by rows: A has neighbours in k, B has them in n, so it is the transposed operand
// of wgmma.
//
//   nvcc -ptx -arch=compute_90a -lineinfo gemm-wgmma.cu -o gemm-wgmma.ptx
#include <cuda.h>
#include <cuda_fp16.h>

#include <cstdint>

constexpr int kTile = 128, kDepth = 64, kStages = 4;
constexpr int kConsumers = 256, kThreads = 384;  // a warpgroup that copies, two that multiply
constexpr int kBoxColumns = 64;                  // 128 bytes, as wide as the swizzle
constexpr int kBytesA = kTile * kDepth * 2, kBytesB = kDepth * kTile * 2;

struct __align__(1024) Stage {
  __half a[kTile * kDepth];           // rows of 64 of k
  __half b[2][kDepth * kBoxColumns];  // columns 0 to 63 and 64 to 127: rows of 64 of n each
};
struct Shared {
  Stage stages[kStages];
  uint64_t full[kStages], free[kStages];
};

__device__ uint32_t shared_address(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

__device__ void init(uint64_t* barrier, uint32_t arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals));
}
__device__ void arrive(uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}
__device__ void expect(uint64_t* barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
}
__device__ void wait(uint64_t* barrier, uint32_t parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "AGAIN:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra AGAIN;\n"
      "}" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}
__device__ void copy_box(void* to, const CUtensorMap* from, int column, int row, uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::
          "r"(shared_address(to)),
      "l"(from), "r"(column), "r"(row), "r"(shared_address(barrier))
      : "memory");
}

/// A matrix descriptor with a swizzle of 128 bytes (PTX ISA 9.0, 9.7.15.5.1.2.2); offsets in bytes.
__device__ uint64_t descriptor(const void* matrix, uint32_t leading, uint32_t stride) {
  return (shared_address(matrix) & 0x3ffff) >> 4 | static_cast<uint64_t>(leading >> 4) << 16 |
         static_cast<uint64_t>(stride >> 4) << 32 | uint64_t{1} << 62;
}

__device__ void multiply(float (&c)[64], uint64_t a, uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "
      "%24, "
      "%25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, "
      "%47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, %64, %65, 1, 1, 1, 0, 1;"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]), "+f"(c[8]),
        "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]), "+f"(c[16]),
        "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]), "+f"(c[24]),
        "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31]), "+f"(c[32]),
        "+f"(c[33]), "+f"(c[34]), "+f"(c[35]), "+f"(c[36]), "+f"(c[37]), "+f"(c[38]), "+f"(c[39]), "+f"(c[40]),
        "+f"(c[41]), "+f"(c[42]), "+f"(c[43]), "+f"(c[44]), "+f"(c[45]), "+f"(c[46]), "+f"(c[47]), "+f"(c[48]),
        "+f"(c[49]), "+f"(c[50]), "+f"(c[51]), "+f"(c[52]), "+f"(c[53]), "+f"(c[54]), "+f"(c[55]), "+f"(c[56]),
        "+f"(c[57]), "+f"(c[58]), "+f"(c[59]), "+f"(c[60]), "+f"(c[61]), "+f"(c[62]), "+f"(c[63])
      : "l"(a), "l"(b));
}

extern "C" __global__ void __launch_bounds__(kThreads)
    gemm_wgmma(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* c, int n) {
  extern __shared__ __align__(1024) unsigned char memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  const int group = threadIdx.x / 128, steps = n / kDepth;
  const int row = blockIdx.y * kTile, column = blockIdx.x * kTile;
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < kStages; ++stage) {
      init(&shared.full[stage], 1);
      init(&shared.free[stage], kConsumers);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();

  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x != 0) return;
    for (int step = 0; step < steps; ++step) {
      const int stage = step % kStages, round = step / kStages;
      if (round > 0) wait(&shared.free[stage], (round - 1) & 1);
      uint64_t* full = &shared.full[stage];
      expect(full, kBytesA + kBytesB);
      copy_box(shared.stages[stage].a, &a, step * kDepth, row, full);
      for (int half = 0; half < 2; ++half)
        copy_box(shared.stages[stage].b[half], &b, column + half * kBoxColumns, step * kDepth, full);
    }
    return;
  }

  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  const int consumer = group - 1;
  float sum[64] = {};
  for (int step = 0; step < steps; ++step) {
    const int stage = step % kStages;
    wait(&shared.full[stage], step / kStages & 1);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int k = 0; k < kDepth; k += 16)
      multiply(sum, descriptor(&shared.stages[stage].a[consumer * 64 * kDepth + k], 16, 1024),
               descriptor(&shared.stages[stage].b[0][k * kBoxColumns], kDepth * kBoxColumns * 2, 1024));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    arrive(&shared.free[stage]);
  }
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
  for (int i = 0; i < 16; ++i)
    for (int half = 0; half < 2; ++half) {
      const int c_row = row + consumer * 64 + warp * 16 + lane / 4 + half * 8, c_column = column + i * 8 + lane % 4 * 2;
      *reinterpret_cast<float2*>(&c[static_cast<size_t>(c_row) * n + c_column]) =
          make_float2(sum[4 * i + 2 * half], sum[4 * i + 2 * half + 1]);
    }
}
