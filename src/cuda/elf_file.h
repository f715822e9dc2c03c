// What the dynamic loader reads of a program: which libraries it needs and where they are looked for. Whether there is
// CUDA device code in it. And its functions, by the symbol table, which a stripped file has only of exported ones. ELF
// of 64 bits, little-endian (System V ABI, chapters 4 and 5).
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace warptime::cuda {

struct ElfFile {
  std::vector<std::string> needed;  // DT_NEEDED
  std::string rpath;                // DT_RPATH, which comes before LD_LIBRARY_PATH, unless there is a DT_RUNPATH
  bool has_device_code = false;     // a section .nv_fatbin or __nv_relfatbin
};

struct ElfFunction {
  uint64_t begin = 0, bytes = 0;
  std::string name;
};
struct ElfSymbols {
  bool is_fixed = false;  // addresses are those in memory; otherwise they are relative to where the file is loaded
  std::vector<ElfFunction> functions;  // by address
  const ElfFunction* function_at(uint64_t address) const;
};
/// Without any if the file cannot be read.
ElfSymbols read_symbols(const std::string& path);

/// nullopt: it is not such a file, or cannot be read.
std::optional<ElfFile> read_elf(const std::string& path);

}  // namespace warptime::cuda
