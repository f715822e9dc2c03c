// Variables that two files share, and a kernel of the other file. Needs nothing beyond compute capability 1.0. Made by
//   nvcc -ptx -arch=compute_75 -lineinfo -rdc=true main.cu -o main.ptx
// flags: -rdc=true
#include "../program.h"

extern __device__ int counts[32];
extern __constant__ int step;
__global__ void increase();
void set_step(int value);

__global__ void read_counts(int* out) { out[threadIdx.x] = counts[threadIdx.x] + 100 * step; }

int main() {
  Array<int> out(32);
  set_step(3);
  increase<<<1, 32>>>();
  increase<<<1, 32>>>();
  read_counts<<<1, 32>>>(out);
  std::vector<int> expected(32);
  for (int i = 0; i < 32; i++) expected[i] = i + 2 * 3 + 300;
  return verdict("linked_variables", differences(out.get(), expected));
}
