#include "sim/mem/tensor_box.h"

#include <algorithm>

namespace warptime::sim {

namespace {

constexpr uint32_t kPiece = 16;

class Pieces {
 public:
  Pieces(const TensorMap& map, std::vector<TensorPiece>& out) : map_(map), out_(out), unit_(map.unit_bytes()) {}

  /// Elements along the first dimension, from `first` on, of what the other coordinates name: `count` of them, at
  /// `shared`.
  void row(const std::array<int64_t, TensorMap::kMaxRank>& at, uint32_t count, uint32_t shared) {
    for (uint32_t d = 1; d < map_.rank; ++d)
      if (at[d] < 0 || static_cast<uint64_t>(at[d]) >= map_.dims[d]) return;
    if (map_.element_strides[0] != 1 && map_.interleave != TensorMap::Interleave::None)
      return skipping_row(at, count, shared);
    const int64_t begin = std::max<int64_t>(at[0], 0);
    const int64_t end = std::min<int64_t>(at[0] + count, static_cast<int64_t>(map_.dims[0]));
    if (begin >= end) return;
    add(outer(at) + static_cast<Addr>(begin) * unit_, shared + static_cast<uint32_t>(begin - at[0]) * unit_,
        static_cast<uint32_t>(end - begin) * unit_);
  }

 private:
  Addr outer(const std::array<int64_t, TensorMap::kMaxRank>& at) const {
    Addr address = map_.address;
    for (uint32_t d = 1; d < map_.rank; ++d) address += static_cast<uint64_t>(at[d]) * map_.strides[d - 1];
    return address;
  }
  /// A row of an interleaved tensor, whose first dimension may have an element stride, too.
  void skipping_row(const std::array<int64_t, TensorMap::kMaxRank>& at, uint32_t count, uint32_t shared) {
    for (uint32_t i = 0; i < count; ++i) {
      const int64_t x = at[0] + int64_t{i} * map_.element_strides[0];
      if (x < 0 || static_cast<uint64_t>(x) >= map_.dims[0]) continue;
      add(outer(at) + static_cast<Addr>(x) * unit_, shared + i * unit_, unit_);
    }
  }
  void add(Addr global, uint32_t shared, uint32_t bytes) {
    while (bytes != 0) {
      const uint32_t room = std::min(kPiece - static_cast<uint32_t>(global % kPiece), kPiece - shared % kPiece);
      const uint32_t now = std::min(bytes, room);
      if (TensorPiece* last = out_.empty() ? nullptr : &out_.back();
          last != nullptr && last->global + last->bytes == global && last->shared + last->bytes == shared &&
          global % kPiece != 0 && shared % kPiece != 0)
        last->bytes += now;
      else out_.push_back({global, shared, now});
      global += now;
      shared += now;
      bytes -= now;
    }
  }

  const TensorMap& map_;
  std::vector<TensorPiece>& out_;
  uint32_t unit_;
};

void find_tile(const TensorMap& map, const TensorCoordinates& place, Pieces& pieces) {
  std::array<uint32_t, TensorMap::kMaxRank> count{1, 1, 1, 1, 1}, index{};
  for (uint32_t d = 0; d < map.rank; ++d) count[d] = map.count(d);
  uint32_t shared = 0;
  for (bool more = true; more;) {
    std::array<int64_t, TensorMap::kMaxRank> at{};
    for (uint32_t d = 0; d < map.rank; ++d)
      at[d] = int64_t{place.at[d]} + (d == 0 ? 0 : int64_t{index[d]} * map.element_strides[d]);
    pieces.row(at, count[0], shared);
    shared += count[0] * map.unit_bytes();
    more = false;
    for (uint32_t d = 1; d < map.rank && !more; ++d) {
      more = ++index[d] < count[d];
      if (!more) index[d] = 0;
    }
  }
}

/// The offsets of a copy move what is accessed, not the bounding box.
void find_im2col(const TensorMap& map, const TensorCoordinates& place, Pieces& pieces) {
  const uint32_t spatial = map.rank - 2;
  std::array<int64_t, TensorMap::kMaxRank> pixel{};
  for (uint32_t d = 0; d < map.rank; ++d) pixel[d] = place.at[d];
  const uint32_t count = map.interleave == TensorMap::Interleave::None ? map.channels : 1;
  const uint32_t bytes = count * map.unit_bytes();
  for (uint32_t p = 0; p < map.pixels; ++p) {
    std::array<int64_t, TensorMap::kMaxRank> at = pixel;
    for (uint32_t s = 0; s < spatial; ++s) at[map.spatial(s)] += place.offsets[s];
    pieces.row(at, count, p * bytes);
    bool carries = true;
    for (uint32_t s = 0; s < spatial && carries; ++s) {
      const uint32_t d = map.spatial(s);
      pixel[d] += map.element_strides[d];
      carries = pixel[d] >= static_cast<int64_t>(map.dims[d]) + map.upper[s];
      if (carries) pixel[d] = map.lower[s];
    }
    if (carries) pixel[map.rank - 1] += map.element_strides[map.rank - 1];
  }
}

}  // namespace

void find_pieces(const TensorMap& map, const TensorCoordinates& place, std::vector<TensorPiece>& out) {
  out.clear();
  Pieces pieces(map, out);
  if (map.is_im2col) find_im2col(map, place, pieces);
  else find_tile(map, place, pieces);
}

}  // namespace warptime::sim
