// A graph made node by node: a copy, a fill, two kernels, a function of the host. Needs graphs, and nothing beyond compute
// capability 1.0.
#include "program.h"

__global__ void scale(float* x, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= by;
}
void count(void* data) { ++*(int*)data; }

int main() {
  int n = 100, counted = 0;
  std::vector<float> values(n), got(n);
  for (int i = 0; i < n; i++) values[i] = i;
  Array<float> x(n);
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaGraphNode_t to, first, second, back, host;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddMemcpyNode1D(&to, graph, nullptr, 0, x.data, values.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  float two = 2, five = 5;
  void* arguments[] = {&x.data, &two, &n};
  cudaKernelNodeParams kernel = {};
  kernel.func = (void*)scale;
  kernel.gridDim = dim3(2);
  kernel.blockDim = dim3(64);
  kernel.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&first, graph, &to, 1, &kernel));
  arguments[1] = &five;
  CHECK(cudaGraphAddKernelNode(&second, graph, &first, 1, &kernel));
  CHECK(cudaGraphAddMemcpyNode1D(&back, graph, &second, 1, got.data(), x.data, n * sizeof(float), cudaMemcpyDeviceToHost));
  cudaHostNodeParams function = {};
  function.fn = count;
  function.userData = &counted;
  CHECK(cudaGraphAddHostNode(&host, graph, &back, 1, &function));
  size_t nodes = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  two = 0;  // the node has its own copy
  for (int round = 0; round < 2; round++) CHECK(cudaGraphLaunch(executable, 0));
  CHECK(cudaDeviceSynchronize());
  int wrong = (nodes != 5) + (counted != 2);
  for (int i = 0; i < n; i++) wrong += got[i] != i * 10;
  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaGraphDestroy(graph));
  return verdict("graph_nodes", wrong);
}
