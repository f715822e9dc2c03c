// A row of the result has `height` elements, not `width`.
__global__ void turn(const float* in, float* out, int width, int height) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < width && y < height) out[x * width + y] = in[y * width + x];
}
