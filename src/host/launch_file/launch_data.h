// The part of a launch file that describes values: entries of `buffers`, `constants` and `expect`.
#pragma once

#include <string>

#include "host/launch_file/array_file.h"
#include "host/launch_file/launch_plan.h"
#include "sim/model/yaml_reader.h"

namespace warptime::host {

/// The base of a launch file's relative paths: its own folder.
std::string path_beside(const std::string& launch_file, const std::string& path);

/// The elements of a file; an error at the node if it cannot be read.
std::optional<ArrayFile> read_elements_of(const yaml::Node& node, const std::string& launch_file, ptx::Type type,
                                          Diagnostics& diagnostics);
/// The elements of the file at a path; an error at `where` if it cannot be read.
std::optional<ArrayFile> read_elements(const std::string& path, SourceSpan where, ptx::Type type,
                                       Diagnostics& diagnostics);

/// The scalars of a list as values of a type.
std::optional<std::vector<std::byte>> read_values(const yaml::Node& node, ptx::Type type, Diagnostics& diagnostics);

/// One entry of `buffers` or `constants`: {type, count, values | init | file, align}. nullopt if it was wrong.
std::optional<TypedData> read_typed_data(const yaml::Entry& entry, std::string_view kind,
                                         const std::string& launch_file, Diagnostics& diagnostics);

/// Reads the name of a type.
std::optional<ptx::Type> read_type(const yaml::Node& node, Diagnostics& diagnostics);

/// A scalar as a value's bits; `what` names it in errors.
std::optional<uint64_t> parse_scalar(const yaml::Node& node, ptx::Type type, std::string_view what,
                                     Diagnostics& diagnostics);

/// The bytes of a structure, as hexadecimal digits.
void read_hex(const yaml::Node& node, Argument& argument, Diagnostics& diagnostics);

}  // namespace warptime::host
