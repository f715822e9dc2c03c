// Step k of a Gaussian elimination as LINPACK does it (sgefa without its search for a pivot): column k below the
// diagonal is divided by -a[k][k]; then every column j behind it gets a saxpy, a[k][j] times column k. `x` and `y` are
// columns k and k + 1 from the last multiple of 16 rows on, so that half-warps stay in line; `skip` rows from there, at
// most 15, is the first that changes, and the one before it is row k. Columns are `pitch` apart.
//
//   nvcc -ptx -arch=compute_75 linpack.cu -o linpack.ptx
extern "C" __global__ void scale(unsigned rows, unsigned skip, float* x) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i - skip < rows - skip) x[i] *= -1.0f / x[(int)skip - 1];
}

extern "C" __global__ void update(unsigned rows, unsigned skip, const float* x, float* y, unsigned pitch) {
  __shared__ float alpha;
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  y += __umul24(blockIdx.y, pitch);
  if (threadIdx.x == 0) alpha = y[(int)skip - 1];
  __syncthreads();
  if (i - skip < rows - skip) y[i] = fmaf(alpha, x[i], y[i]);
}
