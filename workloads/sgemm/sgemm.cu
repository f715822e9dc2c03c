// C = alpha A B + beta C, matrices column by column, after the description of Volkov and Demmel, SC 2008: a block of 64
// threads computes 64 x 16 elements of C, a thread the 16 of a row, in registers. A step takes 16 columns of A and 16
// rows of B: the 16 x 16 elements of B go to shared memory, a row padded to 17 words, where all threads read the same
// element at once; each element of A is read by the one thread whose row it is in, in order over the block. The step is
// unrolled: 256 multiply-adds with an operand in shared memory. All sizes are multiples of 64.
//
//   nvcc -ptx -arch=compute_75 -lineinfo sgemm.cu -o sgemm.ptx
constexpr int kRows = 64, kTile = 16;

extern "C" __global__ void sgemm(const float* a, const float* b, float* c, int n, float alpha, float beta) {
  __shared__ float part[kTile][kTile + 1];
  int thread = threadIdx.x, inner = thread % kTile, outer = thread / kTile;
  a += blockIdx.x * kRows + thread;
  b += inner + (blockIdx.y * kTile + outer) * n;
  c += blockIdx.x * kRows + thread + blockIdx.y * kTile * n;
  const float* end = b + n;
  float sum[kTile] = {};
#pragma unroll 1
  do {
#pragma unroll
    for (int j = 0; j < kTile; j += kRows / kTile) part[inner][outer + j] = b[j * n];
    b += kTile;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile; k++) {
      float element = *a;
      a += n;
#pragma unroll
      for (int j = 0; j < kTile; j++) sum[j] += element * part[k][j];
    }
    __syncthreads();
  } while (b < end);
#pragma unroll
  for (int j = 0; j < kTile; j++) {
    *c = alpha * sum[j] + beta * *c;
    c += n;
  }
}
