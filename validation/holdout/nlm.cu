// Denoising of an RGBA image by non-local means: each pixel becomes the mean of those in a window of 7 x 7 around it,
// which count by how alike the blocks of 7 x 7 around both are, and by their distance. All colours are texture fetches.
// Written from Kharlamov & Podlozhnyuk 2007 (docs/sources.md): formula, sizes, and the threshold by which the original
// pixel is mixed in.
//
//   nvcc -ptx -arch=compute_75 -lineinfo -prec-div=false nlm.cu -o nlm.ptx
constexpr int kWindow = 3, kBlock = 3;  // radii
constexpr float kArea = (2 * kBlock + 1) * (2 * kBlock + 1);
constexpr float kThreshold = 0.1f;  // of a weight that counts as alike
constexpr float kSmooth = 0.1f;     // share of such weights in a smooth part of the image

__device__ __forceinline__ float squared_distance(float4 a, float4 b) {
  float x = b.x - a.x, y = b.y - a.y, z = b.z - a.z;
  return x * x + y * y + z * z;
}

__device__ __forceinline__ float mixed(float a, float b, float share) { return a + (b - a) * share; }

__device__ __forceinline__ unsigned packed(float r, float g, float b) {
  return (unsigned)(r * 255.0f) | (unsigned)(g * 255.0f) << 8 | (unsigned)(b * 255.0f) << 16;
}

// Loops are not unrolled: coordinates are counted along as floats, which spares conversions.
extern "C" __global__ void denoise(cudaTextureObject_t image, unsigned* out, int width, int height, float noise,
                                   float mix) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  float x = px + 0.5f, y = py + 0.5f;  // the centre of the texel
  float alike = 0, sum = 0;
  float3 colour = {0, 0, 0};
  float dy = -kWindow;
#pragma unroll 1
  for (int j = 0; j <= 2 * kWindow; j++, dy += 1.0f) {
    float dx = -kWindow;
#pragma unroll 1
    for (int i = 0; i <= 2 * kWindow; i++, dx += 1.0f) {
      float distance = 0;
      float v = y - kBlock;
#pragma unroll 1
      for (int n = 0; n <= 2 * kBlock; n++, v += 1.0f) {
        float u = x - kBlock;
#pragma unroll 1
        for (int m = 0; m <= 2 * kBlock; m++, u += 1.0f)
          distance += squared_distance(tex2D<float4>(image, u + dx, v + dy), tex2D<float4>(image, u, v));
      }
      float weight = __expf(-(distance * noise + (dx * dx + dy * dy) * (1.0f / kArea)));
      float4 other = tex2D<float4>(image, x + dx, y + dy);
      colour.x += other.x * weight;
      colour.y += other.y * weight;
      colour.z += other.z * weight;
      sum += weight;
      alike += weight > kThreshold ? 1.0f / kArea : 0.0f;
    }
  }
  sum = 1.0f / sum;
  float share = alike > kSmooth ? mix : 1.0f - mix;
  float4 original = tex2D<float4>(image, x, y);
  out[py * width + px] = packed(mixed(colour.x * sum, original.x, share), mixed(colour.y * sum, original.y, share),
                                mixed(colour.z * sum, original.z, share));
}
