#include "host/device/texture_check.h"

#include <fmt/format.h>

namespace warptime::host {

std::string what_is_wrong(const sim::Texture& texture) {
  constexpr uint32_t kMost = 1u << 27;  // texels along an axis (table F-2, 1D textures of linear memory)
  for (uint32_t size : texture.size)
    if (size == 0 || size > kMost) return fmt::format("has a size of {}; sizes are 1 to {}", size, kMost);
  if (texture.channels != 1 && texture.channels != 2 && texture.channels != 4)
    return fmt::format("has {} channels; textures have 1, 2 or 4", texture.channels);
  uint32_t bits = ptx::bits(texture.channel);
  ptx::TypeKind kind = info(texture.channel).kind;
  bool integer = kind == ptx::TypeKind::Signed || kind == ptx::TypeKind::Unsigned;
  if (texture.channel != ptx::Type::F32 && (!integer || bits > 32))
    return fmt::format("has channels of {}; they are u8, s8, u16, s16, u32, s32 or f32", ptx::name(texture.channel));
  if (texture.read == sim::ReadMode::Normalized && (!integer || bits > 16))
    return fmt::format("cannot normalise channels of {}: only those of 8- and 16-bit integers",
                       ptx::name(texture.channel));
  const size_t most_levels = texture.further.size() + 1;
  if (texture.levels == 0 || texture.levels > most_levels)
    return fmt::format("has {} levels; textures have 1 to {}", texture.levels, most_levels);
  const bool between_levels = texture.levels > 1 && texture.level_filter == sim::FilterMode::Linear;
  if ((texture.filter == sim::FilterMode::Linear || between_levels) && !texture.reads_float())
    return fmt::format("cannot filter channels of {} that are read as they are: read them normalised",
                       ptx::name(texture.channel));
  return "";
}

}  // namespace warptime::host
