// Texture fetches of the load/store unit: coordinates from registers, values from memory, and the cache lines that the
// texels of all lanes lie in. A line of a tiled texture holds `line_rows` rows of texels; lines make up tiles, so that
// what is near in two dimensions is near in memory.
#include <algorithm>
#include <bit>
#include <cstring>

#include "sim/core/load_store.h"

namespace warptime::sim {

namespace {

uint32_t log2_of(uint32_t power) { return static_cast<uint32_t>(std::countr_zero(power)); }

}  // namespace

TextureLayout texture_layout(const TextureConfig& config) {
  return {.line = log2_of(std::max(32u, innermost_line(config.tpc_cache, config.chip_cache))),
          .line_rows = log2_of(config.line_rows),
          .tile_width = log2_of(config.tile_width_bytes),
          .tile_rows = log2_of(config.tile_rows)};
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
    textures_.find(texture, insn, warp.values, texels_);
    textures_.values(texture, texels_, launch_->memory->at(texture.base), texture_results_);
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

/// Adds the lines of the texels of `lanes`, in the order of lanes and of each one's texels. Mostly a lane's texels are
/// where those of the lane before are.
void LoadStore::texture_lines(const Texture& texture, uint32_t lanes, MemoryAccess& out) {
  uint32_t count = texels_.count();
  textures_.lines(texture, texels_, layout_, texel_lines_);
  // A lane whose neighbour is off may have the line of the one before that.
  uint32_t alone = lanes & ~(lanes << 1), any = 0;
  std::array<uint32_t, 8> changes;
  for (uint32_t texel = 0; texel < count; ++texel)
    any |= changes[texel] = (texel_lines_.changes[texel] | alone) & lanes;
  std::array<Addr, 8> before;
  before.fill(kBorderLine);
  for (; any != 0; any &= any - 1) {
    auto lane = static_cast<size_t>(std::countr_zero(any));
    for (uint32_t texel = 0; texel < count; ++texel) {
      Addr line = texel_lines_.line[texel][lane];
      if (((changes[texel] >> lane) & 1) == 0 || line == before[texel] || line == kBorderLine) continue;
      before[texel] = line;
      out.add_line(line);
    }
  }
}

}  // namespace warptime::sim
