// One kernel: name, parameters, performance directives, body (PTX ISA 9.0, 5.1.6, 7 and 11.4).
#pragma once

#include <optional>

#include "ptx/instruction_parser.h"

namespace warptime::ptx {

class KernelParser {
 public:
  explicit KernelParser(FrontEnd& fe) : fe_(fe), tokens_(fe.tokens), labels_(fe), instructions_(fe, kernel_, labels_) {}

  /// Everything after `.entry`. nullopt: only a declaration, or errors before the body (skipped).
  std::optional<Kernel> parse();

 private:
  bool parse_header();
  bool parse_name();
  bool parse_parameter_list();
  bool parse_parameter();
  bool parse_tuning();
  bool parse_numbers(std::string_view what, uint32_t* out, size_t most);
  void parse_body();
  void statement();
  bool directive(const Token& word);
  bool variables(Space space);
  bool instruction_or_label();
  void open_scope();
  void close_scope();
  bool add_symbol(Symbol symbol);
  void rename_duplicates();

  FrontEnd& fe_;
  TokenStream& tokens_;
  Kernel kernel_;
  Labels labels_;
  InstructionParser instructions_;
  size_t depth_ = 0;  // of { }
  bool has_parameter_list_ = false;
  bool names_may_repeat_ = false;
  bool ended_early_ = false;
};

/// Directives about the CUDA source, legal at module and kernel scope: .file, .loc, .section, .pragma. `taken` is
/// whether `word` (already consumed) was one; false after a diagnostic.
bool parse_debug_directive(FrontEnd& fe, const Token& word, bool* taken);

}  // namespace warptime::ptx
