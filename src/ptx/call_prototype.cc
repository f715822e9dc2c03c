// What a call through a register says about the function that it comes to: .callprototype and .calltargets (PTX
// ISA 9.0, 11.3.3 and 11.3.4). Left out: of a .calltargets list the first function's signature counts; any function
// that has it and whose address is taken may be reached.
#include "ptx/kernel_parser.h"

namespace warptime::ptx {

bool KernelParser::declare_prototype(const Token& name, uint32_t function) {
  uint32_t first = 0;
  Binding binding{Binding::Kind::Prototype, 0, 1, Type::None, function, name.begin};
  if (!fe_.names.declare(fe_.names.intern(tokens_.text(name)), binding, &first))
    return fe_.redeclared(tokens_.span(name), tokens_.text(name), first);
  return true;
}

/// name: .callprototype (results) _ (parameters); It is kept as a function that nobody calls.
bool KernelParser::call_prototype(const Token& name) {
  std::vector<FormalText> results, arguments;
  if (tokens_.now().is('(') && !parse_formals(results)) return false;
  if (tokens_.now().kind != TokenKind::Identifier || tokens_.text() != "_")
    return tokens_.expected("'_' in the place of the function's name");
  tokens_.take();
  if (tokens_.now().is('(') && !parse_formals(arguments)) return false;
  if (!parse_tuning("a call prototype") || !tokens_.expect_semicolon()) return false;
  Kernel function;
  function.is_entry = function.has_body = false;
  function.is_prototype = true;
  function.name = tokens_.text(name);
  function.where = tokens_.span(name);
  auto add = [&function](std::vector<FormalText>& texts, std::vector<Formal>& out) {
    for (FormalText& text : texts) {
      if (text.is_register) {
        out.push_back({true, static_cast<uint32_t>(function.registers.size())});
        function.registers.push_back({text.symbol.name, text.symbol.type});
      } else {
        out.push_back({false, static_cast<uint32_t>(function.symbols.size())});
        function.symbols.push_back(std::move(text.symbol));
        function.symbols.back().passed = true;
      }
    }
  };
  add(results, function.results);
  add(arguments, function.arguments);
  auto index = static_cast<uint32_t>(fe_.module.functions.size());
  fe_.module.functions.push_back(std::move(function));
  return declare_prototype(name, index);
}

/// name: .calltargets function, ...;
bool KernelParser::call_targets(const Token& name) {
  std::optional<uint32_t> first;
  do {
    if (tokens_.now().kind != TokenKind::Identifier) return tokens_.expected("the name of a function");
    Token token = tokens_.take();
    std::string_view text = tokens_.text(token);
    const Binding& binding = fe_.names.find(fe_.names.intern(text));
    if (binding.kind != Binding::Kind::DeviceFunction)
      return tokens_.error(tokens_.span(token), fmt::format("there is no function \"{}\" here", text),
                           "a function must be declared before it is listed");
    if (!first) first = binding.index;
  } while (tokens_.accept(','));
  return tokens_.expect_semicolon() && declare_prototype(name, *first);
}

}  // namespace warptime::ptx
