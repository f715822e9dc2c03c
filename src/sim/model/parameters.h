// The parameters of a machine (or of a processor) as a flat list, one entry per row of the tables in machine.h, for the
// loader, `--set`, the resolved dump, the hash and `warptime list parameters`.
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
  std::string_view doc;         // without its beginning, which is
  std::string_view scope = {};  // "in each SM", "per block"; empty: of the machine as a whole
};

/// A row's sentence as its scope and the rest.
struct ScopedDoc {
  std::string_view scope, doc;
};
constexpr ScopedDoc split_scope(std::string_view doc) {
  size_t colon = doc.find(": ");
  bool has_scope = colon != std::string_view::npos && (doc.starts_with("per ") || doc.starts_with("in each "));
  return has_scope ? ScopedDoc{doc.substr(0, colon), doc.substr(colon + 2)} : ScopedDoc{{}, doc};
}

/// The work of parameters_of: visits a table and the tables in it.
struct ParameterCollector {
  std::vector<Parameter>& out;
  std::string prefix;
  std::string_view scope;  // of the table that is visited

  template <class T>
  void operator()(const char* key, T& member, const ParamCheck& check, std::string_view sentence) {
    std::string path = prefix + key;
    auto [own, doc] = split_scope(sentence);
    if (own.empty()) own = scope;
    if constexpr (ConfigStruct<T>) T::visit(member, ParameterCollector{out, path + ".", own});
    else if constexpr (ConfigEnum<T>)
      out.push_back({path, EnumRef{reinterpret_cast<uint8_t*>(&member), config_enum_names(T{})}, check, doc, own});
    else out.push_back({path, &member, check, doc, own});
  }
};

/// Every parameter in the order of the tables. The list points into `config`.
template <ConfigStruct T>
std::vector<Parameter> parameters_of(T& config) {
  std::vector<Parameter> out;
  out.reserve(256);
  T::visit(config, ParameterCollector{out, "", {}});
  return out;
}

/// 16 hex digits over every value in the order of the tables (FNV-1a, 64 bits); `description` is not part of it, nor
/// are names: a renamed key leaves it as it is.
std::string hash_of(const std::vector<Parameter>& parameters);

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
  std::string path, type, default_value, legal, scope, doc;
};
std::vector<ParameterRow> parameter_table();

}  // namespace warptime::sim
