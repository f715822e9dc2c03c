// Wrong: the loop that frees a list takes the next node from the one that it has freed.
//   nvcc -ptx -arch=compute_75 -lineinfo fault.cu -o fault.ptx
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
    Node* next = head;
    delete next;
    head = next->next;  // <- found here
  }
  out[threadIdx.x] = sum;
}
