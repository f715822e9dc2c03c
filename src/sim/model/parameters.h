// The parameters of a machine as a flat list, one entry a row of the tables in machine.h: what the loader, `--set`, the
// resolved dump, the hash and `warptime list parameters` walk. Only parameters_of() is a template's work.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/diagnostics.h"
#include "sim/model/machine.h"
#include "sim/model/yaml_reader.h"

namespace warptime::sim {

/// A CONFIG_ENUM member, whatever its type.
struct EnumRef {
  uint8_t* value;
  std::string_view names;  // as CONFIG_ENUM keeps them
};

struct Parameter {
  using Value = std::variant<bool*, uint32_t*, uint64_t*, double*, std::string*, std::vector<std::string>*, EnumRef>;
  std::string path;  // "sm.shared.bytes"
  Value value;       // points into the MachineConfig
  ParamCheck check;
  std::string_view doc;
};

/// Every parameter in the order of the tables. The list points into `config`.
std::vector<Parameter> parameters_of(MachineConfig& config);

/// "whole number", "word", "list of words" ...
std::string type_name(const Parameter& parameter);
/// "1 to 64", "tpc_first, sm_first", "true, false"; empty: anything.
std::string legal_values(const Parameter& parameter);
/// The value as YAML from which the same value is read again.
std::string value_text(const Parameter& parameter);
/// Reads a node into the parameter; false, with diagnostics, if it is not legal.
bool read_value(const Parameter& parameter, const yaml::Node& node, Diagnostics& diagnostics);

/// A row of `warptime list parameters`.
struct ParameterRow {
  std::string path, type, default_value, legal, doc;
};
std::vector<ParameterRow> parameter_table();

}  // namespace warptime::sim
