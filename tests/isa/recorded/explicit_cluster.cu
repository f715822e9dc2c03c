// %is_explicit_cluster of launches with and without a cluster.
//   nvcc -std=c++17 -O1 -arch=sm_90a explicit_cluster.cu -o explicit_cluster
//   ./explicit_cluster | gzip -9n > explicit_cluster.gz
// Recorded on 2026-11-28 on an NVIDIA H200 (driver 580.159.04, CUDA 13.0).
#include "record.h"
__device__ inline int is() {
  int r;
  asm volatile("{.reg .pred p; mov.pred p,%%is_explicit_cluster; selp.s32 %0,1,0,p;}" : "=r"(r));
  return r;
}
__global__ void plain(int* o) { o[blockIdx.x] = is(); }
__global__ void __cluster_dims__(1, 1, 1) one(int* o) { o[blockIdx.x] = is(); }
__global__ void __cluster_dims__(2, 1, 1) two(int* o) { o[blockIdx.x] = is(); }
int main() {
  int* o;
  CK(cudaMalloc(&o, 64));
  int h[2];
  auto run = [&](const char* name, void (*k)(int*), int cluster) {
    cudaLaunchConfig_t c{};
    c.gridDim = 2;
    c.blockDim = 32;
    cudaLaunchAttribute a{};
    a.id = cudaLaunchAttributeClusterDimension;
    a.val.clusterDim.x = cluster;
    a.val.clusterDim.y = a.val.clusterDim.z = 1;
    c.attrs = &a;
    c.numAttrs = cluster != 0;
    cudaError_t e = cudaLaunchKernelEx(&c, k, o);
    if (e == cudaSuccess) e = cudaDeviceSynchronize();
    cudaMemcpy(h, o, 8, cudaMemcpyDeviceToHost);
    printf("%s attribute %d: %s %d %d\n", name, cluster, cudaGetErrorString(e), h[0], h[1]);
  };
  run("plain", plain, 0);
  run("plain", plain, 1);
  run("plain", plain, 2);
  run("dims1", one, 0);
  run("dims1", one, 1);
  run("dims2", two, 0);
  run("dims2", two, 2);
}
