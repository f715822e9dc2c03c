// Names of types and state spaces, both ways.
#include "ptx/isa/types.h"

namespace warptime::ptx {

std::optional<Type> type_named(std::string_view name) {
  for (size_t i = 0; i < kTypes.size(); ++i)
    if (kTypes[i].name == name) return static_cast<Type>(i);
  return std::nullopt;
}

std::string_view name(Space space) {
  switch (space) {
    case Space::None: return "";
    case Space::Reg: return "reg";
    case Space::Const: return "const";
    case Space::Global: return "global";
    case Space::Local: return "local";
    case Space::Param: return "param";
    case Space::Shared: return "shared";
    case Space::Sreg: return "sreg";
    case Space::Tex: return "tex";
    case Space::Generic: return "generic";
  }
  return "";
}

}  // namespace warptime::ptx
