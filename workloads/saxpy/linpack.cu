// Step k of a Gaussian elimination as LINPACK does it (sgefa without its search for a pivot): column k below the
// diagonal is divided by -a[k][k]; then every column j behind it gets a saxpy, a[k][j] times column k. `x` and `y` are
// columns k and k + 1 from row k + 1 on, of which `count` rows are left; row k is the element before. Threads begin
// `skip` rows before, at the last multiple of 16, so that half-warps stay in line. Columns are `pitch` bytes apart.
//
//   nvcc -ptx -arch=compute_75 -lineinfo linpack.cu -o linpack.ptx
constexpr int kBlock = 128;

__device__ __forceinline__ int row(unsigned skip) { return blockIdx.x * kBlock + threadIdx.x - skip; }

extern "C" __global__ void scale(unsigned count, unsigned skip, float* x) {
  int i = row(skip);
  if (unsigned(i) < count) x[i] *= -1.0f / x[-1];
}

// Short, or the warp scheduler would be busier than DRAM: 16 bits of pitch make the product one instruction, the rows
// that are before and behind make one comparison.
extern "C" __global__ void update(unsigned count, unsigned skip, const float* x, float* y, unsigned short pitch) {
  __shared__ float alpha;
  int i = row(skip);
  y = (float*)((char*)y + blockIdx.y * pitch);
  if (threadIdx.x == 0) alpha = y[-1];
  __syncthreads();
  if (unsigned(i) < count) y[i] = fmaf(alpha, x[i], y[i]);
}
