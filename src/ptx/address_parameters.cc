// A register is an address if each of its uses is the base of a memory access, or the base term of a sum or a copy that
// is itself an address. Which term of a sum is the base: the one that comes from a parameter; if both do, neither
// counts.
#include "ptx/address_parameters.h"

#include "ptx/register_uses.h"

namespace warptime::ptx {

namespace {

class AddressFlow {
 public:
  AddressFlow(const Module& module, Kernel& kernel)
      : kernel_(kernel),
        width_(module.address_bytes),
        rooted_(kernel.registers.size(), false),
        address_(kernel.registers.size(), true),
        used_(kernel.registers.size(), false),
        parameter_of_(kernel.symbols.size(), kNoIndex) {
    for (uint32_t p = 0; p < kernel.parameters.size(); ++p) parameter_of_[kernel.parameters[p]] = p;
  }

  void run() {
    find_loads();
    find_roots();
    for (const Instruction& instruction : kernel_.instructions) judge(instruction);
    spread();
    for (uint32_t p = 0; p < kernel_.parameters.size(); ++p) {
      if (!loads_[p].empty() && ok_[p]) {
        bool all = true;
        for (uint32_t reg : loads_[p]) all = all && address_[reg] && used_[reg];
        if (all) kernel_.parameter_is_address[p] = true;
      }
    }
  }

 private:
  struct Flow {
    uint32_t from, to;
  };

  static bool copies(const Instruction& instruction) {
    std::string_view name = instruction.card->card->name;
    return name == "mov" || name == "cvta";
  }

  /// The operands of a sum that may be its base: {first, last} indices, or {1, 0} for none.
  static std::pair<size_t, size_t> base_terms(const Instruction& instruction) {
    std::string_view name = instruction.card->card->name;
    if (copies(instruction) || name == "sub") return {1, 1};
    if (name == "add") return {1, 2};
    bool low = instruction.mods.has(Mod::Lo) || instruction.mods.has(Mod::Wide);
    if ((name == "mad" || name == "mad24") && low) return {3, 3};
    return {1, 0};
  }

  bool is_address_width(uint32_t reg) const {
    Type type = kernel_.registers[reg].type;
    TypeKind kind = info(type).kind;
    return bytes(type) == width_ && kind != TypeKind::Float && kind != TypeKind::Predicate;
  }

  void find_loads() {
    loads_.resize(kernel_.parameters.size());
    ok_.assign(kernel_.parameters.size(), true);
    for (const Instruction& instruction : kernel_.instructions) {
      auto operands = kernel_.operands_of(instruction);
      for (const Operand& operand : operands) {
        bool symbol = operand.kind == Operand::Kind::SymbolAddress ||
                      (operand.kind == Operand::Kind::Memory && operand.base == Operand::Base::Symbol);
        if (!symbol || operand.scope != Operand::Scope::Kernel) continue;
        uint32_t p = parameter_of_[operand.index];
        if (p == kNoIndex) continue;
        const Symbol& parameter = kernel_.symbols[operand.index];
        const Operand& to = operands[0];
        bool whole = operand.kind == Operand::Kind::Memory && operand.bits == 0 && parameter.size == width_ &&
                     bytes(instruction.type) == width_ && instruction.vector == 1 &&
                     to.kind == Operand::Kind::Register && is_address_width(to.index);
        if (whole) loads_[p].push_back(to.index);
        else ok_[p] = false;
      }
    }
  }

  /// Registers whose value comes from a parameter through copies and sums.
  void find_roots() {
    for (const Instruction& instruction : kernel_.instructions) {
      auto operands = kernel_.operands_of(instruction);
      auto [first, last] = base_terms(instruction);
      for (size_t i = first; i <= last; ++i)
        if (i < operands.size() && operands[i].kind == Operand::Kind::Register &&
            operands[0].kind == Operand::Kind::Register)
          flows_.push_back({operands[i].index, operands[0].index});
    }
    std::vector<std::vector<uint32_t>> to(kernel_.registers.size());
    for (const Flow& flow : flows_) to[flow.from].push_back(flow.to);
    std::vector<uint32_t> work;
    for (const auto& registers : loads_) work.insert(work.end(), registers.begin(), registers.end());
    for (uint32_t reg : work) rooted_[reg] = true;
    while (!work.empty()) {
      uint32_t reg = work.back();
      work.pop_back();
      for (uint32_t next : to[reg]) {
        if (rooted_[next]) continue;
        rooted_[next] = true;
        work.push_back(next);
      }
    }
  }

  bool rooted(const Operand& operand) const {
    return operand.kind == Operand::Kind::Register && rooted_[operand.index];
  }

  /// Marks what an instruction's reads say about the registers.
  void judge(const Instruction& instruction) {
    auto operands = kernel_.operands_of(instruction);
    auto [first, last] = base_terms(instruction);
    bool two_bases = last > first && operands.size() > last && rooted(operands[first]) && rooted(operands[last]);
    for (size_t i = 0; i < operands.size(); ++i) {
      const Operand& operand = operands[i];
      bool base = i >= first && i <= last && !two_bases && operands[0].kind == Operand::Kind::Register &&
                  is_address_width(operands[0].index);
      for_each_register(kernel_, operand, [&](uint32_t reg, bool written) {
        if (written) return;
        used_[reg] = true;
        if (operand.kind != Operand::Kind::Memory && !base) address_[reg] = false;
      });
    }
  }

  /// A base whose sum is no address is none either.
  void spread() {
    std::vector<std::vector<uint32_t>> from(kernel_.registers.size());
    for (const Flow& flow : flows_) from[flow.to].push_back(flow.from);
    std::vector<uint32_t> work;
    for (uint32_t reg = 0; reg < address_.size(); ++reg)
      if (!address_[reg]) work.push_back(reg);
    while (!work.empty()) {
      uint32_t reg = work.back();
      work.pop_back();
      for (uint32_t source : from[reg]) {
        if (!address_[source]) continue;
        address_[source] = false;
        work.push_back(source);
      }
    }
  }

  Kernel& kernel_;
  uint32_t width_;
  std::vector<bool> rooted_, address_, used_;
  std::vector<uint32_t> parameter_of_;  // by kernel symbol
  std::vector<std::vector<uint32_t>> loads_;
  std::vector<bool> ok_;
  std::vector<Flow> flows_;
};

}  // namespace

void find_address_parameters(const Module& module, Kernel& kernel) { AddressFlow(module, kernel).run(); }

}  // namespace warptime::ptx
