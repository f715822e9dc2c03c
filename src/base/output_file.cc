#include "base/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "base/descriptors.h"
#include "base/system_error.h"

namespace warptime {

namespace {

constexpr size_t kBuffer = 1 << 18;
constexpr size_t kMostNameBytes = 200;  // of the target's name in a temporary one: NAME_MAX is 255
constexpr int kMostTries = 1000;

std::filesystem::path folder_of(const std::string& file) {
  std::filesystem::path folder = std::filesystem::path(file).parent_path();
  return folder.empty() ? std::filesystem::path(".") : folder;
}

/// A rename is on the disk when its folder is. Errors are ignored: some file systems cannot sync a folder.
void sync_folder(const std::string& file) {
  int folder = open(folder_of(file).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  fsync(folder);
  close(folder);
}

std::string text_of(int error) { return error_text(error); }

}  // namespace

OutputFile::OutputFile(const std::string& path) : place_(find_output_target(path)) { open(); }

OutputFile::OutputFile(OutputFile&& other) noexcept
    : place_(std::move(other.place_)),
      error_(other.error_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      temporary_(std::exchange(other.temporary_, {})),
      buffer_(std::move(other.buffer_)),
      spool_(std::move(other.spool_)) {}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  std::swap(place_, other.place_);
  std::swap(error_, other.error_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(temporary_, other.temporary_);
  std::swap(buffer_, other.buffer_);
  std::swap(spool_, other.spool_);
  return *this;
}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
  close_descriptor();
}

void OutputFile::fail(int error) {
  if (error_ == 0) error_ = error;
}

std::string OutputFile::error() const { return error_ == 0 ? std::string() : text_of(error_); }

void OutputFile::open() {
  switch (place_.kind) {
    case OutputTarget::Kind::Folder: return fail(EISDIR);
    case OutputTarget::Kind::Descriptor: {
      descriptor_ = place_.descriptor;
      int flags = fcntl(descriptor_, F_GETFL);
      if (flags < 0) fail(errno);
      else if ((flags & O_PATH) != 0 || (flags & O_ACCMODE) == O_RDONLY) fail(EBADF);
      return;
    }
    case OutputTarget::Kind::Device:
      descriptor_ = ::open(place_.path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
      if (descriptor_ < 0) fail(errno);
      return;
    case OutputTarget::Kind::File: return open_temporary();
  }
}

void OutputFile::open_temporary() {
  // A rename asks for the right to write to the folder only; a file that is protected is not to be replaced all the
  // same.
  if (access(place_.path.c_str(), W_OK) != 0 && errno != ENOENT) return fail(errno);
  if (place_.path.empty() || place_.path.back() == '/') return fail(place_.path.empty() ? ENOENT : EISDIR);
  // An unnamed file gets its name through /proc, which a plain chroot lacks.
  if (access("/proc/self/fd", X_OK) == 0) {
    descriptor_ = ::open(folder_of(place_.path).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    if (descriptor_ >= 0) return;
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL) return fail(errno);
  }
  for (int i = 0; i < kMostTries && descriptor_ < 0; ++i) {
    std::string name = temporary_path() + fmt::to_string(i);
    descriptor_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ >= 0) temporary_ = name;
    else if (errno != EEXIST) break;
  }
  if (descriptor_ < 0) fail(errno);
}

std::string OutputFile::temporary_path() const {
  std::string name = std::filesystem::path(place_.path).filename().string();
  std::string temporary = "." + name.substr(0, kMostNameBytes) + ".warptime-" + fmt::to_string(getpid()) + "-";
  return (folder_of(place_.path) / temporary).string();
}

bool OutputFile::write_all(int descriptor, std::string_view bytes) {
  const int error = write_whole(descriptor, bytes);
  if (error != 0) fail(error);
  return error == 0;
}

void OutputFile::write(std::string_view bytes) {
  if (error_ != 0) return;
  if (place_.kind != OutputTarget::Kind::File) {
    spool_.write(bytes);
    if (spool_.error() != 0) fail(spool_.error());
    return;
  }
  buffer_ += bytes;
  if (buffer_.size() >= kBuffer) flush();
}

void OutputFile::flush() {
  write_all(descriptor_, buffer_);
  buffer_.clear();
}

bool OutputFile::commit() {
  if (error_ != 0) return false;
  if (place_.kind == OutputTarget::Kind::File) replace_target();
  else write_directly();
  close_descriptor();
  return error_ == 0;
}

int OutputFile::commit_and_keep() {
  if (error_ == 0) replace_target();
  return error_ == 0 ? std::exchange(descriptor_, -1) : -1;
}

void OutputFile::lock() {
  if (error_ == 0) flock(descriptor_, LOCK_EX | LOCK_NB);
}

void OutputFile::close_descriptor() {
  int descriptor = std::exchange(descriptor_, -1);
  if (descriptor >= 0 && place_.kind != OutputTarget::Kind::Descriptor && close(descriptor) != 0) fail(errno);
}

void OutputFile::write_directly() {
  if (place_.descriptor == STDOUT_FILENO) std::fflush(stdout);
  spool_.drain([this](std::string_view bytes) {
    if (error_ == 0) write_all(descriptor_, bytes);
  });
  if (spool_.error() != 0) fail(spool_.error());
  if (error_ == EPIPE) error_ = 0;
}

void OutputFile::replace_target() {
  flush();
  if (error_ != 0) return;
  struct stat older {};
  if (stat(place_.path.c_str(), &older) == 0) {
    // What is not allowed is left: the owner first, then the group, too.
    constexpr auto kSameUser = static_cast<uid_t>(-1);
    if (fchown(descriptor_, older.st_uid, older.st_gid) != 0 && fchown(descriptor_, kSameUser, older.st_gid) != 0)
      errno = 0;
    if (fchmod(descriptor_, older.st_mode & 07777) != 0) return fail(errno);
  }
  if (fsync(descriptor_) != 0 && errno != EINVAL) return fail(errno);
  if (temporary_.empty()) {
    std::string unnamed = "/proc/self/fd/" + fmt::to_string(descriptor_);
    for (int i = 0; i < kMostTries && temporary_.empty(); ++i) {
      std::string name = temporary_path() + fmt::to_string(i);
      if (linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) temporary_ = name;
      else if (errno != EEXIST) break;
    }
    if (temporary_.empty()) return fail(errno);
  }
  if (rename(temporary_.c_str(), place_.path.c_str()) != 0) return fail(errno);
  temporary_.clear();
  sync_folder(place_.path);
}

std::string why_not_writable(const std::string& path) {
  OutputTarget place = find_output_target(path);
  struct stat status {};
  // To open a pipe waits for its reader, and to close it again ends what he reads.
  if (place.kind == OutputTarget::Kind::Device && stat(place.path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode))
    return access(place.path.c_str(), W_OK) == 0 ? std::string() : text_of(errno);
  return OutputFile(path).error();
}

}  // namespace warptime
