#include "cuda/elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "base/descriptors.h"

namespace warptime::cuda {

namespace {

/// A file's bytes, as far as they are there.
class ElfBytes {
 public:
  explicit ElfBytes(std::span<const char> bytes) : bytes_(bytes) {}
  template <class T>
  bool read(uint64_t at, T& value) const {
    if (at > bytes_.size() || bytes_.size() - at < sizeof value) return false;
    std::memcpy(&value, bytes_.data() + at, sizeof value);
    return true;
  }
  /// Up to the next zero byte.
  std::string_view text(uint64_t at) const {
    if (at >= bytes_.size()) return {};
    std::string_view rest(bytes_.data() + at, bytes_.size() - at);
    return rest.substr(0, rest.find('\0'));
  }

 private:
  std::span<const char> bytes_;
};

/// Where an address of the running program lies in the file; 0: nowhere.
uint64_t offset_of(const ElfBytes& file, const Elf64_Ehdr& header, uint64_t address) {
  Elf64_Phdr part{};
  for (unsigned i = 0; i < header.e_phnum && file.read(header.e_phoff + i * sizeof part, part); ++i)
    if (part.p_type == PT_LOAD && address >= part.p_vaddr && address - part.p_vaddr < part.p_filesz)
      return part.p_offset + (address - part.p_vaddr);
  return 0;
}

void read_dynamic(const ElfBytes& file, const Elf64_Ehdr& header, const Elf64_Phdr& part, ElfFile& out) {
  std::vector<uint64_t> needed;
  uint64_t names = 0, rpath = 0;
  bool has_runpath = false;
  Elf64_Dyn entry{};
  for (uint64_t at = 0; at < part.p_filesz && file.read(part.p_offset + at, entry); at += sizeof entry) {
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_NEEDED) needed.push_back(entry.d_un.d_val);
    if (entry.d_tag == DT_STRTAB) names = offset_of(file, header, entry.d_un.d_ptr);
    if (entry.d_tag == DT_RPATH) rpath = entry.d_un.d_val;
    has_runpath = has_runpath || entry.d_tag == DT_RUNPATH;
  }
  for (uint64_t name : needed) out.needed.emplace_back(file.text(names + name));
  if (rpath != 0 && !has_runpath) out.rpath = file.text(names + rpath);
}

ElfFile parse_elf(const ElfBytes& file, const Elf64_Ehdr& header) {
  ElfFile out;
  Elf64_Phdr part{};
  for (unsigned i = 0; i < header.e_phnum && file.read(header.e_phoff + i * sizeof part, part); ++i)
    if (part.p_type == PT_DYNAMIC) read_dynamic(file, header, part, out);
  Elf64_Shdr names{}, section{};
  if (!file.read(header.e_shoff + header.e_shstrndx * sizeof names, names)) return out;
  for (unsigned i = 0; i < header.e_shnum && file.read(header.e_shoff + i * sizeof section, section); ++i) {
    const std::string_view name = file.text(names.sh_offset + section.sh_name);
    out.has_device_code = out.has_device_code || name == ".nv_fatbin" || name == "__nv_relfatbin";
  }
  return out;
}

/// Those of .symtab, or where that was stripped of .dynsym.
ElfSymbols parse_symbols(const ElfBytes& file, const Elf64_Ehdr& header) {
  ElfSymbols out{.is_fixed = header.e_type == ET_EXEC, .functions = {}};
  Elf64_Shdr table{}, section{}, names{};
  for (unsigned i = 0; i < header.e_shnum && file.read(header.e_shoff + i * sizeof section, section); ++i)
    if (section.sh_type == SHT_SYMTAB || (section.sh_type == SHT_DYNSYM && table.sh_type != SHT_SYMTAB))
      table = section;
  if (!file.read(header.e_shoff + table.sh_link * sizeof names, names)) return out;
  Elf64_Sym symbol{};
  for (uint64_t at = 0; at < table.sh_size && file.read(table.sh_offset + at, symbol); at += sizeof symbol)
    if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_size != 0)
      out.functions.push_back(
          {symbol.st_value, symbol.st_size, std::string(file.text(names.sh_offset + symbol.st_name))});
  std::stable_sort(out.functions.begin(), out.functions.end(),
                   [](const ElfFunction& a, const ElfFunction& b) { return a.begin < b.begin; });
  return out;
}

/// What `parse` makes of the file; nullopt: it is no ELF file of this kind, or cannot be read.
template <class Parse>
auto parse_file(const std::string& path, Parse parse)
    -> std::optional<decltype(parse(std::declval<const ElfBytes&>(), std::declval<const Elf64_Ehdr&>()))> {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat about {};
  Elf64_Ehdr header{};
  if (file.number() < 0 || fstat(file.number(), &about) != 0 || about.st_size < static_cast<off_t>(sizeof header))
    return std::nullopt;
  const auto bytes = static_cast<size_t>(about.st_size);
  void* mapping = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (mapping == MAP_FAILED) return std::nullopt;
  const ElfBytes contents({static_cast<const char*>(mapping), bytes});
  std::optional<decltype(parse(contents, header))> out;
  if (contents.read(0, header) && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
      header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB)
    out = parse(contents, header);
  munmap(mapping, bytes);
  return out;
}

}  // namespace

std::optional<ElfFile> read_elf(const std::string& path) { return parse_file(path, parse_elf); }

ElfSymbols read_symbols(const std::string& path) { return parse_file(path, parse_symbols).value_or(ElfSymbols{}); }

const ElfFunction* ElfSymbols::function_at(uint64_t address) const {
  auto after = std::upper_bound(functions.begin(), functions.end(), address,
                                [](uint64_t at, const ElfFunction& function) { return at < function.begin; });
  if (after == functions.begin()) return nullptr;
  const ElfFunction& found = *std::prev(after);
  return address - found.begin < found.bytes ? &found : nullptr;
}

}  // namespace warptime::cuda
