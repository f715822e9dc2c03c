// The two ways that the naive matrix multiplication walks its operands, each alone (Cecilia et al. 2009, section 3.3 and
// table 2): A along a row, the same word for every thread of a half-warp, and B down a column, a word for each thread.
//
//   nvcc -ptx -arch=compute_75 -lineinfo walk.cu -o walk.ptx
extern "C" __global__ void walk_a(const float* A, float* C, int width) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  const float* a = A + row * width;
  float sum = 0.0f;
#pragma unroll 1
  for (int i = 0; i < width; i++) sum += *a++;
  C[row * width + column] = sum;
}

extern "C" __global__ void walk_b(const float* B, float* C, int width) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  const float* b = B + column;
  float sum = 0.0f;
#pragma unroll 1
  for (int i = 0; i < width; i++) {
    sum += *b;
    b += width;
  }
  C[row * width + column] = sum;
}
