// Events: more work takes longer, parts add up, what was not recorded has no time. Needs nothing beyond compute
// capability 1.0; without times (functional runs) all are 0.
#include "program.h"

__global__ void spin(float* x, int rounds) {
  float value = x[threadIdx.x];
  for (int i = 0; i < rounds; i++) value = value * 0.5f + 1.0f;
  x[threadIdx.x] = value;
}

int main() {
  Array<float> x(64);
  CHECK(cudaMemset(x, 0, 64 * sizeof(float)));
  cudaEvent_t events[3], never, untimed;
  for (cudaEvent_t& event : events) CHECK(cudaEventCreate(&event));
  CHECK(cudaEventCreate(&never));
  CHECK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  spin<<<1, 64>>>(x, 1);  // on hardware the first launch also loads the code
  CHECK(cudaEventRecord(events[0], 0));
  spin<<<1, 64>>>(x, 100);
  CHECK(cudaEventRecord(events[1], 0));
  spin<<<1, 64>>>(x, 10000);
  CHECK(cudaEventRecord(events[2], 0));
  CHECK(cudaEventRecord(untimed, 0));
  CHECK(cudaEventSynchronize(events[2]));
  CHECK(cudaEventQuery(events[0]));
  float first, second, both;
  CHECK(cudaEventElapsedTime(&first, events[0], events[1]));
  CHECK(cudaEventElapsedTime(&second, events[1], events[2]));
  CHECK(cudaEventElapsedTime(&both, events[0], events[2]));
  int wrong = !near(first + second, both, 1e-4);
  if (both > 0) wrong += !(second > first && first > 0);
  wrong += cudaEventElapsedTime(&both, events[0], never) != cudaErrorInvalidResourceHandle;
  wrong += cudaEventElapsedTime(&both, events[0], untimed) != cudaErrorInvalidResourceHandle;
  wrong += cudaGetLastError() != cudaErrorInvalidResourceHandle;
  std::vector<float> result = x.get();
  for (float value : result) wrong += !near(value, 2, 1e-6);
  for (cudaEvent_t event : {events[0], events[1], events[2], never, untimed}) CHECK(cudaEventDestroy(event));
  return verdict("events", wrong);
}
