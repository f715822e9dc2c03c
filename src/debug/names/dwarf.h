// Entries of debug information: DWARF versions 2 to 5, as far as nvcc and clang write them into PTX. dwarfstd.org,
// version 4: sections 7.5 (entries and abbreviations), 7.6 (variable length numbers).
//
// Left out: lines (PTX has .loc), types in sections of their own, and macros.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "debug/names/debug_sections.h"

namespace warptime::debug {

namespace dwarf {
// Tags of entries (figure 18 of the standard).
inline constexpr uint32_t kArrayType = 0x01, kClassType = 0x02, kEnumerationType = 0x04, kFormalParameter = 0x05,
                          kLexicalBlock = 0x0b, kMember = 0x0d, kPointerType = 0x0f, kReferenceType = 0x10,
                          kStructureType = 0x13, kTypedef = 0x16, kUnionType = 0x17, kInheritance = 0x1c,
                          kInlinedSubroutine = 0x1d, kSubrangeType = 0x21, kBaseType = 0x24, kConstType = 0x26,
                          kSubprogram = 0x2e, kVariable = 0x34, kVolatileType = 0x35, kRestrictType = 0x37,
                          kRvalueReferenceType = 0x42;
}  // namespace dwarf

struct DwarfEntry {
  static constexpr uint32_t kNone = ~0u;
  uint32_t offset = 0;  // in .debug_info, by which others refer to it
  uint32_t tag = 0;
  uint32_t parent = kNone;  // index
  std::string name{};
  std::string low{}, high{};      // labels: the code that it is about
  uint32_t type = 0, origin = 0;  // offsets of other entries; 0: none
  uint64_t bytes = 0, encoding = 0, count = 0, line = 0;
  uint64_t member_offset = 0;  // of a member: bytes
  bool is_declaration = false;
  DebugSection location{};         // where a variable is, as an expression
  uint32_t location_list = kNone;  // or: position in .debug_loc
};

/// All entries in their order, each behind its parent. Ends at the first one that is not understood.
std::vector<DwarfEntry> read_dwarf(const DebugSections& sections);

/// A number of variable length (LEB128) at a position, which moves on; 0 at the end of the bytes.
uint64_t leb128(const std::string& bytes, size_t& at);

}  // namespace warptime::debug
