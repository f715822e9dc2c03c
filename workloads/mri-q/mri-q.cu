// Q(x) = sum over k of |phi(k)|^2 e^(2 pi i k.x) at every voxel x of a volume, k the samples of a scan: Stone et al.
// 2008. Samples come in chunks, a launch each, and a launch adds to what the ones before it left; from constant memory, or,
// to compare, from global memory.
//
//   nvcc -ptx -arch=compute_75 -lineinfo mri-q.cu -o mri-q.ptx
#include "reconstruction.cuh"

constexpr int kChunk = 512;  // samples: 8 KB, what the constant cache of a G80 multiprocessor holds

// (x, y, z) of a sample, in cycles a field of view, and |phi|^2.
__constant__ float4 samples[kChunk];

struct Magnitudes {
  const float4* quads;
  __device__ void add(int, float magnitude, float cosine, float sine, float& re, float& im) const {
    re += magnitude * cosine;
    im += magnitude * sine;
  }
};

extern "C" __global__ void q_constant(int count, const float* voxels, float* sums) {
  add_samples<SpecialFunctions>(Magnitudes{samples}, count, voxels, sums);
}

extern "C" __global__ void q_software_sine(int count, const float* voxels, float* sums) {
  add_samples<Arithmetic>(Magnitudes{samples}, count, voxels, sums);
}

extern "C" __global__ void q_global(const float4* chunk, int count, const float* voxels, float* sums) {
  add_samples<SpecialFunctions>(Magnitudes{chunk}, count, voxels, sums);
}
