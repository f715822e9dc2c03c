#include "host/native_view/native_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "ptx/analysis/liveness.h"
#include "ptx/analysis/register_uses.h"
#include "ptx/load_module.h"
#include "ptx/native/native_anchors.h"
#include "ptx/text/printer.h"
#include "sim/core/access_cost.h"
#include "sim/model/native_code.h"
#include "sim/model/occupancy.h"

namespace warptime::host {

using ptx::Effect, ptx::kNoIndex, ptx::Space;
using sim::NativeInsn;

namespace {

/// A copy of the kernel whose registers have the names of the physical ones that they are in: R4, R6:R7.
ptx::Kernel with_physical_names(ptx::Kernel kernel, const sim::AllocatedRegisters& allocated) {
  for (size_t reg = 0; reg < std::min(kernel.registers.size(), allocated.first.size()); ++reg) {
    const uint32_t first = allocated.first[reg];
    if (first == sim::AllocatedRegisters::kNone) continue;
    const uint32_t width = ptx::register_weight(kernel.registers[reg].type);
    kernel.registers[reg].name =
        width > 1 ? fmt::format("R{}:R{}", first, first + width - 1) : fmt::format("R{}", first);
  }
  return kernel;
}

void add_once(std::vector<std::string>& names, std::string name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
}

/// Fills the rows of one kernel.
class Rows {
 public:
  Rows(const sim::CompiledKernel& compiled, const sim::MachineConfig& machine)
      : compiled_(compiled),
        machine_(machine),
        named_(with_physical_names(*compiled.kernel, compiled.arrangement.registers)),
        cost_(machine, 1),
        anchors_(sim::issues_native(machine) ? ptx::find_native_anchors(named_) : std::vector<uint32_t>()) {
    cost_.require(compiled.rows);
  }

  std::vector<NativeRow> all() {
    std::vector<NativeRow> out;
    for (size_t i = 0; i < named_.instructions.size(); ++i) out.push_back(row(i));
    if (reaches_end()) out.push_back(end_row(out));
    for (size_t i = 0; i < out.size(); ++i)
      if (out[i].anchor != kNoIndex) out[out[i].anchor].parts.push_back(static_cast<uint32_t>(i));
    return out;
  }

 private:
  const sim::CodeEntry& entry(size_t i) const { return compiled_.insns[i]; }
  const ptx::Instruction& at(size_t i) const { return named_.instructions[i]; }

  bool reaches_end() const {
    if (!named_.functions.empty()) return false;
    if (named_.instructions.empty()) return true;
    const ptx::Instruction& last = named_.instructions.back();
    const ptx::Flow flow = info(ptx::effect_of(*last.card->card, *last.form)).flow;
    return flow == ptx::Flow::FallsThrough || last.guard != kNoIndex;
  }

  NativeRow end_row(const std::vector<NativeRow>& before) const {
    const NativeInsn& insn = compiled_.insns.back().native;
    NativeRow out;
    out.first = compiled_.native.numbers[compiled_.insns.size() - 1];
    out.count = compiled_.native_count(compiled_.insns.size() - 1);
    out.unit = ptx::info(insn.unit).key;
    out.text = "exit";
    out.ptx = "exit;";
    out.issue_cycles = insn.issue_cycles;
    out.pipe_cycles = insn.pipe_cycles;
    if (!before.empty()) {
      out.line = before.back().line;
      out.source = before.back().source;
    }
    if (out.count != 0) return out;
    out.why = text_of(ptx::NativeRule::ExitBit);
    if (!before.empty())
      out.anchor = before.back().count != 0 ? static_cast<uint32_t>(before.size() - 1) : before.back().anchor;
    return out;
  }

  NativeRow row(size_t i) const {
    const ptx::Module& module = *compiled_.module;
    const NativeInsn& insn = entry(i).native;
    NativeRow out;
    out.first = compiled_.native.numbers[i];
    out.count = compiled_.native_count(i);
    out.line = at(i).line;
    if (at(i).source_line != 0)
      out.source = short_place(UserLine{.file = module.files[at(i).source_file], .line = at(i).source_line});
    if (const ptx::LinkedFunction* function = named_.function_of(static_cast<uint32_t>(i)))
      out.function = module.functions[function->function].name;
    out.ptx = ptx::to_text(module, *compiled_.kernel, at(i));
    if (insn.effect == Effect::Branch) out.target = entry(i).branch().target;
    set_recipe(i, out);
    if (out.count == 0) return out;
    out.unit = ptx::info(insn.unit).key;
    set_cycles(i, out);
    set_slots(i, out);
    return out;
  }

  /// A unit that a G80 lacks has no native code there: its PTX counts.
  bool issues_ptx(const NativeInsn& insn) const {
    return !sim::issues_native(machine_) || !ptx::info(insn.unit).everywhere;
  }

  void set_recipe(size_t i, NativeRow& out) const {
    const ptx::Module& module = *compiled_.module;
    if (!named_.later.empty()) {
      const ptx::LaterInstruction& later = named_.later[i];
      out.why = text_of(later.rule);
      out.text = later.steps;
      if (out.count == 0) out.anchor = later.part_of;
      return;
    }
    if (issues_ptx(entry(i).native)) {
      out.text = ptx::to_text(module, named_, at(i));
      if (out.text.ends_with(';')) out.text.pop_back();
      return;
    }
    const ptx::NativeInstruction native = sim::native_instruction(machine_, named_, i);
    out.why = text_of(native.rule);
    if (out.count == 0) {
      out.anchor = anchors_[i];
      return;
    }
    out.text = ptx::native_text(module, named_, at(i), native);
    auto name = [&](const ptx::MemoryOperand& operand) {
      return operand.position == ptx::MemoryOperand::kNone
                 ? std::string()
                 : ptx::operand_text(module, named_, named_.operands_of(at(i))[operand.position]);
    };
    out.shared_operand = name(native.shared);
    out.constant_operand = name(native.constant);
  }

  void set_cycles(size_t i, NativeRow& out) const {
    const NativeInsn& insn = entry(i).native;
    const sim::NativeDetail& detail = compiled_.native.detail(insn);
    sim::IssueCost cost{insn.issue_cycles, insn.pipe_cycles, insn.latency};
    if (insn.reads_memory) {
      cost = cost_.with_operands(0, insn, detail.operands);
      out.may_issue_longer = out.may_take_longer = true;
    } else if (accesses(insn.effect) && !insn.is_operand) {
      const Space space = entry(i).has_access() ? entry(i).access().space : Space::None;
      const bool as_constant = space == Space::Const ||
                               (space == Space::Param && machine_.sm.parameter_space == sim::ParameterSpace::constant);
      const sim::SharedConfig& shared = machine_.sm.shared;
      out.off_chip = !as_constant && space != Space::Shared && space != Space::Param;
      out.may_take_longer = as_constant || space != Space::Param;  // one in shared memory is the same for all lanes
      out.may_issue_longer = (as_constant && machine_.constant.pipe == sim::OnChipPipe::sp && space != Space::Param) ||
                             (space == Space::Shared && shared.pipe == sim::OnChipPipe::sp);
      if (as_constant) cost = cost_.constant(insn, detail, 1);
      else if (out.off_chip) cost.pipe = machine_.memory.request_cycles;
      else
        cost = cost_.shared(insn, detail,
                            insn.effect == Effect::Atomic ? shared.atomic_cycles : shared.cycles_per_degree, 1);
    } else if (insn.effect == Effect::Texture) {
      out.may_take_longer = out.off_chip = true;
    }
    out.issue_cycles = cost.issue;
    out.pipe_cycles = cost.pipe;
    out.off_chip = out.off_chip && insn.write_count > 0;
    if (insn.write_count > 0 && !out.off_chip) out.latency = cost.latency;
  }

  void set_slots(size_t i, NativeRow& out) const {
    const NativeInsn& insn = entry(i).native;
    for (size_t n = 0; n < insn.write_count; ++n) add_once(out.writes, name_of(compiled_.native.write(insn, n), i));
    const uint32_t named = compiled_.rows + compiled_.predicates;  // those behind are for instructions with fewer slots
    for (size_t n = 0; n < compiled_.native.wait_count(insn); ++n)
      if (uint16_t slot = compiled_.native.wait(insn, n); slot < named) add_once(out.waits, name_of(slot, i));
  }

  /// Registers share slots, but not within one instruction. Empty: instruction `i` has no register there.
  std::string register_of(uint32_t slot, size_t i) const {
    std::string out;
    ptx::for_each_register(named_, at(i), [&](uint32_t reg, bool) {
      const ptx::Type type = named_.registers[reg].type;
      const bool is_predicate = type == ptx::Type::Pred;
      const uint32_t first = named_.rows.row_of[reg] + (is_predicate ? compiled_.rows : 0);
      const uint32_t last = first + (!is_predicate && ptx::bytes(type) == 8 ? 1 : 0);
      if (slot >= first && slot <= last) out = named_.registers[reg].name;
    });
    return out;
  }

  std::string name_of(uint32_t slot, size_t i) const {
    std::string out = register_of(slot, i);
    // The sources of its parts, which stand before it.
    for (size_t part = i; !named_.later.empty() && out.empty() && part-- > 0;)
      if (named_.later[part].slots() == 0) out = register_of(slot, part);
    if (!out.empty()) return out;
    if (slot >= compiled_.rows) return "CC.CF";
    for (const ptx::Symbol& symbol : named_.symbols)
      if (symbol.passed && slot >= symbol.offset && slot < symbol.offset + (symbol.size + 3) / 4) return symbol.name;
    return fmt::format("row {}", slot);
  }

  const sim::CompiledKernel& compiled_;
  const sim::MachineConfig& machine_;
  const ptx::Kernel named_;
  sim::AccessCost cost_;
  const std::vector<uint32_t> anchors_;
};

}  // namespace

NativeView::NativeView(const sim::CompiledKernel& kernel, const sim::MachineConfig& machine)
    : rows_(Rows(kernel, machine).all()),
      kernel_(kernel.kernel->name),
      ptx_(static_cast<uint32_t>(kernel.kernel->instructions.size())),
      registers_(sim::registers_estimated(machine, *kernel.kernel)),
      spilled_(kernel.arrangement.registers.spilled),
      spill_bytes_(kernel.arrangement.registers.spill_bytes),
      is_scheduled_(kernel.arrangement.kernel && machine.native.schedule == sim::NativeSchedule::list),
      is_allocated_(kernel.arrangement.kernel && machine.native.allocate == sim::NativeAllocation::linear_scan) {
  for (const NativeRow& row : rows_) native_ += row.count;
}

std::unique_ptr<NativeView> native_view(std::shared_ptr<const ptx::Module> module, const ptx::Kernel& kernel,
                                        const sim::Machine& machine, Diagnostics& diagnostics) {
  // Nothing that issues depends on where variables are.
  sim::SymbolAddresses addresses;
  for (const ptx::Symbol& symbol : module->symbols) addresses.push_back(symbol.offset);
  auto compiled =
      sim::decode(std::move(module), kernel, addresses, machine.config, diagnostics,
                  [&](std::string_view feature) { return sim::machines_with_feature(machine.folder, feature); });
  return compiled == nullptr ? nullptr : std::make_unique<NativeView>(*compiled, machine.config);
}

std::unique_ptr<NativeView> native_view(const std::shared_ptr<const SourceText>& ptx, const std::string& kernel,
                                        const sim::MachineConfig& machine) {
  Diagnostics unwanted;
  std::shared_ptr<const ptx::Module> module = ptx == nullptr ? nullptr : ptx::load_module(ptx, unwanted);
  const ptx::Kernel* found = module == nullptr ? nullptr : module->find_kernel(kernel);
  if (found == nullptr) return nullptr;
  sim::Machine named;
  named.config = machine;
  return native_view(std::move(module), *found, named, unwanted);
}

}  // namespace warptime::host
