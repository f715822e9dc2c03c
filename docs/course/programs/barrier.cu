// A block turns its numbers round: each thread writes one to shared memory and reads the one that another thread wrote.
extern "C" __global__ void reverse(const float* in, float* out) {
  __shared__ float part[64];
  int t = threadIdx.x;
  part[t] = in[t];
  __syncthreads();
  out[t] = part[63 - t];
}

// The same without the barrier.
extern "C" __global__ void reverse_wrong(const float* in, float* out) {
  __shared__ float part[64];
  int t = threadIdx.x;
  part[t] = in[t];
  out[t] = part[63 - t];
}

// A barrier that only the even threads reach.
extern "C" __global__ void half_arrives(const float* in, float* out) {
  __shared__ float part[64];
  int t = threadIdx.x;
  part[t] = in[t];
  if (t % 2 == 0) __syncthreads();
  out[t] = part[63 - t];
}
