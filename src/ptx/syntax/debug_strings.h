// The strings of the section .debug_str, in which .loc names inlined functions: by a label, and an offset from it. The
// section stands behind the code that uses it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warptime::ptx {

class DebugStrings {
 public:
  void label(std::string_view name) { labels_[name] = bytes_.size(); }
  void byte(char c) { bytes_ += c; }
  /// The number of a string that code uses.
  uint32_t use(std::string_view label, uint64_t offset);
  /// The strings by their numbers; of one that is nowhere the text is empty. Number 0 is none.
  std::vector<std::string> used() const;

 private:
  std::string bytes_;
  std::map<std::string_view, size_t> labels_;
  std::map<std::pair<std::string_view, uint64_t>, uint32_t> uses_;
};

}  // namespace warptime::ptx
