// Which bytes of a range of memory have been written: a bit for each.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace warptime::debug {

class WrittenBytes {
 public:
  /// `bytes` bytes, none of them written, or all.
  void start(uint64_t bytes, bool written = false) {
    size_ = bytes;
    unwritten_ = written ? 0 : bytes;
    bits_.assign(written ? 0 : (bytes + 63) / 64, 0);
  }
  uint64_t size() const { return size_; }
  bool all_written() const { return unwritten_ == 0; }

  /// Whether all bytes of an aligned access are written; it has at most 64 bytes, in one group of 64.
  bool is_written(uint64_t at, uint32_t bytes) const {
    if (unwritten_ == 0) return true;
    const uint64_t mask = mask_of(bytes) << (at % 64);
    return (bits_[at / 64] & mask) == mask;
  }
  void write(uint64_t at, uint32_t bytes) {
    if (unwritten_ == 0) return;
    set(at / 64, mask_of(bytes) << (at % 64));
  }
  /// Any range.
  void write_range(uint64_t at, uint64_t bytes);
  void forget_range(uint64_t at, uint64_t bytes);
  /// The bytes from `at` on become as those of another range.
  void copy(uint64_t at, const WrittenBytes& from, uint64_t from_at, uint64_t bytes);

 private:
  static uint64_t mask_of(uint32_t bytes) { return bytes >= 64 ? ~uint64_t{0} : (uint64_t{1} << bytes) - 1; }
  void set(uint64_t word, uint64_t mask) {
    unwritten_ -= static_cast<uint64_t>(std::popcount(mask & ~bits_[word]));
    bits_[word] |= mask;
  }
  /// Calls f(word, mask) for the bits of a range.
  template <class F>
  static void for_words(uint64_t at, uint64_t bytes, const F& f) {
    while (bytes != 0) {
      const auto part = static_cast<uint32_t>(std::min<uint64_t>(bytes, 64 - at % 64));
      f(at / 64, mask_of(part) << (at % 64));
      at += part;
      bytes -= part;
    }
  }

  uint64_t size_ = 0, unwritten_ = 0;
  std::vector<uint64_t> bits_;  // empty: all are written
};

}  // namespace warptime::debug
