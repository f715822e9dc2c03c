// The U-list phase of the fast multipole method, after Kim et al. 2012, Listing 3.1, in its names: a block for each target
// leaf of the octree, a thread for each target point, which sums density / distance over the source points of all leaves
// that touch its own. Every subset of the book's optimisations is a kernel made from the one template:
//
//   shmem    the block reads a source leaf into shared memory, where all threads read the same point at once
//   rsqrt    one reciprocal square root instead of a square root and a division
//   vecpack  x, y, z and the fourth word in arrays of their own, in global and in shared memory (a structure of arrays)
//   ujam     two target points per thread and half the threads, the two inner loops fused (unroll and jam)
//   pref     the next source point is read into registers before the present one is used; with shmem, the next leaf
//
// Compilers of the time approximated roots and divisions and left loops of unknown length as they were: hence the options
// and the `unroll 1`.
//
//   nvcc -ptx -arch=compute_75 -lineinfo -prec-sqrt=false -prec-div=false fmm-ulist.cu -o fmm-ulist.ptx
constexpr int kMostPoints = 256;  // of a leaf
enum Optimisation : int { kNone = 0, kShmem = 1, kRsqrt = 2, kVecpack = 4, kUjam = 8, kPref = 16 };

template <bool kVecpacked>
struct Points {  // (x, y, z, density or potential) each; an array of their own begins every `pitch` words
  float* words;
  int pitch;
  __device__ float4 load(int i) const {
    if (!kVecpacked) return reinterpret_cast<const float4*>(words)[i];
    return make_float4(words[i], words[i + pitch], words[i + 2 * pitch], words[i + 3 * pitch]);
  }
  __device__ void store_w(int i, float w) const { words[kVecpacked ? i + 3 * pitch : 4 * i + 3] = w; }
};

template <bool kVecpacked>
struct Tile {
  float4 points[kMostPoints];
  __device__ float4 load(int i) const { return points[i]; }
  __device__ void store(int i, float4 point) { points[i] = point; }
};
template <>
struct Tile<true> {
  float x[kMostPoints], y[kMostPoints], z[kMostPoints], w[kMostPoints];
  __device__ float4 load(int i) const { return make_float4(x[i], y[i], z[i], w[i]); }
  __device__ void store(int i, float4 point) {
    x[i] = point.x;
    y[i] = point.y;
    z[i] = point.z;
    w[i] = point.w;
  }
};

template <bool kRoot>
__device__ __forceinline__ void interact(float4& tgt, float4 src) {
  float3 dr = make_float3(tgt.x - src.x, tgt.y - src.y, tgt.z - src.z);
  float rsq = (dr.x * dr.x) + (dr.y * dr.y) + (dr.z * dr.z);
  if (kRoot) {
    tgt.w += src.w * rsqrtf(rsq);
  } else {
    float r = sqrtf(rsq);
    tgt.w += src.w / r;
  }
}

// Leaf b has the target points Tptr[b] to Tptr[b + 1] - 1, the source points of Sptr, and the source leaves that Uptr says
// of Ulist. A leaf has at most kTargets times as many points as the block has threads.
template <int kUse>
__device__ __forceinline__ void u_list(const int* Tptr, const int* Sptr, const int* Uptr, const int* Ulist, float* T,
                                       float* S, int target_pitch, int source_pitch) {
  constexpr bool kVecpacked = kUse & kVecpack, kRoot = kUse & kRsqrt;
  constexpr int kTargets = kUse & kUjam ? 2 : 1;
  __shared__ Tile<kVecpacked> tile;
  Points<kVecpacked> targets{T, target_pitch}, sources{S, source_pitch};
  int tnodeid = blockIdx.x, di = threadIdx.x, q = blockDim.x;
  int snode_min = Uptr[tnodeid], snode_max = Uptr[tnodeid + 1];
  int tid_min = Tptr[tnodeid];      // First point in this box
  int tid_max = Tptr[tnodeid + 1];  // First point in the next box
  // All threads go on where they read leaves together.
#pragma unroll 1
  for (int tid = tid_min + di; (kUse & kShmem ? tid - di : tid) < tid_max; tid += kTargets * q) {
    float4 tgt[kTargets], next[kTargets];
#pragma unroll
    for (int j = 0; j < kTargets; ++j) tgt[j] = targets.load(min(tid + j * q, tid_max - 1));

    auto fetch_leaf = [&](int snode) {
      int snodeid = Ulist[snode], sid_min = Sptr[snodeid], sid_max = Sptr[snodeid + 1];
#pragma unroll
      for (int j = 0; j < kTargets; ++j)
        if (sid_min + di + j * q < sid_max) next[j] = sources.load(sid_min + di + j * q);
      return sid_max - sid_min;
    };
    int next_count = 0;
    if (kUse & kShmem && kUse & kPref) next_count = fetch_leaf(snode_min);

#pragma unroll 1
    for (int snode = snode_min; snode < snode_max; ++snode) {
      if (kUse & kShmem) {
        int count = kUse & kPref ? next_count : fetch_leaf(snode);
        __syncthreads();
#pragma unroll
        for (int j = 0; j < kTargets; ++j)
          if (di + j * q < count) tile.store(di + j * q, next[j]);
        __syncthreads();
        if (kUse & kPref && snode + 1 < snode_max) next_count = fetch_leaf(snode + 1);
#pragma unroll 1
        for (int i = 0; i < count; ++i) {
          float4 src = tile.load(i);
#pragma unroll
          for (int j = 0; j < kTargets; ++j) interact<kRoot>(tgt[j], src);
        }
      } else {
        int snodeid = Ulist[snode], sid_min = Sptr[snodeid];
        int sid_max = Sptr[snodeid + 1];
        float4 point = sources.load(sid_min);
#pragma unroll 1
        for (int sid = sid_min; sid < sid_max; ++sid) {
          float4 src = kUse & kPref ? point : sources.load(sid);
          if (kUse & kPref) {
            point = sources.load(sid + 1);  // a point lies behind the last one
            asm volatile("" : "+r"(sid_max));             // nor does the compiler unroll this loop
          }
#pragma unroll
          for (int j = 0; j < kTargets; ++j) interact<kRoot>(tgt[j], src);
        }
      }
    }
#pragma unroll
    for (int j = 0; j < kTargets; ++j)
      if (tid + j * q < tid_max) targets.store_w(tid + j * q, tgt[j].w);
  }
}

// The arithmetic alone (Figure 3.4(b)): the inner loop without any load. All coordinates of the source are the potential
// so far, so that nothing can be computed before the loop.
template <bool kRoot>
__device__ __forceinline__ void compute_only(float4* T, const float* density, int count) {
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  float4 tgt = T[tid];
  float w = density[tid];
#pragma unroll 1
  for (int i = 0; i < count; ++i) interact<kRoot>(tgt, make_float4(tgt.w, tgt.w, tgt.w, w));
  T[tid].w = tgt.w;
}
extern "C" __global__ void compute(float4* T, const float* density, int count) { compute_only<false>(T, density, count); }
extern "C" __global__ void compute_rsqrt(float4* T, const float* density, int count) {
  compute_only<true>(T, density, count);
}

// u_list, u_list_shmem, ... u_list_shmem_rsqrt_vecpack_ujam_pref
#define KERNEL(name, use)                                                                                              \
  extern "C" __global__ void name(const int* Tptr, const int* Sptr, const int* Uptr, const int* Ulist, float* T,       \
                                  float* S, int target_pitch, int source_pitch) {                                      \
    u_list<use>(Tptr, Sptr, Uptr, Ulist, T, S, target_pitch, source_pitch);                                            \
  }
#define WITH_PREF(name, use) KERNEL(name, use) KERNEL(name##_pref, (use) | kPref)
#define WITH_UJAM(name, use) WITH_PREF(name, use) WITH_PREF(name##_ujam, (use) | kUjam)
#define WITH_VECPACK(name, use) WITH_UJAM(name, use) WITH_UJAM(name##_vecpack, (use) | kVecpack)
#define WITH_RSQRT(name, use) WITH_VECPACK(name, use) WITH_VECPACK(name##_rsqrt, (use) | kRsqrt)
#define WITH_SHMEM(name, use) WITH_RSQRT(name, use) WITH_RSQRT(name##_shmem, (use) | kShmem)
WITH_SHMEM(u_list, kNone)
