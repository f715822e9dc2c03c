// A text of the user (PTX, YAML, a command line), kept so that diagnostics can point into it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptime {

/// Line and column, both from 1; the column counts bytes.
struct Place {
  uint32_t line = 0;
  uint32_t column = 0;
};

/// Whether a line ends with this byte: a line feed, or a carriage return that none follows (as old Macs write).
inline bool ends_line(std::string_view text, size_t at) {
  return text[at] == '\n' || (text[at] == '\r' && (at + 1 >= text.size() || text[at + 1] != '\n'));
}

class SourceText {
 public:
  SourceText(std::string name, std::string text);

  /// Reads a whole file; nullopt if it cannot be read (`why` then says what the system said).
  static std::shared_ptr<const SourceText> read_file(const std::string& path, std::string* why);

  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  Place place_of(uint32_t offset) const;
  /// Line number `line` (from 1) without its end of line.
  std::string_view line(uint32_t line) const;
  uint32_t line_count() const { return static_cast<uint32_t>(line_starts_.size()); }

 private:
  std::string name_;
  std::string text_;
  std::vector<uint32_t> line_starts_;
};

/// Bytes [begin, begin + length) of a source; a null source means "no place" (a whole file, say).
struct SourceSpan {
  const SourceText* source = nullptr;
  uint32_t begin = 0;
  uint32_t length = 0;
};

/// Where a setting "NAME=VALUE" stands in a file, if it was not given as an option.
struct SettingPlace {
  SourceSpan name, value;
};

}  // namespace warptime
