#include "ptx/load_module.h"

#include <algorithm>

#include "base/assert.h"
#include "ptx/analysis/address_parameters.h"
#include "ptx/analysis/addressed_parameters.h"
#include "ptx/analysis/control_flow.h"
#include "ptx/analysis/layout.h"
#include "ptx/analysis/linker.h"
#include "ptx/analysis/liveness.h"
#include "ptx/analysis/variadic_parameters.h"
#include "ptx/isa/cards.h"
#include "ptx/module_file.h"
#include "ptx/native/later_registers.h"
#include "ptx/native/register_surplus.h"
#include "ptx/syntax/module_parser.h"

namespace warptime::ptx {

namespace {

/// A file that is not a text would give one error a byte; it gets one.
bool is_text(const SourceText& source, Diagnostics& diagnostics) {
  std::string_view text = source.text();
  if (text.size() > kMaxFileBytes) {
    diagnostics.error({}, fmt::format("{}: larger than 1 GiB", source.name()));
    return false;
  }
  size_t zero = text.find('\0');
  if (zero == std::string_view::npos) return true;
  bool elf = text.starts_with(
      "\x7f"
      "ELF");
  diagnostics.error({&source, elf ? 0 : static_cast<uint32_t>(zero), 1},
                    elf ? "this is a binary (ELF), not PTX text"
                        : fmt::format("this is a binary file, not PTX text: byte 0x00 at offset {}", zero),
                    "`cuobjdump -ptx FILE` prints the PTX in an executable or cubin; `nvcc -ptx` makes it from .cu");
  return false;
}

/// Code that other code follows must not run into it: a ret, which the PTX text may leave out, stands at its end.
void end_with_ret(Kernel& kernel) {
  auto end = static_cast<uint32_t>(kernel.instructions.size());
  bool needed = end == 0;
  for (const Operand& operand : kernel.operands)
    needed = needed || (operand.kind == Operand::Kind::Label && operand.index == end);
  if (end != 0) {
    const Instruction& last = kernel.instructions.back();
    Effect effect = effect_of(*last.card->card, *last.form);
    bool leaves = effect == Effect::Return || effect == Effect::Exit || effect == Effect::Branch;
    needed = needed || !leaves || last.guard != kNoIndex;
  }
  if (!needed) return;
  Instruction ret;
  ret.card = &cards()[kCardId<Ret>];
  ret.form = ret.card->forms.data();
  ret.first_operand = static_cast<uint32_t>(kernel.operands.size());
  ret.where = end == 0 ? kernel.where : kernel.instructions.back().where;
  ret.line = end == 0 ? kernel.where.source->place_of(kernel.where.begin).line : kernel.instructions.back().line;
  kernel.instructions.push_back(ret);
  kernel.own_instructions = end + 1;
}

void analyse_own(const std::vector<FunctionFacts>& functions, Kernel& kernel) {
  build_control_flow(functions, kernel);
  Liveness liveness = find_liveness(kernel);
  kernel.estimated_registers = later_registers(kernel);
  kernel.native = find_native_code(kernel);
  kernel.rows = assign_rows(kernel, std::move(liveness.intervals));
  for (Symbol& symbol : kernel.symbols)
    if (symbol.passed) symbol.offset += kernel.rows.rows;
  kernel.rows.rows =
      static_cast<uint16_t>(std::min<uint64_t>(uint64_t{kernel.rows.rows} + kernel.passed_rows, kTooManyRows));
}

void analyse_function(const std::vector<FunctionFacts>& functions, Kernel& function) {
  keep_addressed_parameters(function);
  end_with_ret(function);
  analyse_own(functions, function);
  lay_out_kernel(function);
}

void analyse(Module& module, const std::vector<FunctionFacts>& functions, const Linker& linker, Kernel& kernel) {
  auto refuse = [&](std::string why) {
    add_unsupported(module, kernel, {{Severity::Error, kernel.where, std::move(why), {}}});
  };
  if (uint32_t depth = linker.depth_below(kernel); depth > kMaxCallDepth)
    refuse(fmt::format("calls below kernel \"{}\" are {} deep, the limit is {}", kernel.name, depth, kMaxCallDepth));
  analyse_own(functions, kernel);
  kernel.native.registers += registers_beyond_scan(module.version);
  if (kernel.unsupported == kNoIndex) linker.link(kernel);
  find_address_parameters(module, kernel);
  lay_out_kernel(kernel);
  if (kernel.rows.rows == kTooManyRows || kernel.rows.predicates == kTooManyRows)
    refuse(fmt::format("kernel \"{}\" has more than {} registers live at once", kernel.name, kTooManyRows - 1));
}

bool has_calls(const Kernel& kernel) {
  return std::any_of(kernel.operands.begin(), kernel.operands.end(),
                     [](const Operand& operand) { return operand.kind == Operand::Kind::Function; });
}

/// What is not supported in bodies, as errors of the module.
void report_unsupported(const Module& module, Diagnostics& diagnostics) {
  for (const std::vector<Diagnostic>& problems : module.unsupported)
    for (const Diagnostic& problem : problems) diagnostics.add(problem);
}

bool can_run_none(const Module& module) {
  return std::none_of(module.kernels.begin(), module.kernels.end(),
                      [&](const Kernel& kernel) { return unsupported_of(module, kernel).empty(); });
}

}  // namespace

std::shared_ptr<const Module> load_module(std::shared_ptr<const SourceText> source, Diagnostics& diagnostics) {
  SIM_ASSERT(source != nullptr, "load_module needs a source");
  diagnostics.keep(source);
  size_t errors_before = diagnostics.error_count();
  source = choose_module(std::move(source), {}, {}, diagnostics);
  if (source == nullptr) return nullptr;
  diagnostics.keep(source);
  if (!is_text(*source, diagnostics)) return nullptr;
  auto module = std::make_shared<Module>();
  module->source = std::move(source);
  ModuleParser(*module, diagnostics).parse();
  if (diagnostics.error_count() > errors_before) {
    report_unsupported(*module, diagnostics);
    return nullptr;
  }
  std::vector<uint32_t>& addressed = module->addressed_functions;
  std::sort(addressed.begin(), addressed.end());
  addressed.erase(std::unique(addressed.begin(), addressed.end()), addressed.end());
  lay_out_module(*module);
  size_variadic_parameters(*module);
  const std::vector<FunctionFacts> functions = find_function_facts(*module);
  for (Kernel& function : module->functions)
    if (function.has_body) analyse_function(functions, function);
  for (Kernel& kernel : module->kernels)
    if (has_calls(kernel)) end_with_ret(kernel);
  Linker linker(*module);
  for (Kernel& kernel : module->kernels) analyse(*module, functions, linker, kernel);
  if (!module->unsupported.empty() && can_run_none(*module)) report_unsupported(*module, diagnostics);
  return diagnostics.error_count() > errors_before ? nullptr : module;
}

}  // namespace warptime::ptx
