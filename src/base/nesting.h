// The maximum nesting depth of input that is read recursively. One limit for all readers, so that no text can overflow
// the host's stack.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warptime {

inline constexpr size_t kMaxNesting = 64;

/// One level, for as long as it lives. `depth` counts the levels of one reader.
class Nesting {
 public:
  explicit Nesting(uint32_t& depth) : depth_(++depth) {}
  ~Nesting() { --depth_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;
  bool too_deep() const { return depth_ > kMaxNesting; }

 private:
  uint32_t& depth_;
};

}  // namespace warptime
