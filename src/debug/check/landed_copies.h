// Which asynchronous copy wrote each word of shared memory last, of copies that an mbarrier object counts. Who has not
// seen the end of their phase (a wait of its own, or a barrier behind the wait of another thread) must not access such
// a word, whether or not the bytes have arrived in this run. What is stored over them stays theirs: who comes behind
// the store has seen as much as the thread that stored.
#pragma once

#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "debug/check/race_clock.h"

namespace warptime::debug {

class LandedCopies {
 public:
  struct Copy {
    uint32_t pc = 0;
    uint32_t phase = 0;   // of the mbarrier object, from 1 on; 0: no copy
    uint32_t object = 0;  // mbarrier_number()
    uint32_t thread = 0;  // in the block
  };

  void land(const Copy& copy, Addr to, uint32_t bytes);
  /// The first copy in a range whose end the warp has not seen; nullptr: none. `at`: its first byte in the range.
  const Copy* unseen(const BlockClock& clock, uint32_t warp, Addr begin, uint32_t bytes, Addr& at) const;

 private:
  static constexpr uint32_t kWord = 4;
  std::vector<Copy> words_;  // as many as copies have reached
};

}  // namespace warptime::debug
