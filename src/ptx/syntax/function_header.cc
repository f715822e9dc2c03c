// The part of a device function before its body: results, name, parameters (PTX ISA 9.0, 5.1.6.2 and 11.1.2). Values
// are passed in .param variables since PTX 2.0, in registers before; here both are registers of each thread.
#include "ptx/analysis/call_graph.h"
#include "ptx/syntax/declaration.h"
#include "ptx/syntax/kernel_parser.h"

namespace warptime::ptx {

namespace {

constexpr size_t kMaxParameters = 255;

struct Signature {
  Type type;
  uint64_t size;
  bool variadic;
};

Signature signature_of(const Kernel& function, const Parameter& parameter) {
  if (parameter.is_register) {
    Type type = function.registers[parameter.index].type;
    return {type, bytes(type), false};
  }
  const Symbol& symbol = function.symbols[parameter.index];
  return {symbol.type, symbol.variadic ? 0 : symbol.size, symbol.variadic};
}

bool same(const Kernel& a, const std::vector<Parameter>& of_a, const Kernel& b, const std::vector<Parameter>& of_b) {
  if (of_a.size() != of_b.size()) return false;
  for (size_t i = 0; i < of_a.size(); ++i) {
    Signature x = signature_of(a, of_a[i]), y = signature_of(b, of_b[i]);
    if (bits(x.type) != bits(y.type) || x.size != y.size || x.variadic != y.variadic) return false;
  }
  return true;
}

}  // namespace

bool same_signature(const Kernel& a, const Kernel& b) {
  return same(a, a.results, b, b.results) && same(a, a.arguments, b, b.arguments);
}

/// The results, if there are any, and the name, which belongs to the module.
bool KernelParser::parse_function_name() {
  if (tokens_.accept_word(".attribute") && !parse_attribute(fe_)) return false;
  if (tokens_.now().is('(') && !parse_parameters(results_, true)) return false;
  if (!tokens_.at_new_name()) return tokens_.expected("the name of a function");
  Token token = tokens_.take();
  if (!tokens_.ends_name(token)) return false;
  std::string_view text = tokens_.text(token);
  kernel_.name = text;
  kernel_.where = tokens_.span(token);
  Binding& binding = fe_.names.find(fe_.names.intern(text));
  uint32_t first = binding.place;
  function_ = static_cast<uint32_t>(fe_.module.functions.size());
  if (binding.kind == Binding::Kind::DeviceFunction) {
    function_ = binding.index;
    return true;
  }
  Binding own{Binding::Kind::DeviceFunction, 0, 1, Type::None, function_, token.begin};
  if (binding.kind != Binding::Kind::None || !fe_.names.declare(fe_.names.intern(text), own, &first))
    return fe_.redeclared(kernel_.where, kernel_.name, first);
  fe_.module.functions.emplace_back();
  fe_.module.functions.back().is_entry = fe_.module.functions.back().has_body = false;
  return true;
}

bool KernelParser::parse_parameters(std::vector<ParameterText>& out, bool is_result) {
  tokens_.take();
  if (tokens_.accept(')')) return true;
  size_t values = 0;  // a vector has several
  do {
    ParameterText parameter;
    parameter.is_register = tokens_.accept_word(".reg");
    if (!parameter.is_register && !tokens_.accept_word(".param")) return tokens_.expected("\".param\" or \".reg\"");
    if (!(parameter.is_register ? parse_parameter_register(parameter) : parse_parameter_variable(parameter, is_result)))
      return false;
    values += parameter.is_register ? parameter.type.vector : 1;
    if (values > kMaxParameters)
      return tokens_.error(parameter.symbol.where, fmt::format("a function has at most {} parameters", kMaxParameters));
    out.push_back(std::move(parameter));
  } while (tokens_.accept(','));
  return tokens_.expect(')', "after the parameters");
}

bool KernelParser::parse_parameter_register(ParameterText& parameter) {
  if (!parse_register_type(fe_, &parameter.type)) return false;
  if (tokens_.now().kind != TokenKind::Identifier) return tokens_.expected("the name of a register");
  Token name = tokens_.take();
  parameter.symbol.name = tokens_.text(name);
  parameter.symbol.where = tokens_.span(name);
  parameter.symbol.type = parameter.type.type;
  if (tokens_.now().is('[')) return tokens_.error(parameter.symbol.where, "a register that is passed has one number");
  return true;
}

bool KernelParser::parse_parameter_variable(ParameterText& parameter, bool is_result) {
  Symbol& symbol = parameter.symbol;
  if (!parse_declared_type(fe_, &parameter.type) ||
      !parse_declarator(fe_, Space::Param, parameter.type, false, &symbol))
    return false;
  if (!symbol.variadic || (!is_result && tokens_.now().is(')'))) return true;
  return unknown_size(symbol, "only the last argument of a device function may leave its size open");
}

bool KernelParser::unknown_size(const Symbol& symbol, std::string_view hint) {
  return tokens_.error(symbol.where, fmt::format("the size of \"{}\" is not known", symbol.name), std::string(hint));
}

/// The registers of one parameter, which follow each other.
void KernelParser::append_parameter(const ParameterText& text, Kernel& function, std::vector<Parameter>& out) {
  for (uint32_t i = 0; i < text.type.vector; ++i) {
    out.push_back({true, static_cast<uint32_t>(function.registers.size())});
    std::string name = text.type.vector == 1 ? text.symbol.name : component_name(text.symbol.name, i);
    function.registers.push_back({std::move(name), text.symbol.type});
  }
}

/// Declares the names of parameters in the scope of the function.
bool KernelParser::add_parameters(std::vector<ParameterText>& texts, std::vector<Parameter>& out) {
  for (ParameterText& text : texts) {
    Symbol& symbol = text.symbol;
    if (text.is_register) {
      auto index = static_cast<uint32_t>(kernel_.registers.size());
      Binding binding{Binding::Kind::Register, 0, text.type.vector, symbol.type, index, symbol.where.begin};
      NameId id = fe_.names.intern(tokens_.text(symbol.where.begin, symbol.where.begin + symbol.where.length));
      uint32_t first = 0;
      if (symbol.name != "_" && !fe_.names.declare(id, binding, &first))
        return fe_.redeclared(symbol.where, symbol.name, first);
      append_parameter(text, kernel_, out);
    } else {
      out.push_back({false, static_cast<uint32_t>(kernel_.symbols.size())});
      if (!add_passed(std::move(symbol))) {
        out.pop_back();
        return false;
      }
    }
  }
  return true;
}

/// Puts the declaration where calls find it, before the body: a function may be called by the next one.
bool KernelParser::declare_function() {
  Kernel& known = fe_.module.functions[function_];
  bool has_body = tokens_.now().is('{');
  bool first = known.name.empty();
  if (!first && !same_signature(known, kernel_))
    return tokens_.error(kernel_.where, fmt::format("\"{}\" was declared with other parameters", kernel_.name),
                         fmt::format("in line {}", fe_.module.source->place_of(known.where.begin).line));
  if (known.has_body && has_body) return fe_.redeclared(kernel_.where, kernel_.name, known.where.begin);
  if (first || has_body) {
    known = kernel_;
    known.has_body = has_body;
  }
  return true;
}

}  // namespace warptime::ptx
