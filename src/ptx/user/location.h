// Where an instruction comes from in the CUDA source, as .loc says it: a line, and for code that was inlined the
// function and the place of its call (PTX ISA 9.0, 11.5.4).
#pragma once

#include <cstdint>

namespace warptime::ptx {

struct Location {
  uint32_t file = 0;        // in Module::files
  uint32_t line = 0;        // 0: none
  uint32_t column = 0;      // 0: the whole line
  uint32_t function = 0;    // of inlined code: its function, in Module::location_functions
  uint32_t inlined_at = 0;  // of inlined code: the place of the call, in Module::locations; 0: it is not inlined
  uint32_t user = 0;        // the place in the user's own source (user_lines.h), in Module::locations

  bool is_same(const Location& other) const {
    return file == other.file && line == other.line && column == other.column && function == other.function &&
           inlined_at == other.inlined_at;
  }
};

}  // namespace warptime::ptx
