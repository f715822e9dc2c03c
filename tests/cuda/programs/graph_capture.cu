// A stream's work as a graph that is launched again and again, with a fork to a second stream. Needs graphs, and nothing
// beyond compute capability 1.0.
#include "program.h"

__global__ void add(int* x, int by) { x[blockIdx.x * blockDim.x + threadIdx.x] += by; }
__global__ void combine(const int* a, const int* b, int* sum) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  sum[i] += a[i] * b[i];
}

int main() {
  const int n = 128, rounds = 4;
  std::vector<int> ones(n, 1), expected(n, 0);
  Array<int> a(ones), b(ones), sum(std::vector<int>(n, 0));
  cudaStream_t stream, side;
  cudaEvent_t fork, join;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamCreate(&side));
  CHECK(cudaEventCreate(&fork));
  CHECK(cudaEventCreate(&join));
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaEventRecord(fork, stream));
  CHECK(cudaStreamWaitEvent(side, fork, 0));
  add<<<2, n / 2, 0, stream>>>(a, 2);
  add<<<2, n / 2, 0, side>>>(b, 3);
  CHECK(cudaEventRecord(join, side));
  CHECK(cudaStreamWaitEvent(stream, join, 0));
  combine<<<2, n / 2, 0, stream>>>(a, b, sum);
  CHECK(cudaStreamEndCapture(stream, &graph));
  int wrong = differences(sum.get(), expected);  // nothing has run yet
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  for (int round = 0; round < rounds; round++) CHECK(cudaGraphLaunch(executable, stream));
  CHECK(cudaStreamSynchronize(stream));
  for (int round = 1; round <= rounds; round++)
    for (int& value : expected) value += (1 + 2 * round) * (1 + 3 * round);
  wrong += differences(sum.get(), expected);
  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaGraphDestroy(graph));
  return verdict("graph_capture", wrong);
}
