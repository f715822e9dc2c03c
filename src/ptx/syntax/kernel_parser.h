// One kernel or device function: name, parameters, performance directives, body (PTX ISA 9.0, 5.1.6, 7 and 11.4).
#pragma once

#include <optional>

#include "ptx/syntax/declaration.h"
#include "ptx/syntax/instruction_parser.h"

namespace warptime::ptx {

class KernelParser {
 public:
  KernelParser(FrontEnd& fe, bool is_entry)
      : fe_(fe), tokens_(fe.tokens), labels_(fe), instructions_(fe, kernel_, labels_) {
    kernel_.is_entry = is_entry;
  }

  /// Everything after `.entry` or `.func`. nullopt: only a declaration, or errors before the body (skipped).
  std::optional<Kernel> parse();
  /// Where Module::functions has the declaration of the function that parse() read.
  uint32_t function() const { return function_; }

 private:
  /// A parameter or result of a device function, before its name is declared.
  struct ParameterText {
    bool is_register = false;
    DeclaredType type;
    Symbol symbol;
  };
  std::optional<Kernel> parse_all();
  void drop_code();
  bool parse_header();
  bool parse_name();
  bool parse_function_name();
  bool parse_parameters(std::vector<ParameterText>& out, bool is_result);
  bool parse_parameter_register(ParameterText& parameter);
  bool parse_parameter_variable(ParameterText& parameter, bool is_result);
  bool unknown_size(const Symbol& symbol, std::string_view hint);
  static void append_parameter(const ParameterText& text, Kernel& function, std::vector<Parameter>& out);
  bool add_parameters(std::vector<ParameterText>& texts, std::vector<Parameter>& out);
  bool add_passed(Symbol symbol);
  bool declare_function();
  bool parse_parameter_list();
  bool parse_entry_parameter();
  bool parse_tuning(std::string_view whose);
  bool begins_module_item() const;
  bool parse_numbers(std::string_view what, uint32_t* out, size_t most);
  void parse_body();
  void statement();
  bool directive(const Token& word);
  bool variables(Space space, bool external);
  bool module_variables(Space space);
  bool add_module_symbol(Symbol symbol);
  void forget_module_registers();
  bool branch_targets(const Token& name);
  bool call_prototype(const Token& name);
  bool call_targets(const Token& name);
  bool declare_prototype(const Token& name, uint32_t function);
  bool instruction_or_label();
  void open_scope();
  void close_scope();
  bool add_symbol(Symbol symbol);
  void rename_duplicates();
  void mark_rolled_loops();

  FrontEnd& fe_;
  TokenStream& tokens_;
  Kernel kernel_;
  Labels labels_;
  InstructionParser instructions_;
  size_t depth_ = 0;  // of { }
  std::vector<ParameterText> results_;
  uint32_t function_ = 0;
  uint64_t passed_rows_ = 0;             // of the .param variables that are visible here
  std::vector<uint64_t> passed_before_;  // the same for the scopes around
  bool has_parameter_list_ = false;
  bool names_may_repeat_ = false;
  bool ended_early_ = false;
  std::vector<Diagnostic> unsupported_;  // what is, in this body
  bool keeps_loops_ = false;             // .pragma "nounroll" before the body
  std::vector<uint32_t> rolled_;         // instructions behind one in the body
  bool external_ = false;                // the directive before this one was .extern
};

/// Marks what branches lead to: no loop of the kernel or function is to be unrolled.
void keep_loops(Kernel& kernel);

/// Directives about the CUDA source, legal at module and kernel scope: .file, .loc, .section, .pragma. `taken` is
/// whether `word` (already consumed) was one; false after a diagnostic.
bool parse_debug_directive(FrontEnd& fe, const Token& word, bool* taken);

}  // namespace warptime::ptx
