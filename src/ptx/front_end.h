// What all parts of the parser share while they read one module.
#pragma once

#include "ptx/mnemonic.h"
#include "ptx/module.h"
#include "ptx/names.h"
#include "ptx/token_stream.h"

namespace warptime::ptx {

struct FrontEnd {
  FrontEnd(Module& m, Diagnostics& diagnostics) : tokens(*m.source, diagnostics), module(m) {}

  TokenStream tokens;
  Names names;
  SpellingCache spellings;
  Module& module;
  bool address_size_given = false;
  bool saw_64_bit_address = false;  // before PTX 2.3 nothing else says that a module has 64-bit addresses
  uint64_t initialised_bytes = 0;   // of all variables so far
  uint32_t file = 0, line = 0;      // the last .loc

  /// `"name" is already declared` with the first place as a hint; returns false.
  bool redeclared(SourceSpan where, std::string_view name, uint32_t first_place) {
    return tokens.error(where, fmt::format("\"{}\" is already declared", name),
                        fmt::format("the first declaration is in line {}", module.source->place_of(first_place).line));
  }
};

/// Binds the special registers and WARP_SZ in the outermost scope.
void declare_predefined(Names& names);

}  // namespace warptime::ptx
