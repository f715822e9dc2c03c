#include "cli/home.h"

#include <fmt/format.h>
#include <sys/auxv.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "host/device/device.h"
#include "host/device/home.h"

namespace warptime::cli {

namespace fs = std::filesystem;

namespace {

std::string own_home;

/// The program's file. Where /proc is not mounted, as in a plain chroot: the path that it was started with.
fs::path own_file() {
  std::error_code error;
  fs::path file = fs::read_symlink("/proc/self/exe", error);
  if (!error) return file;
  const char* started = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  return started == nullptr ? fs::path() : fs::weakly_canonical(started, error);
}

std::string chosen_home() {
  const char* given = std::getenv("WARPTIME_HOME");
  if (!own_home.empty() && (given == nullptr || *given == '\0')) return own_home;
  return host::find_home(own_file().string());
}

}  // namespace

void set_home(std::string folder) { own_home = std::move(folder); }

const std::string& home() {
  static const std::string found = chosen_home();
  return found;
}

std::string cuda_folder() {
  const fs::path beside = own_file().parent_path();
  for (const fs::path& folder : {beside.parent_path() / "lib" / "warptime", beside / "cuda"})
    if (fs::exists(folder / "libwarptime-cudart.so")) return folder.string();
  throw host::InputError(fmt::format("error: libwarptime-cudart.so is neither in {} nor in {}\n",
                                     (beside.parent_path() / "lib" / "warptime").string(), (beside / "cuda").string()));
}

}  // namespace warptime::cli
