// What the dynamic loader reads of a program: which libraries it needs and where they are looked for. And whether there
// is CUDA device code in it. ELF of 64 bits, little-endian (System V ABI, chapters 4 and 5).
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace warptime::cli {

struct ElfFile {
  std::vector<std::string> needed;  // DT_NEEDED
  std::string rpath;                // DT_RPATH, which comes before LD_LIBRARY_PATH, unless there is a DT_RUNPATH
  bool has_device_code = false;     // a section .nv_fatbin or __nv_relfatbin
};

/// nullopt: it is not such a file, or cannot be read.
std::optional<ElfFile> read_elf(const std::string& path);

}  // namespace warptime::cli
