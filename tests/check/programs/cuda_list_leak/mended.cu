// The twin of fault.cu without its fault: a list of two nodes is freed by its head alone.
//   nvcc -ptx -arch=compute_75 -lineinfo mended.cu -o mended.ptx
struct Node {
  Node* next;
  unsigned value;
};
extern "C" __global__ void k(unsigned* out) {
  Node* last = new Node{nullptr, threadIdx.x};
  Node* head = new Node{last, 100};
  out[threadIdx.x] = head->value + head->next->value;
  delete head->next;
  delete head;
}
