// Statements of a body are read one by one; after a bad one reading continues after its ';'. Nothing recurses, so no
// depth of nesting can exhaust the stack.
#include "ptx/syntax/kernel_parser.h"

#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/nesting.h"
#include "ptx/syntax/declaration.h"

namespace warptime::ptx {

namespace {

constexpr uint64_t kMaxPassedRows = 1u << 16;

/// What a body cannot have in it: a '}' is missing.
bool ends_body(std::string_view word) {
  return word == ".entry" || word == ".func" || word == ".visible" || word == ".version" || word == ".target";
}

}  // namespace

std::optional<Kernel> KernelParser::parse() {
  tokens_.collect_unsupported(&unsupported_);
  std::optional<Kernel> kernel = parse_all();
  tokens_.collect_unsupported(nullptr);
  return kernel;
}

/// Nothing of a kernel or function that cannot run is analysed.
void KernelParser::drop_code() {
  kernel_.operands.clear();
  kernel_.instructions.clear();
  kernel_.branch_tables.clear();
}

std::optional<Kernel> KernelParser::parse_all() {
  Token first = tokens_.now();
  if (!(kernel_.is_entry ? parse_name() : parse_function_name())) {
    tokens_.skip_item(first);
    return std::nullopt;
  }
  fe_.names.open_scope();
  bool ok = parse_header() && (kernel_.is_entry || declare_function());
  bool has_body = ok && tokens_.now().is('{');
  if (has_body) parse_body();
  else if (ok) tokens_.accept(';');
  else tokens_.skip_item(first);
  while (fe_.names.depth() > 0) fe_.names.close_scope();
  forget_module_registers();
  if (!has_body) return std::nullopt;
  if (!unsupported_.empty()) drop_code();
  add_unsupported(fe_.module, kernel_, std::move(unsupported_));
  if (names_may_repeat_) rename_duplicates();
  mark_rolled_loops();
  kernel_.own_instructions = static_cast<uint32_t>(kernel_.instructions.size());
  kernel_.own_symbols = static_cast<uint32_t>(kernel_.symbols.size());
  kernel_.own_tables = static_cast<uint32_t>(kernel_.branch_tables.size());
  return std::move(kernel_);
}

void KernelParser::parse_body() {
  if (kernel_.is_entry) {
    Binding& own = fe_.names.find(fe_.names.intern(kernel_.name));
    if (own.index != 0) fe_.redeclared(kernel_.where, kernel_.name, own.place);
    own.index = 1;  // has a body
    own.place = kernel_.where.begin;
  }
  tokens_.take();
  depth_ = 1;
  while (depth_ > 0 && !tokens_.at_end() && !ended_early_) statement();
  if (depth_ > 0 && !ended_early_)
    tokens_.error(tokens_.span(),
                  fmt::format("the file ends inside the body of {} \"{}\"", kernel_.is_entry ? "kernel" : "function",
                              kernel_.name),
                  "a '}' is missing, or the file was cut");
  while (depth_ > 0) close_scope();
}

void KernelParser::open_scope() {
  if (depth_ == kMaxNesting) {
    tokens_.error(tokens_.span(), fmt::format("more than {} nested scopes", kMaxNesting));
    tokens_.skip_braces();
    return;
  }
  tokens_.take();
  ++depth_;
  names_may_repeat_ = true;
  fe_.names.open_scope();
  labels_.open_scope();
  passed_before_.push_back(passed_rows_);
}

void KernelParser::close_scope() {
  --depth_;
  labels_.close_scope(kernel_.operands);
  fe_.names.close_scope();
  if (depth_ == 0) return;
  passed_rows_ = passed_before_.back();
  passed_before_.pop_back();
}

void KernelParser::statement() {
  Token first = tokens_.now();
  if (first.is('{')) return open_scope();
  if (tokens_.accept('}')) return close_scope();
  if (tokens_.accept(';')) return;
  bool ok = false;
  if (first.kind == TokenKind::Word) {
    if (ends_body(tokens_.text())) {
      tokens_.error(tokens_.span(),
                    fmt::format("\"{}\" inside the body of {} \"{}\"", tokens_.text(),
                                kernel_.is_entry ? "kernel" : "function", kernel_.name),
                    "a '}' is missing before it");
      ended_early_ = true;
      return;
    }
    ok = directive(tokens_.take());
  } else if (first.kind == TokenKind::Identifier || first.is('@')) {
    ok = instruction_or_label();
  } else {
    tokens_.expected("an instruction, a label or a directive");
  }
  if (!ok) tokens_.skip_statement(first);
}

bool KernelParser::instruction_or_label() {
  Guard guard;
  bool guarded = tokens_.now().is('@');
  if (!instructions_.parse_guard(&guard)) return false;
  if (tokens_.now().kind != TokenKind::Identifier) return tokens_.expected("an instruction after the guard");
  bool may_be_label = !guarded && tokens_.at_new_name();
  Token word = tokens_.take();
  if (may_be_label && tokens_.accept(':')) {
    if (tokens_.now().kind == TokenKind::Word) {
      if (tokens_.accept_word(".branchtargets")) return branch_targets(word);
      if (tokens_.accept_word(".callprototype")) return call_prototype(word);
      if (tokens_.accept_word(".calltargets")) return call_targets(word);
    }
    labels_.define(fe_.names.intern(tokens_.text(word)), word, static_cast<uint32_t>(kernel_.instructions.size()));
    return true;
  }
  if (!instructions_.parse(word, guard)) return false;
  // What follows on a new line is the next statement, not the rest of this one.
  return tokens_.expect_semicolon() || tokens_.now().line != tokens_.before().line;
}

/// name: .branchtargets label, label, ...;  (PTX ISA 9.0, 11.3.2)
bool KernelParser::branch_targets(const Token& name) {
  BranchTable table{std::string(tokens_.text(name)), static_cast<uint32_t>(kernel_.operands.size()), 0};
  labels_.define_table(fe_.names.intern(tokens_.text(name)), name, static_cast<uint32_t>(kernel_.branch_tables.size()));
  do {
    if (tokens_.now().kind != TokenKind::Identifier) {
      kernel_.branch_tables.push_back(std::move(table));
      return tokens_.expected("a label");
    }
    Token label = tokens_.take();
    Operand operand;
    operand.kind = Operand::Kind::Label;
    labels_.refer(fe_.names.intern(tokens_.text(label)), tokens_.span(label),
                  static_cast<uint32_t>(kernel_.operands.size()));
    kernel_.operands.push_back(operand);
    ++table.count;
  } while (tokens_.accept(','));
  kernel_.branch_tables.push_back(std::move(table));
  return tokens_.expect_semicolon();
}

bool KernelParser::add_symbol(Symbol symbol) {
  uint32_t first = 0;
  auto index = static_cast<uint32_t>(kernel_.symbols.size());
  Binding binding{Binding::Kind::KernelSymbol, 0, 1, symbol.type, index, symbol.where.begin};
  if (!fe_.names.declare(
          fe_.names.intern(fe_.tokens.text(symbol.where.begin, symbol.where.begin + symbol.where.length)), binding,
          &first))
    return fe_.redeclared(symbol.where, symbol.name, first);
  kernel_.symbols.push_back(std::move(symbol));
  return true;
}

/// A .param variable that values are passed in. Those of scopes that do not contain each other share rows.
bool KernelParser::add_passed(Symbol symbol) {
  symbol.passed = true;
  symbol.offset = passed_rows_;
  passed_rows_ += (symbol.size + 3) / 4;
  if (passed_rows_ > kMaxPassedRows)
    return tokens_.error(symbol.where, "the .param variables of device functions and calls are larger than 256 KiB");
  kernel_.passed_rows = std::max(kernel_.passed_rows, static_cast<uint32_t>(passed_rows_));
  return add_symbol(std::move(symbol));
}

/// A .global or .const variable is the module's, with a name that is visible here alone.
bool KernelParser::add_module_symbol(Symbol symbol) {
  uint32_t first = 0;
  auto index = static_cast<uint32_t>(fe_.module.symbols.size());
  Binding binding{Binding::Kind::ModuleSymbol, 0, 1, symbol.type, index, symbol.where.begin};
  NameId id = fe_.names.intern(tokens_.text(symbol.where.begin, symbol.where.begin + symbol.where.length));
  if (!fe_.names.declare(id, binding, &first)) return fe_.redeclared(symbol.where, symbol.name, first);
  symbol.scope = kernel_.name;
  fe_.module.symbols.push_back(std::move(symbol));
  return true;
}

bool KernelParser::module_variables(Space space) {
  if (tokens_.now().is('[') && !parse_bank(tokens_)) return false;
  DeclaredType type;
  if (!parse_declared_type(fe_, &type)) return false;
  if (type.is_texture) return tokens_.error(type.where, "a .texref must be declared outside of kernels");
  do {
    Symbol symbol;
    bool ok = parse_declarator(fe_, space, type, false, &symbol);
    if ((ok || !symbol.name.empty()) && !add_module_symbol(std::move(symbol))) return false;
    if (!ok) return false;
  } while (tokens_.accept(','));
  return tokens_.expect_semicolon();
}

/// The next function has its own numbers for the registers of the module that it uses.
void KernelParser::forget_module_registers() {
  for (NameId name : fe_.used_module_registers) {
    Binding& binding = fe_.names.find(name);
    binding.kind = Binding::Kind::Declared;
    binding.index = 0;
  }
  fe_.used_module_registers.clear();
}

bool KernelParser::variables(Space space, bool external) {
  DeclaredType type;
  if (!parse_declared_type(fe_, &type)) return false;
  do {
    Symbol symbol;
    if (!parse_declarator(fe_, space, type, external, &symbol)) {
      if (!symbol.name.empty() && space != Space::Param) add_symbol(std::move(symbol));
      return false;
    }
    if (symbol.variadic) return unknown_size(symbol, "give it a size");
    if (!(space == Space::Param ? add_passed(std::move(symbol)) : add_symbol(std::move(symbol)))) return false;
  } while (tokens_.accept(','));
  return tokens_.expect_semicolon();
}

bool KernelParser::directive(const Token& word) {
  std::string_view text = tokens_.text(word);
  if (text == ".reg") return parse_registers(fe_);
  bool external = std::exchange(external_, false);
  if (text == ".extern") return external_ = true;
  if (text == ".shared") return variables(Space::Shared, external);
  if (text == ".local") return variables(Space::Local, false);
  if (text == ".param") {
    // PTX 1.x: the parameters of a kernel that has no list of them.
    bool of_kernel = kernel_.is_entry && !has_parameter_list_ && depth_ == 1;
    return of_kernel ? parse_entry_parameter() && tokens_.expect_semicolon() : variables(Space::Param, false);
  }
  if (text == ".global") return module_variables(Space::Global);
  if (text == ".const") return module_variables(Space::Const);
  bool taken = false;
  if (!parse_debug_directive(fe_, word, &taken)) return false;
  if (std::exchange(fe_.saw_nounroll, false)) rolled_.push_back(static_cast<uint32_t>(kernel_.instructions.size()));
  if (taken) return true;
  return tokens_.error(tokens_.span(word), fmt::format("unknown directive \"{}\"", text),
                       did_you_mean(text, {".reg", ".shared", ".local", ".param", ".loc", ".pragma", ".section"}));
}

/// PTX ISA 9.0, 12.1: in a body the pragma is for the loop whose first instruction follows it.
void KernelParser::mark_rolled_loops() {
  for (uint32_t first : rolled_)
    if (first < kernel_.instructions.size()) kernel_.instructions[first].begins_rolled_loop = true;
  if (keeps_loops_) keep_loops(kernel_);
}

// The printer declares everything at the top of the kernel, so a name of two scopes gets a number for the second one.
void KernelParser::rename_duplicates() {
  std::unordered_set<std::string> all, used;
  std::unordered_map<std::string, int> next;
  for (const Symbol& symbol : fe_.module.symbols) used.insert(symbol.name);
  for (const Symbol& symbol : kernel_.symbols) all.insert(symbol.name);
  for (const Register& reg : kernel_.registers) all.insert(reg.name);
  auto rename = [&](std::string& name) {
    if (used.contains(name)) {
      int& number = next[name];
      std::string numbered;
      do numbered = fmt::format("{}_{}", name, ++number);
      while (used.contains(numbered) || all.contains(numbered));
      name = std::move(numbered);
    }
    used.insert(name);
  };
  for (Register& reg : kernel_.registers)
    if (reg.module_register != 0) used.insert(reg.name);
  for (Symbol& symbol : kernel_.symbols)
    if (!symbol.from_module) rename(symbol.name);
  for (Register& reg : kernel_.registers)
    if (reg.module_register == 0) rename(reg.name);
}

void keep_loops(Kernel& kernel) {
  for (const Operand& operand : kernel.operands)
    if (operand.kind == Operand::Kind::Label && operand.index < kernel.instructions.size())
      kernel.instructions[operand.index].begins_rolled_loop = true;
}

}  // namespace warptime::ptx
