#include "base/growing_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/descriptors.h"
#include "base/output_file.h"
#include "base/system_error.h"

namespace warptime {

namespace {

// The processes of a command that was killed hold its lock for a moment longer.
constexpr int kLockTries = 50;
constexpr useconds_t kLockPause = 20'000;

std::string last_error() { return error_text(errno); }

bool lock_soon(int descriptor) {
  for (int i = 0; i < kLockTries; ++i) {
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK && errno != EINTR) return false;
    usleep(kLockPause);
  }
  errno = EWOULDBLOCK;
  return false;
}

/// Another command may have put a new file in its place before the lock was there.
bool is_still(int descriptor, const std::string& path) {
  struct stat opened {};
  struct stat named {};
  return fstat(descriptor, &opened) == 0 && stat(path.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
         opened.st_ino == named.st_ino;
}

}  // namespace

GrowingFile::~GrowingFile() { close(); }

std::string GrowingFile::open(const std::string& path) {
  OutputTarget place = find_output_target(path);
  path_ = place.path;
  regular_ = place.kind == OutputTarget::Kind::File;
  borrowed_ = place.kind == OutputTarget::Kind::Descriptor;
  if (borrowed_) {
    descriptor_ = place.descriptor;
    return {};
  }
  // A file system without locks has none that could be missed.
  for (;;) {
    int flags = regular_ ? O_RDWR | O_CREAT | O_APPEND : O_WRONLY | O_NOCTTY;
    descriptor_ = ::open(path_.c_str(), flags | O_CLOEXEC, 0666);
    if (descriptor_ < 0) return last_error();
    if (!regular_) return {};
    busy_ = !lock_soon(descriptor_) && errno == EWOULDBLOCK;
    if (busy_) {
      ::close(std::exchange(descriptor_, -1));
      return error_text(EWOULDBLOCK);
    }
    if (is_still(descriptor_, path_)) return {};
    ::close(std::exchange(descriptor_, -1));
  }
}

std::string GrowingFile::read(std::string& text) {
  text.clear();
  if (!regular_) return {};
  std::array<char, 1 << 16> part{};
  for (;;) {
    ssize_t n = pread(descriptor_, part.data(), part.size(), static_cast<off_t>(text.size()));
    if (n == 0) return {};
    if (n < 0 && errno != EINTR) return last_error();
    if (n > 0) text.append(part.data(), static_cast<size_t>(n));
  }
}

std::string GrowingFile::cut(size_t bytes) {
  return ftruncate(descriptor_, static_cast<off_t>(bytes)) == 0 ? std::string() : last_error();
}

std::string GrowingFile::begin_anew(std::string_view lines) {
  if (!regular_) return append(lines);
  OutputFile file(path_);
  file.lock();  // before it has its name, so that no other command can lock it first
  file.write(lines);
  int descriptor = file.commit_and_keep();
  if (descriptor < 0) return file.error();
  fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_APPEND);
  ::close(std::exchange(descriptor_, descriptor));
  return {};
}

std::string GrowingFile::append(std::string_view lines) {
  if (!regular_) {
    const int error = write_whole(descriptor_, lines);
    return error == 0 ? std::string() : error_text(error);
  }
  struct stat before {};
  if (fstat(descriptor_, &before) != 0) return last_error();
  ssize_t written = ::write(descriptor_, lines.data(), lines.size());
  if (written == static_cast<ssize_t>(lines.size())) return {};
  std::string why = written < 0 ? last_error() : error_text(ENOSPC);
  if (written > 0) cut(static_cast<size_t>(before.st_size));
  return why;
}

std::string GrowingFile::close() {
  int descriptor = std::exchange(descriptor_, -1);
  if (descriptor < 0 || borrowed_) return {};
  std::string why;
  if (regular_ && fsync(descriptor) != 0 && errno != EINVAL) why = last_error();
  if (::close(descriptor) != 0 && why.empty()) why = last_error();
  return why;
}

}  // namespace warptime
