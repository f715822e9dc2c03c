#include "ptx/user/user_lines.h"

#include <algorithm>
#include <array>

#include "ptx/user/demangle.h"

namespace warptime::ptx {

namespace {

/// Folders of compilers, of the system, and of libraries that come as headers.
constexpr std::array kToolkitFolders{
    std::string_view("/usr/local/cuda"), std::string_view("/usr/lib/"),     std::string_view("/usr/include/"),
    std::string_view("/opt/cuda"),       std::string_view("/hpc_sdk/"),     std::string_view("/lib/clang/"),
    std::string_view("/nvvm/"),          std::string_view("/crt/"),         std::string_view("/cooperative_groups/"),
    std::string_view("/libcudacxx/"),    std::string_view("/cuda/std/"),    std::string_view("/thrust/"),
    std::string_view("/cub/"),           std::string_view("/cuda/include/")};
constexpr size_t kCallsShown = 20;

bool is_user_place(const Module& module, const Location& place) {
  return place.line != 0 && place.file < module.files.size() && !module.files[place.file].empty() &&
         !is_toolkit_file(module.files[place.file]);
}

std::string_view file_name(const Module& module, uint32_t file) {
  return file < module.files.size() ? std::string_view(module.files[file]) : std::string_view();
}

std::string_view base_name(std::string_view path) { return path.substr(path.find_last_of("/\\") + 1); }

std::string_view trimmed(std::string_view line) {
  size_t begin = line.find_first_not_of(" \t");
  return begin == std::string_view::npos ? std::string_view()
                                         : line.substr(begin, line.find_last_not_of(" \t") + 1 - begin);
}

}  // namespace

bool is_toolkit_file(std::string_view path) {
  if (path.ends_with(".cu")) return false;
  // ".../targets/x86_64-linux/include/..." is the toolkit wherever it is installed.
  if (size_t at = path.find("/targets/");
      at != std::string_view::npos && path.find("/include/", at) != std::string_view::npos)
    return true;
  const std::string rooted = path.starts_with('/') ? std::string(path) : "/" + std::string(path);
  return std::any_of(kToolkitFolders.begin(), kToolkitFolders.end(),
                     [&](std::string_view folder) { return rooted.find(folder) != std::string::npos; });
}

uint32_t user_location(const Module& module, uint32_t location) {
  return location < module.locations.size() ? module.locations[location].user : 0;
}

std::vector<uint32_t> call_chain(const Module& module, uint32_t location) {
  std::vector<uint32_t> out;
  for (uint32_t at = location; at != 0 && at < module.locations.size(); at = module.locations[at].inlined_at)
    out.push_back(at);
  return out;
}

void set_user_lines(Module& module) {
  for (uint32_t i = 1; i < module.locations.size(); ++i) {
    Location& place = module.locations[i];
    // The call is before it in the list.
    place.user = is_user_place(module, place) || place.inlined_at == 0 ? i : module.locations[place.inlined_at].user;
  }
  for (std::vector<Kernel>* bodies : {&module.kernels, &module.functions})
    for (Kernel& body : *bodies)
      for (Instruction& instruction : body.instructions) {
        if (instruction.location == 0) continue;
        const Location& place = module.locations[user_location(module, instruction.location)];
        if (file_name(module, place.file).empty()) continue;  // no .file: nobody could find the line
        instruction.source_file = place.file;
        instruction.source_line = place.line;
      }
}

UserLine UserLines::of(uint32_t location) {
  UserLine out;
  const uint32_t user = user_location(module_, location);
  if (user == 0) return out;
  const Location& place = module_.locations[user];
  if (place.line == 0 || file_name(module_, place.file).empty()) return out;
  out.file = module_.files[place.file];
  out.line = place.line;
  out.column = place.column;
  out.text = std::string(sources_.line(out.file, out.line));
  for (uint32_t at = place.inlined_at; at != 0; at = module_.locations[at].inlined_at)
    if (const Location& call = module_.locations[at]; is_user_place(module_, call) && out.callers.size() < kCallsShown)
      out.callers.push_back(fmt::format("{}:{}", base_name(module_.files[call.file]), call.line));
  if (module_.locations[location].inlined_at != 0)
    for (uint32_t at : call_chain(module_, location))
      if (out.calls.size() < kCallsShown) out.calls.push_back(call_text(at));
  return out;
}

std::string UserLines::call_text(uint32_t location) {
  const Location& place = module_.locations[location];
  std::string_view file = file_name(module_, place.file);
  std::string out = fmt::format("{}:{}", file.empty() ? "?" : base_name(file), place.line);
  if (const std::string& name = module_.location_functions[place.function]; !name.empty())
    out += fmt::format(", in {}", demangled(name));
  if (!file.empty() && !is_toolkit_file(file))
    if (std::string_view text = trimmed(sources_.line(std::string(file), place.line)); !text.empty())
      out += fmt::format(": {}", text);
  return out;
}

UserLine UserLines::of(const Kernel& kernel) {
  return kernel.instructions.empty() ? UserLine() : of(kernel.instructions.front().location);
}

std::string UserLines::text(uint32_t location) { return std::string(trimmed(of(location).text)); }

}  // namespace warptime::ptx
