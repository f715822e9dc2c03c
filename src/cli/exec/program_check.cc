#include "cli/exec/program_check.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "base/missing_file.h"
#include "cuda/elf_file.h"

namespace warptime::cli {

namespace {

constexpr std::string_view kRuntime = "libcudart.so.";
constexpr std::string_view kDriver = "libcuda.so.1";
/// Libraries with device code of their own, or that compile it.
constexpr std::array<std::string_view, 13> kOthers{
    "libcublas", "libcufft", "libcurand", "libcusparse", "libcusolver", "libcudnn",    "libnccl",
    "libnvrtc",  "libnpp",   "libnvjpeg", "libcutensor", "libcufile",   "libnvJitLink"};

std::string find_program(const ArgumentText& program) {
  if (program.text.find('/') != std::string::npos) return program.text;
  if (std::string file = find_in_path(program.text); !file.empty()) return file;
  fail(program.where, fmt::format("there is no program \"{}\"", program.text),
       access(program.text.c_str(), F_OK) == 0 ? fmt::format("did you mean ./{}?", program.text) : "");
}

}  // namespace

std::string find_in_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string_view folders = path == nullptr ? "" : path;
  while (!folders.empty()) {
    const std::string_view folder = folders.substr(0, folders.find(':'));
    folders.remove_prefix(std::min(folder.size() + 1, folders.size()));
    const std::string file = std::string(folder.empty() ? "." : folder) + "/" + name;
    if (access(file.c_str(), X_OK) == 0 && !std::filesystem::is_directory(file)) return file;
  }
  return {};
}

ProgramFile check_program(const ArgumentText& program, const std::string& library_folder) {
  ProgramFile out{.path = find_program(program), .preload = {}};
  std::error_code error;
  if (!std::filesystem::exists(out.path, error))
    fail(program.where, fmt::format("there is no program \"{}\"", program.text));
  if (access(out.path.c_str(), X_OK) != 0 || std::filesystem::is_directory(out.path, error))
    fail(program.where, fmt::format("{} cannot be executed", program.text));
  const std::optional<cuda::ElfFile> elf = cuda::read_elf(out.path);
  if (!elf) return out;  // a script, which may start programs
  auto runtime = std::find_if(elf->needed.begin(), elf->needed.end(),
                              [](const std::string& name) { return name.starts_with(kRuntime); });
  for (const std::string& name : elf->needed)
    for (std::string_view other : kOthers)
      if (name.starts_with(other))
        fail(program.where, fmt::format("{} uses {}, which warptime does not replace", program.text, name),
             "the CUDA runtime (libcudart) and driver (libcuda) are all that there is");
  if (elf->has_device_code && runtime == elf->needed.end())
    fail(program.where, fmt::format("the CUDA runtime is a part of {}: it was linked statically", program.text),
         "build it with the shared one: nvcc -cudart shared -lineinfo ...");
  if (runtime != elf->needed.end()) {
    const std::string library = library_folder + "/" + *runtime;
    if (!std::filesystem::exists(library, error))
      fail(program.where, fmt::format("{} needs {}, and there is none here", program.text, *runtime),
           "those of CUDA 11, 12 and 13 are");
    if (!elf->rpath.empty()) out.preload = library;
  } else if (!elf->rpath.empty() && std::find(elf->needed.begin(), elf->needed.end(), kDriver) != elf->needed.end()) {
    out.preload = library_folder + "/" + std::string(kDriver);
  }
  return out;
}

}  // namespace warptime::cli
