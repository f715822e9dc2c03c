// Maxwell's equations in two dimensions, transverse magnetic (Ez, Hx, Hy), on the staggered grid of Yee 1966: a kernel
// for each half-step, a thread for each cell, blocks of 16 x 16 cells. The medium is an array of coefficients a cell for
// each field: what remains of the field in a step, and the weight of the other field's curl. Fields have a row of
// zeros before their first and behind their last row; what else lies beyond the border has the weight 0.
//
//   nvcc -ptx -arch=compute_75 -lineinfo fdtd.cu -o fdtd.ptx
constexpr int kTile = 16;

// Hx += -dEz/dy, Hy += dEz/dx
extern "C" __global__ void update_h(const float* ez, float* hx, float* hy, const float2* magnetic) {
  __shared__ float e[kTile][kTile];
  int tx = threadIdx.x, ty = threadIdx.y;
  int width = gridDim.x * kTile;
  int at = (blockIdx.y * kTile + ty) * width + blockIdx.x * kTile + tx;
  float own = ez[at];
  e[ty][tx] = own;
  __syncthreads();
  float below = ty < kTile - 1 ? e[ty + 1][tx] : ez[at + width];
  float right = tx < kTile - 1 ? e[ty][tx + 1] : ez[at + 1];
  float2 m = magnetic[at];
  hx[at] = fmaf(m.y, own - below, m.x * hx[at]);
  hy[at] = fmaf(m.y, right - own, m.x * hy[at]);
}

// Ez += dHy/dx - dHx/dy
extern "C" __global__ void update_e(float* ez, const float* hx, const float* hy, const float2* electric) {
  __shared__ float x[kTile][kTile];
  __shared__ float y[kTile][kTile];
  int tx = threadIdx.x, ty = threadIdx.y;
  int width = gridDim.x * kTile;
  int at = (blockIdx.y * kTile + ty) * width + blockIdx.x * kTile + tx;
  float own_x = hx[at], own_y = hy[at];
  x[ty][tx] = own_x;
  y[ty][tx] = own_y;
  __syncthreads();
  float above = ty > 0 ? x[ty - 1][tx] : hx[at - width];
  float left = tx > 0 ? y[ty][tx - 1] : hy[at - 1];
  float2 m = electric[at];
  ez[at] = fmaf(m.y, (own_y - left) - (own_x - above), m.x * ez[at]);
}
