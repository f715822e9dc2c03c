// A step of the lattice Boltzmann method (Qian, d'Humieres and Lallemand 1992): D3Q19 with one relaxation time, in a box. A block
// is a row of 100 cells, a thread each: it reads the 19 distributions of its own cell, lets them collide, and writes each to the
// neighbour that it moves to, in another lattice; what would move into a wall comes back reversed into the cell itself (halfway
// bounce-back). Word 19 of a cell is the set of its directions that end in walls, as a number.
//
//   nvcc -ptx -arch=compute_75 -lineinfo lbm.cu -o lbm.ptx
constexpr int kWidth = 100;       // cells of a row, threads of a block
constexpr int kDirections = 19;   // 0: at rest; 1 and 2, 3 and 4, ...: opposite ones
constexpr int kWords = 20;        // of a cell
constexpr int kPitch = 112;       // of a row in the order of arrays: lines of 16 words
constexpr float kOmega = 1.5f;    // of a distribution's distance to equilibrium, what goes in a step
constexpr float kLidPush = 0.05f / 6;  // of a lid with 0.05 cells a step: 6 w rho (c u), w = 1 / 36, rho = 1
constexpr int kLidForward = 19, kLidBackward = 20;  // bits: the wall that directions 11 and 14 end in is the lid

__device__ constexpr int velocity(int d, int axis) {
  constexpr int table[kDirections][3] = {{0, 0, 0},  {1, 0, 0},   {-1, 0, 0}, {0, 1, 0},   {0, -1, 0},
                                         {0, 0, 1},  {0, 0, -1},  {1, 1, 0},  {-1, -1, 0}, {1, -1, 0},
                                         {-1, 1, 0}, {1, 0, 1},   {-1, 0, -1}, {1, 0, -1}, {-1, 0, 1},
                                         {0, 1, 1},  {0, -1, -1}, {0, 1, -1}, {0, -1, 1}};
  return table[d][axis];
}
__device__ constexpr int opposite(int d) { return d == 0 ? 0 : (d - 1 ^ 1) + 1; }

// Two opposite directions with velocity u along the first.
__device__ void relax(float& first, float& second, float weight, float u, float rest) {
  float even = fmaf(4.5f * u, u, rest);
  first = fmaf(weight, fmaf(3.0f, u, even), (1 - kOmega) * first);
  second = fmaf(weight, fmaf(-3.0f, u, even), (1 - kOmega) * second);
}

// Towards the equilibrium of the cell's density and velocity; then what the lid gives to those that it will reflect.
__device__ void collide(float (&f)[kDirections], int walls) {
  float density = f[0];
#pragma unroll
  for (int d = 1; d < kDirections; ++d) density += f[d];
  float pair[kDirections / 2];
#pragma unroll
  for (int p = 0; p < kDirections / 2; ++p) pair[p] = f[2 * p + 1] - f[2 * p + 2];
  float volume = 1 / density;
  float x = (pair[0] + pair[3] + pair[4] + pair[5] + pair[6]) * volume;
  float y = (pair[1] + pair[3] - pair[4] + pair[7] + pair[8]) * volume;
  float z = (pair[2] + pair[5] - pair[6] + pair[7] - pair[8]) * volume;
  float rest = fmaf(-1.5f, fmaf(x, x, fmaf(y, y, z * z)), 1.0f);

  float share = kOmega * density, straight = share * (1.0f / 18), diagonal = share * (1.0f / 36);
  f[0] = fmaf(share * (1.0f / 3), rest, (1 - kOmega) * f[0]);
  relax(f[1], f[2], straight, x, rest);
  relax(f[3], f[4], straight, y, rest);
  relax(f[5], f[6], straight, z, rest);
  relax(f[7], f[8], diagonal, x + y, rest);
  relax(f[9], f[10], diagonal, x - y, rest);
  relax(f[11], f[12], diagonal, x + z, rest);
  relax(f[13], f[14], diagonal, x - z, rest);
  relax(f[15], f[16], diagonal, y + z, rest);
  relax(f[17], f[18], diagonal, y - z, rest);
  if (walls >> kLidForward & 1) f[11] -= kLidPush;
  if (walls >> kLidBackward & 1) f[14] += kLidPush;
}

// Cells are structures: each store of a half-warp goes to 16 cells, 80 bytes apart.
__device__ void stream(float* to, const float (&f)[kDirections], int walls, int cell) {
  int layer = gridDim.x * kWidth;
  to += cell * kWords;
#pragma unroll
  for (int d = 0; d < kDirections; ++d) {
    int there = (velocity(d, 0) + velocity(d, 1) * kWidth + velocity(d, 2) * layer) * kWords + d;
    to[walls >> d & 1 ? opposite(d) : there] = f[d];
  }
}

__device__ int row_of_block() { return blockIdx.y * gridDim.x + blockIdx.x; }

// Each thread reads the words of its cell where they are: a half-warp's are 80 bytes apart.
extern "C" __global__ void step_direct(const float* from, float* to) {
  int cell = row_of_block() * kWidth + threadIdx.x;
  const float* own = from + cell * kWords;
  float f[kDirections];
#pragma unroll
  for (int d = 0; d < kDirections; ++d) f[d] = own[d];
  int walls = (int)own[kDirections];
  collide(f, walls);
  stream(to, f, walls, cell);
}

// The row is read in lines of 16 words, 5 half-warps a time 4 cells, into shared memory. There a word lies between each 4
// cells and the next, so that the same word of 16 cells is in 16 banks.
extern "C" __global__ void step_buffered(const float* from, float* to) {
  constexpr int kGroup = 4, kReaders = kGroup * kWords, kGroups = kWidth / kGroup;
  __shared__ float row[kGroups * (kReaders + 1)];
  int t = threadIdx.x;
  int first = row_of_block() * kWidth;
  if (t < kReaders) {
    const float* lines = from + first * kWords + t;
    float word[kGroups];
#pragma unroll
    for (int group = 0; group < kGroups; ++group) word[group] = lines[group * kReaders];
#pragma unroll
    for (int group = 0; group < kGroups; ++group) row[group * (kReaders + 1) + t] = word[group];
  }
  __syncthreads();
  const float* own = row + t * kWords + t / kGroup;
  float f[kDirections];
#pragma unroll
  for (int d = 0; d < kDirections; ++d) f[d] = own[d];
  int walls = (int)own[kDirections];
  collide(f, walls);
  stream(to, f, walls, first + t);
}

// An array for each word of a cell: neighbours in a row are neighbours in memory. What moves along the row changes threads in
// shared memory, so that stores are in line, too.
extern "C" __global__ void step_arrays(const float* from, float* to) {
  constexpr int kMoving = 10;
  __shared__ float moved[kMoving][kWidth];
  __shared__ int row_walls[kWidth];
  int t = threadIdx.x;
  int layer = gridDim.x * kPitch, array = gridDim.y * layer;
  int cell = row_of_block() * kPitch + t;
  from += cell;
  to += cell;
  float f[kDirections];
#pragma unroll
  for (int d = 0; d < kDirections; ++d) f[d] = from[d * array];
  int walls = (int)from[kDirections * array];
  row_walls[t] = walls;
  collide(f, walls);
  int next = 0;
#pragma unroll
  for (int d = 0; d < kDirections; ++d) {
    int x = velocity(d, 0), there = velocity(d, 1) * kPitch + velocity(d, 2) * layer + d * array;
    bool wall = walls >> d & 1;
    if (x == 0)
      to[wall ? opposite(d) * array : there] = f[d];
    else if (wall)
      to[opposite(d) * array] = f[d];
    else
      moved[next][t + x] = f[d];
    if (x != 0) ++next;
  }
  __syncthreads();
  int before = t > 0 ? row_walls[t - 1] : ~0, behind = t < kWidth - 1 ? row_walls[t + 1] : ~0;
  next = 0;
#pragma unroll
  for (int d = 0; d < kDirections; ++d) {
    int x = velocity(d, 0), there = velocity(d, 1) * kPitch + velocity(d, 2) * layer + d * array;
    if (x == 0) continue;
    if (!((x > 0 ? before : behind) >> d & 1)) to[there] = moved[next][t];
    ++next;
  }
}
