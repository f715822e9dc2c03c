// Texture fetches of the load/store unit: coordinates from registers, values from memory, and the cache lines that the
// texels of all lanes lie in. A line of a tiled texture holds `line_rows` rows of texels; lines make up tiles, so that
// what is near in two dimensions is near in memory.
#include <algorithm>
#include <bit>
#include <cstring>

#include "sim/core/load_store.h"
#include "sim/exec/texture_sampling.h"

namespace warptime::sim {

namespace {

template <class T>
std::array<T, 3> coordinates_of(const Insn& insn, const WarpValues& warp, uint32_t lane) {
  std::array<T, 3> out{};
  for (size_t i = 0; i < out.size() && i < insn.dimensions; ++i)
    std::memcpy(&out[i], insn.src[i].in(warp) + lane * sizeof(T), sizeof(T));
  return out;
}

}  // namespace

TextureLayout::TextureLayout(const TextureConfig& config)
    : line_bytes_(std::max(32u, innermost_line(config.tpc_cache, config.chip_cache))),
      line_rows_(config.line_rows),
      tile_width_(config.tile_width_bytes),
      tile_rows_(config.tile_rows) {}

Addr TextureLayout::line_of(const Texture& texture, uint32_t x, uint32_t y, uint32_t z) const {
  uint64_t at = uint64_t{x} * texture.texel_bytes();
  if (!texture.tiled) {
    uint64_t row = (uint64_t{z} * texture.size[1] + y) * texture.size[0] * texture.texel_bytes();
    return (texture.base + row + at) / line_bytes_ * line_bytes_;
  }
  auto tiles = [](uint64_t size, uint64_t unit) { return (size + unit - 1) / unit; };
  uint64_t across = tiles(uint64_t{texture.size[0]} * texture.texel_bytes(), tile_width_);
  uint64_t down = tiles(texture.size[1], tile_rows_);
  uint64_t tile = (z * down + y / tile_rows_) * across + at / tile_width_;
  uint64_t line_width = line_bytes_ / line_rows_;
  uint64_t in_tile = y % tile_rows_ / line_rows_ * (tile_width_ / line_width) + at % tile_width_ / line_width;
  return texture.base / line_bytes_ * line_bytes_ + tile * tile_width_ * tile_rows_ + in_tile * line_bytes_;
}

bool LoadStore::texture(const Insn& insn, Warp& warp, uint32_t mask, MemoryAccess& out, FaultRecord& fault) {
  lane_addresses(warp.values, insn, mask, addresses_);
  for (; mask != 0; mask &= mask - 1) {
    auto lane = static_cast<uint32_t>(std::countr_zero(mask));
    Addr handle = addresses_[lane];
    if (handle == 0 || handle > launch_->textures.size() || !launch_->textures[handle - 1].bound) {
      fault.raised = true;
      fault.kind = Fault::Kind::NoTexture;
      fault.space = ptx::Space::Tex;
      fault.thread = lane;
      fault.address = handle;
      return false;
    }
    const Texture& texture = launch_->textures[handle - 1];
    Sample sample = insn.float_coordinates
                        ? sample_at(texture, insn.dimensions, coordinates_of<float>(insn, warp.values, lane))
                        : sample_at(texture, insn.dimensions, coordinates_of<int32_t>(insn, warp.values, lane));
    std::array<uint32_t, 4> value = sample_value(texture, sample, launch_->memory->at(texture.base));
    for (size_t c = 0; c < 4; ++c) std::memcpy(warp.values.rows + insn.data[c].bits + size_t{lane} * 4, &value[c], 4);
    for_each_texel(sample,
                   [&](uint32_t x, uint32_t y, uint32_t z) { out.add_line(layout_.line_of(texture, x, y, z)); });
  }
  return true;
}

}  // namespace warptime::sim
