// `warptime ptx`: parse and check a file, and say what each kernel needs and how its control flow runs.
#include <nlohmann/json.hpp>

#include "cli/cli.h"
#include "cli/output.h"
#include "cli/ptx/ptx_file.h"
#include "ptx/text/report.h"

namespace warptime::cli {

namespace {

using Json = nlohmann::ordered_json;

const Command& describe_ptx() {
  using Kind = Option::Kind;
  static const Command command{
      .name = "ptx",
      .usage = "FILE [options]",
      .summary = "parse and check PTX; print the resources that each kernel needs",
      .details = {},
      .options = {{"kernel", Kind::Value, "NAME", "only this kernel"},
                  {"native", Kind::Flag, "",
                   "line by line: the native instructions of a G80 for each instruction, and why"},
                  {"json", Kind::OptionalValue, Takes::file("FILE"), "as JSON, to FILE or standard output"}},
      .unavailable = {},
      .examples = {"warptime ptx workloads/matmul/matmul.ptx", "warptime ptx saxpy.ptx --kernel saxpy --json"},
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
          {"instructions", kernel.instructions.size()},
          {"basic_blocks", kernel.blocks.size()},
          {"reconvergence", reconvergence}};
}

int execute_ptx(const Arguments& arguments) {
  const ArgumentText& file = arguments.words().front();
  auto wanted = arguments.value("kernel");
  std::shared_ptr<const ptx::Module> module = load_ptx(file);
  const std::string only = wanted ? find_kernel(*module, wanted, file).name : std::string();
  auto json = arguments.value("json");
  if (arguments.has("native")) {
    if (json) fail(json->where, "--native is text: leave --json out");
    for (const ptx::Kernel& kernel : module->kernels)
      if (!wanted || kernel.name == only) print(ptx::native_listing(*module, kernel));
    return kDone;
  }
  if (!json) {
    print(ptx::describe(*module, only));
    return kDone;
  }
  Json kernels = Json::array();
  for (const ptx::Kernel& kernel : module->kernels)
    if (!wanted || kernel.name == only) kernels.push_back(kernel_json(*module, kernel));
  output_of(arguments, "json")
      ->write_all(json_text(Json{{"file", file.text},
                                 {"version", fmt::format("{}.{}", module->version / 10, module->version % 10)},
                                 {"target", fmt::format("sm_{}", module->target)},
                                 {"kernels", kernels}}));
  return kDone;
}

}  // namespace

Entry ptx_command() { return {describe_ptx, execute_ptx}; }

}  // namespace warptime::cli
