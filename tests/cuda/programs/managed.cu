// Managed memory: a list that the host builds and the device walks, and variables that both change. Needs nothing beyond
// compute capability 1.0.
#include "program.h"

struct Node {
  int value;
  Node* next;
};
__managed__ int visited;
__managed__ int squares[32];

__global__ void walk(Node* first, int* sum) {
  for (Node* node = first; node != nullptr; node = node->next) {
    *sum += node->value;
    node->value = -node->value;
    visited++;
  }
}
__global__ void fill() { squares[threadIdx.x] += threadIdx.x * threadIdx.x; }

int main() {
  const int n = 50;
  Node* nodes;
  int *sum, wrong = 0;
  CHECK(cudaMallocManaged((void**)&nodes, n * sizeof(Node)));
  CHECK(cudaMallocManaged((void**)&sum, sizeof(int), cudaMemAttachGlobal));
  for (int i = 0; i < n; i++) nodes[i].value = i, nodes[i].next = i + 1 < n ? &nodes[i + 1] : nullptr;
  *sum = 1000;
  visited = 7;
  for (int i = 0; i < 32; i++) squares[i] = 1;
  walk<<<1, 1>>>(nodes, sum);
  fill<<<1, 32>>>();
  CHECK(cudaDeviceSynchronize());
  wrong += *sum != 1000 + n * (n - 1) / 2;
  wrong += visited != 7 + n;
  for (int i = 0; i < n; i++) wrong += nodes[i].value != -i;
  for (int i = 0; i < 32; i++) wrong += squares[i] != i * i + 1;
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, nodes));
  wrong += attributes.type != cudaMemoryTypeManaged || attributes.devicePointer != nodes;
  CHECK(cudaFree(nodes));
  CHECK(cudaFree(sum));
  return verdict("managed", wrong);
}
