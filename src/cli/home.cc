#include "cli/home.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "host/device.h"

namespace warptime::cli {

namespace fs = std::filesystem;

namespace {

bool is_home(const fs::path& folder) {
  std::error_code error;
  return fs::is_directory(folder / "configs", error);
}

std::string find_home() {
  if (const char* given = std::getenv("WARPTIME_HOME"); given != nullptr && *given != '\0') {
    if (is_home(given)) return given;
    throw host::InputError(fmt::format("error: WARPTIME_HOME is {}, and there is no folder configs in it\n", given));
  }
  std::error_code error;
  fs::path program = fs::read_symlink("/proc/self/exe", error);
  fs::path installed = program.parent_path().parent_path() / "share" / "warptime";
  // An installed program keeps to its own files, even where the source tree still exists.
  for (const fs::path& folder : {installed, fs::path(WARPTIME_SOURCE_FOLDER)})
    if (is_home(folder)) return folder.string();
  throw host::InputError(
      fmt::format("error: the folder configs is neither in {} nor in {}\n         hint: set WARPTIME_HOME to the "
                  "folder that holds configs and workloads\n",
                  installed.string(), WARPTIME_SOURCE_FOLDER));
}

}  // namespace

const std::string& home() {
  static const std::string found = find_home();
  return found;
}

}  // namespace warptime::cli
