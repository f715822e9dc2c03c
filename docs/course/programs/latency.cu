// Two loads that do not need each other; and two of which the second needs the first one's value.
extern "C" __global__ void together(const int* in, int* out) {
  int t = threadIdx.x;
  int a = in[t];
  int b = in[t + 32];
  out[t] = a + b;
}

extern "C" __global__ void chain(const int* in, int* out) {
  int t = threadIdx.x;
  int a = in[t];
  int b = in[a];
  out[t] = a + b;
}
