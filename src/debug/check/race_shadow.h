// What racecheck remembers of memory: for each word the last write and two readers, and for words that are accessed in
// parts the same for each byte. Two readers of different threads are enough: whatever thread writes next, one of them
// is another one. Memory is bounded: beyond that, what was accessed longest ago is forgotten.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "debug/check/race_clock.h"

namespace warptime::debug {

/// Strong operations of PTX (volatile, relaxed, acquire, release, atomic) do not race with each other, if each is in
/// the other's scope.
enum class Strength : uint8_t { Weak, InBlock, OnDevice };

/// An access of a thread.
struct Mark {
  uint32_t time = 0;   // of its block's clock; 0: there was none
  uint32_t block = 0;  // linear in the grid
  uint32_t pc = 0;
  uint16_t thread = 0;  // linear in the block
  Strength strength = Strength::Weak;
  bool has_value = false;  // of a write: the cell's
};

struct Cell {
  Mark write;
  std::array<Mark, 2> reads;
  uint32_t value = 0;  // that was written
  uint32_t split = 0;  // not 0: the word's bytes have cells of their own
};

/// What a strong write hands to those who read it.
struct SyncVariable {
  Clock device, block;
  uint32_t in_block = 0;  // whose `block` it is
};

class RaceShadow {
 public:
  using Bytes = std::array<Cell, 4>;
  static constexpr uint32_t kPageBytes = 1024;  // of the memory that a page stands for

  explicit RaceShadow(size_t most_pages) : most_pages_(most_pages) {}

  /// The memory is that of a new launch or block: nothing was accessed.
  void restart() {
    ++generation_;
    variables_.clear();
  }
  Cell& word(Addr address) { return page(address / kPageBytes).cells[address % kPageBytes / 4]; }
  /// The cells of the word's bytes.
  Bytes& bytes_of(Addr address);
  std::unordered_map<Addr, SyncVariable>& variables() { return variables_; }
  uint64_t forgotten_pages() const { return forgotten_; }

 private:
  struct Page {
    Addr number = ~Addr{0};
    uint32_t generation = 0;
    std::vector<Bytes> split;
    std::array<Cell, kPageBytes / 4> cells;
  };

  Page& page(Addr number) {
    Page* known = recent_[number % recent_.size()];
    if (known != nullptr && known->number == number && known->generation == generation_) return *known;
    return find_page(number);
  }
  Page& find_page(Addr number);

  size_t most_pages_;
  uint32_t generation_ = 1;
  uint64_t forgotten_ = 0;
  std::array<Page*, 16> recent_{};
  std::unordered_map<Addr, std::unique_ptr<Page>> pages_;
  std::deque<Addr> order_;  // of the pages: the first is the oldest
  std::unordered_map<Addr, SyncVariable> variables_;
};

}  // namespace warptime::debug
