// F^H d (x) = sum over k of rho(k) e^(2 pi i k.x), rho = conj(phi) d, at every voxel x of a volume, k the samples of a
// scan: Stone et al. 2008. Samples come in chunks, a launch each, and a launch adds to what the ones before it left; from
// constant memory, or, to compare, from global memory.
//
//   nvcc -ptx -arch=compute_75 -lineinfo mri-fhd.cu -o mri-fhd.ptx
#include "../mri-q/reconstruction.cuh"

constexpr int kChunk = 400;  // samples: 8,000 of the 8,192 bytes that the constant cache of a G80 multiprocessor holds

// (x, y, z) of a sample, in cycles a field of view, and the real part of rho; its imaginary part.
__constant__ float4 samples[kChunk];
__constant__ float imaginary[kChunk];

struct ComplexSamples {
  const float4* quads;
  const float* imaginary;
  __device__ void add(int k, float rho_re, float cosine, float sine, float& re, float& im) const {
    float rho_im = imaginary[k];
    re = re + rho_re * cosine - rho_im * sine;
    im = im + rho_re * sine + rho_im * cosine;
  }
};

extern "C" __global__ void fhd_constant(int count, const float* voxels, float* sums) {
  add_samples<SpecialFunctions>(ComplexSamples{samples, imaginary}, count, voxels, sums);
}

extern "C" __global__ void fhd_software_sine(int count, const float* voxels, float* sums) {
  add_samples<Arithmetic>(ComplexSamples{samples, imaginary}, count, voxels, sums);
}

extern "C" __global__ void fhd_global(const float4* chunk, const float* chunk_imaginary, int count, const float* voxels,
                                      float* sums) {
  add_samples<SpecialFunctions>(ComplexSamples{chunk, chunk_imaginary}, count, voxels, sums);
}
