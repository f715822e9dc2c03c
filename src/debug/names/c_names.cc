#include "debug/names/c_names.h"

#include <algorithm>

#include "debug/names/dwarf_names.h"
#include "debug/names/kernel_names.h"
#include "debug/names/source_names.h"

namespace warptime::debug {

CNames::CNames(const KernelNames& names) {
  has_locals_ = add_dwarf_names(names, types_, variables_);
  const uint32_t first = names.line_range().begin;
  const bool has_parameters = std::any_of(variables_.begin(), variables_.end(), [&](const CVariable& variable) {
    return variable.is_parameter && variable.begin <= first && first < variable.end;
  });
  if (!has_parameters) add_source_names(names, types_, variables_);
}

const CVariable* CNames::find(std::string_view name, uint32_t line) const {
  const CVariable* found = nullptr;
  for (const CVariable& variable : variables_)
    if (variable.name == name && variable.begin <= line && line < variable.end &&
        (found == nullptr || variable.end - variable.begin <= found->end - found->begin))
      found = &variable;
  return found;
}

std::vector<const CVariable*> CNames::visible(uint32_t line) const {
  std::vector<const CVariable*> out;
  for (const CVariable& variable : variables_)
    if (variable.begin <= line && line < variable.end && find(variable.name, line) == &variable)
      out.push_back(&variable);
  return out;
}

const CPlace* CNames::place(const CVariable& variable, uint32_t line) {
  for (const CPlace& place : variable.places)
    if (place.begin <= line && line < place.end && (!place.reg.empty() || place.space != ptx::Space::None))
      return &place;
  return nullptr;
}

}  // namespace warptime::debug
