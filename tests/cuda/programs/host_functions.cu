// Functions of the host in a stream, each after the work before it: cudaLaunchHostFunc and callbacks. Needs nothing
// beyond compute capability 1.0.
#include "program.h"

__global__ void increase(int* x, int by) { x[threadIdx.x] += by; }

struct Record {
  std::vector<int> seen;
  int* host;
};
void host_function(void* data) {
  Record* record = (Record*)data;
  record->seen.push_back(record->host[31]);
}
void CUDART_CB callback(cudaStream_t, cudaError_t status, void* data) {
  if (status == cudaSuccess) host_function(data);
}

int main() {
  Record record;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMallocHost((void**)&record.host, 32 * sizeof(int)));
  Array<int> x(32);
  CHECK(cudaMemset(x, 0, 32 * sizeof(int)));
  for (int i = 1; i <= 4; i++) {
    increase<<<1, 32, 0, stream>>>(x, i);
    CHECK(cudaMemcpyAsync(record.host, x, 32 * sizeof(int), cudaMemcpyDeviceToHost, stream));
    if (i % 2) CHECK(cudaLaunchHostFunc(stream, host_function, &record));
    else CHECK(cudaStreamAddCallback(stream, callback, &record, 0));
  }
  CHECK(cudaStreamSynchronize(stream));
  const std::vector<int> expected{1, 3, 6, 10};
  int wrong = differences(record.seen, expected);
  CHECK(cudaFreeHost(record.host));
  CHECK(cudaStreamDestroy(stream));
  return verdict("host_functions", wrong);
}
