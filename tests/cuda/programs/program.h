// What the programs of this folder share: checked calls, arrays on the device, random numbers and the last line. Their
// device code is committed as the PTX of
//   nvcc -ptx -arch=compute_75 -lineinfo NAME.cu -o NAME.ptx
#pragma once
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call) checked(call, #call, __LINE__)
inline void checked(cudaError_t error, const char* call, int line) {
  if (error == cudaSuccess) return;
  std::printf("line %d: %s: %s\n", line, call, cudaGetErrorName(error));
  std::exit(1);
}

/// Memory of the device that lives as long as this does.
template <class T>
struct Array {
  T* data = nullptr;
  size_t count;
  explicit Array(size_t n) : count(n) { CHECK(cudaMalloc((void**)&data, n * sizeof(T))); }
  explicit Array(const std::vector<T>& values) : Array(values.size()) { put(values); }
  Array(const Array&) = delete;
  ~Array() { cudaFree(data); }
  operator T*() const { return data; }
  void put(const std::vector<T>& values) {
    CHECK(cudaMemcpy(data, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  std::vector<T> get() const {
    std::vector<T> out(count);
    CHECK(cudaMemcpy(out.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
    return out;
  }
};

/// The next of a sequence of numbers that look random (xorshift).
inline unsigned draw(unsigned& state) {
  state ^= state << 13;
  state ^= state >> 17;
  return state ^= state << 5;
}
inline float draw_float(unsigned& state) { return (draw(state) >> 8) * (1.0f / (1 << 24)); }

inline bool near(double got, double expected, double tolerance) {
  return std::fabs(got - expected) <= tolerance * (1 + std::fabs(expected));
}
/// Elements that differ, of which the first is printed.
template <class T, class U>
int differences(const std::vector<T>& got, const std::vector<U>& expected, double tolerance = 0) {
  int wrong = got.size() == expected.size() ? 0 : 1;
  for (size_t i = 0; i < got.size() && i < expected.size(); ++i)
    if (tolerance == 0 ? !(got[i] == (T)expected[i]) : !near((double)got[i], (double)expected[i], tolerance))
      if (wrong++ == 0) std::printf("element %zu is %g, not %g\n", i, (double)got[i], (double)expected[i]);
  return wrong;
}
/// The last line, and the exit status.
inline int verdict(const char* name, int wrong) {
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaGetLastError());
  if (wrong == 0) std::printf("%s ok\n", name);
  else std::printf("%s: %d wrong\n", name, wrong);
  return wrong == 0 ? 0 : 1;
}
