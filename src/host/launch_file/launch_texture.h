// The part of a launch file that describes textures: entries of `textures`.
#pragma once

#include "host/launch_file/launch_plan.h"
#include "sim/model/yaml_reader.h"

namespace warptime::host {

/// {buffer, type, channels, width, height, depth, address, filter, normalized, read}. `buffer` receives the name and
/// position of the buffer. nullopt if the entry is wrong.
std::optional<sim::Texture> read_texture(const yaml::Entry& entry, const yaml::Node** buffer, Diagnostics& diagnostics);

/// An error if the buffer is smaller than the texture.
void check_fits(const sim::Texture& texture, const TypedData& buffer, SourceSpan where, Diagnostics& diagnostics);

}  // namespace warptime::host
