// Texture fetches of the load/store unit: coordinates from registers, values from memory, and the cache lines that the
// texels of all lanes lie in. A line of a tiled texture holds `line_rows` rows of texels; lines make up tiles, so that
// what is near in two dimensions is near in memory.
#include <algorithm>
#include <bit>
#include <cstring>

#include "base/log2.h"
#include "sim/exec/lanes_of_mask.h"
#include "sim/exec/predicate_handlers.h"
#include "sim/state/load_store.h"

namespace warptime::sim {

namespace {

bool same_in_all_lanes(const std::byte* row, size_t lane_bytes) {
  return std::memcmp(row, row + lane_bytes, (kWarpSize - 1) * lane_bytes) == 0;
}

/// The number of a channel's type: 0x10d0 for s8 that are read as numbers from -1 to 1, and so on.
uint32_t channel_type(const Texture& texture) {
  using ptx::Type;
  const bool normalized = texture.reads_float();
  if (texture.channel == Type::S8) return normalized ? 0x10d0 : 0x10d7;
  if (texture.channel == Type::S16) return normalized ? 0x10d1 : 0x10d8;
  if (texture.channel == Type::U8) return normalized ? 0x10d2 : 0x10da;
  if (texture.channel == Type::U16) return normalized ? 0x10d3 : 0x10db;
  if (texture.channel == Type::S32) return 0x10d9;
  return texture.channel == Type::U32 ? 0x10dc : 0x10de;
}

/// The result of txq and suq; an order of channels is R, RG or RGBA.
uint32_t query_result(const Texture& texture, TextureQuery asked) {
  switch (asked) {
    case TextureQuery::Width: return texture.size[0];
    case TextureQuery::Height: return texture.size[1];
    case TextureQuery::Depth:
    case TextureQuery::ArraySize: return texture.size[2];
    case TextureQuery::ChannelOrder: return texture.channels == 1 ? 0x10b0 : texture.channels == 2 ? 0x10b2 : 0x10b5;
    case TextureQuery::ChannelType: return channel_type(texture);
    case TextureQuery::Normalized: return texture.normalized_coordinates ? 1 : 0;
    case TextureQuery::Levels: return texture.levels;
    case TextureQuery::Samples: return 1;
    case TextureQuery::None:
    case TextureQuery::IsTexture:
    case TextureQuery::IsSampler:
    case TextureQuery::IsSurface: break;
  }
  return 0;
}

}  // namespace

TextureLayout texture_layout(const MachineConfig& machine) {
  const TextureConfig& config = machine.texture;
  return {.line = log2_of(std::max(32u, first_line_bytes(machine, ReadKind::Texture, CachePlace::Partition))),
          .line_rows = log2_of(config.line_rows),
          .tile_width = log2_of(config.tile_width_bytes),
          .tile_rows = log2_of(config.tile_rows)};
}

const Texture* LoadStore::bound_texture(Addr handle, uint32_t lane, FaultRecord& fault) const {
  if (handle != 0 && handle <= launch_->textures.size() && launch_->textures[handle - 1].bound)
    return &launch_->textures[handle - 1];
  fault.raised = true;
  fault.kind = Fault::Kind::NoTexture;
  fault.space = ptx::Space::Tex;
  fault.thread = lane;
  fault.address = handle;
  return nullptr;
}

/// txq, suq, istypep. Formats are those of cl_channel_type, as the manual has them (PTX ISA 9.7.10.5).
bool LoadStore::query(const Insn& insn, Warp& warp, uint32_t mask, FaultRecord& fault) {
  const TextureQuery asked = insn.texture().query;
  lane_addresses(warp.values, insn.texture().handle, mask, addresses_);
  uint32_t yes = 0;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    FaultRecord ignored;
    const bool of_type = asked >= TextureQuery::IsTexture;
    const Texture* texture = bound_texture(addresses_[lane], lane, of_type ? ignored : fault);
    if (of_type) {
      const bool asks_surface = asked == TextureQuery::IsSurface;  // no handle is that of a sampler alone
      const bool is = texture != nullptr && asked != TextureQuery::IsSampler && texture->is_surface == asks_surface;
      yes |= uint32_t{is} << lane;
      continue;
    }
    if (texture == nullptr) return false;
    const bool of_level = insn.texture().level_by == LevelBy::Number;
    const uint32_t level = of_level ? lane_of<uint32_t>(insn.texture().level[0].in(warp.values), lane) : 0;
    const uint32_t result = level == 0 ? query_result(*texture, asked)
                                       : query_result(texture->at_level(std::min(level, texture->levels - 1)), asked);
    set_lane(warp.values.rows() + insn.dst, lane, result);
  }
  if (insn.dst_is_predicate) write_predicate(warp.values, insn.dst, mask, yes);
  return true;
}

bool LoadStore::texture(const Insn& insn, Warp& warp, uint32_t mask, MemoryAccess& out, FaultRecord& fault) {
  follow(warp);
  if (insn.texture().query != TextureQuery::None) return query(insn, warp, mask, fault);
  const TexturePayload& fetch = insn.texture();
  const bool one = same_in_all_lanes(fetch.handle.base.in(warp.values), fetch.handle.is_64 ? 8 : 4);  // nearly always
  lane_addresses(warp.values, fetch.handle, one ? mask & (~mask + 1) : mask, addresses_);
  while (mask != 0) {
    auto first = static_cast<uint32_t>(std::countr_zero(mask));
    Addr handle = addresses_[first];
    const Texture* bound = bound_texture(handle, first, fault);
    if (bound == nullptr) return false;
    // Lanes of one texture go together, up to the first of another: lines are read in the order of lanes.
    uint32_t lanes = one ? mask : 0;
    for (uint32_t rest = mask & ~lanes; rest != 0; rest &= rest - 1) {
      auto lane = static_cast<size_t>(std::countr_zero(rest));
      if (addresses_[lane] != handle) break;
      lanes |= 1u << lane;
    }
    const Texture& texture = *bound;
    mask &= ~lanes;
    if (texture.levels > 1) [[unlikely]] {
      fetch_levels(insn, warp, texture, lanes, out);
      continue;
    }
    // On the host's stack, where all SMs of a host thread have them: an SM's own would be out of its first cache.
    WarpTexels texels;
    std::array<Lanes<uint32_t>, 4> results;
    textures_.find(texture, insn, warp.values, texels);
    textures_.values(texture, texels, memory_->at(texture.base), results);
    write_texels(insn, warp, lanes, results);
    texture_lines(texture, texels, lanes, out);
  }
  return true;
}

/// The four channels into the registers that are read later.
void LoadStore::write_texels(const Insn& insn, Warp& warp, uint32_t lanes,
                             const std::array<Lanes<uint32_t>, 4>& values) {
  const TexturePayload& fetch = insn.texture();
  for (size_t c = 0; c < 4; ++c) {
    if (((fetch.read_results >> c) & 1) == 0) continue;
    std::byte* row = warp.values.rows() + fetch.results[c].bits;
    if (lanes == kFullMask) {
      std::memcpy(row, values[c].data(), kRowBytes);
      continue;
    }
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      auto lane = static_cast<size_t>(std::countr_zero(rest));
      std::memcpy(row + lane * 4, &values[c][lane], 4);
    }
  }
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
