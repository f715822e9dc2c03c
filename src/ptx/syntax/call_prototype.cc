// What a call through a register says about the function that it comes to: .callprototype, which may be any that fits
// and whose address is taken, and .calltargets, one of those listed (PTX ISA 9.0, 11.3.3 and 11.3.4).
#include "ptx/analysis/call_graph.h"
#include "ptx/syntax/kernel_parser.h"

namespace warptime::ptx {

namespace {

/// What a function gives or takes, without the rest of it.
std::vector<Parameter> copied(const Kernel& from, const std::vector<Parameter>& parameters, Kernel& to) {
  std::vector<Parameter> out;
  for (const Parameter& parameter : parameters) {
    out.push_back({parameter.is_register,
                   static_cast<uint32_t>(parameter.is_register ? to.registers.size() : to.symbols.size())});
    if (parameter.is_register) to.registers.push_back(from.registers[parameter.index]);
    else to.symbols.push_back(from.symbols[parameter.index]);
  }
  return out;
}

}  // namespace

bool KernelParser::declare_prototype(const Token& name, uint32_t function) {
  uint32_t first = 0;
  Binding binding{Binding::Kind::Prototype, 0, 1, Type::None, function, name.begin};
  if (!fe_.names.declare(fe_.names.intern(tokens_.text(name)), binding, &first))
    return fe_.redeclared(tokens_.span(name), tokens_.text(name), first);
  return true;
}

/// name: .callprototype (results) _ (parameters); It is kept as a function that is never called.
bool KernelParser::call_prototype(const Token& name) {
  std::vector<ParameterText> results, arguments;
  if (tokens_.now().is('(') && !parse_parameters(results, true)) return false;
  if (tokens_.now().kind != TokenKind::Identifier || tokens_.text() != "_")
    return tokens_.expected("'_' in the place of the function's name");
  tokens_.take();
  if (tokens_.now().is('(') && !parse_parameters(arguments, false)) return false;
  if (!parse_tuning("a call prototype") || !tokens_.expect_semicolon()) return false;
  Kernel function;
  function.is_entry = function.has_body = false;
  function.is_prototype = true;
  function.name = tokens_.text(name);
  function.where = tokens_.span(name);
  auto add = [&function](std::vector<ParameterText>& texts, std::vector<Parameter>& out) {
    for (ParameterText& text : texts) {
      if (text.is_register) {
        append_parameter(text, function, out);
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

/// name: .calltargets function, ...; A prototype that says which functions have it.
bool KernelParser::call_targets(const Token& name) {
  Kernel prototype;
  prototype.is_entry = prototype.has_body = false;
  prototype.is_prototype = true;
  prototype.name = tokens_.text(name);
  prototype.where = tokens_.span(name);
  do {
    if (tokens_.now().kind != TokenKind::Identifier) return tokens_.expected("the name of a function");
    Token token = tokens_.take();
    std::string_view text = tokens_.text(token);
    const Binding& binding = fe_.names.find(fe_.names.intern(text));
    if (binding.kind != Binding::Kind::DeviceFunction)
      return tokens_.error(tokens_.span(token), fmt::format("there is no function \"{}\" here", text),
                           "a function must be declared before it is listed");
    const Kernel& function = fe_.module.functions[binding.index];
    if (function.name.empty()) return false;  // its declaration was wrong
    if (prototype.targets.empty()) {
      prototype.results = copied(function, function.results, prototype);
      prototype.arguments = copied(function, function.arguments, prototype);
    } else if (!same_signature(prototype, function)) {
      const std::string& first = fe_.module.functions[prototype.targets.front()].name;
      return tokens_.error(
          tokens_.span(token), fmt::format("\"{}\" has another prototype than \"{}\"", text, first),
          fmt::format("the functions of one list have the same parameters and results; \"{}\" is declared in line {}",
                      text, fe_.module.source->place_of(function.where.begin).line));
    }
    prototype.targets.push_back(binding.index);
  } while (tokens_.accept(','));
  auto index = static_cast<uint32_t>(fe_.module.functions.size());
  if (!tokens_.expect_semicolon() || !declare_prototype(name, index)) return false;
  fe_.module.functions.push_back(std::move(prototype));
  return true;
}

}  // namespace warptime::ptx
