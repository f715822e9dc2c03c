// Direct Coulomb summation on a plane of grid points, after the final kernel of Kirk & Hwu 2010, chapter 9: each thread
// computes 8 points, half a block's width apart so that stores coalesce, and every atom's share of the distance that all
// 8 have in common is computed once. Atoms come in chunks that fit constant memory, as (x, y, dz^2, charge); the loop
// over them is not unrolled. The plane is a lattice of width x height points, rows `pitch` apart in memory, that begins
// at (origin_x, origin_y); its distance in z is in the atoms.
//
//   nvcc -ptx -arch=compute_75 -lineinfo cp.cu -o cp.ptx
constexpr int kAtoms = 4000;
constexpr int kPoints = 8, kBlockX = 16, kBlockY = 8;

__constant__ float4 atoms[kAtoms];

extern "C" __global__ void potential(float* grid, int count, float spacing, float origin_x, float origin_y,
                                     int width, int height, int pitch) {
  int x = blockIdx.x * kBlockX * kPoints + threadIdx.x;
  int y = blockIdx.y * kBlockY + threadIdx.y;
  float step = spacing * kBlockX;
  float coor_x = origin_x + spacing * x, coor_y = origin_y + spacing * y;
  float energy[kPoints];
#pragma unroll
  for (int p = 0; p < kPoints; p++) energy[p] = 0.0f;
#pragma unroll 1
  for (int i = 0; i < count; i++) {
    float dy = coor_y - atoms[i].y;
    float dyz2 = dy * dy + atoms[i].z;
    float dx = coor_x - atoms[i].x;
#pragma unroll
    for (int p = 0; p < kPoints; p++) {
      energy[p] += atoms[i].w * rsqrtf(dx * dx + dyz2);
      dx += step;
    }
  }
  if (y >= height) return;
  grid += y * pitch + x;
#pragma unroll
  for (int p = 0; p < kPoints; p++)
    if (x + p * kBlockX < width) grid[p * kBlockX] += energy[p];
}

// One point per thread: the atom is read, and the loop's own instructions are issued, for each point.
extern "C" __global__ void one_point(float* grid, int count, float spacing, float origin_x, float origin_y,
                                     int width, int height, int pitch) {
  int x = blockIdx.x * kBlockX + threadIdx.x;
  int y = blockIdx.y * kBlockY + threadIdx.y;
  float coor_x = origin_x + spacing * x, coor_y = origin_y + spacing * y;
  float energy = 0.0f;
#pragma unroll 1
  for (int i = 0; i < count; i++) {
    float dy = coor_y - atoms[i].y;
    float dyz2 = dy * dy + atoms[i].z;
    float dx = coor_x - atoms[i].x;
    energy += atoms[i].w * rsqrtf(dx * dx + dyz2);
  }
  if (x < width && y < height) grid[y * pitch + x] += energy;
}
