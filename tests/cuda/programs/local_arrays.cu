// Arrays of each thread's own, indexed by values: an insertion sort per thread, and a recursion kept on a stack. Needs
// nothing beyond compute capability 1.0.
#include <algorithm>

#include "program.h"

const int kCount = 12;

__global__ void sort_each(int* values) {
  int own[kCount], *mine = values + (blockIdx.x * blockDim.x + threadIdx.x) * kCount;
  for (int i = 0; i < kCount; i++) {
    int value = mine[i], at = i;
    for (; at > 0 && own[at - 1] > value; at--) own[at] = own[at - 1];
    own[at] = value;
  }
  for (int i = 0; i < kCount; i++) mine[i] = own[i];
}
/// Moves of the towers of Hanoi, counted with a stack.
__global__ void hanoi(int* moves) {
  int stack[16], top = 0, count = 0;
  stack[top++] = threadIdx.x % 8;
  while (top > 0) {
    int height = stack[--top];
    if (height == 0) continue;
    count++;
    stack[top++] = height - 1;
    stack[top++] = height - 1;
  }
  moves[threadIdx.x] = count;
}

int main() {
  const int threads = 128;
  std::vector<int> values(threads * kCount), expected;
  unsigned state = 55;
  for (int& value : values) value = draw(state) % 1000;
  Array<int> on_values(values), moves(32);
  sort_each<<<2, threads / 2>>>(on_values);
  hanoi<<<1, 32>>>(moves);
  for (int i = 0; i < threads; i++) std::sort(values.begin() + i * kCount, values.begin() + (i + 1) * kCount);
  for (int i = 0; i < 32; i++) expected.push_back((1 << i % 8) - 1);
  return verdict("local_arrays", differences(on_values.get(), values) + differences(moves.get(), expected));
}
