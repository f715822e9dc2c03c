// alloca, stacksave, stackrestore (PTX ISA 9.0, 9.7.17): local memory that a function claims while it runs, and gives
// back when it returns. All of it is a variable of the module with room for kRoom bytes in each thread, and a register
// of the module that counts what is claimed; a function keeps the count with which it was called.
//
// Left out: an error when more is claimed than there is room for. What lies beyond is other local memory, or a fault.
#include "ptx/isa/cards.h"
#include "ptx/syntax/instruction_parser.h"

namespace warptime::ptx {

namespace {

constexpr uint64_t kRoom = 4096;
constexpr uint64_t kLeastAlignment = 16;
constexpr std::string_view kAtEntry = "%claimed_at_entry", kPlace = "%claimed_place", kBytes = "%claimed_now",
                           kVariable = "%claimed_local_memory";

RawOperand constant(uint64_t bits, SourceSpan where) {
  RawOperand out;
  out.kind = RawOperand::Kind::Constant;
  out.constant = {Constant::Kind::Unsigned, bits};
  out.where = where;
  return out;
}

}  // namespace

NameId InstructionParser::made_name(std::string_view text) {
  auto [made, is_new] = fe_.made_names.try_emplace(std::string(text));
  if (is_new) made->second = fe_.names.intern(made->first);
  return made->second;
}

RawOperand InstructionParser::stack_register(std::string_view text, uint8_t depth, SourceSpan where) {
  RawOperand out;
  out.has_name = true;
  out.name = made_name(text);
  out.where = where;
  if (fe_.names.find(out.name).kind == Binding::Kind::None)
    fe_.names.declare_outside(out.name, {Binding::Kind::Declared, 0, 1, Type::U64, 0, where.begin}, depth);
  return out;
}

RawOperand InstructionParser::stack_variable(SourceSpan where) {
  RawOperand out;
  out.has_name = true;
  out.name = made_name(kVariable);
  out.where = where;
  if (fe_.names.find(out.name).kind != Binding::Kind::None) return out;
  Symbol symbol;
  symbol.name = kVariable;
  symbol.space = Space::Local;
  symbol.type = Type::B8;
  symbol.alignment = 128;
  symbol.size = kRoom;
  symbol.where = where;
  auto index = static_cast<uint32_t>(fe_.module.symbols.size());
  fe_.module.symbols.push_back(std::move(symbol));
  fe_.names.declare_outside(out.name, {Binding::Kind::ModuleSymbol, 0, 1, Type::B8, index, where.begin}, 0);
  return out;
}

bool InstructionParser::claim(const Spelling& spelling, const Written& as) {
  const RawOperand claimed = stack_register(kClaimedLocalBytes, 0, as.where);
  auto run = [&](std::string_view mnemonic, std::initializer_list<std::string_view> words,
                 std::initializer_list<RawOperand> operands) {
    RawOperands raw;
    for (const RawOperand& operand : operands) raw.list[raw.count++] = operand;
    return emit(mnemonic, std::vector<std::string_view>(words), raw, as);
  };
  auto copy = [&](const RawOperand& to, Type to_type, const RawOperand& from, Type from_type) {
    if (to_type == from_type) return run("mov", {".u64"}, {to, from});
    return run("cvt", {to_type == Type::U32 ? ".u32" : ".u64", from_type == Type::U32 ? ".u32" : ".u64"}, {to, from});
  };
  const RawOperands given = raw_;
  if (is<Stacksave>(spelling)) return copy(given.list[0], spelling.type, claimed, Type::U64);
  if (is<Stackrestore>(spelling)) return copy(claimed, Type::U64, given.list[0], spelling.type);

  uint64_t alignment = kLeastAlignment;
  if (given.count == 3) {
    const RawOperand& written = given.list[2];
    uint64_t bits = written.constant.bits;
    bool is_power = written.kind == RawOperand::Kind::Constant && bits != 0 && (bits & (bits - 1)) == 0;
    if (!is_power) return fe_.tokens.error(written.where, "an alignment is a power of two");
    alignment = std::max(alignment, bits);
  }
  const RawOperand place = stack_register(kPlace, 1, as.where), size = stack_register(kBytes, 1, as.where);
  auto rounded = [&](uint64_t unit) {
    return run("add", {".u64"}, {claimed, claimed, constant(unit - 1, as.where)}) &&
           run("and", {".b64"}, {claimed, claimed, constant(~(unit - 1), as.where)});
  };
  const RawOperand& bytes = given.list[1];
  const bool is_number = bytes.kind == RawOperand::Kind::Constant;
  return (is_number || copy(size, Type::U64, bytes, spelling.type)) &&
         (alignment == kLeastAlignment || rounded(alignment)) &&
         run("mov", {".u64"}, {place, stack_variable(as.where)}) && run("add", {".u64"}, {place, place, claimed}) &&
         run("add", {".u64"}, {claimed, claimed, is_number ? bytes : size}) && rounded(kLeastAlignment) &&
         copy(given.list[0], spelling.type, place, Type::U64);
}

/// What a function has claimed it gives back when it returns.
bool InstructionParser::keep_stack(const Spelling& spelling, const Written& as) {
  const bool returns = is<Ret>(spelling), begins = kernel_.instructions.empty();
  if (!returns && !begins) return true;
  const RawOperand claimed = stack_register(kClaimedLocalBytes, 0, as.where),
                   kept = stack_register(kAtEntry, 1, as.where);
  constexpr std::string_view kWords[] = {".u64"};
  RawOperands raw;
  raw.count = 2;
  Written always = as;
  always.guard = {};
  raw.list[0] = kept;
  raw.list[1] = claimed;
  if (begins && !emit("mov", kWords, raw, always)) return false;
  std::swap(raw.list[0], raw.list[1]);
  return !returns || emit("mov", kWords, raw, as);
}

}  // namespace warptime::ptx
