// Reads a table in constant memory: all threads the same element, or each thread one of its own.
__constant__ float table[256];

extern "C" __global__ void same_element(float* out) {
  int t = threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < 16; i++) sum += table[i];
  out[t] = sum;
}

extern "C" __global__ void own_element(float* out) {
  int t = threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < 16; i++) sum += table[(t + i) % 256];
  out[t] = sum;
}

// Each thread adds up a row of an image of 64 columns: neighbouring threads read elements that are 64 apart.
extern "C" __global__ void rows_global(const float* image, float* out) {
  int y = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int x = 0; x < 64; x++) sum += image[y * 64 + x];
  out[y] = sum;
}

extern "C" __global__ void rows_texture(cudaTextureObject_t image, float* out) {
  int y = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int x = 0; x < 64; x++) sum += tex1Dfetch<float>(image, y * 64 + x);
  out[y] = sum;
}
