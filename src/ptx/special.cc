// Names of the special registers (PTX ISA 9.0, chapter 10).
#include <array>

#include "ptx/front_end.h"

namespace warptime::ptx {

namespace {

constexpr std::array kSpecialNames {
#define X(name, spelling, by_lane) std::string_view(spelling),
  PTX_SPECIALS(X)
#undef X
};

}  // namespace

std::string_view name(Special special) { return kSpecialNames[static_cast<size_t>(special)]; }

void declare_predefined(Names& names) {
  uint32_t first = 0;
  for (uint32_t i = 0; i < kSpecialNames.size(); ++i) {
    std::string_view spelling = kSpecialNames[i];
    Binding binding{Binding::Kind::Special, 0, 1, Type::U32, i, 0};
    if (i == static_cast<uint32_t>(Special::Clock64)) binding.type = Type::U64;
    size_t dot = spelling.find('.');
    if (dot != std::string_view::npos) {
      if (!spelling.ends_with(".x")) continue;
      spelling = spelling.substr(0, dot);
      binding.vector = 4;  // .w is always 0
    }
    names.declare(names.intern(spelling), binding, &first);
  }
  names.declare(names.intern("WARP_SZ"), {Binding::Kind::WarpSize, 0, 1, Type::U32, 0, 0}, &first);
}

}  // namespace warptime::ptx
