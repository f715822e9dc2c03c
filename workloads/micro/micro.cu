// The microbenchmarks' global-memory kernels. The others are a body repeated, which micro.cc writes.
//
//   nvcc -ptx -arch=compute_75 -lineinfo micro.cu -o micro.ptx

// Each thread reads a word of its own place, `rounds` times `step` words apart, and adds up.
extern "C" __global__ void gather(const unsigned* in, const unsigned* places, unsigned* out, unsigned rounds,
                                  unsigned step) {
  unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned* at = in + blockIdx.x * rounds * step + places[threadIdx.x];
  unsigned sum = 0;
#pragma unroll 1
  for (unsigned r = 0; r < rounds; r++) {
    sum += *at;
    at += step;
  }
  out[thread] = sum;
}

// A thread at a time, each load's address the word that the one before read.
extern "C" __global__ void chase(const unsigned long long* in, unsigned long long* out, unsigned rounds) {
  const unsigned long long* at = in;
#pragma unroll 1
  for (unsigned r = 0; r < rounds; r++) {
#pragma unroll
    for (int i = 0; i < 16; i++) at = (const unsigned long long*)*at;
  }
  *out = (unsigned long long)at;
}

// Reading, writing and copying all at once, a pointer stepping from word to word: nothing else to compute in the loop.
extern "C" __global__ void read(const unsigned* in, unsigned* out, unsigned n, unsigned passes) {
  unsigned threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
#pragma unroll 1
  for (; passes > 0; passes--) {
    const unsigned* at = in + thread;
#pragma unroll 1
    for (unsigned i = thread; i < n; i += threads, at += threads) sum += *at;
    __syncthreads();
  }
  out[thread] = sum;
}

// Sums a piece of n / threads words in a row, a piece per thread: neighbours' words are a piece apart.
extern "C" __global__ void read_pieces(const unsigned* in, unsigned* out, unsigned n, unsigned passes) {
  unsigned threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  unsigned length = n / threads;
#pragma unroll 1
  for (; passes > 0; passes--) {
    const unsigned* at = in + thread * length;
#pragma unroll 1
    for (unsigned i = 0; i < length; i++) sum += *at++;
    __syncthreads();
  }
  out[thread] = sum;
}

extern "C" __global__ void write(unsigned* out, unsigned n) {
  unsigned threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (unsigned i = thread; i < n; i += threads) out[i] = i;
}

extern "C" __global__ void copy(const unsigned* in, unsigned* out, unsigned n) {
  unsigned threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
  in += thread;
  out += thread;
#pragma unroll 1
  for (unsigned i = thread; i < n; i += threads, in += threads, out += threads) *out = *in;
}

// Each warp reads pieces of 128 bytes that lie `pitch` words apart, the warps one after the other.
extern "C" __global__ void pieces(const unsigned* in, unsigned* out, unsigned rounds, unsigned pitch) {
  unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned warps = gridDim.x * blockDim.x / 32, sum = 0;
  const unsigned* at = in + thread / 32 * pitch + thread % 32;
#pragma unroll 1
  for (unsigned r = 0; r < rounds; r++) {
    sum += *at;
    at += warps * pitch;
  }
  out[thread] = sum;
}

// A matrix whose rows lie `pitch` words apart: each thread adds up a column; each warp the first words of a row, 32 at a
// time, so that all warps pass through the same columns together.
extern "C" __global__ void columns(const unsigned* in, unsigned* out, unsigned rows, unsigned pitch) {
  unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  const unsigned* at = in + thread;
#pragma unroll 1
  for (unsigned r = 0; r < rows; r++) {
    sum += *at;
    at += pitch;
  }
  out[thread] = sum;
}

extern "C" __global__ void rows(const unsigned* in, unsigned* out, unsigned steps, unsigned pitch) {
  unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  const unsigned* at = in + thread / 32 * pitch + thread % 32;
#pragma unroll 1
  for (unsigned s = 0; s < steps; s++) {
    sum += *at;
    at += 32;
  }
  out[thread] = sum;
}
