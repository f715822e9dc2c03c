// One block, one copy of a box of a tensor: what is in shared memory, or in the tensor, afterwards.
//   nvcc -ptx -std=c++17 -arch=compute_90 -lineinfo tensor_copies.cu -o tensor_copies.ptx
#include <cstdint>

struct alignas(64) Map {
  unsigned char bytes[128];
};
struct Place {
  int at[5];
  unsigned short offsets[4];
};

constexpr int kShared = 8192;
__device__ unsigned address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

#define LOAD(dims, mode, coordinates, tail, ...)                                                                    \
  asm volatile("cp.async.bulk.tensor." dims ".shared::cluster.global." mode                                        \
               ".mbarrier::complete_tx::bytes [%0], [%1, " coordinates "], [%2]" tail ";" ::"r"(to), "l"(map), "r"(bar), \
               __VA_ARGS__                                                                                          \
               : "memory")
#define STORE(dims, mode, coordinates, ...)                                                                        \
  asm volatile("cp.async.bulk.tensor." dims ".global.shared::cta." mode ".bulk_group [%1, " coordinates "], [%0];" ::"r"(to), \
               "l"(map), __VA_ARGS__                                                                                \
               : "memory")
#define REDUCE(dims, operation, coordinates, ...)                                                                  \
  asm volatile("cp.reduce.async.bulk.tensor." dims ".global.shared::cta." operation ".tile.bulk_group [%1, " coordinates "], [%0];" ::"r"(to), \
               "l"(map), __VA_ARGS__                                                                                \
               : "memory")
#define REDUCE2(number, name) \
  case number: REDUCE("2d", name, "{%2, %3}", "r"(c[0]), "r"(c[1])); break;

__device__ void load(int dims, bool im2col, unsigned to, unsigned long long map, unsigned bar, const Place& p) {
  const int* c = p.at;
  const unsigned short* o = p.offsets;
  switch (dims + (im2col ? 8 : 0)) {
    case 1: LOAD("1d", "tile", "{%3}", "", "r"(c[0])); break;
    case 2: LOAD("2d", "tile", "{%3, %4}", "", "r"(c[0]), "r"(c[1])); break;
    case 3: LOAD("3d", "tile", "{%3, %4, %5}", "", "r"(c[0]), "r"(c[1]), "r"(c[2])); break;
    case 4: LOAD("4d", "tile", "{%3, %4, %5, %6}", "", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3])); break;
    case 5: LOAD("5d", "tile", "{%3, %4, %5, %6, %7}", "", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4])); break;
    case 11: LOAD("3d", "im2col", "{%3, %4, %5}", ", {%6}", "r"(c[0]), "r"(c[1]), "r"(c[2]), "h"(o[0])); break;
    case 12:
      LOAD("4d", "im2col", "{%3, %4, %5, %6}", ", {%7, %8}", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "h"(o[0]), "h"(o[1]));
      break;
    case 13:
      LOAD("5d", "im2col", "{%3, %4, %5, %6, %7}", ", {%8, %9, %10}", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]),
           "h"(o[0]), "h"(o[1]), "h"(o[2]));
      break;
  }
}

__device__ void store(int dims, bool im2col, unsigned to, unsigned long long map, const Place& p) {
  const int* c = p.at;
  switch (dims + (im2col ? 8 : 0)) {
    case 1: STORE("1d", "tile", "{%2}", "r"(c[0])); break;
    case 2: STORE("2d", "tile", "{%2, %3}", "r"(c[0]), "r"(c[1])); break;
    case 3: STORE("3d", "tile", "{%2, %3, %4}", "r"(c[0]), "r"(c[1]), "r"(c[2])); break;
    case 4: STORE("4d", "tile", "{%2, %3, %4, %5}", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3])); break;
    case 5: STORE("5d", "tile", "{%2, %3, %4, %5, %6}", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4])); break;
    case 11: STORE("3d", "im2col_no_offs", "{%2, %3, %4}", "r"(c[0]), "r"(c[1]), "r"(c[2])); break;
    case 12: STORE("4d", "im2col_no_offs", "{%2, %3, %4, %5}", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3])); break;
    case 13:
      STORE("5d", "im2col_no_offs", "{%2, %3, %4, %5, %6}", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]));
      break;
  }
}

__device__ void reduce(int operation, unsigned to, unsigned long long map, const Place& p) {
  const int* c = p.at;
  switch (operation) {
    REDUCE2(2, "add") REDUCE2(3, "min") REDUCE2(4, "max") REDUCE2(5, "inc") REDUCE2(6, "dec") REDUCE2(7, "and")
    REDUCE2(8, "or") REDUCE2(9, "xor")
  }
}

/// `operation`: 0 load, 1 store, 2 and on reductions of two dimensions. `in`: shared memory before; `out`: after. status[0]: 1 if
/// the bytes did not come.
extern "C" __global__ void copy_box(const __grid_constant__ Map map, const __grid_constant__ Place place, int operation,
                                    int dims, int im2col, int shared_offset, unsigned bytes, const unsigned* in,
                                    unsigned* out, int* status) {
  __shared__ alignas(1024) unsigned char s[kShared];
  __shared__ alignas(8) unsigned long long object;
  unsigned* words = reinterpret_cast<unsigned*>(s);
  for (int i = threadIdx.x; i < kShared / 4; i += blockDim.x) words[i] = in[i];
  const unsigned bar = address(&object), to = address(s) + shared_offset;
  const unsigned long long at = reinterpret_cast<unsigned long long>(&map);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    if (operation == 0) {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
      load(dims, im2col != 0, to, at, bar, place);
      unsigned done = 0;
      for (int i = 0; i < 2000 && done == 0; ++i)
        asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\nselp.u32 %0, 1, 0, p;\n}"
                     : "=r"(done)
                     : "r"(bar)
                     : "memory");
      status[0] = done == 0;
    } else {
      if (operation == 1) store(dims, im2col != 0, to, at, place);
      else reduce(operation, to, at, place);
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
      asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kShared / 4; i += blockDim.x) out[i] = words[i];
}
