#include "sim/state/call_values.h"

#include <algorithm>
#include <cstring>

#include "sim/exec/lanes_of_mask.h"
#include "sim/exec/predicate_handlers.h"

namespace warptime::sim {

namespace {

/// Calls f(row, offset in it, bytes, offset in a list of all values) for the words of every lane. Returns where the
/// list ends.
template <class F>
size_t for_words(std::span<const Transfer> list, Transfer::Words Transfer::*side, uint32_t mask, const F& f) {
  size_t at = 0;
  for (const Transfer& value : list) {
    const Transfer::Words& words = value.*side;
    for_lanes_of(mask, [&](uint32_t lane) {
      for (uint32_t word = 0; word * 4 < value.bytes; ++word, at += 4)
        f(words.row, lane * words.lane_stride + word * words.word_stride, std::min(4u, value.bytes - word * 4), at);
    });
  }
  return at;
}

}  // namespace

void take_values(const WarpValues& warp, std::span<const Transfer> list, uint32_t mask, std::vector<std::byte>& out) {
  out.clear();
  for_words(list, &Transfer::from, mask, [&](RowRef row, uint32_t offset, uint32_t bytes, size_t at) {
    out.resize(at + 4);
    std::memcpy(out.data() + at, row.in(warp) + offset, bytes);
  });
  for (const Transfer& value : list) {
    if (!value.is_predicate) continue;
    out.resize(out.size() + 4);
    std::memcpy(out.data() + out.size() - 4, &warp.predicates[value.from.row.bits], 4);
  }
}

void put_values(const WarpValues& warp, std::span<const Transfer> list, uint32_t mask,
                const std::vector<std::byte>& from) {
  size_t next = for_words(list, &Transfer::to, mask, [&](RowRef row, uint32_t offset, uint32_t bytes, size_t at) {
    std::memcpy(warp.rows() + row.bits + offset, from.data() + at, bytes);
  });
  for (const Transfer& value : list) {
    if (!value.is_predicate) continue;
    uint32_t bits = 0;
    std::memcpy(&bits, from.data() + next, 4);
    write_predicate(warp, value.to.row.bits, mask, bits);
    next += 4;
  }
}

void transfer(const WarpValues& warp, std::span<const Transfer> list, uint32_t mask) {
  for (const Transfer& value : list) {
    if (value.is_predicate) {
      write_predicate(warp, value.to.row.bits, mask, warp.predicates[value.from.row.bits]);
      continue;
    }
    const std::byte* from = value.from.row.in(warp);
    std::byte* to = warp.rows() + value.to.row.bits;
    for_lanes_of(mask, [&](uint32_t lane) {
      for (uint32_t word = 0; word * 4 < value.bytes; ++word)
        std::memcpy(to + lane * value.to.lane_stride + word * value.to.word_stride,
                    from + lane * value.from.lane_stride + word * value.from.word_stride,
                    std::min(4u, value.bytes - word * 4));
    });
  }
}

}  // namespace warptime::sim
