#include "base/source_text.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>

#include "base/missing_file.h"
#include "base/standard_input.h"
#include "base/system_error.h"

namespace warptime {

namespace {

constexpr size_t kMostBytes = std::numeric_limits<uint32_t>::max();  // as places are 32 bits
constexpr size_t kMostOfStream = size_t{1} << 30;                    // of a pipe, which may never end

struct OpenFile {
  explicit OpenFile(int opened) : descriptor(opened) {}
  ~OpenFile() {
    if (descriptor >= 0) close(descriptor);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int descriptor;
};

std::string too_large(size_t most) { return fmt::format("is larger than {} MiB", most >> 20); }

/// Why it could not be read to its end; empty: it was.
std::string read_all(int descriptor, size_t most, std::string& text) {
  std::array<char, 1 << 16> part;
  for (;;) {
    ssize_t n = read(descriptor, part.data(), part.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return error_text(errno);
    if (n == 0) return {};
    if (static_cast<size_t>(n) > most - text.size()) return too_large(most);
    text.append(part.data(), static_cast<size_t>(n));
  }
}

}  // namespace

SourceText::SourceText(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
  line_starts_.push_back(0);
  for (size_t i = 0; i < text_.size(); ++i)
    if (ends_line(text_, i)) line_starts_.push_back(static_cast<uint32_t>(i + 1));
}

std::shared_ptr<const SourceText> SourceText::read_file(const std::string& path, std::string* why) {
  std::string unwanted;
  if (why == nullptr) why = &unwanted;
  *why = why_not_readable(path);
  if (!why->empty()) return nullptr;
  OpenFile file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (file.descriptor < 0 || fstat(file.descriptor, &status) != 0) {
    *why = error_text(errno);
    return nullptr;
  }
  // Files that say their size say where they end.
  bool has_size = S_ISREG(status.st_mode) && status.st_size > 0;
  if (has_size && static_cast<uint64_t>(status.st_size) > kMostBytes) {
    *why = too_large(kMostBytes);
    return nullptr;
  }
  std::string text;
  *why = read_all(file.descriptor, has_size ? kMostBytes : kMostOfStream, text);
  return why->empty() ? std::make_shared<SourceText>(path, std::move(text)) : nullptr;
}

std::shared_ptr<const SourceText> read_standard_input(size_t most, std::string* why) {
  std::string text;
  *why = read_all(STDIN_FILENO, most, text);
  return why->empty() ? std::make_shared<SourceText>("standard input", std::move(text)) : nullptr;
}

Place SourceText::place_of(uint32_t offset) const {
  auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  auto line = static_cast<uint32_t>(after - line_starts_.begin());
  return {line, offset - line_starts_[line - 1] + 1};
}

std::string_view SourceText::line(uint32_t line) const {
  if (line == 0 || line > line_starts_.size()) return {};
  uint32_t begin = line_starts_[line - 1];
  size_t end = line < line_starts_.size() ? line_starts_[line] : text_.size();
  while (end > begin && (text_[end - 1] == '\n' || text_[end - 1] == '\r')) --end;
  return std::string_view(text_).substr(begin, end - begin);
}

}  // namespace warptime
