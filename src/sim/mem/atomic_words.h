// The words that a partition's atomic unit has changed last, where operations on one word follow each other more slowly
// than those on different words (memory.atomic_word_cycles): when each may be changed again. Direct mapped: a word that
// another has replaced is taken to be free, which it is after so many words.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "base/clock.h"
#include "sim/mem/request.h"

namespace warptime::sim {

class AtomicWords {
 public:
  /// `word_cycles`: 0 if words make no difference.
  AtomicWords(uint32_t word_cycles, uint32_t lanes_per_cycle)
      : word_cycles_(word_cycles), lanes_per_cycle_(lanes_per_cycle), words_(word_cycles == 0 ? 0 : kWords) {}

  bool exist() const { return !words_.empty(); }
  /// Cycles for which a request occupies the unit.
  Cycle unit_cycles(const PendingAtomic& atomic) const {
    return (static_cast<uint32_t>(std::popcount(atomic.lanes)) + lanes_per_cycle_ - 1) / lanes_per_cycle_;
  }
  /// The cycle at which the last lane's operation is done, of a request whose operations begin at `begin`.
  Cycle done(const PendingAtomic& atomic, Cycle begin) {
    Cycle last = begin;
    for (uint32_t rest = atomic.lanes; rest != 0; rest &= rest - 1) {
      const Addr address = atomic.address + atomic.at[static_cast<uint32_t>(std::countr_zero(rest))];
      Word& word = words_[address / 4 % kWords];
      if (word.address != address) word = {address, 0};
      word.free = std::max(word.free, begin) + word_cycles_;
      last = std::max(last, word.free);
    }
    return last;
  }

 private:
  static constexpr size_t kWords = 256;
  struct Word {
    Addr address = ~Addr{0};
    Cycle free = 0;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(address, free);
    }
  };

  uint32_t word_cycles_, lanes_per_cycle_;
  std::vector<Word> words_;

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive.table(words_);
  }
};

}  // namespace warptime::sim
