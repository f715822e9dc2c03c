#include "base/spool.h"

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
  if (!file_) file_.reset(std::tmpfile());
  errno = 0;
  if (!file_ || std::fwrite(buffer_.data(), 1, buffer_.size(), file_.get()) != buffer_.size())
    error_ = errno != 0 ? errno : EIO;
  buffer_.clear();
}

size_t Spool::read(char* to, size_t most) {
  if (!std::exchange(reading_, true) && file_ && error_ == 0) {
    flush();
    if (std::fflush(file_.get()) != 0) error_ = errno;
    std::rewind(file_.get());
  }
  if (error_ != 0) return 0;
  if (file_) {
    size_t bytes = std::fread(to, 1, most, file_.get());
    if (bytes == 0 && std::ferror(file_.get()) != 0) error_ = EIO;
    return bytes;
  }
  size_t bytes = buffer_.copy(to, most, handed_over_);
  handed_over_ += bytes;
  return bytes;
}

void Spool::drain(const std::function<void(std::string_view)>& to) {
  std::string piece(kPiece, '\0');
  for (size_t n; (n = read(piece.data(), piece.size())) > 0;) to(std::string_view(piece).substr(0, n));
  int error = error_;
  *this = Spool();
  error_ = error;
}

}  // namespace warptime
