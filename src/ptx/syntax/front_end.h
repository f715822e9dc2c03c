// The state that all parts of the parser share while they read one module.
#pragma once

#include <algorithm>
#include <array>
#include <map>

#include "ptx/module.h"
#include "ptx/syntax/debug_strings.h"
#include "ptx/syntax/mnemonic.h"
#include "ptx/syntax/names.h"
#include "ptx/syntax/token_stream.h"

namespace warptime::ptx {

/// The register of the module that counts the local memory which alloca has claimed.
inline constexpr std::string_view kClaimedLocalBytes = "%claimed_local_bytes";

struct FrontEnd {
  FrontEnd(Module& m, Diagnostics& diagnostics)
      : tokens(*m.source, diagnostics),
        module(m),
        claims_local_memory(m.source->text().find("alloca.") != std::string_view::npos) {}

  TokenStream tokens;
  Names names;
  SpellingCache spellings;
  Module& module;
  bool address_size_given = false;
  bool saw_64_bit_address = false;  // before PTX 2.3 nothing else says that a module has 64-bit addresses
  uint64_t initialised_bytes = 0;   // of all variables so far
  uint32_t location = 0;            // the last .loc, in Module::locations
  std::map<std::array<uint32_t, 3>, uint32_t> location_at;  // by file, line and column: the latest one
  DebugStrings debug_strings;
  std::map<std::string, NameId> made_names;   // of what instructions are rewritten with
  bool saw_nounroll = false;                  // the last .pragma was or has "nounroll"
  bool claims_local_memory = false;           // some function has alloca
  std::vector<NameId> used_module_registers;  // by the current kernel or function

  /// The index in Module::functions of a function, or of what stands for a kernel, whose address is taken.
  uint32_t addressed_function(const Binding& binding, std::string_view name) {
    uint32_t index = binding.index;
    if (binding.kind == Binding::Kind::Function) {
      std::vector<Kernel>& functions = module.functions;
      auto same = [&](const Kernel& k) { return k.is_entry && k.name == name; };
      auto known = std::find_if(functions.begin(), functions.end(), same);
      index = static_cast<uint32_t>(known - functions.begin());
      if (known == functions.end()) {
        functions.emplace_back();
        functions.back().name = name;
        functions.back().has_body = false;
      }
    }
    module.addressed_functions.push_back(index);
    return index;
  }

  /// `"name" is already declared` with the first place as a hint; returns false.
  bool redeclared(SourceSpan where, std::string_view name, uint32_t first_place) {
    return tokens.error(where, fmt::format("\"{}\" is already declared", name),
                        fmt::format("the first declaration is in line {}", module.source->place_of(first_place).line));
  }
};

/// The register of a component of a vector: v_x of v.x.
inline std::string component_name(std::string_view vector, uint32_t component) {
  return fmt::format("{}_{}", vector, "xyzw"[component]);
}

/// Binds the special registers and WARP_SZ in the outermost scope.
void declare_predefined(Names& names);
/// %is_explicit_cluster as the number that stands for it: no text can name it.
inline constexpr std::string_view kExplicitCluster = "%is_explicit_cluster as .u32";

}  // namespace warptime::ptx
