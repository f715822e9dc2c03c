#include "ptx/analysis/addressed_parameters.h"

#include <fmt/format.h>

#include <algorithm>

#include "ptx/isa/cards.h"

namespace warptime::ptx {

namespace {

class ParameterCopies {
 public:
  explicit ParameterCopies(Kernel& function) : function_(function) {}

  void run() {
    copy_of_.assign(function_.symbols.size(), kNoIndex);
    for (uint32_t s = 0; s < copy_of_.size(); ++s)
      if (function_.symbols[s].addressed) copy_of_[s] = add_copy(s);
    for (Instruction& instruction : function_.instructions) redirect(instruction);
    for (uint32_t s = 0; s < copy_of_.size(); ++s)
      if (copy_of_[s] != kNoIndex) fill(s);
    auto moved = static_cast<uint32_t>(filling_.size());
    for (Operand& operand : function_.operands)
      if (operand.kind == Operand::Kind::Label) operand.index += moved;
    function_.instructions.insert(function_.instructions.begin(), filling_.begin(), filling_.end());
    function_.own_instructions += moved;
    function_.own_symbols = static_cast<uint32_t>(function_.symbols.size());
  }

 private:
  uint32_t add_copy(uint32_t parameter) {
    Symbol copy = function_.symbols[parameter];
    copy.name = "$copy_of_" + copy.name;
    auto is_taken = [this](const std::string& name) {
      auto same = [&name](const auto& named) { return named.name == name; };
      return std::any_of(function_.symbols.begin(), function_.symbols.end(), same) ||
             std::any_of(function_.registers.begin(), function_.registers.end(), same);
    };
    while (is_taken(copy.name)) copy.name += "_";
    copy.space = Space::Local;
    copy.passed = copy.addressed = copy.variadic = false;
    function_.symbols.push_back(std::move(copy));
    return static_cast<uint32_t>(function_.symbols.size() - 1);
  }

  uint32_t copy_of(const Operand& operand) const {
    bool named = operand.kind == Operand::Kind::SymbolAddress ||
                 (operand.kind == Operand::Kind::Memory && operand.base == Operand::Base::Symbol);
    return named && operand.scope == Operand::Scope::Kernel ? copy_of_[operand.index] : kNoIndex;
  }

  /// From the parameter to its copy: addresses, accesses by name, and those through registers, which can only be of a
  /// copy.
  void redirect(Instruction& instruction) {
    bool in_param = instruction.space == Space::Param;
    bool redirected = in_param && is<Cvta>(instruction);
    for (uint32_t i = 0; i < instruction.operand_count; ++i) {
      Operand& operand = function_.operands[instruction.first_operand + i];
      if (uint32_t copy = copy_of(operand); copy != kNoIndex) {
        operand.index = copy;
        redirected = redirected || in_param;
      }
      bool pointer = operand.kind == Operand::Kind::Memory && operand.base == Operand::Base::Register;
      redirected = redirected || (in_param && pointer);
    }
    if (!redirected) return;
    ModSet params = mods(Mod::Param, Mod::ParamEntry, Mod::ParamFunc);
    instruction.mods = instruction.mods.without(params) | mods(Mod::Local);
    instruction.space = Space::Local;
    if (is<Cvta>(instruction)) instruction.form = instruction.card->forms.data();
  }

  /// ld.param and st.local of every part, as wide as the alignment allows.
  void fill(uint32_t parameter) {
    const Symbol& symbol = function_.symbols[parameter];
    uint64_t size = symbol.size;
    for (uint64_t at = 0; at < size;) {
      uint64_t width = std::min<uint64_t>(symbol.alignment, 8);
      while (width > size - at) width /= 2;
      Type type = width == 8 ? Type::B64 : width == 4 ? Type::B32 : width == 2 ? Type::B16 : Type::B8;
      move(parameter, at, type);
      at += width;
    }
  }

  void move(uint32_t parameter, uint64_t at, Type type) {
    Operand value;
    value.kind = Operand::Kind::Register;
    value.type = type;
    value.index = static_cast<uint32_t>(function_.registers.size());
    function_.registers.push_back({fmt::format("$part_{}", value.index), type == Type::B8 ? Type::B16 : type});
    Operand place;
    place.kind = Operand::Kind::Memory;
    place.base = Operand::Base::Symbol;
    place.scope = Operand::Scope::Kernel;
    place.type = type;
    place.bits = at;
    place.index = parameter;
    Operand result = value;
    result.destination = true;
    add(kCardId<Ld>, Space::Param, Mod::Param, type, result, place);
    place.index = copy_of_[parameter];
    add(kCardId<St>, Space::Local, Mod::Local, type, place, value);
  }

  void add(CardId card, Space space, Mod mod, Type type, const Operand& first, const Operand& second) {
    Instruction out;
    out.card = &cards()[card];
    out.form = out.card->forms.data();
    out.mods = ModSet::of(mod);
    out.type = type;
    out.space = space;
    out.first_operand = static_cast<uint32_t>(function_.operands.size());
    out.operand_count = 2;
    out.where = function_.where;
    out.line = function_.where.source->place_of(function_.where.begin).line;
    function_.operands.insert(function_.operands.end(), {first, second});
    filling_.push_back(out);
  }

  Kernel& function_;
  std::vector<uint32_t> copy_of_;  // by symbol; kNoIndex: none
  std::vector<Instruction> filling_;
};

}  // namespace

void keep_addressed_parameters(Kernel& function) {
  bool any = std::any_of(function.symbols.begin(), function.symbols.end(), [](const Symbol& s) { return s.addressed; });
  if (any) ParameterCopies(function).run();
}

}  // namespace warptime::ptx
