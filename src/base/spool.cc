#include "base/spool.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace warptime {

namespace {
constexpr size_t kInMemory = 1 << 21;
constexpr size_t kPiece = 1 << 18;
}  // namespace

void Spool::write(std::string_view bytes) {
  if (error_ != 0) return;
  buffer_ += bytes;
  if (buffer_.size() >= kInMemory) flush();
}

void Spool::flush() {
  if (file_.number() < 0) file_ = Descriptor(unnamed_file());
  error_ = file_.number() < 0 ? errno : write_whole(file_.number(), buffer_);
  buffer_.clear();
}

size_t Spool::read(char* to, size_t most) {
  const bool in_file = file_.number() >= 0;
  if (!std::exchange(reading_, true) && in_file && error_ == 0) {
    flush();
    if (error_ == 0 && lseek(file_.number(), 0, SEEK_SET) != 0) error_ = errno;
  }
  if (error_ != 0) return 0;
  if (in_file) {
    const ssize_t bytes = read_some(file_.number(), to, most);
    if (bytes < 0) error_ = errno;
    return bytes < 0 ? 0 : static_cast<size_t>(bytes);
  }
  size_t bytes = buffer_.copy(to, most, handed_over_);
  handed_over_ += bytes;
  return bytes;
}

void Spool::drain(const std::function<void(std::string_view)>& to) {
  std::string piece(file_.number() >= 0 ? kPiece : std::min(kPiece, buffer_.size()), '\0');
  for (size_t n; (n = read(piece.data(), piece.size())) > 0;) to(std::string_view(piece).substr(0, n));
  int error = error_;
  *this = Spool();
  error_ = error;
}

}  // namespace warptime
