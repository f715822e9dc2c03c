#include "ptx/native/fold_operands.h"

#include "ptx/analysis/register_uses.h"
#include "ptx/native/recipe_table.h"

namespace warptime::ptx {

namespace {

class Folder {
 public:
  Folder(const Kernel& kernel, const RegisterFacts& facts, const std::vector<bool>& narrow, const Origins& origins)
      : kernel_(kernel),
        facts_(facts),
        narrow_(narrow),
        origins_(origins),
        written_(kernel.registers.size(), kNoIndex) {
    out_.reads.resize(kernel.instructions.size());
    out_.in_registers.resize(kernel.instructions.size(), 0);
    uint32_t changes = 0;
    for (const Instruction& instruction : kernel.instructions) {
      changes_before_.push_back(changes);
      changes += may_change_shared(instruction) ? 1 : 0;
    }
  }

  Folding run() {
    for (uint32_t i = 0; i < kernel_.instructions.size(); ++i) {
      choose(i);
      for_each_register(kernel_, kernel_.instructions[i], [&](uint32_t reg, bool written) {
        if (written) written_[reg] = i;
      });
    }
    for (uint32_t i = 0; i < kernel_.instructions.size(); ++i) count_in_registers(i);
    return std::move(out_);
  }

 private:
  /// A store, a barrier, a call: another value may be there afterwards.
  static bool may_change_shared(const Instruction& instruction) {
    switch (info(effect_of(instruction)).changes) {
      case Changes::Nothing: return false;
      case Changes::OwnSpace:
        return instruction.space == Space::Shared || instruction.space == Space::None ||
               instruction.space == Space::Generic;
      case Changes::SeenOfOthers: return true;
    }
    return false;
  }

  enum class Source { Register, Shared, Parameter, Constant };

  /// Where instruction `i`, which comes after everything looked at so far, might read a register's value from.
  Source source_of(uint32_t reg, uint32_t i) const {
    const Origin& origin = origins_[reg];
    if (origin.kind == Origin::Kind::Parameter) return Source::Parameter;
    if (origin.kind == Origin::Kind::Constant) return Source::Constant;
    uint32_t load = facts_.definition(reg);
    if (load >= i || facts_.block(load) != facts_.block(i)) return Source::Register;
    const Instruction& instruction = kernel_.instructions[load];
    if (effect_of(instruction) != Effect::Load || !accesses_on_chip(instruction)) return Source::Register;
    if (!loads_words(instruction, narrow_[reg])) return Source::Register;
    const Operand& place = kernel_.operands_of(instruction)[1];
    bool moved =
        place.base == Operand::Base::Register && written_[place.index] != kNoIndex && written_[place.index] >= load;
    if (moved) return Source::Register;
    if (instruction.space == Space::Const) return Source::Constant;
    bool plain = facts_.uses(reg).size() == 1;
    return plain && changes_before_[i] == changes_before_[load] ? Source::Shared : Source::Register;
  }

  void choose(uint32_t i) {
    const Instruction& instruction = kernel_.instructions[i];
    if (effect_of(instruction) != Effect::None) return;
    auto operands = kernel_.operands_of(instruction);
    uint32_t result = result_of(kernel_, instruction);
    bool is_narrow = result != kNoIndex && narrow_[result];
    Recipe recipe = find_recipe(instruction, is_narrow ? narrowed(instruction.type) : instruction.type);
    if (recipe.shared.empty() && recipe.constant.empty()) return;
    Folding::Operands& reads = out_.reads[i];
    auto fill = [&](MemoryOperand& operand, std::string_view letters, Source wanted) {
      char letter = 'a';
      for (uint8_t o = 0; o < operands.size() && operand.position == MemoryOperand::kNone; ++o) {
        if (operands[o].destination || operands[o].kind == Operand::Kind::None) continue;
        bool allowed = letters.find(letter++) != std::string_view::npos;
        if (!allowed || operands[o].kind != Operand::Kind::Register || out_.is_read({i, o})) continue;
        if (source_of(operands[o].index, i) != wanted) continue;
        operand.position = o;
        operand.fixed = origins_[operands[o].index].kind != Origin::Kind::Register;
      }
    };
    fill(reads.shared, recipe.shared, Source::Shared);
    fill(reads.shared, recipe.shared, Source::Parameter);
    fill(reads.constant, recipe.constant, Source::Constant);
  }

  /// Counts the words of an on-chip load or a parameter that need a register: they are not an operand of every reader.
  void count_in_registers(uint32_t i) {
    const Instruction& instruction = kernel_.instructions[i];
    if (effect_of(instruction) != Effect::Load) return;
    for_each_register(kernel_, kernel_.operands_of(instruction)[0], [&](uint32_t reg, bool) {
      uint32_t words = narrow_[reg] ? 1 : std::max(1u, bits(instruction.type) / 32);
      bool all = facts_.definition(reg) == i && !facts_.uses(reg).empty();
      for (const Use& use : facts_.uses(reg)) all = all && served(use);
      if (!all) out_.in_registers[i] += words;
    });
  }

  /// A use that needs no register: an operand, or a copy all of whose uses are such.
  bool served(Use use) const {
    if (out_.is_read(use)) return true;
    const Instruction& copy = kernel_.instructions[use.instruction];
    if (!origins_.is_copy(copy)) return false;
    uint32_t reg = result_of(kernel_, copy);
    if (facts_.definition(reg) != use.instruction) return false;
    for (const Use& next : facts_.uses(reg))
      if (!out_.is_read(next)) return false;  // copies of copies are rare
    return true;
  }

  const Kernel& kernel_;
  const RegisterFacts& facts_;
  const std::vector<bool>& narrow_;
  const Origins& origins_;
  std::vector<uint32_t> written_;         // by register: the last write so far
  std::vector<uint32_t> changes_before_;  // by instruction: those that may change shared memory
  Folding out_;
};

}  // namespace

Folding fold_operands(const Kernel& kernel, const RegisterFacts& facts, const std::vector<bool>& narrow,
                      const Origins& origins) {
  return Folder(kernel, facts, narrow, origins).run();
}

}  // namespace warptime::ptx
