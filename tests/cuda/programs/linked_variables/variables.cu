// The variables that main.cu uses, too. Made by
//   nvcc -ptx -arch=compute_75 -lineinfo -rdc=true variables.cu -o variables.ptx

__device__ int counts[32] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                             16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
__constant__ int step;

__global__ void increase() { counts[threadIdx.x] += step; }
void set_step(int value) { cudaMemcpyToSymbol(step, &value, sizeof value); }
