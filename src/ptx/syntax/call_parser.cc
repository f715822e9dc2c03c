#include "ptx/syntax/call_parser.h"

namespace warptime::ptx {

namespace {

constexpr std::string_view kForm = "call (result, ...), function, (argument, ...);";
constexpr std::string_view kIndirectForm = "call (result, ...), register, (argument, ...), prototype;";

class CallParser {
 public:
  CallParser(FrontEnd& fe, Kernel& kernel, OperandChecker& checker, SourceSpan where)
      : fe_(fe), tokens_(fe.tokens), kernel_(kernel), checker_(checker), where_(where) {}

  bool parse(Instruction& instruction) {
    if (tokens_.now().is('(')) {
      if (!list(results_)) return false;
      if (!tokens_.accept(','))
        return tokens_.error(tokens_.span(), fmt::format("expected ',' after the results, found {}", tokens_.found()),
                             std::string(kForm));
    }
    if (tokens_.now().kind != TokenKind::Identifier) return tokens_.expected("the name of a function");
    Token name = tokens_.take();
    if (!tokens_.ends_name(name)) return false;
    bool by_register = is_register(name);
    const Kernel* function = by_register ? nullptr : find(name);
    if (!by_register && function == nullptr) return false;
    if (tokens_.now().is('('))
      return tokens_.error(tokens_.span(), "expected ',' before the arguments, found \"(\"", std::string(kForm));
    bool more = tokens_.accept(',');
    if (more && !by_register && !tokens_.now().is('('))
      return tokens_.error(tokens_.span(), fmt::format("expected '(' before the arguments, found {}", tokens_.found()),
                           std::string(kForm));
    if (more && tokens_.now().is('(')) {
      if (!list(arguments_)) return false;
      more = by_register && tokens_.accept(',');
    }
    Operand callee, address;
    callee.kind = Operand::Kind::Function;
    if (by_register) {
      if (!more)
        return tokens_.error(
            tokens_.span(),
            fmt::format("expected ',' and a prototype after a call through a register, found {}", tokens_.found()),
            std::string(kIndirectForm));
      function = prototype(callee);
      if (function == nullptr || !address_of(name, address)) return false;
    } else {
      callee.index = fe_.names.find(fe_.names.intern(tokens_.text(name))).index;
    }
    expand_vectors(results_);
    expand_vectors(arguments_);
    size_t wanted = function->arguments.size();
    if (takes_list(*function) && arguments_.size() + 1 == wanted) --wanted;  // an empty list may be left out
    if (!same_count(*function, function->results.size(), results_.size(), "gives", "result") ||
        !same_count(*function, wanted, arguments_.size(), "takes", "argument"))
      return false;
    size_t before = kernel_.operands.size();
    Operand results, arguments;
    if (!values(callee.index, &Kernel::results, results_, true, results) ||
        !values(callee.index, &Kernel::arguments, arguments_, false, arguments)) {
      kernel_.operands.resize(before);
      return false;
    }
    instruction.first_operand = static_cast<uint32_t>(kernel_.operands.size());
    instruction.operand_count = by_register ? 4 : 3;
    kernel_.operands.insert(kernel_.operands.end(), {results, callee, arguments});
    if (by_register) kernel_.operands.push_back(address);
    return true;
  }

 private:
  bool list(std::vector<RawOperand>& out) {
    tokens_.take();
    if (tokens_.accept(')')) return true;
    do {
      if (!parse_value(fe_, out.emplace_back())) return false;
    } while (tokens_.accept(','));
    return tokens_.expect(')', "after the values of a call");
  }

  /// A vector register stands for its components.
  void expand_vectors(std::vector<RawOperand>& list) {
    std::vector<RawOperand> out;
    for (const RawOperand& raw : list) {
      uint32_t width = checker_.width_of_whole(raw);
      for (uint32_t i = 0; i < width; ++i) {
        out.push_back(raw);
        if (width > 1) out.back().component = static_cast<uint8_t>(i + 1);
      }
    }
    list = std::move(out);
  }

  static bool takes_list(const Kernel& function) {
    if (function.arguments.empty() || function.arguments.back().is_register) return false;
    return function.symbols[function.arguments.back().index].variadic;
  }

  bool is_register(const Token& token) {
    Binding::Kind kind = fe_.names.find(fe_.names.intern(tokens_.text(token))).kind;
    return kind == Binding::Kind::Declared || kind == Binding::Kind::Register;
  }

  bool address_of(const Token& token, Operand& out) {
    RawOperand raw;
    raw.kind = RawOperand::Kind::Name;
    raw.has_name = true;
    raw.name = fe_.names.intern(tokens_.text(token));
    raw.where = tokens_.span(token);
    return checker_.call_address(raw, out);
  }

  /// What a .callprototype or .calltargets says that a call through a register gives and takes.
  const Kernel* prototype(Operand& out) {
    if (tokens_.now().kind != TokenKind::Identifier) {
      tokens_.expected("the name of a prototype");
      return nullptr;
    }
    Token token = tokens_.take();
    std::string_view text = tokens_.text(token);
    const Binding& binding = fe_.names.find(fe_.names.intern(text));
    if (binding.kind != Binding::Kind::Prototype) {
      tokens_.error(
          tokens_.span(token), fmt::format("there is no prototype \"{}\" here", text),
          "before the call: name: .callprototype (results) _ (parameters); or name: .calltargets function, ...;");
      return nullptr;
    }
    out.index = binding.index;
    return &fe_.module.functions[binding.index];
  }

  const Kernel* find(const Token& token) {
    std::string_view text = tokens_.text(token);
    const Binding& binding = fe_.names.find(fe_.names.intern(text));
    SourceSpan where = tokens_.span(token);
    switch (binding.kind) {
      case Binding::Kind::DeviceFunction: {
        const Kernel& function = fe_.module.functions[binding.index];
        return function.name.empty() ? nullptr : &function;  // its declaration was wrong
      }
      case Binding::Kind::Function:
        tokens_.error(where, fmt::format("\"{}\" is a kernel, not a device function", text));
        return nullptr;
      case Binding::Kind::None:
      case Binding::Kind::Declared:
      case Binding::Kind::Register:
      case Binding::Kind::Prototype:
      case Binding::Kind::ModuleSymbol:
      case Binding::Kind::KernelSymbol:
      case Binding::Kind::Special:
      case Binding::Kind::Zero:
      case Binding::Kind::WarpSize: break;
    }
    std::vector<std::string_view> known;
    for (const Kernel& function : fe_.module.functions)
      if (!function.is_prototype && !function.is_entry) known.push_back(function.name);
    std::string hint = did_you_mean(text, known);
    tokens_.error(where, fmt::format("there is no function \"{}\" here", text),
                  hint.empty() ? "a function must be declared before it is called" : hint);
    return nullptr;
  }

  bool same_count(const Kernel& function, size_t wanted, size_t given, std::string_view verb, std::string_view what) {
    if (wanted == given) return true;
    return tokens_.error(
        where_,
        fmt::format("\"{}\" {} {} {}{}, {} given", function.name, verb, wanted, what, wanted == 1 ? "" : "s", given),
        fmt::format("it is declared in line {}", fe_.module.source->place_of(function.where.begin).line));
  }

  bool values(uint32_t callee, std::vector<Parameter> Kernel::*parameters, const std::vector<RawOperand>& raw,
              bool destination, Operand& out) {
    if (raw.empty()) return true;
    std::vector<Operand> elements(raw.size());
    for (size_t i = 0; i < raw.size(); ++i) {
      // Anew for each: an argument may be the address of a kernel, which adds to the list of functions.
      const Kernel& function = fe_.module.functions[callee];
      const Parameter& parameter = (function.*parameters)[i];
      PassedAs as{function.name};
      if (parameter.is_register) {
        as.type = function.registers[parameter.index].type;
        as.size = bytes(as.type);
      } else {
        const Symbol& symbol = function.symbols[parameter.index];
        as.type = symbol.type;
        as.size = symbol.size;
        as.alignment = symbol.alignment;
        as.variadic = symbol.variadic;
      }
      if (!checker_.passed(as, destination, raw[i], elements[i])) return false;
    }
    out.kind = Operand::Kind::Vector;
    out.destination = destination;
    out.index = static_cast<uint32_t>(kernel_.operands.size());
    out.count = static_cast<uint8_t>(raw.size());
    kernel_.operands.insert(kernel_.operands.end(), elements.begin(), elements.end());
    return true;
  }

  FrontEnd& fe_;
  TokenStream& tokens_;
  Kernel& kernel_;
  OperandChecker& checker_;
  SourceSpan where_;
  std::vector<RawOperand> results_, arguments_;
};

}  // namespace

bool parse_call(FrontEnd& fe, Kernel& kernel, OperandChecker& checker, SourceSpan where, Instruction& instruction) {
  return CallParser(fe, kernel, checker, where).parse(instruction);
}

}  // namespace warptime::ptx
