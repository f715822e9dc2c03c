// Virtual functions of objects that a kernel made, and a table of functions. Needs calls through registers, which every
// machine has here (hardware: compute capability 2.0).
#include "program.h"

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  float side;
  __device__ explicit Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
};
struct Circle : Shape {
  float radius;
  __device__ explicit Circle(float r) : radius(r) {}
  __device__ float area() const override { return 3.0f * radius * radius; }
};
union Room {
  Square square;
  Circle circle;
};

__device__ int twice(int x) { return 2 * x; }
__device__ int squared(int x) { return x * x; }
__device__ int negative(int x) { return -x; }
typedef int (*Function)(int);

__global__ void areas(float* out) {
  __shared__ __align__(8) char room[32][sizeof(Square) + sizeof(Circle)];
  Shape* shape;
  if (threadIdx.x % 3 == 0) shape = new (room[threadIdx.x]) Square(threadIdx.x);
  else shape = new (room[threadIdx.x]) Circle(threadIdx.x);
  out[threadIdx.x] = shape->area();
}
__global__ void apply(const int* which, int* values) {
  Function functions[3] = {twice, squared, negative};
  values[threadIdx.x] = functions[which[threadIdx.x]](values[threadIdx.x]);
}

int main() {
  Array<float> on_areas(32);
  areas<<<1, 32>>>(on_areas);
  std::vector<int> which(96), values(96), expected(96);
  std::vector<float> expected_areas(32);
  for (int i = 0; i < 32; i++) expected_areas[i] = (i % 3 == 0 ? 1 : 3) * i * i;
  for (int i = 0; i < 96; i++) {
    which[i] = i * 7 % 3, values[i] = i + 1;
    expected[i] = which[i] == 0 ? 2 * values[i] : which[i] == 1 ? values[i] * values[i] : -values[i];
  }
  Array<int> on_which(which), on_values(values);
  apply<<<1, 96>>>(on_which, on_values);
  return verdict("virtual_functions", differences(on_areas.get(), expected_areas) + differences(on_values.get(), expected));
}
