// decode: a kernel's instructions as flat Insn for one machine, one after the other; what the machine lacks is
// collected and reported once a feature. Operands are in decode_operands.cc.
#include <algorithm>
#include <map>
#include <set>

#include "ptx/syntax/mnemonic.h"
#include "sim/decode/assume.h"
#include "sim/decode/decoder.h"
#include "sim/decode/function_linkage.h"
#include "sim/exec/single_for_double.h"
#include "sim/native/reader_delays.h"

namespace warptime::sim {

using ptx::Effect, ptx::Mod, ptx::Operand, ptx::OperandForm, ptx::Type, ptx::Unit;

void Decoder::run(const MachinesWith& machines_with, const Assumptions& assumptions) {
  size_t errors = diagnostics_.error_count();
  out_.rows = kernel_.rows.rows;
  out_.predicates = kernel_.rows.predicates;
  out_.insns.reserve(kernel_.instructions.size() + 1);
  for (const ptx::Instruction& in : kernel_.instructions) out_.insns.push_back({instruction(in), {}});
  report_missing(machines_with);
  if (diagnostics_.error_count() != errors) return;

  out_.insns.emplace_back().effect = Effect::Exit;
  for (size_t i = 0; i < out_.insns.size(); ++i) {
    Insn& insn = out_.insns[i];
    insn.number = static_cast<uint32_t>(i);
    insn.guard_selects_path = info(insn.effect).flow != ptx::Flow::FallsThrough || insn.effect == Effect::Call ||
                              insn.effect == Effect::RuntimeCall;
  }

  link_functions(module_, kernel_, rows_, out_);
  // Only now is the number of rows known, after which predicates are numbered.
  std::vector<RegisterSlots> of_each(out_.insns.size());
  for (size_t i = 0; i < kernel_.instructions.size(); ++i) of_each[i] = slots(kernel_.instructions[i], out_.insns[i]);
  assign_cached_addresses(of_each);
  if (!kernel_.later.empty()) pass_through_parts(of_each);
  build_native(of_each, assumptions);
  find_cleared();
}

/// A part of another instruction waits for nothing: what reads its result waits for its sources. But values of atomic
/// operations come late: a part that reads one has to wait.
void Decoder::pass_through_parts(std::vector<RegisterSlots>& slots) const {
  std::set<uint16_t> late;
  for (size_t i = 0; i < slots.size(); ++i)
    if (out_.insns[i].effect == Effect::Atomic) late.insert(slots[i].writes.begin(), slots[i].writes.end());
  for (const ptx::BasicBlock& block : kernel_.blocks) {
    std::map<uint16_t, std::vector<uint16_t>> sources;  // by slot that a part has written
    for (uint32_t i = block.begin; i < block.end; ++i) {
      RegisterSlots& own = slots[i];
      std::set<uint16_t> waits;
      for (uint16_t slot : own.waits) {
        const auto passed = sources.find(slot);
        if (passed == sources.end()) waits.insert(slot);
        else waits.insert(passed->second.begin(), passed->second.end());
      }
      for (uint16_t slot : own.writes) sources.erase(slot);
      const bool reads_late =
          std::any_of(waits.begin(), waits.end(), [&](uint16_t slot) { return late.contains(slot); });
      if (kernel_.later[i].slots() == 0 && !reads_late && waits.size() < NativeProgram::kMostSlots / 4) {
        for (uint16_t slot : own.writes) waits.erase(slot);
        for (uint16_t slot : own.writes) sources[slot] = {waits.begin(), waits.end()};
        own = {};
        continue;
      }
      own.waits = {waits.begin(), waits.end()};
    }
  }
}

void Decoder::build_native(const std::vector<RegisterSlots>& slots, const Assumptions& assumptions) {
  NativeBuilder builder(machine_, assumptions, kernel_, out_.slots(), out_.native);
  for (size_t i = 0; i < kernel_.instructions.size(); ++i) {
    const ptx::Instruction& in = kernel_.instructions[i];
    const std::optional<ptx::Instruction> single = replacement(in);
    out_.insns[i].native = builder.next(single ? *single : in, out_.insns[i], slots[i]);
  }
  out_.insns.back().native = builder.exit(out_.insns.back());
  if (kernel_.later.empty()) return;
  std::vector<DelayedInsn> insns;
  for (size_t i = 0; i < kernel_.instructions.size(); ++i) {
    CodeEntry& entry = out_.insns[i];
    insns.push_back({&entry.native, &slots[i], DelayedInsn::kNoGuard, kernel_.later[i].begins_special});
    if (entry.guard != kNoPredicate) insns.back().guard = static_cast<uint16_t>(out_.rows + entry.guard);
  }
  add_reader_delays(machine_.issue, kernel_, insns);
}

std::optional<ptx::Instruction> Decoder::replacement(const ptx::Instruction& in) const {
  if (maps_double_ && in.form->feature == Feature::F64) return as_single(in);
  return std::nullopt;
}

/// Functions are not followed.
void Decoder::find_cleared() {
  if (!kernel_.functions.empty()) {
    out_.cleared = {{0, kernel_.rows.rows * kRowBytes}};
    return;
  }
  for (uint16_t row : kernel_.rows.live_at_start) out_.cleared.push_back({row * kRowBytes, kRowBytes});
}

Insn Decoder::instruction(const ptx::Instruction& given) {
  const std::optional<ptx::Instruction> single = replacement(given);
  const ptx::Instruction& in = single ? *single : given;
  Insn out;
  bool packed = info(in.type).kind == ptx::TypeKind::Packed;
  out.flops = static_cast<uint16_t>(in.form->flops * (packed ? 2 : 1));
  out.is_double = in.type == Type::F64;
  out.is_half = is_half(in.type);
  if (in.guard != ptx::kNoIndex) {
    out.guard = kernel_.rows.row_of[in.guard];
    out.guard_negated = in.guard_negated;
  }
  if (in.form->feature != Feature::None) need(given, in.form->feature);
  out.effect = effect_of(*in.card->card, *in.form);
  if (out.effect == Effect::Return && out_.insns.size() < kernel_.own_instructions) out.effect = Effect::Exit;
  switch (info(out.effect).operands) {
    case OperandForm::Values:
      values(in, out);
      if (single || ptx::is<ptx::Cvt>(in)) lane_widths(in, single.has_value(), out);
      if (!single) copy(in, out);
      break;
    case OperandForm::Collective:
      out.effect = Effect::None;  // its handler does all that is to be done, unless it has a member mask
      collective(in, out);
      break;
    case OperandForm::Access: memory(in, out); break;
    case OperandForm::Atomic: atomic(in, out); break;
    case OperandForm::Texture: texture(in, out); break;
    case OperandForm::Matrix: matrix(in, out); break;
    case OperandForm::AsyncMatrix: async_matrix(in, out); break;
    case OperandForm::Label: branch(in, out); break;
    case OperandForm::Barrier: barrier(in, out); break;
    case OperandForm::AsyncCopy: async_copy(in, out); break;
    case OperandForm::BulkCopy: bulk_copy(in, out); break;
    case OperandForm::Async: async(in, out); break;
    case OperandForm::OneSource: out.src[0] = rows_.source(kernel_.operands_of(in)[0]); break;
    case OperandForm::Callee: call(in, out); break;
    case OperandForm::MaskAtMost:
      if (in.mods.has(Mod::Warp) && in.mods.has(Mod::Sync))
        out.set_payload(MemberMaskPayload{.mask = rows_.source(kernel_.operands_of(in)[0])});
      break;
  }
  if (out.payload == Payload::MemberMask && waits_for_members(in)) out.effect = Effect::Collective;
  if (reads_clock(in)) {
    if (out.effect == Effect::None) out.effect = Effect::Clock;
    else error(in, fmt::format("\"{}\" cannot read the time", in.card->card->name), "mov it to a register first");
  }
  return out;
}

bool Decoder::reads_clock(const ptx::Instruction& in) const {
  std::span<const Operand> operands = kernel_.operands_of(in);
  return std::any_of(operands.begin(), operands.end(), [](const Operand& o) {
    return o.kind == Operand::Kind::Special && is_clock(static_cast<ptx::Special>(o.index));
  });
}

/// A function that is only declared is one of the runtime's, or an error where it is first called.
void Decoder::call(const ptx::Instruction& in, Insn& out) {
  if (is_indirect_call(kernel_.operands_of(in))) return;
  uint32_t index = kernel_.operands_of(in)[1].index;
  const ptx::Kernel& function = module_.functions[index];
  if (ptx::runtime_function(module_, function) != nullptr) {
    out.effect = Effect::RuntimeCall;
    return need(in, ptx::kRuntimeFeature, function.name);
  }
  if (function.has_body || std::find(undefined_.begin(), undefined_.end(), index) != undefined_.end()) return;
  undefined_.push_back(index);
  diagnostics_.add(ptx::undefined_function(module_, function, in.where));
}

void Decoder::need(const ptx::Instruction& in, Feature feature, std::string_view who) {
  if (has_feature(machine_, feature)) return;
  for (Missing& known : missing_) {
    if (known.feature != feature) continue;
    ++known.more;
    return;
  }
  missing_.push_back({feature, who, &in, 0});
}

void Decoder::report_missing(const MachinesWith& machines_with) {
  for (const Missing& m : missing_) {
    const auto& [feature, what] = info(m.feature);
    std::vector<std::string> machines = machines_with ? machines_with(feature) : std::vector<std::string>{};
    std::string hint = machines.empty() ? "" : fmt::format("machines with it: {}; ", fmt::join(machines, ", "));
    const ptx::Instruction& in = *m.first;
    std::string who = m.who.empty() ? ptx::spelling_text(in) : std::string(m.who);
    error(in,
          fmt::format("\"{}\" needs a machine with the feature {} ({}){}", who, feature, what,
                      m.more == 0 ? "" : fmt::format("; {} more need it", m.more)),
          hint + (m.feature == Feature::F64 ? "without it, map_f64_to_f32 computes in single precision"
                                            : "`features:` in the machine file lists what the hardware can do"));
  }
}

void Decoder::branch(const ptx::Instruction& in, Insn& out) {
  out.set_payload(BranchPayload{kernel_.operands_of(in)[0].index, in.reconvergence});
}

std::unique_ptr<const CompiledKernel> decode(std::shared_ptr<const ptx::Module> module, const ptx::Kernel& kernel,
                                             const SymbolAddresses& addresses, const MachineConfig& machine,
                                             Diagnostics& diagnostics, const MachinesWith& machines_with,
                                             const Assumptions& assumptions) {
  return decode_with(handler_table(), std::move(module), kernel, addresses, machine, diagnostics, machines_with,
                     assumptions);
}

std::unique_ptr<const CompiledKernel> decode_with(const HandlerTable& handlers,
                                                  std::shared_ptr<const ptx::Module> module, const ptx::Kernel& kernel,
                                                  const SymbolAddresses& addresses, const MachineConfig& machine,
                                                  Diagnostics& diagnostics, const MachinesWith& machines_with,
                                                  const Assumptions& assumptions) {
  auto out = std::make_unique<CompiledKernel>();
  size_t errors = diagnostics.error_count();
  out->arrangement = arrange(machine, *module, kernel);
  out->kernel = &executed(out->arrangement, kernel);
  Decoder(*module, *out->kernel, addresses, machine, handlers, diagnostics, *out).run(machines_with, assumptions);
  if (diagnostics.error_count() != errors) return nullptr;
  out->module = std::move(module);
  out->words = handlers.words();
  out->textures = handlers.textures();
  assume(assumptions, *out);
  return out;
}

}  // namespace warptime::sim
