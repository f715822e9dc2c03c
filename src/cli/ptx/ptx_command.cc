// `warptime ptx`: parse and check a file, and say what each kernel needs and how its control flow runs; or what a
// machine issues for it.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "base/standard_streams.h"
#include "cli/cli.h"
#include "cli/machine/machine_option.h"
#include "cli/machine/native_option.h"
#include "cli/output.h"
#include "cli/ptx/ptx_file.h"
#include "ptx/module_file.h"
#include "ptx/runtime_functions.h"
#include "ptx/text/report.h"

namespace warptime::cli {

namespace {

using Json = nlohmann::ordered_json;
using Modules = std::vector<std::shared_ptr<const ptx::Module>>;

const Command& describe_ptx() {
  using Kind = Option::Kind;
  static const Command command{
      .name = "ptx",
      .usage = "FILE [options]",
      .summary = "parse and check PTX; print the resources that each kernel needs",
      .details =
          "Kernels that cannot run, because warptime does not support something in them or because a function is\n"
          "missing, are listed with the reason; the others are not affected.\n"
          "\n"
          "--native --machine shows the machine program: the native instructions in the order in which they issue, "
          "with\n"
          "unit, cycles of the warp scheduler and of the pipe, cycles until the result, and registers. PTX that "
          "issues\n"
          "as a part of another instruction is below that. A + behind cycles: accesses may add to them.\n",
      .options = {{"kernel", Kind::Value, "NAME[@TARGET]",
                   "only this kernel, of the module for sm_75, say, if the file has several"},
                  {"all", Kind::Flag, "", "exit status 2 if a kernel cannot run, not only if none can"},
                  {"native", Kind::Flag, "",
                   "line by line: the native instructions of a G80 for each instruction, and why"},
                  {"machine", Kind::Value, Takes::machine("NAME|FILE"),
                   "with --native: what this machine issues; of --json by default geforce-8800-gtx"},
                  {"set", Kind::Repeated, Takes::setting("PATH=VALUE"),
                   "with --native: override a parameter of the machine"},
                  {"json", Kind::OptionalValue, Takes::file("FILE"), "as JSON, to FILE or standard output"}},
      .unavailable = {},
      .examples = {"warptime ptx workloads/matmul/matmul.ptx", "warptime ptx saxpy.ptx --kernel saxpy --json",
                   "warptime ptx workloads/saxpy/saxpy.ptx --native --machine geforce-gtx-480"},
      .min_words = 1,
      .max_words = 1,
      .word_name = "PTX file"};
  return command;
}

Json kernel_json(const ptx::Module& module, const ptx::Kernel& kernel) {
  Json parameters = Json::array();
  for (uint32_t index : kernel.parameters) {
    const ptx::Symbol& parameter = kernel.symbols[index];
    parameters.push_back({{"name", parameter.name}, {"type", ptx::name(parameter.type)}, {"bytes", parameter.size}});
  }
  Json reconvergence = Json::array();
  for (const ptx::Instruction& instruction : kernel.instructions)
    if (instruction.reconvergence < kernel.instructions.size())
      reconvergence.push_back(
          {{"branch_line", instruction.line}, {"line", kernel.instructions[instruction.reconvergence].line}});
  Json problems = Json::array();
  for (const Diagnostic& problem : ptx::why_not_runnable(module, kernel))
    problems.push_back({{"line", problem.where.source->place_of(problem.where.begin).line},
                        {"message", problem.message},
                        {"hint", problem.hint}});
  return {{"name", kernel.name},
          {"registers", kernel.estimated_registers},
          {"native_registers", kernel.native.registers},
          {"shared_bytes", kernel.static_shared_bytes},
          {"dynamic_shared", kernel.uses_dynamic_shared},
          {"local_bytes", kernel.local_bytes},
          {"constant_bytes", module.const_bytes},
          {"parameter_bytes", kernel.parameter_bytes},
          {"parameters", parameters},
          {"undefined_functions", ptx::undefined_functions(module, kernel)},
          {"cannot_run", problems},
          {"instructions", kernel.instructions.size()},
          {"basic_blocks", kernel.blocks.size()},
          {"reconvergence", reconvergence}};
}

/// The machine programs of kernels, and of what the machine cannot run, why.
class MachinePrograms {
 public:
  MachinePrograms(const Arguments& arguments) : machine_(load_machine(arguments).machine) {
    static_cast<void>(wants_native(arguments, machine_));
  }

  const sim::Machine& machine() const { return machine_; }
  /// nullptr: the kernel cannot run.
  std::unique_ptr<host::NativeView> of(const std::shared_ptr<const ptx::Module>& module, const ptx::Kernel& kernel) {
    if (!ptx::why_not_runnable(*module, kernel).empty()) return nullptr;
    Diagnostics diagnostics;
    auto view = host::native_view(module, kernel, machine_, diagnostics);
    if (view != nullptr) ++shown_;
    if (view == nullptr) refused_.push_back(diagnostics);
    return view;
  }
  /// Prints what the machine cannot run: errors if that is all there is.
  int judge() const {
    for (const Diagnostics& diagnostics : refused_)
      for (Diagnostic problem : diagnostics.all()) {
        if (shown_ > 0 && problem.severity == Severity::Error) problem.severity = Severity::Warning;
        print_error(format_diagnostic(problem));
      }
    return shown_ == 0 && !refused_.empty() ? kBadInput : kDone;
  }

 private:
  sim::Machine machine_;
  size_t shown_ = 0;
  std::vector<Diagnostics> refused_;
};

Json module_json(const std::shared_ptr<const ptx::Module>& loaded, const std::string& wanted,
                 MachinePrograms* programs) {
  const ptx::Module& module = *loaded;
  Json kernels = Json::array();
  for (const ptx::Kernel& kernel : module.kernels) {
    if (!wanted.empty() && kernel.name != wanted) continue;
    kernels.push_back(kernel_json(module, kernel));
    if (programs == nullptr) continue;
    auto view = programs->of(loaded, kernel);
    kernels.back()["native"] = view == nullptr ? Json() : view->json();
  }
  return {{"version", fmt::format("{}.{}", module.version / 10, module.version % 10)},
          {"target", fmt::format("sm_{}", module.target)},
          {"kernels", kernels}};
}

/// One object with the file's name; of several modules an array of them.
Json file_json(const std::string& file, const Modules& modules, const std::string& wanted, MachinePrograms* programs) {
  Json out{{"file", file}};
  if (programs != nullptr) out["machine"] = {{"name", programs->machine().name}, {"hash", programs->machine().hash}};
  if (modules.size() == 1) {
    out.update(module_json(modules.front(), wanted, programs));
    return out;
  }
  for (const auto& module : modules) out["modules"].push_back(module_json(module, wanted, programs));
  return out;
}

std::string described(const Modules& modules, const std::string& wanted) {
  std::string out;
  for (size_t m = 0; m < modules.size(); ++m) {
    if (modules.size() > 1) out += fmt::format("{}module {} of {}: ", m == 0 ? "" : "\n", m + 1, modules.size());
    out += ptx::describe(*modules[m], wanted);
  }
  return out;
}

std::string native_listings(const Modules& modules, const std::string& wanted) {
  std::string out;
  for (const auto& module : modules)
    for (const ptx::Kernel& kernel : module->kernels)
      if ((wanted.empty() || kernel.name == wanted) && ptx::unsupported_of(*module, kernel).empty())
        out += ptx::native_listing(*module, kernel);
  return out;
}

std::string native_tables(const Modules& modules, const std::string& wanted, MachinePrograms& programs) {
  std::string out;
  for (const auto& module : modules)
    for (const ptx::Kernel& kernel : module->kernels)
      if (wanted.empty() || kernel.name == wanted)
        if (auto view = programs.of(module, kernel)) out += view->table(programs.machine().name);
  return out;
}

/// Prints why kernels cannot run; the exit status.
int judge(const Modules& modules, size_t refused, bool all) {
  size_t kernels = 0, cannot = 0;
  std::vector<Diagnostic> problems;
  std::set<std::pair<const SourceText*, uint32_t>> seen;  // of a function that several kernels call
  for (const auto& module : modules) {
    for (const ptx::Kernel& kernel : module->kernels) {
      std::vector<Diagnostic> why = ptx::why_not_runnable(*module, kernel);
      ++kernels;
      cannot += !why.empty();
      for (Diagnostic& problem : why)
        if (seen.emplace(problem.where.source, problem.where.begin).second) problems.push_back(std::move(problem));
    }
  }
  const bool bad = all ? cannot + refused > 0 : cannot > 0 && cannot == kernels;
  Diagnostics told;
  for (Diagnostic problem : problems) {
    if (!bad) problem.severity = Severity::Warning;
    told.add(std::move(problem));
  }
  print_error(told.to_text());
  return bad ? kBadInput : kDone;
}

int execute_ptx(const Arguments& arguments) {
  const ArgumentText& file = arguments.words().front();
  auto kernel = arguments.value("kernel");
  auto json = arguments.value("json");
  const bool native = arguments.has("native");
  for (std::string_view option : {"machine", "set"})
    if (arguments.has(option) && !native)
      fail(arguments.all(option).front().where, fmt::format("--{} goes with --native", option));
  std::optional<MachinePrograms> programs;
  if (native && (json || arguments.has("machine") || arguments.has("set"))) programs.emplace(arguments);
  Modules modules;
  std::string wanted;
  if (kernel) {
    KernelInFile found = find_kernel(file, kernel);
    modules.push_back(found.module);
    wanted = found.kernel->name;
  } else {
    modules = load_ptx(file);
  }
  const size_t refused = std::erase(modules, nullptr);
  if (json)
    output_of(arguments, "json")
        ->write_all(json_text(file_json(file.text, modules, wanted, programs ? &*programs : nullptr)));
  else if (programs) print(native_tables(modules, wanted, *programs));
  else print(native ? native_listings(modules, wanted) : described(modules, wanted));
  const bool has_kernel =
      std::any_of(modules.begin(), modules.end(), [](const auto& m) { return !m->kernels.empty(); });
  if (programs && !has_kernel) fail(file.where, fmt::format("{} has no kernel, so nothing issues", file.text));
  const int status = programs ? programs->judge() : kDone;
  return kernel ? status : std::max(status, judge(modules, refused, arguments.has("all")));
}

}  // namespace

Entry ptx_command() { return {describe_ptx, execute_ptx}; }

}  // namespace warptime::cli
