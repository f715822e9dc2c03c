#include "base/descriptors.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <utility>

namespace warptime {

namespace {

/// Whether the call is to be made once more: after a signal, or as soon as the descriptor is ready.
bool again(int descriptor, short what) noexcept {
  if (errno == EINTR) return true;
  if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
  struct pollfd wait {
    descriptor, what, 0
  };
  return ::poll(&wait, 1, -1) >= 0 || errno == EINTR;
}

}  // namespace

int write_whole(int descriptor, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written > 0) bytes.remove_prefix(static_cast<size_t>(written));
    else if (written == 0) return ENOSPC;
    else if (!again(descriptor, POLLOUT)) return errno;
  }
  return 0;
}

ssize_t read_some(int descriptor, void* to, size_t most) noexcept {
  for (;;) {
    const ssize_t count = ::read(descriptor, to, most);
    if (count >= 0 || !again(descriptor, POLLIN)) return count;
  }
}

int memory_file() {
  const int descriptor = memfd_create("warptime", MFD_CLOEXEC);
  return descriptor >= 0 || errno != ENOSYS ? descriptor : unnamed_file();
}

int unnamed_file() {
  const char* given = std::getenv("TMPDIR");
  const std::string folder = given != nullptr && *given != '\0' ? given : "/tmp";
  int descriptor = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
  // Some file systems have no files without a name.
  if (descriptor >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return descriptor;
  std::string name = folder + "/warptime-XXXXXX";
  descriptor = mkostemp(name.data(), O_CLOEXEC);
  if (descriptor >= 0) unlink(name.c_str());
  return descriptor;
}

int open_to_append(const char* path) { return ::open(path, O_WRONLY | O_APPEND | O_CLOEXEC); }

std::string contents_of_file(int descriptor) {
  std::string text;
  std::array<char, 4096> part;
  for (;;) {
    const ssize_t n = pread(descriptor, part.data(), part.size(), static_cast<off_t>(text.size()));
    if (n > 0) text.append(part.data(), static_cast<size_t>(n));
    else if (n == 0 || errno != EINTR) return text;
  }
}

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}
Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

}  // namespace warptime
