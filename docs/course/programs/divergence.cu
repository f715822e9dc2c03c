// Two paths: a bit of the thread index decides which one a thread takes.
extern "C" __global__ void two_paths(int* a, int* b, int bit) {
  int t = threadIdx.x;
  if ((t & bit) == 0)
    a[t] = t * t;
  else
    b[t] = t + 100;
}

// A loop that each thread leaves after another number of rounds.
extern "C" __global__ void rounds(int* x) {
  int t = threadIdx.x, value = 1;
#pragma unroll 1
  for (int i = 0; i < t; i++) value ^= value << 1;
  x[t] = value;
}
