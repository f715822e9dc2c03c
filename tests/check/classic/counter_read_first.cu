// Several threads read the counter before one of them has increased it.
__global__ void keep_odd(const int* in, int* out, int* kept) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] % 2 == 0) return;
  int place = *kept;
  out[place] = in[i];
  atomicAdd(kept, 1);
}
