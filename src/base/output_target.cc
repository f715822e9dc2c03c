#include "base/output_target.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <filesystem>

#include "base/parse_number.h"

namespace warptime {

namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // as Linux follows

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

/// N of /proc/self/fd/N, by whatever name; -1: another path.
int own_descriptor(const fs::path& path) {
  std::error_code error;
  fs::path folder = fs::canonical(folder_of(path), error);
  fs::path process = folder.parent_path();
  if (error || folder.filename() != "fd" || process.parent_path() != "/proc") return -1;
  if (process.filename() != fmt::to_string(getpid())) return -1;
  std::string name = path.filename().string();
  uint32_t number = 0;
  bool found = name.size() <= 9 && !name.starts_with("0x") && parse_number(name, number) == NumberError::Ok;
  return found ? static_cast<int>(number) : -1;
}

OutputTarget descriptor_place(int descriptor, std::string path) {
  return {OutputTarget::Kind::Descriptor, std::move(path), descriptor};
}

}  // namespace

OutputTarget find_output_target(const std::string& path) {
  if (path == "-") return descriptor_place(STDOUT_FILENO, path);
  fs::path current = path;
  for (int links = 0; links < kMostLinks; ++links) {
    // Before the link is read: for a pipe it does not hold a path.
    if (int descriptor = own_descriptor(current); descriptor >= 0) return descriptor_place(descriptor, path);
    std::array<char, PATH_MAX> target{};
    ssize_t length = readlink(current.c_str(), target.data(), target.size());
    if (length < 0) break;
    current = folder_of(current) / std::string(target.data(), static_cast<size_t>(length));
  }
  OutputTarget place{OutputTarget::Kind::File, current.string(), -1};
  struct stat status {};
  if (stat(current.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return place;
  place.kind = S_ISDIR(status.st_mode) ? OutputTarget::Kind::Folder : OutputTarget::Kind::Device;
  return place;
}

FileIdentity::FileIdentity(const std::string& path) {
  OutputTarget place = find_output_target(path);
  struct stat status {};
  if (place.kind == OutputTarget::Kind::Descriptor) {
    known_ = fstat(place.descriptor, &status) == 0 && S_ISREG(status.st_mode);
  } else if (stat(place.path.c_str(), &status) == 0) {
    known_ = S_ISREG(status.st_mode);
  } else {
    fs::path missing(place.path);
    name_ = missing.filename().string();
    known_ = stat(folder_of(missing).c_str(), &status) == 0;
  }
  device_ = status.st_dev;
  inode_ = status.st_ino;
}

}  // namespace warptime
