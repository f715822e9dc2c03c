// Sum of n words in one launch: each block adds up its part and takes a ticket; the block that gets the last one adds up
// the parts.
//
//   nvcc -ptx -arch=compute_75 -lineinfo reduce-ticket.cu -o reduce-ticket.ptx
#define THREADS 128

static __device__ unsigned block_sum(unsigned value, unsigned* shared) {
  shared[threadIdx.x] = value;
  for (unsigned half = THREADS / 2; half > 0; half >>= 1) {
    __syncthreads();
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
  }
  __syncthreads();
  return shared[0];
}

// `ticket` is 0 before, and again after.
extern "C" __global__ void reduce_ticket(const unsigned* data, unsigned n, volatile unsigned* parts, unsigned* ticket,
                                         unsigned* result) {
  __shared__ unsigned shared[THREADS];
  __shared__ bool last;
  unsigned sum = 0;
  for (unsigned i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) sum += data[i];
  sum = block_sum(sum, shared);
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = sum;
    __threadfence();  // the part is there before the ticket is taken
    last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  sum = 0;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += THREADS) sum += parts[i];
  sum = block_sum(sum, shared);
  if (threadIdx.x == 0) *result = sum;
}
