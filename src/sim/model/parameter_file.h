// A YAML file with values of the parameters of a table: configs/NAME.yaml, or any file of that form. A file has the
// values that differ from the file that it `extends:` (or from the defaults of the table); `--set PATH=VALUE` then
// overrides single values. Every error is a diagnostic with its position.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "sim/model/parameters.h"

namespace warptime::sim {

/// What a file of configs/ describes; those of processors are called cpu-NAME.yaml.
enum class ConfigKind : uint8_t { Machine, Cpu };

/// Where a value came from.
struct Origin {
  std::string text = "default";  // "x.yaml:12", "--set", "default"
  SourceSpan where;              // of the value; no source for a default
};

struct ParameterFile {
  std::string name;                       // "geforce-8800-gtx"
  std::string file;                       // as it was opened
  std::map<std::string, Origin> origins;  // by path; a path that is not there has its default
  std::vector<std::shared_ptr<const SourceText>> sources;

  Origin origin(const std::string& path) const;
};

/// Names of the files of a kind in a directory, without ".yaml", in order.
std::vector<std::string> config_names(const std::string& directory, ConfigKind kind);

/// Loads a file by its name in `config_directory` (without ".yaml"; where none is given, in that of the file that
/// extends it) or by a path (anything with a '/' or ending in .yaml or .yml) into the parameters, then applies the
/// overrides. An empty name: the overrides alone. `where`: of the name, if the user gave it.
void load_parameters(ParameterFile& out, const std::vector<Parameter>& parameters, ConfigKind kind,
                     std::string_view name_or_file, const std::vector<std::string>& overrides,
                     const std::string& config_directory, Diagnostics& diagnostics, SourceSpan where = {});

}  // namespace warptime::sim
