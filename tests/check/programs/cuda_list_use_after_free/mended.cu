// The twin of fault.cu without its fault: the loop that frees a list takes the next node from the one that it
// has freed.
//   nvcc -ptx -arch=compute_75 -lineinfo mended.cu -o mended.ptx
struct Node {
  Node* next;
  unsigned value;
};
extern "C" __global__ void k(unsigned* out) {
  Node* head = nullptr;
  for (unsigned i = 0; i < 3; ++i) head = new Node{head, i};
  unsigned sum = 0;
#pragma unroll 1
  while (head != nullptr) {
    sum += head->value;
    Node* next = head->next;
    delete head;
    head = next;
  }
  out[threadIdx.x] = sum;
}
