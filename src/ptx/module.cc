// load_module: text -> parsed and checked -> laid out and analysed.
#include "ptx/module.h"

#include "base/assert.h"
#include "ptx/address_parameters.h"
#include "ptx/control_flow.h"
#include "ptx/layout.h"
#include "ptx/liveness.h"
#include "ptx/module_parser.h"

namespace warptime::ptx {

namespace {

constexpr size_t kMaxFileBytes = size_t{1} << 30;

/// A file that is no text would give one error a byte; it gets one.
bool is_text(const SourceText& source, Diagnostics& diagnostics) {
  std::string_view text = source.text();
  SourceSpan start{&source, 0, 0};
  if (text.size() > kMaxFileBytes) {
    diagnostics.error({}, fmt::format("{}: larger than 1 GiB", source.name()));
    return false;
  }
  if (text.find('\0') == std::string_view::npos) return true;
  bool elf = text.starts_with(
      "\x7f"
      "ELF");
  diagnostics.error(start, elf ? "this is a binary (ELF), not PTX text" : "this is a binary file, not PTX text",
                    "`cuobjdump -ptx FILE` prints the PTX in an executable or cubin; `nvcc -ptx` makes it from .cu");
  return false;
}

void analyse(const Module& module, Kernel& kernel, Diagnostics& diagnostics) {
  lay_out_kernel(kernel);
  build_control_flow(kernel);
  Liveness liveness = find_liveness(kernel);
  kernel.estimated_registers = liveness.most_registers;
  kernel.rows = assign_rows(kernel, liveness.intervals);
  if (kernel.rows.rows == kTooManyRows || kernel.rows.predicates == kTooManyRows)
    diagnostics.error(kernel.where, fmt::format("kernel \"{}\" has more than {} registers live at once", kernel.name,
                                                kTooManyRows - 1));
  find_address_parameters(module, kernel);
}

}  // namespace

const Kernel* Module::find_kernel(std::string_view name) const {
  for (const Kernel& kernel : kernels)
    if (kernel.name == name) return &kernel;
  return nullptr;
}

std::shared_ptr<const Module> load_module(std::shared_ptr<const SourceText> source, Diagnostics& diagnostics) {
  SIM_ASSERT(source != nullptr, "load_module needs a source");
  diagnostics.keep(source);
  size_t errors_before = diagnostics.error_count();
  if (!is_text(*source, diagnostics)) return nullptr;
  auto module = std::make_shared<Module>();
  module->source = std::move(source);
  ModuleParser(*module, diagnostics).parse();
  if (diagnostics.error_count() > errors_before) return nullptr;
  lay_out_module(*module);
  for (Kernel& kernel : module->kernels) analyse(*module, kernel, diagnostics);
  if (diagnostics.error_count() > errors_before) return nullptr;
  return module;
}

}  // namespace warptime::ptx
