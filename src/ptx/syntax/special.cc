// Names of the special registers (PTX ISA 9.0, chapter 10).
#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "ptx/syntax/front_end.h"

namespace warptime::ptx {

namespace {

constexpr std::array kSpecialNames {
#define X(name, spelling, by_lane) std::string_view(spelling),
  PTX_SPECIALS(X)
#undef X
};

/// %envreg0 and %envreg3 to %envreg31, %pm0 to %pm7 and %pm0_64 to %pm7_64, %reserved_smem_offset_*. Names are interned
/// as views of these strings.
const std::vector<std::pair<std::string, Type>>& zero_names() {
  static const auto names = [] {
    std::vector<std::pair<std::string, Type>> out;
    for (int i = 0; i < 32; ++i)
      if (i != 1 && i != 2) out.emplace_back(fmt::format("%envreg{}", i), Type::B32);
    for (int i = 0; i < 8; ++i) out.emplace_back(fmt::format("%pm{}", i), Type::U32);
    for (int i = 0; i < 8; ++i) out.emplace_back(fmt::format("%pm{}_64", i), Type::U64);
    for (const char* what : {"begin", "end", "cap", "0", "1"})  // of shared memory, for the system's own use: none
      out.emplace_back(fmt::format("%reserved_smem_offset_{}", what), Type::B32);
    return out;
  }();
  return names;
}

}  // namespace

std::string_view name(Special special) { return kSpecialNames[static_cast<size_t>(special)]; }

void declare_predefined(Names& names) {
  uint32_t first = 0;
  for (uint32_t i = 0; i < kSpecialNames.size(); ++i) {
    std::string_view spelling = kSpecialNames[i];
    Binding binding{Binding::Kind::Special, 0, 1, Type::U32, i, 0};
    auto special = static_cast<Special>(i);
    bool is_wide = special == Special::Clock64 || special == Special::GlobalTimer || special == Special::GraphExec;
    if (is_wide) binding.type = Type::U64;
    size_t dot = spelling.find('.');
    if (dot != std::string_view::npos) {
      if (!spelling.ends_with(".x")) continue;
      spelling = spelling.substr(0, dot);
      binding.vector = 4;  // .w is always 0
    }
    if (special == Special::ExplicitCluster) {  // a predicate, which is read as a number
      names.declare(names.intern(kExplicitCluster), binding, &first);
      binding.type = Type::Pred;
    }
    names.declare(names.intern(spelling), binding, &first);
  }
  // What a driver or a profiler puts there is zero here.
  for (const auto& [name, type] : zero_names())
    names.declare(names.intern(name), {Binding::Kind::Zero, 0, 1, type, 0, 0}, &first);
  names.declare(names.intern("WARP_SZ"), {Binding::Kind::WarpSize, 0, 1, Type::U32, 0, 0}, &first);
}

}  // namespace warptime::ptx
