// Texture fetches of the load/store unit: coordinates from registers, values from memory, and the cache lines that the
// texels of all lanes lie in. A line of a tiled texture holds `line_rows` rows of texels; lines make up tiles, so that
// what is near in two dimensions is near in memory.
#include <algorithm>
#include <bit>
#include <cstring>

#include "sim/core/load_store.h"

namespace warptime::sim {

namespace {

constexpr Addr kNoLine = ~Addr{0};  // of a texel of the border

uint32_t log2_of(uint32_t power) { return static_cast<uint32_t>(std::countr_zero(power)); }

}  // namespace

TextureLayout::TextureLayout(const TextureConfig& config)
    : line_(log2_of(std::max(32u, innermost_line(config.tpc_cache, config.chip_cache)))),
      line_rows_(log2_of(config.line_rows)),
      tile_width_(log2_of(config.tile_width_bytes)),
      tile_rows_(log2_of(config.tile_rows)) {}

void TextureLayout::offsets(const Texture& texture, uint32_t axis, const Lanes<uint32_t>& index,
                            Lanes<Addr>& out) const {
  if (!texture.tiled) return texel_offsets(texture, axis, index, out);
  auto tiles = [](uint64_t size, uint32_t unit) { return (size + (uint64_t{1} << unit) - 1) >> unit; };
  uint32_t line_width = line_ - line_rows_, tile = tile_width_ + tile_rows_, texel = log2_of(texture.texel_bytes());
  uint64_t row_of_tiles = tiles(uint64_t{texture.size[0]} << texel, tile_width_) << tile;
  auto for_lanes = [&](auto&& offset) {
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) out[lane] = offset(uint64_t{index[lane]});
  };
  if (axis == 0) {
    uint64_t in_tile = (uint64_t{1} << tile_width_) - 1;
    for_lanes([&](uint64_t x) {
      uint64_t at = x << texel;
      return (at >> tile_width_ << tile) + ((at & in_tile) >> line_width << line_);
    });
  } else if (axis == 1) {
    uint64_t in_tile = (uint64_t{1} << tile_rows_) - 1;
    uint32_t row_of_lines = tile_width_ - line_width + line_;
    for_lanes(
        [&](uint64_t y) { return (y >> tile_rows_) * row_of_tiles + ((y & in_tile) >> line_rows_ << row_of_lines); });
  } else {
    uint64_t slice = row_of_tiles * tiles(texture.size[1], tile_rows_);
    for_lanes([&](uint64_t z) { return z * slice; });
  }
}

bool LoadStore::texture(const Insn& insn, Warp& warp, uint32_t mask, MemoryAccess& out, FaultRecord& fault) {
  lane_addresses(warp.values, insn, mask, addresses_);
  while (mask != 0) {
    auto first = static_cast<uint32_t>(std::countr_zero(mask));
    Addr handle = addresses_[first];
    if (handle == 0 || handle > launch_->textures.size() || !launch_->textures[handle - 1].bound) {
      fault.raised = true;
      fault.kind = Fault::Kind::NoTexture;
      fault.space = ptx::Space::Tex;
      fault.thread = first;
      fault.address = handle;
      return false;
    }
    // Lanes of one texture go together, up to the first of another: lines are read in the order of lanes.
    uint32_t lanes = 0;
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      auto lane = static_cast<size_t>(std::countr_zero(rest));
      if (addresses_[lane] != handle) break;
      lanes |= 1u << lane;
    }
    const Texture& texture = launch_->textures[handle - 1];
    find_texels(texture, insn, warp.values, texels_);
    texture_values(texture, texels_, launch_->memory->at(texture.base), texture_results_);
    for (size_t c = 0; c < 4; ++c) {
      std::byte* row = warp.values.rows + insn.data[c].bits;
      if (lanes == kFullMask) {
        std::memcpy(row, texture_results_[c].data(), kRowBytes);
        continue;
      }
      for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        auto lane = static_cast<size_t>(std::countr_zero(rest));
        std::memcpy(row + lane * 4, &texture_results_[c][lane], 4);
      }
    }
    texture_lines(texture, lanes, out);
    mask &= ~lanes;
  }
  return true;
}

/// Adds the lines of the texels of `lanes`, in the order of lanes and of each one's texels.
void LoadStore::texture_lines(const Texture& texture, uint32_t lanes, MemoryAccess& out) const {
  uint32_t each = texels_.filtered ? 2 : 1, count = texels_.count();
  std::array<std::array<Lanes<Addr>, 2>, 3> offsets;
  for (uint32_t a = 0; a < texels_.dimensions; ++a)
    for (uint32_t i = 0; i < each; ++i) layout_.offsets(texture, a, texels_.axis[a].index[i], offsets[a][i]);
  std::array<Lanes<Addr>, 8> lines;
  for (uint32_t texel = 0; texel < count; ++texel) {
    lines[texel].fill(texture.base);
    for (uint32_t a = 0; a < texels_.dimensions; ++a) {
      const Lanes<Addr>& more = offsets[a][(texel >> a) & 1];
      for (uint32_t lane = 0; lane < kWarpSize; ++lane) lines[texel][lane] += more[lane];
    }
    for (Addr& line : lines[texel]) line = layout_.line_of(line);
    for (uint32_t rest = ~texels_.inside(texel); rest != 0; rest &= rest - 1)
      lines[texel][static_cast<size_t>(std::countr_zero(rest))] = kNoLine;
  }
  // Mostly a lane's texels are where those of the lane before are.
  std::array<Addr, 8> before;
  before.fill(kNoLine);
  for (; lanes != 0; lanes &= lanes - 1) {
    auto lane = static_cast<size_t>(std::countr_zero(lanes));
    for (uint32_t texel = 0; texel < count; ++texel) {
      Addr line = lines[texel][lane];
      if (line == before[texel] || line == kNoLine) continue;
      before[texel] = line;
      out.add_line(line);
    }
  }
}

}  // namespace warptime::sim
