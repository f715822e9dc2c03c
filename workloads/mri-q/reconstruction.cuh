// What mri-q.cu and ../mri-fhd/mri-fhd.cu have in common: a thread a voxel, which goes through a chunk of samples and adds
// to its sum; and the phase factor, cosine and sine of an angle in turns, by the special function units or by arithmetic.
#pragma once

constexpr int kThreads = 256;

// The units take radians.
struct SpecialFunctions {
  static __device__ void of(float turns, float& cosine, float& sine) {
    float angle = 6.2831853f * turns;
    cosine = __cosf(angle);
    sine = __sinf(angle);
  }
};

// turns = q / 4 + z with q whole and |z| <= 1/8, exactly. With w = z^2 <= 1/64, sin(2 pi z) / z and (cos(2 pi z) - 1) / w
// are the polynomials in w that agree with them at the four Chebyshev nodes of [0, 1/64]; README.md bounds the error. The
// quarter turns swap the two and set their signs.
struct Arithmetic {
  static __device__ void of(float turns, float& cosine, float& sine) {
    float quarters = rintf(4.0f * turns);
    float z = turns - 0.25f * quarters;
    float w = z * z;
    float sine_z = z * (6.28318548f + w * (-41.3416634f + w * (81.5925446f + w * -75.4016113f)));
    float cosine_z = 1.0f + w * (-19.7392082f + w * (64.9393692f + w * (-85.448822f + w * 59.4241066f)));
    int q = (int)quarters;
    float c = q & 1 ? sine_z : cosine_z, s = q & 1 ? cosine_z : sine_z;
    cosine = __int_as_float(__float_as_int(c) ^ ((q + 1) & 2) << 30);
    sine = __int_as_float(__float_as_int(s) ^ (q & 2) << 30);
  }
};

template <int kWords>
__device__ void move_rows(float* to, const float* from) {
#pragma unroll
  for (int row = 0; row < kWords; ++row) to[row * kThreads + threadIdx.x] = from[row * kThreads + threadIdx.x];
}

// Voxels and sums lie interleaved, (x, y, z) and (re, im); the block moves both between global and shared memory in whole
// rows of words, so that all accesses coalesce, and a thread picks its own there. All threads read the same sample at the
// same time.
template <class Phase, class Samples>
__device__ void add_samples(Samples samples, int count, const float* voxels, float* sums) {
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
    float4 place = samples.quads[k];
    float cosine, sine;
    Phase::of(place.x * x + place.y * y + place.z * z, cosine, sine);
    samples.add(k, place.w, cosine, sine, re, im);
  }
  sum[2 * t] = re;
  sum[2 * t + 1] = im;
  __syncthreads();
  move_rows<2>(sums, sum);
}
