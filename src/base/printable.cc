#include "base/printable.h"

#include <fmt/format.h>

#include <algorithm>

namespace warptime {

namespace {

/// Bytes of the UTF-8 character that begins here and may be shown; 0: this byte may not.
size_t shown_character(std::string_view rest, bool lines) {
  auto byte = [&](size_t i) -> unsigned { return i < rest.size() ? static_cast<unsigned char>(rest[i]) : 0; };
  unsigned first = byte(0);
  if (first < 0x80) return (first >= 0x20 && first != 0x7f) || first == '\t' || (lines && first == '\n') ? 1 : 0;
  size_t length = first >= 0xc2 && first < 0xe0   ? 2
                  : first >= 0xe0 && first < 0xf0 ? 3
                  : first >= 0xf0 && first < 0xf5 ? 4
                                                  : 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  bool c1 = first == 0xc2 && byte(1) < 0xa0;  // control characters of ISO 6429
  bool too_long = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  return c1 || too_long ? 0 : length;
}

}  // namespace

bool is_printable(std::string_view text, bool lines) {
  while (!text.empty()) {
    size_t length = shown_character(text, lines);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string printable(std::string_view text, bool lines) {
  if (is_printable(text, lines)) return std::string(text);
  std::string out;
  while (!text.empty()) {
    size_t length = shown_character(text, lines);
    if (length == 0) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    else out += text.substr(0, length);
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return out;
}

std::string clipped(std::string_view name) {
  if (name.size() <= kLongestShown) return std::string(name);
  size_t end = kLongestShown;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;  // within a character
  return std::string(name.substr(0, end)) + "...";
}

std::string clip_names(std::string_view sentence) {
  std::string out;
  auto add = [&](std::string_view run) {
    out += run.find('/') == std::string_view::npos ? clipped(run) : std::string(run);
  };
  while (!sentence.empty()) {
    // Between quotes a name may hold anything; a quote without a partner is a letter.
    if (sentence.front() == '"') {
      size_t end = sentence.find('"', 1);
      if (end != std::string_view::npos) {
        out += '"';
        add(sentence.substr(1, end - 1));
        out += '"';
        sentence.remove_prefix(end + 1);
        continue;
      }
    }
    if (sentence.front() == ' ' || sentence.front() == '\n') {
      out += sentence.front();
      sentence.remove_prefix(1);
      continue;
    }
    size_t end = std::min(sentence.find_first_of(" \n\"", 1), sentence.size());
    add(sentence.substr(0, end));
    sentence.remove_prefix(end);
  }
  return out;
}

}  // namespace warptime
