#include "debug/check/written_bytes.h"

namespace warptime::debug {

void WrittenBytes::write_range(uint64_t at, uint64_t bytes) {
  if (unwritten_ == 0) return;
  bytes = at < size_ ? std::min(bytes, size_ - at) : 0;
  for_words(at, bytes, [&](uint64_t word, uint64_t mask) { set(word, mask); });
}

void WrittenBytes::forget_range(uint64_t at, uint64_t bytes) {
  bytes = at < size_ ? std::min(bytes, size_ - at) : 0;
  if (bits_.empty()) {
    bits_.resize((size_ + 63) / 64);
    for_words(0, size_, [&](uint64_t word, uint64_t mask) { bits_[word] |= mask; });
  }
  for_words(at, bytes, [&](uint64_t word, uint64_t mask) {
    unwritten_ += static_cast<uint64_t>(std::popcount(mask & bits_[word]));
    bits_[word] &= ~mask;
  });
}

void WrittenBytes::copy(uint64_t at, const WrittenBytes& from, uint64_t from_at, uint64_t bytes) {
  if (from.all_written()) return write_range(at, bytes);
  for (uint64_t i = 0; i < bytes; ++i) {
    if (from.is_written(from_at + i, 1)) write(at + i, 1);
    else forget_range(at + i, 1);
  }
}

}  // namespace warptime::debug
