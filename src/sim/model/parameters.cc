#include "sim/model/parameters.h"

#include "base/fnv.h"

namespace warptime::sim {

namespace {

template <class... Fs>
struct Overload : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overload(Fs...) -> Overload<Fs...>;  // clang 14 does not deduce aggregates

// A YAML double-quoted text. Control characters cannot come from a machine file; other bytes are kept.
std::string yaml_quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text)
    if (c == '"' || c == '\\') out += fmt::format("\\{}", c);
    else if (static_cast<unsigned char>(c) < 0x20) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else out += c;
  return out + "\"";
}

}  // namespace

std::string hash_of(const std::vector<Parameter>& parameters) {
  Fnv1a hash;
  for (const Parameter& p : parameters) {
    if (p.path == "description") continue;
    hash.mix(value_text(p));
    hash.mix("\n");
  }
  return hash.digits();
}

std::string type_name(const Parameter& parameter) {
  return std::visit(Overload{[](bool*) { return "true or false"; }, [](uint32_t*) { return "whole number"; },
                             [](uint64_t*) { return "whole number"; }, [](double*) { return "number"; },
                             [](std::string*) { return "text"; }, [](std::vector<std::string>*) { return "list"; },
                             [](EnumRef) { return "word"; }},
                    parameter.value);
}

std::string legal_values(const Parameter& parameter) {
  if (const auto* ref = std::get_if<EnumRef>(&parameter.value))
    return fmt::format("{}", fmt::join(split_enum_names(ref->names), ", "));
  if (std::holds_alternative<bool*>(parameter.value)) return "true, false";
  if (parameter.path == "features") {
    std::vector<std::string_view> names;
    for (const auto& feature : kFeatures) names.push_back(feature.name);
    return fmt::format("{}", fmt::join(names, ", "));
  }
  return parameter.check.describe();
}

std::string value_text(const Parameter& parameter) {
  return std::visit(Overload{[](const bool* v) { return std::string(*v ? "true" : "false"); },
                             [](const uint32_t* v) { return fmt::format("{}", *v); },
                             [](const uint64_t* v) { return fmt::format("{}", *v); },
                             [](const double* v) { return fmt::format("{}", *v); },
                             [](const std::string* v) { return yaml_quoted(*v); },
                             [](const std::vector<std::string>* v) { return fmt::format("[{}]", fmt::join(*v, ", ")); },
                             [](const EnumRef& v) { return split_enum_names(v.names)[*v.value]; }},
                    parameter.value);
}

bool read_value(const Parameter& parameter, const yaml::Node& node, Diagnostics& diagnostics) {
  return std::visit(
      Overload{[&](const EnumRef& v) {
                 auto index = yaml::read_word(node, parameter.path, split_enum_names(v.names), diagnostics);
                 if (index) *v.value = static_cast<uint8_t>(*index);
                 return index.has_value();
               },
               [&](auto* v) { return yaml::read(node, parameter.path, *v, parameter.check, diagnostics); }},
      parameter.value);
}

std::vector<ParameterRow> parameter_table() {
  MachineConfig defaults;
  std::vector<ParameterRow> rows;
  for (const Parameter& p : parameters_of(defaults))
    rows.push_back({p.path, type_name(p), value_text(p), legal_values(p), std::string(p.scope), std::string(p.doc)});
  return rows;
}

}  // namespace warptime::sim
