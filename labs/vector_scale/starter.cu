// Lab "vector scale": y[i] = factor * x[i] for all i from 0 to n - 1.
// The grid has at least n threads, in blocks of 128; n is not always a multiple of 128.
__global__ void scale(const float* x, float* y, float factor, int n) {
  // 1. Which element is this thread's?
  // 2. Is there such an element?
  // 3. Compute it.
}
