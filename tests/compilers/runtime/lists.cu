// Linked lists on the device heap: built in one launch, extended, added up and freed in later ones.
//
//   nvcc -ptx -std=c++17 -arch=compute_75 -lineinfo runtime/lists.cu -o runtime/lists.ptx
#include <cstdlib>

struct Node {
  unsigned value;
  Node* next;
};

/// Each thread's list has as many nodes as its number in the block says, modulo 7.
extern "C" __global__ void build(const unsigned* in, Node** heads) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  heads[i] = nullptr;
  for (unsigned n = 0; n < threadIdx.x % 7; ++n) {
    Node* node = static_cast<Node*>(malloc(sizeof(Node)));
    node->value = in[i] + n;
    node->next = heads[i];
    heads[i] = node;
  }
}

/// Every second node is taken out.
extern "C" __global__ void thin(Node** heads) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  for (Node* node = heads[i]; node != nullptr && node->next != nullptr; node = node->next) {
    Node* removed = node->next;
    node->next = removed->next;
    free(removed);
  }
}

/// The list of another block's thread is added up and freed.
extern "C" __global__ void add_up(Node** heads, unsigned* out) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, count = gridDim.x * blockDim.x;
  Node* node = heads[(i + blockDim.x) % count];
  unsigned sum = 0;
  while (node != nullptr) {
    Node* next = node->next;
    sum += node->value;
    delete node;
    node = next;
  }
  out[i] = sum;
}
