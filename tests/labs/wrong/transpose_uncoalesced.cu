// Wrong: neighbouring threads store a whole column apart.
__global__ void transpose(const float* in, float* out, int width, int height) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < width && y < height) out[x * height + y] = in[y * width + x];
}
