#include "host/device/home.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "host/device/device.h"

namespace warptime::host {

namespace fs = std::filesystem;

namespace {

/// Other programs may have a folder of that name, too.
bool is_home(const fs::path& folder) {
  std::error_code error;
  return fs::is_regular_file(folder / "configs" / (std::string(kDefaultMachine) + ".yaml"), error);
}

}  // namespace

std::string find_home(const std::string& own_file) {
  if (const char* given = std::getenv("WARPTIME_HOME"); given != nullptr && *given != '\0') {
    std::error_code error;
    if (fs::is_directory(fs::path(given) / "configs", error)) return given;
    throw InputError(fmt::format("error: WARPTIME_HOME is {}, which has no folder configs\n", given));
  }
  const fs::path beside = fs::path(own_file).parent_path(), above = beside.parent_path();
  // A program that was installed, or moved with its files, keeps to these, even where the source tree still exists.
  for (const fs::path& folder : {above / "share" / "warptime", above.parent_path() / "share" / "warptime", beside,
                                 above, above.parent_path(), fs::path(WARPTIME_SOURCE_FOLDER)})
    if (is_home(folder)) return folder.string();
  throw InputError(fmt::format(
      "error: the folder configs is not in {}, nor in {} or the two folders above it, nor in {}\n         hint: set "
      "WARPTIME_HOME to the folder that holds configs and workloads\n",
      (above / "share" / "warptime").string(), beside.string(), WARPTIME_SOURCE_FOLDER));
}

}  // namespace warptime::host
