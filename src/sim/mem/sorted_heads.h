// Merging a few queues that are sorted by themselves: the keys of their heads, least first. Taking the least one's next
// mostly moves it back by a place or two.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace warptime::sim {

class SortedHeads {
 public:
  explicit SortedHeads(size_t queues) { heads_.reserve(queues); }

  void clear() { heads_.clear(); }
  bool empty() const { return heads_.empty(); }
  void insert(uint64_t key, uint32_t queue) {
    heads_.push_back({key, queue});
    for (size_t i = heads_.size() - 1; i > 0 && heads_[i].key < heads_[i - 1].key; --i)
      std::swap(heads_[i], heads_[i - 1]);
  }
  uint64_t least() const { return heads_.front().key; }
  uint32_t queue() const { return heads_.front().queue; }
  /// The first queue's head is now `key`.
  void replace(uint64_t key) {
    Head* head = heads_.data();
    Head* last = head + heads_.size() - 1;
    const uint32_t queue = head->queue;
    for (; head != last && head[1].key < key; ++head) *head = head[1];
    *head = {key, queue};
  }
  /// The first queue is empty.
  void remove() { heads_.erase(heads_.begin()); }

 private:
  struct Head {
    uint64_t key;
    uint32_t queue;
  };
  std::vector<Head> heads_;
};

}  // namespace warptime::sim
