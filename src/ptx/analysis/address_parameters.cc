// A register is an address if each of its uses is the base of a memory access, or the base term of a sum or a copy that
// is itself an address. Which term of a sum is the base: the one that comes from a parameter; if both do, neither
// counts. The .param variables and registers that calls pass are followed as registers are, all calls of a function
// together.
#include "ptx/analysis/address_parameters.h"

#include <algorithm>
#include <optional>
#include <span>

#include "ptx/analysis/call_graph.h"
#include "ptx/analysis/register_uses.h"
#include "ptx/isa/cards.h"

namespace warptime::ptx {

namespace {

class AddressFlow {
 public:
  AddressFlow(const Module& module, Kernel& kernel)
      : module_(module),
        kernel_(kernel),
        width_(module.address_bytes),
        rooted_(kernel.registers.size() + kernel.symbols.size(), false),
        address_(kernel.registers.size() + kernel.symbols.size(), true),
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
  /// From one register or passed variable to another. A variable's number follows those of the registers.
  struct Flow {
    uint32_t from, to;
  };

  uint32_t variable(uint32_t symbol) const { return static_cast<uint32_t>(kernel_.registers.size()) + symbol; }

  static bool copies(const Instruction& instruction) { return is<Mov, Cvta>(instruction); }

  /// The operands of a sum that may be its base: {first, last} indices, or {1, 0} for none.
  static std::pair<size_t, size_t> base_terms(const Instruction& instruction) {
    if (copies(instruction) || is<Sub>(instruction)) return {1, 1};
    if (is<Add>(instruction)) return {1, 2};
    bool low = instruction.mods.has(Mod::Lo) || instruction.mods.has(Mod::Wide);
    if (is<Mad, Mad24>(instruction) && low) return {3, 3};
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

  static bool calls(const Instruction& instruction) {
    return effect_of(*instruction.card->card, *instruction.form) == Effect::Call;
  }

  /// The functions of this code that a call may go to.
  std::vector<const LinkedFunction*> callees(const Instruction& call) const {
    std::span<const Operand> operands = kernel_.operands_of(call);
    std::vector<uint32_t> functions{operands[1].index};
    if (is_indirect_call(operands)) functions = call_targets(module_, operands[1].index);
    std::vector<const LinkedFunction*> out;
    for (const LinkedFunction& linked : kernel_.functions)
      if (std::find(functions.begin(), functions.end(), linked.function) != functions.end()) out.push_back(&linked);
    return out;
  }

  void find_call_flows(const Instruction& call) {
    std::vector<const LinkedFunction*> all = callees(call);
    auto operands = kernel_.operands_of(call);  // results, function, arguments
    auto elements = [&](const Operand& list) { return std::span(kernel_.operands).subspan(list.index, list.count); };
    auto node = [&](const Operand& operand) {
      if (operand.kind == Operand::Kind::Parameter) return variable(operand.index);
      return operand.kind == Operand::Kind::Register ? operand.index : kNoIndex;
    };
    auto parameter = [&](const Parameter& f) { return f.is_register ? f.index : variable(f.index); };
    auto arguments = elements(operands[2]), results = elements(operands[0]);
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (node(arguments[i]) == kNoIndex) continue;
      if (all.empty()) address_[node(arguments[i])] = false;
      for (const LinkedFunction* to : all) flows_.push_back({node(arguments[i]), parameter(to->arguments[i])});
    }
    for (const LinkedFunction* from : all)
      for (size_t i = 0; i < results.size(); ++i)
        if (node(results[i]) != kNoIndex) flows_.push_back({parameter(from->results[i]), node(results[i])});
  }

  /// The flow of a ld.param or st.param of a whole passed variable that may hold an address.
  std::optional<Flow> passing(const Instruction& instruction) const {
    auto operands = kernel_.operands_of(instruction);
    if (operands.size() != 2) return std::nullopt;
    bool load = operands[1].kind == Operand::Kind::Memory;
    const Operand &place = operands[load ? 1 : 0], &data = operands[load ? 0 : 1];
    if (!is_passed(place) || place.bits != 0 || kernel_.symbols[place.index].size != width_ ||
        bytes(instruction.type) != width_ || instruction.vector != 1 || data.kind != Operand::Kind::Register ||
        !is_address_width(data.index))
      return std::nullopt;
    if (load) return Flow{variable(place.index), data.index};
    return Flow{data.index, variable(place.index)};
  }

  bool is_passed(const Operand& operand) const {
    return operand.kind == Operand::Kind::Memory && operand.base == Operand::Base::Symbol &&
           operand.scope == Operand::Scope::Kernel && kernel_.symbols[operand.index].passed;
  }

  /// Registers whose value comes from a parameter through copies and sums.
  void find_roots() {
    for (const Instruction& instruction : kernel_.instructions) {
      if (calls(instruction)) {
        find_call_flows(instruction);
        continue;
      }
      if (auto flow = passing(instruction)) flows_.push_back(*flow);
      auto operands = kernel_.operands_of(instruction);
      auto [first, last] = base_terms(instruction);
      for (size_t i = first; i <= last; ++i)
        if (i < operands.size() && operands[i].kind == Operand::Kind::Register &&
            operands[0].kind == Operand::Kind::Register)
          flows_.push_back({operands[i].index, operands[0].index});
    }
    std::vector<std::vector<uint32_t>> to(address_.size());
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
    bool passes = calls(instruction) || passing(instruction);
    bool two_bases = last > first && operands.size() > last && rooted(operands[first]) && rooted(operands[last]);
    for (size_t i = 0; i < operands.size(); ++i) {
      const Operand& operand = operands[i];
      bool base = i >= first && i <= last && !two_bases && operands[0].kind == Operand::Kind::Register &&
                  is_address_width(operands[0].index);
      for_each_register(kernel_, operand, [&](uint32_t reg, bool written) {
        if (written) return;
        used_[reg] = true;
        if (operand.kind != Operand::Kind::Memory && !base && !passes) address_[reg] = false;
      });
      if (is_passed(operand) && !passes) address_[variable(operand.index)] = false;
    }
  }

  /// A base whose sum is not an address is none either.
  void spread() {
    std::vector<std::vector<uint32_t>> from(address_.size());
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

  const Module& module_;
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
