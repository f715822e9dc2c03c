// Products of a square matrix of floats, stored by rows, and a vector: y = A x and y = A^T x, after the description in
// Baskaran et al. 2008, whose kernels are not printed. n is a multiple of 256.
//
//   nvcc -ptx -arch=compute_75 -lineinfo matvec.cu -o matvec.ptx

// y = A x, all from global memory: each thread walks a row, so that the loads of a half-warp are n words apart.
extern "C" __global__ void direct(float* y, const float* A, const float* x, unsigned n) {
  unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  const float* a = A + row * n;
  float sum = 0.0f;
#pragma unroll 1
  for (unsigned k = 0; k < n; k++) sum += *a++ * *x++;
  y[row] = sum;
}

// y = A^T x: each thread walks a column, so that a half-warp reads a row's words in order. The elements of x that all
// threads need come from shared memory, a piece at a time.
extern "C" __global__ void transposed(float* y, const float* A, const float* x, unsigned n) {
  constexpr unsigned kThreads = 256;
  __shared__ float piece[kThreads];
  unsigned column = blockIdx.x * kThreads + threadIdx.x;
  const float* a = A + column;
  float sum = 0.0f;
#pragma unroll 1
  for (unsigned begin = 0; begin < n; begin += kThreads) {
    piece[threadIdx.x] = x[begin + threadIdx.x];
    __syncthreads();
#pragma unroll 1
    for (unsigned k = 0; k < kThreads; k++) {
      sum += *a * piece[k];
      a += n;
    }
    __syncthreads();
  }
  y[column] = sum;
}

// y = A x through shared memory: a block of 64 threads loads 16 columns of its 64 rows, coalesced, and each thread adds
// up its row. Rows of PITCH words in shared memory: with 16, all elements of a column share a bank.
template <unsigned PITCH>
__device__ __forceinline__ void through_shared(float* y, const float* A, const float* x, unsigned n) {
  constexpr unsigned kRows = 64, kColumns = 16;
  __shared__ float tile[kRows][PITCH];
  __shared__ float piece[kColumns];
  unsigned row = blockIdx.x * kRows + threadIdx.x;
  unsigned tileRow = threadIdx.x / kColumns, tileColumn = threadIdx.x % kColumns;
  const float* a = A + (blockIdx.x * kRows + tileRow) * n + tileColumn;
  float sum = 0.0f;
#pragma unroll 1
  for (unsigned begin = 0; begin < n; begin += kColumns) {
    const float* from = a;
#pragma unroll
    for (unsigned r = 0; r < kRows; r += kRows / kColumns) {
      tile[tileRow + r][tileColumn] = *from;
      from += kRows / kColumns * n;
    }
    if (threadIdx.x < kColumns) piece[threadIdx.x] = x[begin + threadIdx.x];
    a += kColumns;
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < kColumns; k++) sum += tile[threadIdx.x][k] * piece[k];
    __syncthreads();
  }
  y[row] = sum;
}

extern "C" __global__ void shared(float* y, const float* A, const float* x, unsigned n) {
  through_shared<16>(y, A, x, n);
}

extern "C" __global__ void shared_padded(float* y, const float* A, const float* x, unsigned n) {
  through_shared<17>(y, A, x, n);
}
