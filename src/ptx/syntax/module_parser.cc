#include "ptx/syntax/module_parser.h"

#include <charconv>
#include <unordered_set>
#include <utility>

#include "ptx/analysis/call_graph.h"
#include "ptx/syntax/constant_expression.h"
#include "ptx/syntax/declaration.h"
#include "ptx/syntax/kernel_parser.h"
#include "ptx/user/user_lines.h"

namespace warptime::ptx {

namespace {

constexpr uint16_t kNewestVersion = 90;
constexpr uint16_t kAnyTarget = 999;  // until a .target says otherwise
const std::vector<std::string_view> kDirectives{".version", ".target", ".address_size", ".entry", ".func",   ".visible",
                                                ".extern",  ".weak",   ".common",       ".alias", ".global", ".const",
                                                ".shared",  ".local",  ".reg",          ".file",  ".section"};

bool ends_with_line(std::string_view directive) {
  return directive == ".version" || directive == ".target" || directive == ".address_size" || directive == ".file" ||
         directive == ".loc";
}

}  // namespace

void ModuleParser::parse() {
  declare_predefined(fe_.names);
  fe_.module.target = kAnyTarget;
  if (tokens_.at_end()) {
    tokens_.error(tokens_.span(), "the file has no PTX in it");
    return;
  }
  while (!tokens_.at_end()) item();
  finish();
}

void ModuleParser::item() {
  Token first = tokens_.now();
  bool ok = false;
  bool header = tokens_.now().kind == TokenKind::Word && tokens_.text() == ".version";
  if (!version_given_ && !header) {
    tokens_.error(tokens_.span(), fmt::format("a PTX module begins with \".version\", found {}", tokens_.found()),
                  "is this a PTX file?");
    version_given_ = true;
    fe_.module.version = kNewestVersion;
    if (first.kind != TokenKind::Word) {  // nothing here is likely to make sense
      target_given_ = true;
      while (!tokens_.at_end()) tokens_.take();
      return;
    }
  }
  if (first.kind == TokenKind::Word) ok = directive(tokens_.take());
  else if (tokens_.accept(';')) ok = true;
  else tokens_.expected("a directive such as .entry or .global");
  if (!ok) {
    external_ = false;
    if (ends_with_line(tokens_.text(first))) tokens_.skip_line(first);
    else tokens_.skip_item(first);
  }
}

bool ModuleParser::directive(const Token& word) {
  std::string_view text = tokens_.text(word);
  if (text == ".version") return parse_version();
  if (text == ".target") return parse_target();
  if (text == ".address_size") return parse_address_size();
  if (text == ".visible" || text == ".weak" || text == ".common" || text == ".extern") {
    external_ = text == ".extern";
    return true;
  }
  if (text == ".entry") {
    external_ = false;
    KernelParser kernel(fe_, true);
    if (auto parsed = kernel.parse()) fe_.module.kernels.push_back(std::move(*parsed));
    return true;
  }
  if (text == ".func") {
    external_ = false;
    KernelParser function(fe_, false);
    if (auto parsed = function.parse()) fe_.module.functions[function.function()] = std::move(*parsed);
    return true;
  }
  if (text == ".global") return parse_variables(Space::Global);
  if (text == ".const") return parse_variables(Space::Const);
  if (text == ".shared") return parse_variables(Space::Shared);
  if (text == ".local") return parse_variables(Space::Local);
  if (text == ".tex") return parse_variables(Space::Tex);  // before PTX 1.5; of type .u32 or .u64
  if (text == ".reg") return parse_module_registers(word);
  if (text == ".alias") return parse_alias();
  bool taken = false;
  if (!parse_debug_directive(fe_, word, &taken)) return false;
  keeps_loops_ |= std::exchange(fe_.saw_nounroll, false);
  if (taken) return true;
  return tokens_.error(tokens_.span(word), fmt::format("unknown directive \"{}\"", text),
                       did_you_mean(text, kDirectives));
}

bool ModuleParser::parse_version() {
  bool second = std::exchange(version_given_, true);
  if (!second) fe_.module.version = kNewestVersion;  // if what follows makes no sense
  if (tokens_.now().kind != TokenKind::Number) return tokens_.expected("a version such as 9.0");
  Token token = tokens_.take();
  std::string_view text = tokens_.text(token);
  size_t dot = text.find('.');
  unsigned major = 0, minor = 0;
  auto number = [&](std::string_view digits, unsigned* out) {
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), *out);
    return error == std::errc() && end == digits.data() + digits.size() && *out < 100;
  };
  bool ok =
      dot != std::string_view::npos && number(text.substr(0, dot), &major) && number(text.substr(dot + 1), &minor);
  if (!ok || major == 0 || minor > 9)
    return tokens_.error(tokens_.span(token), fmt::format("\"{}\" is not a version of PTX", text),
                         "versions are 1.0 to 9.0");
  if (second) return tokens_.error(tokens_.span(token), "a second .version, or one that does not come first");
  fe_.module.version = static_cast<uint16_t>(major * 10 + minor);
  if (fe_.module.version > kNewestVersion)
    tokens_.warning(tokens_.span(token), fmt::format("PTX {} is newer than 9.0, the newest known version", text));
  return true;
}

bool ModuleParser::parse_target() {
  target_given_ = true;
  do {
    if (tokens_.now().kind != TokenKind::Identifier) return tokens_.expected("a target such as sm_75");
    Token token = tokens_.take();
    std::string_view text = tokens_.text(token);
    if (text == "map_f64_to_f32") {
      fe_.module.map_f64_to_f32 = true;
    } else if (text.starts_with("sm_") || text.starts_with("compute_")) {
      std::string_view digits = text.substr(text.find('_') + 1);
      // sm_90a and sm_100f are sm_90 and sm_100 with features of their own.
      char variant = 0;
      if (!digits.empty() && (digits.back() == 'a' || digits.back() == 'f')) {
        variant = digits.back();
        digits.remove_suffix(1);
      }
      unsigned value = 0;
      auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
      if (error != std::errc() || end != digits.data() + digits.size() || value < 10 || value > 999)
        return tokens_.error(tokens_.span(token), fmt::format("unknown target \"{}\"", text),
                             "targets are sm_10 and up");
      fe_.module.target = static_cast<uint16_t>(value);
      fe_.module.variant = variant;
    } else if (text != "debug" && text != "texmode_unified" && text != "texmode_independent") {
      return tokens_.error(
          tokens_.span(token), fmt::format("unknown target \"{}\"", text),
          did_you_mean(text, {"sm_10", "sm_75", "map_f64_to_f32", "debug", "texmode_unified", "texmode_independent"}));
    }
  } while (tokens_.accept(','));
  return true;
}

bool ModuleParser::parse_address_size() {
  uint64_t size = 0;
  Token at = tokens_.now();
  if (!parse_integer(tokens_, "an address size", 32, 64, &size)) return false;
  if (size != 32 && size != 64) return tokens_.error(tokens_.span(at), "an address size is 32 or 64");
  fe_.module.address_bytes = static_cast<uint8_t>(size / 8);
  fe_.address_size_given = true;
  return true;
}

bool ModuleParser::parse_variables(Space space) {
  bool external = std::exchange(external_, false);
  if (tokens_.now().is('[') && !parse_bank(tokens_)) return false;
  DeclaredType type;
  if (!parse_declared_type(fe_, &type)) return false;
  do {
    Symbol symbol;
    bool ok = parse_declarator(fe_, space, type, external, &symbol);
    bool named = !symbol.name.empty();  // what uses a variable whose declaration is wrong is not wrong for that
    if (!((ok || named) && add_symbol(std::move(symbol)) && ok)) return false;
  } while (tokens_.accept(','));
  return tokens_.expect_semicolon() || tokens_.now().line != tokens_.before().line;
}

bool ModuleParser::add_symbol(Symbol symbol) {
  NameId id = fe_.names.intern(tokens_.text(symbol.where.begin, symbol.where.begin + symbol.where.length));
  auto index = static_cast<uint32_t>(fe_.module.symbols.size());
  const Binding& old = fe_.names.find(id);
  if (old.kind == Binding::Kind::ModuleSymbol) {  // an .extern declaration and the definition are one variable
    Symbol& other = fe_.module.symbols[old.index];
    if ((other.external || symbol.external) && other.space == symbol.space && other.type == symbol.type) {
      if (!symbol.external) other = std::move(symbol);
      return true;
    }
  }
  uint32_t first = 0;
  Binding binding{Binding::Kind::ModuleSymbol, 0, 1, symbol.type, index, symbol.where.begin};
  if (!fe_.names.declare(id, binding, &first)) return fe_.redeclared(symbol.where, symbol.name, first);
  fe_.module.symbols.push_back(std::move(symbol));
  return true;
}

/// Registers that all kernels and functions name alike, and that those share which call each other (PTX
/// ISA 2.3, 5.1.1). With the calling convention of PTX 3.0 they went.
bool ModuleParser::parse_module_registers(const Token& word) {
  const bool ok = parse_registers(fe_);
  if (fe_.module.version < 30) return ok;
  // What the front end writes for alloca comes back when it is read again (dynamic_stack.cc).
  if (ok && tokens_.text(word.begin, tokens_.before().end()).find(kClaimedLocalBytes) != std::string_view::npos)
    return true;
  return tokens_.error(tokens_.span(word), "a .reg outside of kernels and functions needs .version 2.3 or older");
}

/// Variables of bodies keep their names where nothing else of the module has them.
void ModuleParser::name_scoped_variables() {
  std::unordered_set<std::string> used;
  for (const Kernel& kernel : fe_.module.kernels) used.insert(kernel.name);
  for (const Kernel& function : fe_.module.functions) used.insert(function.name);
  for (const Symbol& symbol : fe_.module.symbols)
    if (symbol.scope.empty()) used.insert(symbol.name);
  for (Symbol& symbol : fe_.module.symbols) {
    if (symbol.scope.empty() || used.insert(symbol.name).second) continue;
    std::string name = fmt::format("{}${}", symbol.scope, symbol.name);
    while (fe_.names.is_known(name) || !used.insert(name).second) name += '_';
    symbol.name = std::move(name);
  }
}

/// .alias name, function;  (PTX ISA 9.0, 11.6.5): a declared function that is another one, which has a body.
bool ModuleParser::parse_alias() {
  uint32_t functions[2] = {0, 0};
  SourceSpan where;
  for (uint32_t& function : functions) {
    if (&function != functions && !tokens_.expect(',', "between the two functions of an alias")) return false;
    if (tokens_.now().kind != TokenKind::Identifier) return tokens_.expected("the name of a function");
    Token token = tokens_.take();
    const Binding& binding = fe_.names.find(fe_.names.intern(tokens_.text(token)));
    if (binding.kind != Binding::Kind::DeviceFunction)
      return tokens_.error(tokens_.span(token), fmt::format("there is no function \"{}\" here", tokens_.text(token)),
                           "both functions of an alias are declared before it: .func name;");
    function = binding.index;
    if (&function == functions) where = tokens_.span(token);
  }
  aliases_.push_back({functions[0], functions[1], where});
  return tokens_.expect_semicolon();
}

/// Calls of an alias are calls of the function behind it.
void ModuleParser::resolve_aliases() {
  std::vector<Kernel>& functions = fe_.module.functions;
  std::vector<uint32_t> to(functions.size(), kNoIndex);
  for (const Alias& alias : aliases_) {
    const Kernel &name = functions[alias.name], &function = functions[alias.function];
    if (name.name.empty() || function.name.empty()) continue;  // their declarations were wrong
    if (name.has_body)
      tokens_.error(alias.where, fmt::format("\"{}\" has a body of its own and cannot be an alias", name.name));
    else if (!function.has_body)
      tokens_.error(alias.where,
                    fmt::format("\"{}\" is an alias of \"{}\", which has no body", name.name, function.name));
    else if (!same_signature(name, function))
      tokens_.error(alias.where,
                    fmt::format("\"{}\" was declared with other parameters than \"{}\"", name.name, function.name),
                    fmt::format("in line {}", fe_.module.source->place_of(name.where.begin).line));
    else to[alias.name] = alias.function;
  }
  auto resolve = [&to](uint32_t& index) {
    if (to[index] != kNoIndex) index = to[index];
  };
  for (std::vector<Kernel>* bodies : {&fe_.module.kernels, &functions})
    for (Kernel& body : *bodies)
      for (Operand& operand : body.operands)
        if (operand.kind == Operand::Kind::Function || operand.kind == Operand::Kind::FunctionAddress)
          resolve(operand.index);
  for (Symbol& symbol : fe_.module.symbols)
    for (Symbol::Relocation& relocation : symbol.relocations)
      if (relocation.is_function) resolve(relocation.symbol);
  for (uint32_t& function : fe_.module.addressed_functions) resolve(function);
  for (Kernel& function : functions)
    for (uint32_t& target : function.targets) resolve(target);
}

void ModuleParser::finish() {
  if (!aliases_.empty()) resolve_aliases();
  name_scoped_variables();
  fe_.module.location_functions = fe_.debug_strings.used();
  set_user_lines(fe_.module);
  if (keeps_loops_)
    for (std::vector<Kernel>* bodies : {&fe_.module.kernels, &fe_.module.functions})
      for (Kernel& body : *bodies) keep_loops(body);
  if (!target_given_)
    tokens_.error({fe_.module.source.get(), 0, 0}, "the module has no .target", "for example: .target sm_10");
  if (!fe_.address_size_given && fe_.module.version < 23 && fe_.saw_64_bit_address) fe_.module.address_bytes = 8;
}

}  // namespace warptime::ptx
