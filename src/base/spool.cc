#include "base/spool.h"

#include <unistd.h>

#include <cerrno>

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
  if (!file_) file_.reset(std::tmpfile());
  errno = 0;
  if (!file_ || std::fwrite(buffer_.data(), 1, buffer_.size(), file_.get()) != buffer_.size())
    error_ = errno != 0 ? errno : EIO;
  buffer_.clear();
}

void Spool::drain(const std::function<void(std::string_view)>& to) {
  if (file_ && error_ == 0) {
    flush();
    if (std::fflush(file_.get()) != 0) error_ = errno;
    std::rewind(file_.get());
    std::string piece(kPiece, '\0');
    for (size_t n; error_ == 0 && (n = std::fread(piece.data(), 1, piece.size(), file_.get())) > 0;)
      to(std::string_view(piece).substr(0, n));
  } else if (error_ == 0) {
    to(buffer_);
  }
  buffer_.clear();
  file_.reset();
}

}  // namespace warptime
