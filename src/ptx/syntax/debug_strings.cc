#include "ptx/syntax/debug_strings.h"

namespace warptime::ptx {

uint32_t DebugStrings::use(std::string_view label, uint64_t offset) {
  return uses_.try_emplace({label, offset}, static_cast<uint32_t>(uses_.size() + 1)).first->second;
}

std::vector<std::string> DebugStrings::used() const {
  std::vector<std::string> out(uses_.size() + 1);
  for (const auto& [use, number] : uses_) {
    auto label = labels_.find(use.first);
    if (label == labels_.end() || label->second + use.second >= bytes_.size()) continue;
    size_t begin = label->second + use.second;
    out[number] = bytes_.substr(begin, bytes_.find('\0', begin) - begin);
  }
  return out;
}

}  // namespace warptime::ptx
