// What a name in an operand stands for, and whether its type fits.
#include <algorithm>

#include "base/plural.h"
#include "ptx/syntax/operand_checker.h"

namespace warptime::ptx {

namespace {

bool is_register(const Binding& binding) {
  return binding.kind == Binding::Kind::Declared || binding.kind == Binding::Kind::Register;
}

bool is_integer(Type type) {
  TypeKind kind = info(type).kind;
  return kind == TypeKind::Unsigned || kind == TypeKind::Signed || kind == TypeKind::Bits;
}

/// Whether a register may stand where an instruction requires `type`: bits agree with anything of their width, signed
/// with unsigned (PTX ISA 9.0, 9.4); with `wider`, a register may be wider than the type (9.4.1).
bool agrees(Type reg, Type type, bool any_of_width, bool wider) {
  if (reg == type) return true;
  TypeKind have = info(reg).kind, want = info(type).kind;
  if (have == TypeKind::Predicate || want == TypeKind::Predicate) return false;
  if (bits(reg) == bits(type))
    return any_of_width || have == TypeKind::Bits || want == TypeKind::Bits || (is_integer(reg) && is_integer(type)) ||
           (wider && have == TypeKind::Packed && is_integer(type));  // ld.u32, st.u32
  if (!wider || bits(reg) < bits(type)) return false;
  if (have == TypeKind::Bits) return true;
  return is_integer(reg) ? is_integer(type) : want == TypeKind::Bits;
}

constexpr uint64_t kMaxAccessBytes = 16;  // PTX ISA 9.0, 6.4.1.2
/// No address by a parameter's name reaches further: what values are passed in has 256 KiB, kernels have less.
constexpr uint64_t kParameterSpaceBytes = uint64_t{256} << 10;

}  // namespace

bool OperandChecker::undeclared(NameId name, SourceSpan where) {
  if (!reported_.insert(name).second) return false;
  std::string_view text = fe_.names.text(name);
  NameId prefix = 0;
  if (const RegisterRange* range = fe_.names.range_of(name, &prefix)) {
    std::string_view letters = fe_.names.text(prefix);
    return fe_.tokens.error(
        where, fmt::format("\"{}\" is not declared", text),
        fmt::format("{}<{}> declares {}0 to {}{}", letters, range->count, letters, letters, range->count - 1));
  }
  std::string hint = did_you_mean(text, fe_.names.visible());
  if (auto place = fe_.names.ended(name))
    hint = fmt::format("its declaration in line {} holds up to the end of its {{ }}",
                       fe_.module.source->place_of(*place).line);
  return fe_.tokens.error(where, fmt::format("\"{}\" is not declared", text), std::move(hint));
}

uint32_t OperandChecker::first_register(Binding& binding, NameId name) {
  if (binding.kind == Binding::Kind::Declared) {
    binding.kind = Binding::Kind::Register;
    binding.index = static_cast<uint32_t>(kernel_.registers.size());
    std::string text(fe_.names.text(name));
    bool of_module = binding.depth == 0;
    if (of_module) fe_.used_module_registers.push_back(name);
    for (uint32_t i = 0; i < binding.vector; ++i)
      kernel_.registers.push_back(
          {binding.vector == 1 ? text : component_name(text, i), binding.type, of_module ? 4 * name + i + 1 : 0});
  }
  return binding.index;
}

uint32_t OperandChecker::guard(NameId name, SourceSpan where) {
  Binding& binding = fe_.names.find(name);
  if (binding.kind == Binding::Kind::None) {
    undeclared(name, where);
    return kNoIndex;
  }
  if (!is_register(binding) || binding.type != Type::Pred) {
    fe_.tokens.error(where, fmt::format("\"{}\" is not a predicate", fe_.names.text(name)),
                     "a guard is a .pred register: @%p1 or @!%p1");
    return kNoIndex;
  }
  return first_register(binding, name);
}

bool OperandChecker::named(const OperandRule& rule, Type type, const RawOperand& raw, Operand& out) {
  Binding& binding = fe_.names.find(raw.name);
  switch (binding.kind) {
    case Binding::Kind::None: return undeclared(raw.name, raw.where);
    case Binding::Kind::Declared:
    case Binding::Kind::Register: return reg(rule, type, raw, binding, out);
    case Binding::Kind::Special: return special(rule, type, raw, binding, out);
    case Binding::Kind::ModuleSymbol:
    case Binding::Kind::KernelSymbol: return symbol_address(rule, type, raw, binding, out);
    case Binding::Kind::DeviceFunction:
    case Binding::Kind::Function: return function_address(rule, type, raw, binding, out);
    case Binding::Kind::Zero: return zero(rule, type, raw, binding, out);
    case Binding::Kind::WarpSize:
    case Binding::Kind::Prototype: break;
  }
  return fe_.tokens.error(raw.where, fmt::format("{} is not a value", spelled_of(raw)));
}

bool OperandChecker::reg(const OperandRule& rule, Type type, const RawOperand& raw, const Binding& binding,
                         Operand& out) {
  if (raw.has_offset)
    return fe_.tokens.error(raw.where, "a register and a constant are only added in an address",
                            "write [register+constant], or use add");
  if (raw.component > (binding.vector == 1 ? 0 : binding.vector))
    return fe_.tokens.error(raw.where,
                            fmt::format("{} does not exist: \"{}\" has {}", spelled_of(raw), fe_.names.text(raw.name),
                                        binding.vector == 1 ? "no components" : "2 components"));
  if (binding.vector > 1 && raw.component == 0)
    return fe_.tokens.error(raw.where, fmt::format("\"{}\" is a vector", fe_.names.text(raw.name)),
                            fmt::format("write {}.x", fe_.names.text(raw.name)));
  bool any_of_width = rule.type_of == OperandRule::TypeOf::Bits;
  if (rule.type_of == OperandRule::TypeOf::Address && binding.type != Type::Pred && bits(binding.type) == 32)
    type = out.type = Type::U32;
  if (!agrees(binding.type, type, any_of_width, wider_registers_))
    return fe_.tokens.error(raw.where, fmt::format("{} is .{}, \"{}\" needs .{} here", spelled_of(raw),
                                                   name(binding.type), spelled_, name(type)));
  if ((raw.selector != 0 || raw.minus) && !selector(rule, raw, out)) return false;
  Binding& own = fe_.names.find(raw.name);
  out.kind = Operand::Kind::Register;
  out.negated = raw.negated || raw.minus;
  out.index = first_register(own, raw.name) + (raw.component == 0 ? 0u : raw.component - 1u);
  return true;
}

bool OperandChecker::special(const OperandRule& rule, Type type, const RawOperand& raw, const Binding& binding,
                             Operand& out) {
  std::string_view text = fe_.names.text(raw.name);
  if (rule.destination) return fe_.tokens.error(raw.where, fmt::format("\"{}\" cannot be written", text));
  if (rule.selector != OperandRule::Selector::None || rule.only_register || raw.minus)
    return fe_.tokens.error(raw.where, fmt::format("\"{}\" reads no special register", spelled_),
                            "mov it to a register first");
  if (raw.has_offset || raw.negated)
    return fe_.tokens.error(raw.where, fmt::format("{} is not a value", spelled_of(raw)));
  if (raw.component > (binding.vector == 1 ? 0 : binding.vector))
    return fe_.tokens.error(raw.where, fmt::format("\"{}\" has no components", text));
  if (binding.vector > 1 && raw.component == 0)
    return fe_.tokens.error(raw.where, fmt::format("\"{}\" is a vector", text), fmt::format("write {}.x", text));
  auto which = static_cast<Special>(binding.index);
  const bool of_cluster = which >= Special::ClusterIdX && which <= Special::ExplicitCluster;
  if (of_cluster && (fe_.module.target < 90 || fe_.module.version < 78))
    return fe_.tokens.unsupported(raw.where, fmt::format("\"{}\" needs .version 7.8 and .target sm_90", text));
  if (binding.type == Type::Pred)
    return fe_.tokens.error(raw.where, fmt::format("\"{}\" cannot read \"{}\"", spelled_, text),
                            "mov.pred copies it to a predicate register; it may also be a guard");
  uint32_t width = bits(type);
  // %tid and its like were 16 bits wide in PTX 1.x and may still be read so; %gridid became 64 bits wide in PTX 3.0.
  bool fits =
      width == bits(binding.type) || (binding.vector > 1 && width == 16) || (which == Special::GridId && width == 64);
  if (!fits || !is_integer(type))
    return fe_.tokens.error(raw.where, fmt::format("{} is .{}, \"{}\" needs .{} here", spelled_of(raw),
                                                   name(binding.type), spelled_, name(type)));
  if (raw.component == 4) {
    out.kind = Operand::Kind::Immediate;
    out.bits = 0;
    return true;
  }
  if (which == Special::EnvReg1 || which == Special::EnvReg2) kernel_.reads_grid_barrier = true;
  out.kind = Operand::Kind::Special;
  out.index = binding.index + (raw.component == 0 ? 0u : raw.component - 1u);
  return true;
}

bool OperandChecker::zero(const OperandRule& rule, Type type, const RawOperand& raw, const Binding& binding,
                          Operand& out) {
  if (rule.destination) return fe_.tokens.error(raw.where, fmt::format("{} cannot be written", spelled_of(raw)));
  if (raw.has_offset || raw.negated || raw.component != 0)
    return fe_.tokens.error(raw.where, fmt::format("{} is not a value", spelled_of(raw)));
  if (bits(type) != bits(binding.type) || !is_integer(type))
    return fe_.tokens.error(raw.where, fmt::format("{} is .{}, \"{}\" needs .{} here", spelled_of(raw),
                                                   name(binding.type), spelled_, name(type)));
  out.kind = Operand::Kind::Immediate;
  out.bits = 0;
  return true;
}

const Symbol& OperandChecker::symbol_of(Binding& binding, Operand& out) {
  out.index = binding.index;
  out.scope = Operand::Scope::Kernel;
  if (binding.kind == Binding::Kind::KernelSymbol) return kernel_.symbols[binding.index];
  const Symbol& symbol = fe_.module.symbols[binding.index];
  if (symbol.space != Space::Shared && symbol.space != Space::Local) {
    out.scope = Operand::Scope::Module;
    return symbol;
  }
  own_symbols_.resize(fe_.module.symbols.size(), 0);
  uint32_t& own = own_symbols_[binding.index];
  if (own == 0) {
    kernel_.symbols.push_back(symbol);
    kernel_.symbols.back().from_module = true;
    own = static_cast<uint32_t>(kernel_.symbols.size());
  }
  out.index = own - 1;
  return kernel_.symbols[own - 1];
}

bool OperandChecker::symbol_address(const OperandRule& rule, Type type, const RawOperand& raw, const Binding& binding,
                                    Operand& out) {
  std::string_view text = fe_.names.text(raw.name);
  if (rule.destination)
    return fe_.tokens.error(raw.where, fmt::format("\"{}\" is a variable, not a register", text),
                            "use st to write to memory");
  if (raw.component != 0 || raw.negated || raw.minus || rule.selector != OperandRule::Selector::None)
    return fe_.tokens.error(raw.where, fmt::format("{} is not a value", spelled_of(raw)));
  uint32_t width = type == Type::None ? 0 : bits(type);
  if ((width != 32 && width != 64) || !is_integer(type))
    return fe_.tokens.error(raw.where, fmt::format("the address of \"{}\" is not a .{}", text, name(type)));
  Binding copy = binding;
  const Symbol& symbol = symbol_of(copy, out);
  if (symbol.passed) {
    const std::vector<Parameter>& arguments = kernel_.arguments;
    bool is_argument = std::any_of(arguments.begin(), arguments.end(),
                                   [&](const Parameter& f) { return !f.is_register && f.index == out.index; });
    if (!is_argument)
      return fe_.tokens.error(raw.where, fmt::format("\"{}\" has no address", text),
                              "of .param variables, only parameters of the function itself have an address");
    kernel_.symbols[out.index].addressed = true;
  }
  if (width == 64) fe_.saw_64_bit_address = true;
  out.kind = Operand::Kind::SymbolAddress;
  out.bits = raw.has_offset ? raw.constant.bits * (raw.indexed ? bytes(symbol.type) : 1) : 0;
  return true;
}

bool OperandChecker::function_address(const OperandRule& rule, Type type, const RawOperand& raw, const Binding& binding,
                                      Operand& out) {
  if (rule.destination || raw.component != 0 || raw.negated || raw.has_offset)
    return fe_.tokens.error(raw.where, fmt::format("{} is a function, not a value", spelled_of(raw)));
  uint32_t width = type == Type::None ? 0 : bits(type);
  if ((width != 32 && width != 64) || !is_integer(type))
    return fe_.tokens.error(raw.where, fmt::format("the address of {} is not a .{}", spelled_of(raw), name(type)));
  if (width == 64) fe_.saw_64_bit_address = true;
  out.kind = Operand::Kind::FunctionAddress;
  out.index = fe_.addressed_function(binding, fe_.names.text(raw.name));
  return true;
}

bool OperandChecker::call_address(const RawOperand& raw, Operand& out) {
  spelled_ = "call";
  wider_registers_ = false;
  OperandRule rule;
  rule.type_of = OperandRule::TypeOf::Address;
  rule.role = "a";
  return scalar(rule, Type::U64, raw, out);
}

bool OperandChecker::passed(const PassedAs& as, bool destination, const RawOperand& raw, Operand& out) {
  spelled_ = as.function;
  wider_registers_ = false;
  out.type = as.type;
  if (raw.kind == RawOperand::Kind::Name && !raw.has_offset && raw.component == 0 && !raw.negated) {
    const Binding& binding = fe_.names.find(raw.name);
    if (binding.kind == Binding::Kind::KernelSymbol && kernel_.symbols[binding.index].space == Space::Param)
      return passed_variable(as, raw, binding, out);
  }
  if (as.variadic)
    return fe_.tokens.error(raw.where, fmt::format("\"{}\" needs a .param variable here", as.function),
                            "the last argument of this function is a list: .param .align 8 .b8 list[bytes]");
  if (as.size != bytes(as.type))
    return fe_.tokens.error(
        raw.where, fmt::format("\"{}\" needs a .param variable of {} here", as.function, plural(as.size, "byte")));
  if (as.type == Type::Pred && raw.kind == RawOperand::Kind::Constant)
    return fe_.tokens.error(raw.where, fmt::format("\"{}\" needs a predicate register here", as.function));
  OperandRule rule;
  rule.type_of = OperandRule::TypeOf::Fixed;
  rule.fixed = as.type;
  rule.destination = destination;
  rule.role = "d";
  return scalar(rule, as.type, raw, out);
}

bool OperandChecker::passed_variable(const PassedAs& as, const RawOperand& raw, const Binding& binding, Operand& out) {
  const Symbol& symbol = kernel_.symbols[binding.index];
  if (!symbol.passed)
    return fe_.tokens.error(raw.where,
                            fmt::format("\"{}\" is a parameter of a kernel and cannot be passed on", symbol.name),
                            "load it into a register, or into a .param variable of this call");
  if (symbol.variadic) return fe_.tokens.error(raw.where, fmt::format("\"{}\" has no size of its own", symbol.name));
  if (!as.variadic && symbol.size != as.size)
    return fe_.tokens.error(raw.where, fmt::format("{} has {}, \"{}\" needs {} here", spelled_of(raw),
                                                   plural(symbol.size, "byte"), spelled_, as.size));
  if (as.variadic && (symbol.type != as.type || symbol.alignment < as.alignment))
    return fe_.tokens.error(raw.where,
                            fmt::format("{} is .align {} .{}, \"{}\" needs .align {} .{} here", spelled_of(raw),
                                        symbol.alignment, name(symbol.type), spelled_, as.alignment, name(as.type)));
  if (as.size == bytes(as.type) && symbol.size == bytes(symbol.type) && !agrees(symbol.type, as.type, false, false))
    return fe_.tokens.error(raw.where, fmt::format("{} is .{}, \"{}\" needs .{} here", spelled_of(raw),
                                                   name(symbol.type), spelled_, name(as.type)));
  out.kind = Operand::Kind::Parameter;
  out.index = binding.index;
  return true;
}

bool OperandChecker::has_addressed_argument() const {
  return std::any_of(kernel_.symbols.begin(), kernel_.symbols.end(), [](const Symbol& s) { return s.addressed; });
}

bool OperandChecker::memory(Type type, Space space, const RawOperand& raw, Operand& out) {
  out.kind = Operand::Kind::Memory;
  out.type = type;
  out.bits = raw.has_offset ? raw.constant.bits : 0;
  if (!raw.has_name) return true;
  Binding& binding = fe_.names.find(raw.name);
  if (binding.kind == Binding::Kind::None) return undeclared(raw.name, raw.where);
  if (binding.kind == Binding::Kind::ModuleSymbol || binding.kind == Binding::Kind::KernelSymbol)
    return memory_symbol(type, space, raw, binding, out);
  if (!is_register(binding)) return fe_.tokens.error(raw.where, fmt::format("{} is not an address", spelled_of(raw)));
  if (!kernel_.is_entry && spelling_->space == Space::Param && !has_addressed_argument())
    return fe_.tokens.error(raw.where, fmt::format("{} is not a parameter of this function", spelled_of(raw)),
                            "before it, mov takes the address of a parameter");
  uint32_t width = bits(binding.type);
  bool component_fits =
      binding.vector == 1 ? raw.component == 0 : raw.component >= 1 && raw.component <= binding.vector;
  if (!component_fits || raw.indexed)
    return fe_.tokens.error(raw.where, fmt::format("{} is not an address", spelled_of(raw)));
  if ((width != 32 && width != 64) || !is_integer(binding.type))
    return fe_.tokens.error(raw.where, fmt::format("\"{}\" is .{}, an address needs a 32- or 64-bit integer register",
                                                   fe_.names.text(raw.name), name(binding.type)));
  if (width == 64) fe_.saw_64_bit_address = true;
  out.base = Operand::Base::Register;
  out.index = first_register(binding, raw.name) + (raw.component == 0 ? 0u : raw.component - 1u);
  return true;
}

bool OperandChecker::memory_symbol(Type type, Space space, const RawOperand& raw, const Binding& binding,
                                   Operand& out) {
  Binding copy = binding;
  const Symbol& symbol = symbol_of(copy, out);
  out.base = Operand::Base::Symbol;
  if (raw.indexed) out.bits *= bytes(symbol.type);
  if (raw.component != 0) return fe_.tokens.error(raw.where, fmt::format("{} is not an address", spelled_of(raw)));
  // Without a state space the address is generic: the variable's own space is the one that is accessed.
  bool has_generic_address =
      symbol.space == Space::Global ||
      (!spelling_->mods.has(Mod::Nc) && (symbol.space == Space::Shared || symbol.space == Space::Local));
  if (space == Space::None && has_generic_address) space = space_ = symbol.space;
  if (symbol.space != space && space == Space::Tex)
    return fe_.tokens.error(
        raw.where, fmt::format("\"{}\" is in .{}, \"{}\" reads a texture", symbol.name, name(symbol.space), spelled_),
        "declare it as .global .texref");
  Effect effect = effect_of(*spelling_->card->card, *spelling_->form);
  if (effect == Effect::Atomic && symbol.space == Space::Local)
    return fe_.tokens.error(raw.where, fmt::format("\"{}\" is in .local, where no atomic operation works", symbol.name),
                            "atomic operations are on .global and .shared memory");
  if (symbol.space != space) {
    std::string says = space == Space::None ? "takes a generic address" : fmt::format("accesses .{}", name(space));
    return fe_.tokens.error(
        raw.where, fmt::format("\"{}\" is in .{}, \"{}\" {}", symbol.name, name(symbol.space), spelled_, says));
  }
  if (space != Space::Param) return true;
  if (effect == Effect::Store && !symbol.passed)
    return fe_.tokens.error(raw.where,
                            fmt::format("\"{}\" is a parameter of a kernel and cannot be written", symbol.name));
  return within_parameter(type, raw, symbol, effect, out);
}

/// What stands beyond a parameter of a kernel is what follows it in the parameter space; beyond one of a function, what
/// its other values happen to leave there.
bool OperandChecker::within_parameter(Type type, const RawOperand& raw, const Symbol& symbol, Effect effect,
                                      const Operand& out) {
  uint64_t size = type == Type::None ? 0 : uint64_t{bytes(type)} * spelling_->vector;
  bool reads = effect != Effect::Store;
  bool beyond = !symbol.variadic && (out.bits > symbol.size || out.bits + size > symbol.size);
  if (symbol.passed && size > kMaxAccessBytes)
    return fe_.tokens.error(raw.where, fmt::format("\"{}\" accesses more than {} bytes", spelled_, kMaxAccessBytes));
  if (out.bits >= kParameterSpaceBytes || (beyond && !reads))
    return fe_.tokens.error(raw.where,
                            fmt::format("\"{}\" {} beyond \"{}\", which has {}", spelled_, reads ? "reads" : "writes",
                                        symbol.name, plural(symbol.size, "byte")));
  if (beyond)
    fe_.tokens.warning(
        raw.where,
        fmt::format("\"{}\" reads beyond \"{}\", which has {}", spelled_, symbol.name, plural(symbol.size, "byte")),
        symbol.passed ? ""
                      : "it reads the bytes that follow in the parameter space, and zeros after the last parameter");
  if (symbol.passed && beyond)
    kernel_.passed_rows =
        std::max(kernel_.passed_rows, static_cast<uint32_t>(symbol.offset + (out.bits + size + 3) / 4));
  return true;
}

}  // namespace warptime::ptx
