// Motion estimation of H.264 by full search: for each macroblock of 16 x 16 pixels the sums of absolute differences (SADs)
// of its 41 partitions with the reference frame, at the 33 x 33 displacements of up to 16 pixels. A block for each
// macroblock, which takes five rows of displacements at a time, in three steps: SADs of the 4 x 4 blocks, each thread 11
// displacements of one of them; SADs of larger partitions from those of smaller ones, a thread for each displacement; the
// smallest SAD of each partition, six threads for each. Threads are 41 x 6. The current frame's pixels are in the order of
// macroblocks, of their 4 x 4 blocks and of rows, four in a word.
//
//   nvcc -ptx -arch=compute_75 -lineinfo h264.cu -o h264.ptx
constexpr int kRange = 16, kSide = 2 * kRange + 1;  // displacements along x and y
constexpr int kPartitions = 41, kGroups = 6, kThreads = kPartitions * kGroups;
constexpr int kRows = 5, kTile = 11;  // rows of displacements taken together; displacements of a thread
constexpr int kPlaces = kRows * kSide, kTilesAcross = kSide / kTile, kTiles = kRows * kTilesAcross;
constexpr int kWords = (kPartitions * kPlaces + 1) / 2;  // of SADs taken together
constexpr int kCopying = kThreads / 16 * 16;              // threads that copy them: half-warps stay in line
constexpr int kPitch = (kWords + 15) / 16 * 16;          // of them in global memory

// The reference frame; beyond its border the border's pixels go on.
struct TextureFrame {
  typedef float Coordinate;
  static constexpr float kCentre = 0.5f;  // of the first pixel
  cudaTextureObject_t image;
  __device__ __forceinline__ unsigned at(float x, float y) const { return tex2D<unsigned>(image, x, y); }
};
struct GlobalFrame {
  typedef int Coordinate;
  static constexpr int kCentre = 0;
  const unsigned char* pixels;
  __device__ __forceinline__ unsigned at(int x, int y) const {
    int width = gridDim.x * 16, height = gridDim.y * 16;
    return pixels[min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)];
  }
};

// What follows from these is computed where it is needed: kept in registers, it would take 30 of them.
__device__ __forceinline__ void renew(unsigned& value) { asm volatile("" : "+r"(value)); }
__device__ __forceinline__ void renew(int& value) { asm volatile("" : "+r"(value)); }
__device__ __forceinline__ void renew(float& value) { asm volatile("" : "+f"(value)); }

__device__ __forceinline__ unsigned pixel(unsigned word, int i) { return (word >> (8 * i)) & 255; }

// SADs of a 4 x 4 block, a word for each of its rows, at kTile displacements side by side.
struct Rolled {
  template <class Frame, class C>
  static __device__ __forceinline__ void sads(Frame frame, uint4 block, C x, C y, unsigned short* out) {
#pragma unroll 1
    for (int place = 0; place < kTile; ++place) {
      unsigned sum = 0;
#pragma unroll 1
      for (int row = 0; row < 4; ++row) {
        unsigned word = row < 2 ? (row < 1 ? block.x : block.y) : (row < 3 ? block.z : block.w);
#pragma unroll 1
        for (int i = 0; i < 4; ++i) sum = __usad(frame.at(x + (C)(place + i), y + (C)row), pixel(word, i), sum);
      }
      out[place] = sum;
    }
  }
};
// The innermost loop unrolled.
struct Unrolled {
  template <class Frame, class C>
  static __device__ __forceinline__ void sads(Frame frame, uint4 block, C x, C y, unsigned short* out) {
#pragma unroll 1
    for (int place = 0; place < kTile; ++place) {
      unsigned sum = 0;
#pragma unroll 1
      for (int row = 0; row < 4; ++row) {
        unsigned word = row < 2 ? (row < 1 ? block.x : block.y) : (row < 3 ? block.z : block.w);
        C first = x + (C)place, line = y + (C)row;
#pragma unroll
        for (int i = 0; i < 4; ++i) sum = __usad(frame.at(first + i, line), pixel(word, i), sum);
      }
      out[place] = sum;
    }
  }
};
// All loops unrolled, sums in registers: a pixel of the reference frame is fetched once for up to four displacements.
struct Tiled {
  template <class Frame, class C>
  static __device__ __forceinline__ void sads(Frame frame, uint4 block, C x, C y, unsigned short* out) {
    unsigned sum[kTile] = {};
    unsigned words[4] = {block.x, block.y, block.z, block.w};
#pragma unroll
    for (int row = 0; row < 4; ++row) {
      renew(words[row]);
      renew(x);
#pragma unroll
      for (int column = 0; column < kTile + 3; ++column) {
        unsigned reference = frame.at(x + column, y + row);
#pragma unroll
        for (int i = 0; i < 4; ++i)
          if (column >= i && column - i < kTile)
            sum[column - i] = __usad(reference, pixel(words[row], i), sum[column - i]);
      }
    }
#pragma unroll
    for (int place = 0; place < kTile; ++place) out[place] = sum[place];
  }
};

// Partitions: 16 of 4 x 4 pixels, 8 of 8 x 4 (width, height), 8 of 4 x 8, 4 of 8 x 8, 2 of 16 x 8, 2 of 8 x 16, 1 of
// 16 x 16, each kind row by row.
__device__ __forceinline__ void merge(unsigned short* sads, int place) {
  auto at = [=](int partition) -> unsigned short& { return sads[partition * kPlaces + place]; };
  unsigned square[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {  // 8 x 8 pixels
    int first = i / 2 * 8 + i % 2 * 2, wide = 16 + i / 2 * 4 + i % 2, tall = 24 + i / 2 * 4 + i % 2 * 2;
    unsigned a = at(first), b = at(first + 1), c = at(first + 4), d = at(first + 5);
    at(wide) = a + b;
    at(wide + 2) = c + d;
    at(tall) = a + c;
    at(tall + 1) = b + d;
    at(32 + i) = square[i] = a + b + c + d;
  }
  at(36) = square[0] + square[1];
  at(37) = square[2] + square[3];
  at(38) = square[0] + square[2];
  at(39) = square[1] + square[3];
  at(40) = square[0] + square[1] + square[2] + square[3];
}

// To `result` the smallest SAD of each partition and the first displacement that has it, or (kAll) all SADs.
template <class Form, bool kAll, class Frame>
__device__ __forceinline__ void search(const unsigned* current, Frame frame, unsigned* result) {
  __shared__ union {
    unsigned short sads[kPartitions * kPlaces];
    unsigned words[kWords];
  } shared;
  typedef typename Frame::Coordinate C;
  int partition = threadIdx.x, group = threadIdx.y, thread = group * kPartitions + partition;
  int macroblock = blockIdx.y * gridDim.x + blockIdx.x;
  int block = thread / kTiles, tile = thread % kTiles;
  int row = tile / kTilesAcross, column = tile % kTilesAcross * kTile;
  if (block >= 16) row = kSide;  // six threads have none
  if (thread < 64) shared.words[thread] = current[macroblock * 64 + thread];
  if (kAll && thread == 0) shared.words[kWords - 1] = 0;  // copied too, and its upper half is no SAD
  __syncthreads();
  const unsigned* words = shared.words + min(block, 15) * 4;
  uint4 own = make_uint4(words[0], words[1], words[2], words[3]);
  __syncthreads();
  C x = (C)((int)blockIdx.x * 16 + block % 4 * 4 + column - kRange) + Frame::kCentre;
  C y = (C)((int)blockIdx.y * 16 + block / 4 * 4 + row - kRange) + Frame::kCentre;
  unsigned best = 0xffffffff;
#pragma unroll 1
  for (int first = 0; first < kSide; first += kRows) {
    int places = min(kRows, kSide - first) * kSide;
    if (first + row < kSide)
      Form::sads(frame, own, x, y, shared.sads + block * kPlaces + row * kSide + column);
    y += kRows;
    __syncthreads();
    if (thread < places) merge(shared.sads, thread);
    __syncthreads();
    if (kAll) {
#pragma unroll 1
      for (int i = thread; i < kWords && thread < kCopying; i += kCopying)
        result[(macroblock * ((kSide + kRows - 1) / kRows) + first / kRows) * kPitch + i] = shared.words[i];
    } else {
#pragma unroll 1
      for (int i = group; i < places; i += kGroups)
        best = min(best, (unsigned)shared.sads[partition * kPlaces + i] << 16 | (first * kSide + i));
    }
    __syncthreads();
  }
  if (kAll) return;
  shared.words[thread] = best;
  __syncthreads();
  if (group != 0) return;
#pragma unroll
  for (int i = 1; i < kGroups; ++i) best = min(best, shared.words[i * kPartitions + partition]);
  result[macroblock * kPartitions + partition] = best;
}

#define TEXTURE_KERNEL(name, form, all)                                                                             \
  extern "C" __global__ void name(const unsigned* current, cudaTextureObject_t reference, unsigned* result) {       \
    search<form, all>(current, TextureFrame{reference}, result);                                                    \
  }
#define GLOBAL_KERNEL(name, form)                                                                                   \
  extern "C" __global__ void name(const unsigned* current, const unsigned char* reference, unsigned* result) {      \
    search<form, false>(current, GlobalFrame{reference}, result);                                                   \
  }
TEXTURE_KERNEL(search_texture, Tiled, false)
TEXTURE_KERNEL(search_sads, Tiled, true)
TEXTURE_KERNEL(search_unrolled, Unrolled, false)
TEXTURE_KERNEL(search_rolled, Rolled, false)
GLOBAL_KERNEL(search_global, Tiled)
