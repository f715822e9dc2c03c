#include "host/launch_file/launch_texture.h"

#include <fmt/format.h>

#include "base/plural.h"
#include "host/device/texture_check.h"
#include "host/launch_file/launch_data.h"
#include "host/launch_file/launch_form.h"

namespace warptime::host {

using yaml::Node;

std::optional<sim::Texture> read_texture(const yaml::Entry& entry, const Node** buffer, Diagnostics& diagnostics) {
  yaml::StrictMap map(entry.value, fmt::format("texture \"{}\"", entry.key), launch_forms().texture, diagnostics);
  sim::Texture texture;
  texture.name = entry.key;
  *buffer = map.find("buffer");
  const Node* type = map.find("type");
  uint32_t channels = 1;
  map.read("channels", channels);
  texture.channels = static_cast<uint8_t>(channels);
  map.read("width", texture.size[0]);
  map.read("height", texture.size[1]);
  map.read("depth", texture.size[2]);
  // Without a height it is a piece of linear memory.
  texture.tiled = map.find("height") != nullptr || map.find("depth") != nullptr;
  constexpr sim::AddressMode kModes[] = {sim::AddressMode::Clamp, sim::AddressMode::Wrap, sim::AddressMode::Mirror,
                                         sim::AddressMode::Border};
  texture.address.fill(kModes[map.read_word("address").value_or(0)]);
  const Node* address = map.find("address");
  if (map.read_word("filter") == size_t{1}) texture.filter = sim::FilterMode::Linear;
  if (map.read_word("read") == size_t{1}) texture.read = sim::ReadMode::Normalized;
  map.read("normalized", texture.normalized_coordinates);
  if (!map.finish() || type == nullptr || map.find("width") == nullptr) return std::nullopt;
  bool repeats = texture.address[0] == sim::AddressMode::Wrap || texture.address[0] == sim::AddressMode::Mirror;
  if (repeats && !texture.normalized_coordinates) {
    diagnostics.error(address->where,
                      fmt::format("texture \"{}\" is read with coordinates in texels, and \"{}\" needs normalized ones",
                                  entry.key, address->text),
                      "normalized: true, with coordinates from 0 to 1; CUDA has wrap and mirror for these only");
    return std::nullopt;
  }
  if (auto channel = read_type(*type, diagnostics)) texture.channel = *channel;
  else return std::nullopt;
  if (std::string why = what_is_wrong(texture); !why.empty()) {
    diagnostics.error(entry.where, fmt::format("texture \"{}\" {}", entry.key, why));
    return std::nullopt;
  }
  return texture;
}

void check_fits(const sim::Texture& texture, const TypedData& buffer, SourceSpan where, Diagnostics& diagnostics) {
  if (texture.bytes() > buffer.bytes())
    diagnostics.error(where, fmt::format("texture \"{}\" needs {}, buffer \"{}\" has {}", texture.name,
                                         plural(texture.bytes(), "byte"), buffer.name, buffer.bytes()));
}

}  // namespace warptime::host
