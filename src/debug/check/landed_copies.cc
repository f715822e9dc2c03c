#include "debug/check/landed_copies.h"

#include <algorithm>

namespace warptime::debug {

void LandedCopies::land(const Copy& copy, Addr to, uint32_t bytes) {
  if (bytes == 0) return;
  const size_t end = (to + bytes + kWord - 1) / kWord;
  if (words_.size() < end) words_.resize(end);
  std::fill(words_.begin() + static_cast<std::ptrdiff_t>(to / kWord), words_.begin() + static_cast<std::ptrdiff_t>(end),
            copy);
}

const LandedCopies::Copy* LandedCopies::unseen(const BlockClock& clock, uint32_t warp, Addr begin, uint32_t bytes,
                                               Addr& at) const {
  const size_t end = std::min<size_t>((begin + bytes + kWord - 1) / kWord, words_.size());
  const Copy* seen = nullptr;  // neighbouring words are mostly of one copy
  for (size_t word = begin / kWord; word < end; ++word) {
    const Copy& copy = words_[word];
    if (copy.phase == 0) continue;
    if (seen != nullptr && seen->object == copy.object && seen->phase == copy.phase) continue;
    if (!clock.has_seen(warp, copy.object, copy.phase)) {
      at = std::max<Addr>(word * kWord, begin);
      return &copy;
    }
    seen = &copy;
  }
  return nullptr;
}

}  // namespace warptime::debug
