// The debug information in PTX text (PTX ISA 9.0, 11.5.4): sections of numbers, in which a label stands for an address.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/source_text.h"

namespace warptime::debug {

struct DebugSection {
  struct Reference {
    std::string label;
    uint64_t offset = 0;  // that is added to it
  };
  std::string bytes{};                       // of a reference zeros
  std::map<size_t, Reference> references{};  // by position in `bytes`
  std::map<std::string, size_t> labels{};    // defined in the section
};

struct DebugSections {
  std::map<std::string, DebugSection, std::less<>> sections;  // by name, ".debug_info"
  std::map<std::string, uint32_t, std::less<>> lines;         // labels of the code: the line of the text
};

/// Empty if the text has no debug information.
DebugSections read_debug_sections(const SourceText& ptx);

}  // namespace warptime::debug
