// Texture fetches of the load/store unit: coordinates from registers, values from memory, and the cache lines that the
// texels of all lanes lie in. A line of a tiled texture holds `line_rows` rows of texels; lines make up tiles, so that
// what is near in two dimensions is near in memory.
#include <algorithm>
#include <bit>
#include <cstring>

#include "base/log2.h"
#include "sim/state/load_store.h"

namespace warptime::sim {

namespace {

bool same_in_all_lanes(const std::byte* row, size_t lane_bytes) {
  return std::memcmp(row, row + lane_bytes, (kWarpSize - 1) * lane_bytes) == 0;
}

}  // namespace

TextureLayout texture_layout(const MachineConfig& machine) {
  const TextureConfig& config = machine.texture;
  return {.line = log2_of(std::max(32u, first_line_bytes(machine, ReadKind::Texture, CachePlace::Partition))),
          .line_rows = log2_of(config.line_rows),
          .tile_width = log2_of(config.tile_width_bytes),
          .tile_rows = log2_of(config.tile_rows)};
}

bool LoadStore::texture(const Insn& insn, Warp& warp, uint32_t mask, MemoryAccess& out, FaultRecord& fault) {
  follow(warp);
  const TexturePayload& fetch = insn.texture();
  const bool one = same_in_all_lanes(fetch.handle.base.in(warp.values), fetch.handle.is_64 ? 8 : 4);  // nearly always
  lane_addresses(warp.values, fetch.handle, one ? mask & (~mask + 1) : mask, addresses_);
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
    uint32_t lanes = one ? mask : 0;
    for (uint32_t rest = mask & ~lanes; rest != 0; rest &= rest - 1) {
      auto lane = static_cast<size_t>(std::countr_zero(rest));
      if (addresses_[lane] != handle) break;
      lanes |= 1u << lane;
    }
    const Texture& texture = launch_->textures[handle - 1];
    // On the host's stack, where all SMs of a host thread have them: an SM's own would be out of its first cache.
    WarpTexels texels;
    std::array<Lanes<uint32_t>, 4> results;
    textures_.find(texture, insn, warp.values, texels);
    textures_.values(texture, texels, memory_->at(texture.base), results);
    for (size_t c = 0; c < 4; ++c) {
      if (((fetch.read_results >> c) & 1) == 0) continue;
      std::byte* row = warp.values.rows() + fetch.results[c].bits;
      if (lanes == kFullMask) {
        std::memcpy(row, results[c].data(), kRowBytes);
        continue;
      }
      for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        auto lane = static_cast<size_t>(std::countr_zero(rest));
        std::memcpy(row + lane * 4, &results[c][lane], 4);
      }
    }
    texture_lines(texture, texels, lanes, out);
    mask &= ~lanes;
  }
  return true;
}

/// Adds the lines of the texels of `lanes`, in the order of lanes and of each one's texels.
void LoadStore::texture_lines(const Texture& texture, const WarpTexels& texels, uint32_t lanes, MemoryAccess& out) {
  const uint32_t count = texels.count();
  TexelLines found;
  textures_.lines(texture, texels, layout_, lanes, found);
  uint32_t any = 0;
  for (uint32_t texel = 0; texel < count; ++texel) any |= found.fresh[texel];
  for (; any != 0; any &= any - 1) {
    auto lane = static_cast<uint32_t>(std::countr_zero(any));
    for (uint32_t texel = 0; texel < count; ++texel)
      if (((found.fresh[texel] >> lane) & 1) != 0) out.add_line(found.address(texel, lane));
  }
}

}  // namespace warptime::sim
