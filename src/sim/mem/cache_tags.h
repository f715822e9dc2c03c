// The tags of one set-associative cache. It holds no data: values come from memory, and a cache only determines when
// they are available. A line is usable from the cycle at which its data arrive. It may be there in part: in sectors, of
// which some are valid, and some are written but not valid as a whole.
//
// The order in which the lines of a set were used is kept for every kind of replacement: it is enough for the tree of
// pseudo-LRU, whose bits point away from what was used last, and names the places without a line for all of them.
#pragma once

#include <bit>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/divider.h"
#include "sim/model/cache_config.h"

namespace warptime::sim {

class CacheTags {
 public:
  struct Line {
    Addr address = kNowhere;
    Cycle ready : 56 = 0;    // arrival of its last data
    uint64_t valid : 4 = 0;  // by sector: all its bytes are here
    uint64_t dirty : 4 = 0;  // by sector: some of its bytes were written here

    template <class Archive>
    void serialize(Archive& archive) {
      uint64_t bits = ready << 8 | valid << 4 | dirty;
      archive(address, bits);
      ready = bits >> 8;
      valid = bits >> 4 & 0xf;
      dirty = bits & 0xf;
    }
  };
  static_assert(sizeof(Line) == 16);

  /// A `config` of 0 bytes makes a cache that does not exist.
  CacheTags() : CacheTags(CacheConfig{}) {}
  /// A sector is at least a quarter of a line.
  explicit CacheTags(const CacheConfig& config, const CacheShape& shape = {});

  bool exists() const { return !lines_.empty(); }
  uint32_t line_bytes() const { return 1u << line_shift_; }
  Addr line_of(Addr address) const { return address >> line_shift_ << line_shift_; }
  uint32_t sector_bytes() const { return 1u << sector_shift_; }
  /// One bit for each sector of a line that holds bytes of [begin, end), which are within the line.
  uint32_t sectors(Addr begin, Addr end) const {
    const Addr line = line_of(begin);
    const auto first = static_cast<uint32_t>((begin - line) >> sector_shift_),
               last = static_cast<uint32_t>((end - 1 - line) >> sector_shift_);
    return (2u << last) - (1u << first);
  }
  uint32_t all_sectors() const { return (1u << (line_bytes() >> sector_shift_)) - 1; }
  /// One bit for each sector with bytes of these granules of 32 bytes, of which bit 0 begins the line.
  uint32_t sectors_of(uint32_t granules) const {
    if (sector_shift_ == kGranuleShift) [[likely]]
      return granules & all_sectors();
    uint32_t out = 0;
    const uint32_t each = 1u << (sector_shift_ - kGranuleShift);
    for (uint32_t sector = 0; sector < line_bytes() >> sector_shift_; ++sector)
      if ((granules >> sector * each & ((1u << each) - 1)) != 0) out |= 1u << sector;
    return out;
  }
  /// The granules of these sectors.
  uint32_t granules_of(uint32_t sectors) const {
    if (sector_shift_ == kGranuleShift) [[likely]]
      return sectors;
    uint32_t out = 0;
    const uint32_t each = 1u << (sector_shift_ - kGranuleShift);
    for (; sectors != 0; sectors &= sectors - 1)
      out |= ((1u << each) - 1) << static_cast<uint32_t>(std::countr_zero(sectors)) * each;
    return out;
  }

  /// f(first, part) for each line that has some of these granules of an aligned 128 bytes: the granule with which it
  /// begins, and those that it has, counted from there.
  template <class F>
  [[gnu::always_inline]] void for_each_part(uint32_t granules, const F& f) const {
    const uint32_t each = line_bytes() >> kGranuleShift, all = (1u << each) - 1;
    for (uint32_t rest = granules; rest != 0;) {
      const uint32_t first = static_cast<uint32_t>(std::countr_zero(rest)) & ~(each - 1);
      f(first, rest >> first & all);
      rest &= ~(all << first);
    }
  }

  /// The line with `address`, which becomes the most recently used of its set; nullptr: a miss.
  Line* find(Addr address) {
    if (!exists()) return nullptr;
    const size_t set = set_of(address);
    const Addr line = line_of(address);
    const uint64_t mark = kEachByte * mark_of(line);
    Ways* const ways = &of_set_[set * words_];
    Line* const lines = &lines_[set * words_ * kMarks];
    for (uint32_t word = 0; word < words_; ++word) {
      for (uint64_t found = zero_bytes(ways[word].marks ^ mark); found != 0; found &= found - 1) {
        const uint32_t way = word * kMarks + static_cast<uint32_t>(std::countr_zero(found)) / 8;
        if (lines[way].address != line) continue;
        use(ways, way);
        return &lines[way];
      }
    }
    return nullptr;
  }
  /// Allocates the line of `address`, which must not be in the cache; returns the evicted line (kNowhere: none).
  /// Inline, because the evicted line is not in the host's caches and callers that do not use it should not read it.
  Line fill(Addr address, Cycle ready, bool dirty = false) {
    return fill(address, ready, all_sectors(), dirty ? all_sectors() : 0);
  }
  /// With these sectors only.
  Line fill(Addr address, Cycle ready, uint32_t valid, uint32_t dirty) {
    if (!exists()) return {};
    return std::exchange(replace(address), {line_of(address), ready, valid, dirty});
  }
  /// The place of the line of `address`, with the line that it replaces: to be written by the caller.
  Line& replace(Addr address) {
    const size_t set = set_of(address);
    Ways* const ways = &of_set_[set * words_];
    uint32_t way = next_to_go(ways);
    if (replacement_ != Replacement::lru && lines_[set * words_ * kMarks + way].address != kNowhere) [[unlikely]]
      way = other_to_go(ways);
    use(ways, way);
    uint64_t& marks = ways[way / kMarks].marks;
    const uint32_t in_word = way % kMarks * 8;
    marks = (marks & ~(uint64_t{0xff} << in_word)) | uint64_t{mark_of(line_of(address))} << in_word;
    return lines_[set * words_ * kMarks + way];
  }
  /// Calls f(line) for each line that it holds; this is not a use of it.
  template <class F>
  void for_each_line(const F& f) const {
    for (const Line& line : lines_)
      if (line.address != kNowhere) f(line);
  }
  /// Evicts the line, if it is in the cache.
  void evict(Addr address);
  /// All that was written here is written elsewhere as well.
  void clean() {
    for (Line& line : lines_) line.dirty = 0;
  }
  /// Evicts all lines that hold bytes of [begin, end).
  void evict_range(Addr begin, Addr end);
  /// All lines are there: for another launch, whose cycles are counted anew.
  void settle() {
    for (Line& line : lines_) line.ready = 0;
  }

  static constexpr Addr kNowhere = ~Addr{0};

 private:
  static constexpr uint64_t kEachByte = 0x0101010101010101;
  static constexpr uint32_t kMarks = 8;  // in a word

  /// One byte for each of eight ways of a set, so that one comparison selects the ways that may hold a line. All words
  /// of a set are adjacent, so a lookup reads two host cache lines: this one, and that of the line it finds.
  struct Ways {
    uint64_t marks = 0;  // by way: a byte of its line's address
    uint64_t order = 0;  // all ways of the set, the most recently used first

    template <class Archive>
    void serialize(Archive& archive) {
      archive(marks, order);
    }
  };

  /// A hash byte that differs for most lines of one set.
  static uint8_t mark_of(Addr line) { return static_cast<uint8_t>(line * 0x9e3779b97f4a7c15 >> 56); }
  /// The top bit of each byte that is zero, and possibly of bytes above a zero byte.
  static uint64_t zero_bytes(uint64_t word) { return (word - kEachByte) & ~word & (kEachByte << 7); }

  size_t set_of(Addr address) const {
    const Addr number = address >> line_shift_;
    return sets_mask_ + 1 == sets_.divisor() ? number & sets_mask_ : other_set_of(number);
  }
  size_t other_set_of(Addr number) const;
  /// The way that the policy chooses in a full set, if that is not LRU.
  uint32_t other_to_go(const Ways* set);
  /// The way moves to the front of its set's order.
  static void use(Ways* set, uint32_t way) {
    const uint64_t number = kEachByte * way;
    uint64_t in_front = way;
    for (;; ++set) {
      const uint64_t order = set->order, found = zero_bytes(order ^ number);
      if (found != 0) [[likely]] {
        const uint64_t before = ((found & -found) >> 7) - 1;  // bits of the positions before its own
        set->order = (order & ~(before << 8 | 0xff)) | (order & before) << 8 | in_front;
        return;
      }
      set->order = order << 8 | in_front;
      in_front = order >> 56;
    }
  }
  /// Whether the order of each set names each of its ways once.
  bool orders_have_all_ways() const;
  /// The least recently used way, or an empty one.
  uint32_t next_to_go(const Ways* set) const {
    const uint32_t last = ways_ - 1;
    return static_cast<uint32_t>(set[last / kMarks].order >> last % kMarks * 8 & 0xff);
  }

  static constexpr uint32_t kGranuleShift = 5;

  uint32_t line_shift_ = 0, sector_shift_ = 0;
  Replacement replacement_;
  SetIndex set_index_;
  uint64_t replaced_ = 0;  // lines, at random: so many numbers have been drawn
  Divider sets_;
  Addr sets_mask_ = 0;  // their number less one, if it is a power of two and the low bits select one
  uint32_t ways_ = 1;
  uint32_t words_ = 1;        // per set
  std::vector<Line> lines_;   // [set][way]; as many ways as fill the words
  std::vector<Ways> of_set_;  // [set][word]

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive(replaced_);
    archive.table(lines_);
    archive.table(of_set_);
    if constexpr (Archive::kRestores) archive.expect(orders_have_all_ways());
  }
};

}  // namespace warptime::sim
