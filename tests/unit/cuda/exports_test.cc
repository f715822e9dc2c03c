// What the library exports is what its tables list (functions.def, driver.def), each under its versions.
#include <elf.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <iterator>
#include <map>
#include <set>

#include "cuda/function_table.h"
#include "tools/run_program.h"

using namespace warptime;

namespace {

template <class T>
T at(const std::string& file, size_t offset) {
  T value;
  REQUIRE(offset + sizeof value <= file.size());
  std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

/// The defined dynamic symbols of an ELF file, as NAME@VERSION.
std::set<std::string> exports_of(const std::string& file) {
  const auto header = at<Elf64_Ehdr>(file, 0);
  std::map<uint32_t, Elf64_Shdr> sections;  // by type
  std::vector<Elf64_Shdr> all;
  for (size_t i = 0; i < header.e_shnum; ++i) {
    all.push_back(at<Elf64_Shdr>(file, header.e_shoff + i * header.e_shentsize));
    sections[all.back().sh_type] = all.back();
  }
  auto text = [&](const Elf64_Shdr& section, size_t offset) {
    return std::string(file.data() + all[section.sh_link].sh_offset + offset);
  };
  std::map<unsigned, std::string> versions;
  const Elf64_Shdr& definitions = sections.at(SHT_GNU_verdef);
  for (size_t place = definitions.sh_offset, left = definitions.sh_info; left > 0; --left) {
    const auto version = at<Elf64_Verdef>(file, place);
    versions[version.vd_ndx] = text(definitions, at<Elf64_Verdaux>(file, place + version.vd_aux).vda_name);
    place += version.vd_next;
  }
  std::set<std::string> out;
  const Elf64_Shdr &symbols = sections.at(SHT_DYNSYM), &numbers = sections.at(SHT_GNU_versym);
  for (size_t i = 1; i < symbols.sh_size / sizeof(Elf64_Sym); ++i) {
    const auto symbol = at<Elf64_Sym>(file, symbols.sh_offset + i * sizeof(Elf64_Sym));
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS) continue;  // SHN_ABS: the versions themselves
    constexpr unsigned kHidden = 0x8000;
    const unsigned number = at<Elf64_Versym>(file, numbers.sh_offset + i * sizeof(Elf64_Versym)) & ~kHidden;
    out.insert(text(symbols, symbol.st_name) + "@" + versions[number]);
  }
  return out;
}

}  // namespace

TEST_CASE("the library exports the functions of its tables, and nothing else") {
  std::set<std::string> listed;
  for (const cuda::FunctionRow& row : cuda::functions()) {
    const auto add = [&](std::string_view version, const char* library) {
      if (row.versions.find(version) != std::string_view::npos)
        CHECK(listed.insert(std::string(row.name) + "@" + library).second);
    };
    add("11", "libcudart.so.11.0");
    add("12", "libcudart.so.12");
    add("13", "libcudart.so.13");
    add("libcuda", "libcuda.so.1");
  }
  const std::set<std::string> exported = exports_of(test::read_text(WARPTIME_CUDA_LIBRARY));
  std::vector<std::string> missing, more;
  std::set_difference(listed.begin(), listed.end(), exported.begin(), exported.end(), std::back_inserter(missing));
  std::set_difference(exported.begin(), exported.end(), listed.begin(), listed.end(), std::back_inserter(more));
  CHECK(missing == std::vector<std::string>{});
  CHECK(more == std::vector<std::string>{});
}

TEST_CASE("what CUDA 13's header declares is in the table: some of each kind") {
  for (const char* name : {"cudaMalloc", "cudaGraphLaunch_ptsz", "cudaMemcpy3D_ptds", "cudaCreateTextureObject",
                           "cuMemAlloc_v2", "cuLaunchKernel_ptsz", "cuGetProcAddress_v2"}) {
    CAPTURE(name);
    CHECK(std::any_of(cuda::functions().begin(), cuda::functions().end(),
                      [&](const cuda::FunctionRow& row) { return row.name == name && row.done; }));
  }
}
