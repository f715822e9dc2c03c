// Exact unsigned division by a number that is known at set-up: a multiplication where that is provably exact, a real
// division beyond. Clock ratios, address maps and caches divide on every memory transaction.
#pragma once

#include <cstdint>

namespace warptime {

class Divider {
 public:
  explicit Divider(uint64_t divisor = 1) : divisor_(divisor) {
    // magic = (2^64 + e) / divisor with 0 <= e < divisor; x * magic / 2^64 rounds down to x / divisor while
    // x * e < 2^64. For divisor 1 the magic does not fit: `limit_` 0 sends all but 0 to the real division.
    magic_ = ~uint64_t{0} / divisor + 1;
    uint64_t excess = magic_ * divisor;  // mod 2^64, so this is e
    limit_ = divisor == 1 ? 0 : excess == 0 ? ~uint64_t{0} : ~uint64_t{0} / excess;
  }
  uint64_t divisor() const { return divisor_; }
  uint64_t quotient(uint64_t x) const {
    if (x > limit_) [[unlikely]]
      return divisor_ == 1 ? x : x / divisor_;
    __extension__ using Wide = unsigned __int128;
    return static_cast<uint64_t>((static_cast<Wide>(x) * magic_) >> 64);
  }
  uint64_t remainder(uint64_t x) const { return x - quotient(x) * divisor_; }

 private:
  uint64_t divisor_;
  uint64_t magic_;
  uint64_t limit_;  // largest x for which the multiplication is exact
};

}  // namespace warptime
