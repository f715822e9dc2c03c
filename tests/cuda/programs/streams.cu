// A computation in pieces, each in a stream of its own with copies around it; streams with priorities that wait for events
// of each other. Needs nothing beyond compute capability 1.0.
#include "program.h"

__global__ void square(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * x[i] + 1;
}

int main() {
  const int pieces = 4, n = 2048;
  float* host;
  int least, greatest, priority, wrong = 0;
  CHECK(cudaHostAlloc((void**)&host, pieces * n * sizeof(float), cudaHostAllocDefault));
  for (int i = 0; i < pieces * n; i++) host[i] = i % 97;
  CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  wrong += least < greatest;
  Array<float> x(pieces * n);
  cudaStream_t streams[pieces];
  cudaEvent_t done[pieces];
  for (int i = 0; i < pieces; i++) {
    CHECK(cudaStreamCreateWithPriority(&streams[i], cudaStreamNonBlocking, i % 2 ? greatest : least));
    CHECK(cudaEventCreateWithFlags(&done[i], cudaEventDisableTiming));
  }
  for (int i = 0; i < pieces; i++) {
    float *part = x + i * n, *of_host = host + i * n;
    CHECK(cudaMemcpyAsync(part, of_host, n * sizeof(float), cudaMemcpyHostToDevice, streams[i]));
    square<<<n / 128, 128, 0, streams[i]>>>(part, n);
    CHECK(cudaEventRecord(done[i], streams[i]));
  }
  // Each piece a second time, in the next one's stream.
  for (int i = 0; i < pieces; i++) {
    cudaStream_t next = streams[(i + 1) % pieces];
    CHECK(cudaStreamWaitEvent(next, done[i], 0));
    square<<<n / 128, 128, 0, next>>>(x + i * n, n);
    CHECK(cudaMemcpyAsync(host + i * n, x + i * n, n * sizeof(float), cudaMemcpyDeviceToHost, next));
  }
  for (cudaStream_t stream : streams) {
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamQuery(stream));
    CHECK(cudaStreamGetPriority(stream, &priority));
    wrong += priority != (stream == streams[1] || stream == streams[3] ? greatest : least);
  }
  for (int i = 0; i < pieces * n; i++) {
    float value = i % 97;
    for (int round = 0; round < 2; round++) value = value * value + 1;
    wrong += !near(host[i], value, 1e-6);
  }
  for (int i = 0; i < pieces; i++) {
    CHECK(cudaStreamDestroy(streams[i]));
    CHECK(cudaEventDestroy(done[i]));
  }
  CHECK(cudaFreeHost(host));
  return verdict("streams", wrong);
}
