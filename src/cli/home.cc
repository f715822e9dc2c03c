#include "cli/home.h"

#include <fmt/format.h>
#include <sys/auxv.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "cli/machine/machine_option.h"
#include "host/device/device.h"

namespace warptime::cli {

namespace fs = std::filesystem;

namespace {

std::string own_home;

/// Other programs may have a folder of that name, too.
bool is_home(const fs::path& folder) {
  std::error_code error;
  return fs::is_regular_file(folder / "configs" / (std::string(kDefaultMachine) + ".yaml"), error);
}

/// The program's file. Where /proc is not mounted, as in a plain chroot: the path that it was started with.
fs::path own_file() {
  std::error_code error;
  fs::path file = fs::read_symlink("/proc/self/exe", error);
  if (!error) return file;
  const char* started = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  return started == nullptr ? fs::path() : fs::weakly_canonical(started, error);
}

std::string find_home() {
  if (const char* given = std::getenv("WARPTIME_HOME"); given != nullptr && *given != '\0') {
    std::error_code error;
    if (fs::is_directory(fs::path(given) / "configs", error)) return given;
    throw host::InputError(fmt::format("error: WARPTIME_HOME is {}, which has no folder configs\n", given));
  }
  if (!own_home.empty()) return own_home;
  const fs::path beside = own_file().parent_path(), above = beside.parent_path();
  // A program that was installed, or moved with its files, keeps to these, even where the source tree still exists.
  for (const fs::path& folder :
       {above / "share" / "warptime", beside, above, above.parent_path(), fs::path(WARPTIME_SOURCE_FOLDER)})
    if (is_home(folder)) return folder.string();
  throw host::InputError(fmt::format(
      "error: the folder configs is not in {}, nor in {} or the two folders above it, nor in {}\n         hint: set "
      "WARPTIME_HOME to the folder that holds configs and workloads\n",
      (above / "share" / "warptime").string(), beside.string(), WARPTIME_SOURCE_FOLDER));
}

}  // namespace

void set_home(std::string folder) { own_home = std::move(folder); }

const std::string& home() {
  static const std::string found = find_home();
  return found;
}

}  // namespace warptime::cli
