// Prefix sums of Harris, "Parallel Prefix Sum (Scan) with CUDA", April 2007: each block sums up 512 elements in a tree in
// shared memory, padded by a word every 16 so that its strides meet different banks.
//   nvcc -ptx -arch=compute_75 -lineinfo scan.cu -o scan.ptx

static __device__ unsigned padded(unsigned i) { return i + (i >> 4); }

// A piece of two elements per thread; its sum into `sums[block]`.
extern "C" __global__ void scan_piece(float* out, const float* in, float* sums) {
  extern __shared__ float s[];
  unsigned t = threadIdx.x, count = blockDim.x;
  unsigned first = blockIdx.x * (2 * count) + t, second = first + count;
  s[padded(t)] = in[first];
  s[padded(t + count)] = in[second];

  // Up: sums of 2, 4, 8 ... neighbours.
  unsigned stride = 1;
  for (unsigned active = count; active > 0; active >>= 1) {
    __syncthreads();
    if (t < active) {
      unsigned i = 2 * stride * t, a = i + stride - 1, b = a + stride;
      s[padded(b)] += s[padded(a)];
    }
    stride *= 2;
  }
  if (t == 0) {
    unsigned last = padded(2 * count - 1);
    sums[blockIdx.x] = s[last];
    s[last] = 0;
  }
  // Down: what lies before each of them.
  for (unsigned active = 1; active <= count; active *= 2) {
    stride >>= 1;
    __syncthreads();
    if (t < active) {
      unsigned i = 2 * stride * t, a = i + stride - 1, b = a + stride;
      a = padded(a);
      b = padded(b);
      float before = s[a];
      s[a] = s[b];
      s[b] += before;
    }
  }
  __syncthreads();
  out[first] = s[padded(t)];
  out[second] = s[padded(t + count)];
}

// What lies before a piece, to each of its elements.
extern "C" __global__ void add_before(float* data, const float* before) {
  __shared__ float value;
  unsigned t = threadIdx.x, count = blockDim.x, first = blockIdx.x * (2 * count) + t;
  if (t == 0) value = before[blockIdx.x];
  __syncthreads();
  data[first] += value;
  data[first + count] += value;
}
