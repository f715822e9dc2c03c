// What programs in recorded/ printed on a GPU, and the means to run the same kernels here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/device/device.h"
#include "sim/gpu/gpu.h"

namespace warptime::recorded {

/// The words of each line of a text that gzip packed.
std::vector<std::vector<std::string>> lines_of(const std::string& name);

/// The numbers that the programs draw.
inline uint32_t mixed(uint32_t v) {
  v ^= v >> 16, v *= 0x7feb352du, v ^= v >> 15, v *= 0x846ca68bu;
  return v ^ (v >> 16);
}
/// One of the special patterns or, one time in four, any number.
template <class T, size_t kCount>
T drawn(const T (&special)[kCount], uint32_t number) {
  const uint32_t bits = mixed(number + 1);
  return (bits & 3) != 0 ? special[(bits >> 8) % kCount] : static_cast<T>(sizeof(T) == 2 ? bits >> 16 : bits);
}

inline uint32_t hex(const std::string& text) { return static_cast<uint32_t>(std::stoul(text, nullptr, 16)); }

/// An H200 and one module on it. The text of a kernel is its body: %rd0 to %rd2 hold its three parameters, %r0 the
/// number of the thread in the grid; registers of every kind are declared.
class Kernel {
 public:
  explicit Kernel(const std::string& body, bool functional = true, const std::string& directives = {});

  template <class T>
  host::Buffer buffer(const std::vector<T>& values) {
    host::Buffer out = device.allocate<T>(values.size(), "values");
    device.copy_to(out, values, "values");
    return out;
  }
  template <class T>
  std::vector<T> read(const host::Buffer& from, size_t count) {
    std::vector<T> out(count);
    device.copy_from(out, from, "values");
    return out;
  }
  void run(uint32_t threads, const host::Argument& a, const host::Argument& b, const host::Argument& c,
           uint32_t blocks = 1, const host::LaunchOptions& options = {}) {
    device.launch(module_, "k", {blocks}, {threads}, {a, b, c}, options);
  }

  host::Device device;

 private:
  host::ModuleRef module_;
};

}  // namespace warptime::recorded
