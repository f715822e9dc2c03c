#include "cli/exec/compile_program.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "base/parse_number.h"
#include "base/standard_streams.h"
#include "base/system_error.h"
#include "cli/exec/program_check.h"
#include "cli/exec/program_process.h"
#include "cuda/capability.h"
#include "host/device/device.h"

namespace warptime::cli {

namespace {

/// What `nvcc --list-gpu-arch` prints, "compute_75" in each line: the highest that the machine has, else the lowest;
/// empty: it lists none.
std::string architecture_of(const std::string& nvcc, const std::string& folder, uint32_t capability) {
  const std::string list = folder + "/architectures";
  run_process("/bin/sh", {"sh", "-c", "exec \"$0\" --list-gpu-arch >\"$1\" 2>/dev/null", nvcc, list});
  auto source = SourceText::read_file(list, nullptr);
  uint64_t lowest = 0, best = 0;
  constexpr std::string_view kPrefix = "compute_";
  for (uint32_t i = 1; source != nullptr && i <= source->line_count(); ++i) {
    std::string_view line = source->line(i);
    uint64_t number = 0;
    if (!line.starts_with(kPrefix) || parse_number(line.substr(kPrefix.size()), number) != NumberError::Ok) continue;
    if (lowest == 0 || number < lowest) lowest = number;
    if (number <= capability) best = std::max(best, number);
  }
  if (lowest == 0) return {};
  return fmt::format("{}{}", kPrefix, best != 0 ? best : lowest);
}

}  // namespace

CompiledProgram::CompiledProgram(const ArgumentText& source, const sim::MachineConfig& machine,
                                 const std::string& library_folder, bool quiet) {
  read_file(source);
  const std::string nvcc = find_in_path("nvcc"), clang = nvcc.empty() ? find_in_path("clang++") : "";
  if (nvcc.empty() && clang.empty())
    fail(source.where, fmt::format("{} has to be compiled, and there is neither nvcc nor clang++ here", source.text),
         "compile it where CUDA is: nvcc -cudart shared -lineinfo; the program runs here (`warptime exec`)");
  std::string folder = (std::filesystem::temp_directory_path() / "warptime-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr)
    throw host::InputError(fmt::format("error: no temporary folder can be made: {}\n", error_text(errno)));
  folder_ = folder;
  path_ = folder_ + "/" + std::filesystem::path(source.text).stem().string();
  std::vector<std::string> command;
  if (!nvcc.empty()) {
    command = {"nvcc", "-cudart", "shared", "-lineinfo"};
    if (std::string known = architecture_of(nvcc, folder_, cuda::capability_of(machine)); !known.empty())
      command.push_back("-arch=" + known);
    command.insert(command.end(), {source.text, "-o", path_});
  } else {
    command = {"clang++", "-O2", "--cuda-gpu-arch=sm_50", "--cuda-include-ptx=all", source.text,
               "-o",      path_, "-L" + library_folder,   "-l:libcudart.so.12"};
  }
  if (!quiet) print_error(fmt::format("$ {}\n", fmt::join(command, " ")));
  const ProgramEnd end = run_process(nvcc.empty() ? clang : nvcc, command);
  if (end.status == 0 && access(path_.c_str(), X_OK) == 0) return;
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
  fail(source.where, fmt::format("{} has not compiled {}: exit status {}", command.front(), source.text, end.status));
}

CompiledProgram::~CompiledProgram() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

}  // namespace warptime::cli
