#include "base/source_text.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/missing_file.h"

namespace warptime {

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
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    *why = std::strerror(errno);
    return nullptr;
  }
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return std::make_shared<SourceText>(path, std::move(bytes).str());
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
