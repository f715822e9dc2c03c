#include "host/launch_file/launch_texture.h"

#include <fmt/format.h>

#include "host/device/texture_check.h"
#include "host/launch_file/launch_data.h"

namespace warptime::host {

using yaml::Node;

std::optional<sim::Texture> read_texture(const yaml::Entry& entry, const Node** buffer, Diagnostics& diagnostics) {
  yaml::StrictMap map(entry.value, fmt::format("texture \"{}\"", entry.key), diagnostics);
  sim::Texture texture;
  texture.name = entry.key;
  *buffer = map.require("buffer");
  const Node* type = map.require("type");
  const Node* width = map.require("width");
  const Node* height = map.find("height");
  const Node* depth = map.find("depth");
  uint32_t channels = 1;
  map.read("channels", channels, range(1, 4));
  texture.channels = static_cast<uint8_t>(channels);
  const std::pair<const Node*, const char*> axes[] = {{width, "width"}, {height, "height"}, {depth, "depth"}};
  for (size_t i = 0; i < 3; ++i)
    if (axes[i].first != nullptr)
      yaml::read(*axes[i].first, axes[i].second, texture.size[i], range(1, 1 << 27), diagnostics);
  // Without a height it is a piece of linear memory.
  texture.tiled = height != nullptr || depth != nullptr;

  auto word = [&](const char* key, const std::vector<std::string>& words) -> size_t {
    const Node* node = map.find(key);
    if (node == nullptr) return 0;
    return yaml::read_word(*node, key, words, diagnostics).value_or(0);
  };
  constexpr sim::AddressMode kModes[] = {sim::AddressMode::Clamp, sim::AddressMode::Wrap, sim::AddressMode::Mirror,
                                         sim::AddressMode::Border};
  texture.address.fill(kModes[word("address", {"clamp", "wrap", "mirror", "border"})]);
  if (word("filter", {"point", "linear"}) == 1) texture.filter = sim::FilterMode::Linear;
  if (word("read", {"element", "normalized"}) == 1) texture.read = sim::ReadMode::Normalized;
  map.read("normalized", texture.normalized_coordinates);
  map.finish();
  if (!map.ok() || type == nullptr || width == nullptr) return std::nullopt;
  if (auto channel = read_type(*type, diagnostics)) texture.channel = *channel;
  else return std::nullopt;
  if (std::string why = what_is_wrong(texture); !why.empty()) {
    diagnostics.error(entry.where, fmt::format("texture \"{}\" {}", entry.key, why));
    return std::nullopt;
  }
  return texture;
}

}  // namespace warptime::host
