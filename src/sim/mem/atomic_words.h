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
#include "sim/model/machine.h"

namespace warptime::sim {

class AtomicWords {
 public:
  explicit AtomicWords(const MemoryConfig& memory)
      : word_parts_(parts_of(memory.atomic_word_cycles)),
        float_parts_(memory.atomic_float_word_cycles == 0 ? word_parts_ : parts_of(memory.atomic_float_word_cycles)),
        lanes_per_cycle_(memory.atomic_lanes),
        words_(memory.atomic_word_cycles == 0 ? 0 : kWords) {}

  bool exist() const { return !words_.empty(); }
  /// Cycles for which a request occupies the unit.
  Cycle unit_cycles(const PendingAtomic& atomic) const {
    return (static_cast<uint32_t>(std::popcount(lanes_of(atomic))) + lanes_per_cycle_ - 1) / lanes_per_cycle_;
  }
  /// The cycle at which the last lane's operation is done, of a request whose operations begin at `begin`.
  Cycle done(const PendingAtomic& atomic, Cycle begin) {
    const uint64_t each = atomic.floating ? float_parts_ : word_parts_;
    uint64_t last = begin * kParts;
    for (uint32_t rest = lanes_of(atomic); rest != 0; rest &= rest - 1) {
      const Addr address = atomic.address + atomic.at[static_cast<uint32_t>(std::countr_zero(rest))];
      Word& word = words_[address / 4 % kWords];
      if (word.address != address) word = {address, 0};
      word.free = std::max(word.free, begin * kParts) + each;
      last = std::max(last, word.free);
    }
    return (last + kParts - 1) / kParts;
  }

 private:
  static constexpr size_t kWords = 256;
  static constexpr uint64_t kParts = 256;  // of a cycle
  static uint64_t parts_of(double cycles) { return static_cast<uint64_t>(cycles * kParts + 0.5); }
  /// Those that the unit serves: of lanes whose operations a warp has made one of, the first.
  static uint32_t lanes_of(const PendingAtomic& atomic) {
    return atomic.combined ? atomic.lanes & -atomic.lanes : atomic.lanes;
  }
  struct Word {
    Addr address = ~Addr{0};
    uint64_t free = 0;  // in parts of a cycle

    template <class Archive>
    void serialize(Archive& archive) {
      archive(address, free);
    }
  };

  uint64_t word_parts_, float_parts_;
  uint32_t lanes_per_cycle_;
  std::vector<Word> words_;

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive.table(words_);
  }
};

}  // namespace warptime::sim
