#include "sim/fault.h"

#include <fmt/format.h>

namespace warptime::sim {

std::string format_fault(const Fault& fault, bool all_calls) {
  std::string sentence = fault.message;
  if (fault.has_thread)
    sentence += fmt::format(", block ({},{},{}) thread ({},{},{})", fault.block[0], fault.block[1], fault.block[2],
                            fault.thread[0], fault.thread[1], fault.thread[2]);
  if (fault.has_address) sentence += fmt::format(", address 0x{:x}", fault.address);
  if (fault.has_cycle) sentence += fmt::format(", cycle {}", fault.cycle);

  // A hint of several lines ("who waits for what") keeps its lines, under the first one.
  std::string hint;
  for (char c : fault.hint + (fault.hint.empty() || fault.warps.empty() ? "" : "\n") + fault.warps) {
    hint += c;
    if (c == '\n') hint += "               ";
  }
  while (!hint.empty() && (hint.back() == ' ' || hint.back() == '\n')) hint.pop_back();
  return format_diagnostic({Severity::Error, fault.where, sentence, hint, fault.user, all_calls});
}

}  // namespace warptime::sim
