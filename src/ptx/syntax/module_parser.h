// A whole module: header directives, module-scope variables, kernels.
#pragma once

#include "ptx/syntax/front_end.h"

namespace warptime::ptx {

class ModuleParser {
 public:
  ModuleParser(Module& module, Diagnostics& diagnostics) : fe_(module, diagnostics), tokens_(fe_.tokens) {}

  /// Fills the module; what went wrong is in the diagnostics.
  void parse();

 private:
  void item();
  bool directive(const Token& word);
  bool parse_version();
  bool parse_target();
  bool parse_address_size();
  bool parse_variables(Space space);
  bool parse_module_registers(const Token& word);
  bool parse_alias();
  bool add_symbol(Symbol symbol);
  void resolve_aliases();
  void name_scoped_variables();
  void finish();

  FrontEnd fe_;
  TokenStream& tokens_;
  bool keeps_loops_ = false;  // .pragma "nounroll" outside of kernels: of all, also those before it
  bool external_ = false;     // .extern stood before
  /// .alias name, function;
  struct Alias {
    uint32_t name, function;  // in Module::functions
    SourceSpan where;
  };
  std::vector<Alias> aliases_;
  bool version_given_ = false, target_given_ = false;
};

}  // namespace warptime::ptx
