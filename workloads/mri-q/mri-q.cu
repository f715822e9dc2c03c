// Q(x) = sum over k of |phi(k)|^2 e^(2 pi i k.x) at every voxel x of a volume, k the samples of a scan: Stone et al.
// 2008. A thread a voxel; samples come in chunks, a launch each, and a launch adds to what the ones before it left.
// Every thread reads the same sample at the same time: from constant memory, or, to compare, from global memory.
//
// Voxels and sums lie interleaved, (x, y, z) and (re, im); the block moves both between global and shared memory in whole
// rows of words, so that all accesses coalesce, and a thread picks its own there.
//
//   nvcc -ptx -arch=compute_75 mri-q.cu -o mri-q.ptx
#include "phase.cuh"

constexpr int kThreads = 256;
constexpr int kChunk = 512;  // samples: 8 KB, what the constant cache of a G80 multiprocessor holds

// (x, y, z) of a sample, in cycles a field of view, and |phi|^2.
__constant__ float4 samples[kChunk];

template <int kWords>
__device__ void move_rows(float* to, const float* from) {
#pragma unroll
  for (int row = 0; row < kWords; ++row) to[row * kThreads + threadIdx.x] = from[row * kThreads + threadIdx.x];
}

template <class Phase>
__device__ void add_samples(const float4* samples, int count, const float* voxels, float* sums) {
  __shared__ float voxel[3 * kThreads], sum[2 * kThreads];
  voxels += blockIdx.x * 3 * kThreads;
  sums += blockIdx.x * 2 * kThreads;
  move_rows<3>(voxel, voxels);
  move_rows<2>(sum, sums);
  __syncthreads();
  int t = threadIdx.x;
  float x = voxel[3 * t], y = voxel[3 * t + 1], z = voxel[3 * t + 2];
  float re = sum[2 * t], im = sum[2 * t + 1];
#pragma unroll 1
  for (int k = 0; k < count; ++k) {
    float4 sample = samples[k];
    float cosine, sine;
    Phase::of(sample.x * x + sample.y * y + sample.z * z, cosine, sine);
    re += sample.w * cosine;
    im += sample.w * sine;
  }
  sum[2 * t] = re;
  sum[2 * t + 1] = im;
  __syncthreads();
  move_rows<2>(sums, sum);
}

extern "C" __global__ void q_constant(int count, const float* voxels, float* sums) {
  add_samples<SpecialFunctions>(samples, count, voxels, sums);
}

extern "C" __global__ void q_software_sine(int count, const float* voxels, float* sums) {
  add_samples<Arithmetic>(samples, count, voxels, sums);
}

extern "C" __global__ void q_global(const float4* chunk, int count, const float* voxels, float* sums) {
  add_samples<SpecialFunctions>(chunk, count, voxels, sums);
}
