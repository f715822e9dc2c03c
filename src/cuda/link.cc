#include "cuda/link.h"

namespace warptime::cuda {

void append_ptx(std::string& text, std::string_view next) {
  const bool first = text.empty();
  while (!next.empty()) {
    const size_t end = next.find('\n');
    const std::string_view line = next.substr(0, end);
    next.remove_prefix(end == std::string_view::npos ? next.size() : end + 1);
    bool header = false;
    for (std::string_view directive : {".version", ".target", ".address_size"})
      header = header || line.starts_with(directive);
    if (first || !header) text.append(line);
    text += '\n';
  }
}

}  // namespace warptime::cuda
