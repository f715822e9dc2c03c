#include "python/src/kernel_call.h"

#include <fmt/format.h>

#include "base/listed.h"
#include "host/device/arguments.h"
#include "host/device/kernel_of_module.h"
#include "host/device/typed_value.h"
#include "ptx/load_module.h"
#include "ptx/module_file.h"
#include "ptx/user/demangle.h"

namespace warptime::python {

namespace {

std::string type_text(const ptx::Symbol& parameter) {
  uint32_t each = std::max(1u, ptx::bytes(parameter.type));
  std::string name(ptx::name(parameter.type));
  return parameter.size == each ? name : fmt::format("{}[{}]", name, parameter.size / each);
}

bool is_float(ptx::Type type) { return ptx::info(type).kind == ptx::TypeKind::Float; }

host::Argument with_type(const ptx::Kernel& kernel, size_t index, const Number& number) {
  const ptx::Symbol& parameter = kernel.symbols[kernel.parameters[index]];
  host::Argument out;
  out.type = parameter.type;
  auto refuse = [&](const std::string& given, const std::string& why) {
    cli::fail({},
              fmt::format("argument {} of kernel \"{}\" is .{}, but {} was given{}", index + 1, kernel.name,
                          type_text(parameter), given, why),
              host::signature(kernel));
  };
  if (parameter.size != ptx::bytes(parameter.type)) refuse("a number", "");
  if (const double* real = std::get_if<double>(&number.value)) {
    if (!is_float(parameter.type)) refuse(fmt::format("the floating-point number {}", *real), "");
    out.bits = host::encode_value(parameter.type, *real);
    out.text = fmt::format("{}", *real);
    return out;
  }
  out.text = std::get<std::string>(number.value);
  std::string why;
  auto bits = host::parse_value(parameter.type, out.text, &why);
  if (!bits) refuse(out.text, ": " + why);
  out.bits = *bits;
  return out;
}

class CallTarget : public cli::Target {
 public:
  explicit CallTarget(KernelCall call) : call_(std::move(call)) {}

  std::vector<host::Check> run(host::Device& device, bool) override {
    host::ModuleRef module = device.load_module(call_.module);
    const ptx::Kernel& kernel = find_kernel(host::Device::ptx_of(module), call_.module->name(), call_.kernel);
    std::vector<host::Buffer> buffers;
    for (const ArrayData& array : call_.arrays) {
      buffers.push_back(device.allocate_bytes(array.bytes.size(), array.name));
      device.write_bytes(buffers.back().address, array.bytes);
    }
    for (const auto& [name, bytes] : call_.symbols) device.set_symbol(module, name, bytes);
    const std::vector<host::Argument> arguments = arguments_of(kernel, call_.arguments, buffers);
    host::LaunchOptions options;
    options.dynamic_shared_bytes = call_.shared_bytes;
    options.registers_per_thread = call_.registers;
    try {
      device.launch(module, kernel.name, call_.grid, call_.block, arguments, options);
    } catch (const host::FaultError&) {
      read_back(device, buffers);  // what the arrays hold by now may show what went wrong
      throw;
    }
    read_back(device, buffers);
    return {};
  }

  std::string contents() const override { return std::string(call_.module->text()); }

 private:
  void read_back(const host::Device& device, const std::vector<host::Buffer>& buffers) const {
    for (size_t i = 0; i < buffers.size(); ++i)
      if (call_.arrays[i].writable) device.read_bytes(call_.arrays[i].bytes, buffers[i].address);
  }

  KernelCall call_;
};

}  // namespace

const ptx::Kernel& find_kernel(const ptx::Module& module, const std::string& file, const std::string& name) {
  std::vector<std::string> names;
  const ptx::Kernel* found = nullptr;
  for (const ptx::Kernel& kernel : module.kernels) {
    if (!kernel.is_entry) continue;
    names.push_back(ptx::demangled(kernel.name));
    found = &kernel;
  }
  if (names.empty()) cli::fail({}, fmt::format("\"{}\" has no kernel", file));
  if (!name.empty()) return host::kernel_of(module, name, {});
  if (names.size() > 1)
    cli::fail({}, fmt::format("\"{}\" has {} kernels: say which", file, names.size()),
              fmt::format("kernel= with one of {}", listed({names.begin(), names.end()})));
  host::check_can_run(module, *found, {});
  return *found;
}

std::vector<host::Argument> arguments_of(const ptx::Kernel& kernel, const std::vector<CallArgument>& all,
                                         const std::vector<host::Buffer>& arrays) {
  std::vector<host::Argument> out;
  for (size_t i = 0; i < all.size(); ++i) {
    const CallArgument& given = all[i];
    host::Argument& argument = out.emplace_back();
    if (const auto* array = std::get_if<ArrayIndex>(&given)) {
      argument = arrays.at(array->index);
    } else if (const auto* buffer = std::get_if<host::Buffer>(&given)) {
      argument = *buffer;
    } else if (const auto* bytes = std::get_if<std::vector<std::byte>>(&given)) {
      argument.kind = host::Argument::Kind::Bytes;
      argument.bytes = *bytes;
    } else if (const auto* typed = std::get_if<TypedNumber>(&given)) {
      argument.type = typed->type;
      argument.bits = typed->bits;
    } else if (i < kernel.parameters.size()) {  // too many: the launch says so
      argument = with_type(kernel, i, std::get<Number>(given));
    }
  }
  return out;
}

std::unique_ptr<cli::Target> target_of(KernelCall call) {
  Diagnostics diagnostics;
  ptx::KernelChoice wanted = ptx::parse_kernel_choice(call.kernel);
  call.module = ptx::choose_module(std::move(call.module), {wanted}, {}, diagnostics);
  if (call.module == nullptr) throw host::InputError(diagnostics.to_text());
  call.kernel = wanted.kernel;
  return std::make_unique<CallTarget>(std::move(call));
}

namespace {

void describe_kernels(const std::shared_ptr<const SourceText>& module, std::vector<KernelDescription>& out) {
  Diagnostics diagnostics;
  auto loaded = ptx::load_module(module, diagnostics);
  if (loaded == nullptr || diagnostics.has_errors()) throw host::InputError(diagnostics.to_text());
  for (const ptx::Kernel& kernel : loaded->kernels) {
    if (!kernel.is_entry) continue;
    KernelDescription& row = out.emplace_back();
    row.name = kernel.name;
    for (uint32_t index : kernel.parameters)
      row.parameters.emplace_back(kernel.symbols[index].name, type_text(kernel.symbols[index]));
    row.registers = kernel.estimated_registers;
    row.shared_bytes = kernel.static_shared_bytes;
    row.local_bytes = kernel.local_bytes;
    for (const Diagnostic& problem : ptx::unsupported_of(*loaded, kernel))
      row.unsupported += format_diagnostic(problem);
  }
}

}  // namespace

std::vector<KernelDescription> kernels_of(const std::shared_ptr<const SourceText>& file) {
  std::vector<KernelDescription> out;
  for (const ptx::ModuleInFile& module : ptx::modules_in(*file)) describe_kernels(ptx::text_of(file, module), out);
  return out;
}

}  // namespace warptime::python
