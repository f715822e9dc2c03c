// Does the debugger find names of C in a CUDA source and in debug information, and does it live with bad ones?
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "debug/names/c_type.h"
#include "debug/names/dwarf.h"
#include "debug/names/source_names.h"
#include "ptx/isa/types.h"

using namespace warptime;
using namespace warptime::debug;

namespace {

std::string texts(const std::vector<Declaration>& declarations) {
  std::string out;
  for (const Declaration& each : declarations) {
    out += (out.empty() ? "" : "; ") + each.type + "|" + each.name;
    for (const std::string& dimension : each.dimensions) out += "[" + dimension + "]";
  }
  return out;
}

}  // namespace

TEST_CASE("the parameters of a kernel come from its definition", "[debug]") {
  const char* source = R"(
// __global__ void scale(int wrong, int n, int c) { }
template <typename T> __global__ void other(T* a);
__global__ void scale(const float* __restrict__ in, float* out, int n);
extern "C" __global__ void __launch_bounds__(256, 2) scale(const float* __restrict__ in,  /* , */
                                                           float *out, int n = 3) {
  __shared__ __align__(16) float tile[16][16 + 1], row[4];
  __shared__ int flags;
}
)";
  const KernelDeclarations found = find_kernel_declarations(source, "scale", 3);
  CHECK(texts(found.parameters) == "const float* __restrict__|in; float *|out; int|n");
  CHECK(texts(found.shared).starts_with("float|tile[16][16 + 1]; float|row[4]; int|flags"));
  CHECK(find_kernel_declarations(source, "scale", 2).parameters.empty());
  CHECK(find_kernel_declarations(source, "scal", 3).parameters.empty());
}

TEST_CASE("a kernel that a macro defines is found by the parts of its name", "[debug]") {
  const char* source =
      "#define TILED(TILE) \\\n  __global__ void tiled_##TILE(const float* A, int n) { \\\n    f<TILE>(A, n); \\\n  "
      "}\nTILED(4)\n";
  CHECK(texts(find_kernel_declarations(source, "tiled_16", 2).parameters) == "const float*|A; int|n");
  CHECK(find_kernel_declarations(source, "tiles_16", 2).parameters.empty());
  CHECK(find_kernel_declarations(source, "tiled_", 2).parameters.empty());
}

TEST_CASE("a source without an end is read, too", "[debug]") {
  for (const char* source :
       {"__global__ void k(", "__global__", "__global__ void k(int a) {", "/* __global__ void k(int a) {}",
        "__global__ void k(int a[", "__global__ void k(int a) { __shared__ float t[", "\"", "/*", "\\\n", ""})
    CHECK(find_kernel_declarations(source, "k", 1).shared.size() <= 1);
}

TEST_CASE("dimensions of shared arrays follow from their size", "[debug]") {
  using Numbers = std::vector<uint64_t>;
  CHECK(find_dimensions({"16", "17"}, 272, "") == Numbers{16, 17});
  CHECK(find_dimensions({"16", "16"}, 272, "").empty());
  CHECK(find_dimensions({"TILE", "TILE + 1"}, 272, "") == Numbers{16, 17});
  CHECK(find_dimensions({"2 * N"}, 64, "") == Numbers{64});
  CHECK(find_dimensions({"ROWS", "COLUMNS"}, 64, "").empty());
  CHECK(find_dimensions({"ROWS", "COLUMNS"}, 64, "#define ROWS 4\n") == Numbers{4, 16});
  CHECK(find_dimensions({"ROWS", "COLUMNS"}, 64, "constexpr int ROWS = 4, COLUMNS = 16;") == Numbers{4, 16});
  CHECK(find_dimensions({"sizeof(x)"}, 64, "").empty());
  CHECK(find_dimensions({""}, 64, "").empty());
}

TEST_CASE("types of C by their words", "[debug]") {
  CTypes types;
  auto named = [&](std::string_view words) -> const CType& { return types[types.named(words, 8)]; };
  CHECK(named("const unsigned int").scalar == ptx::Type::U32);
  CHECK(named("unsigned long long").scalar == ptx::Type::U64);
  CHECK(named("std::uint8_t").scalar == ptx::Type::U8);
  CHECK(named("bool").is_truth);
  CHECK(named("float4").members.size() == 4);
  CHECK(named("double2").bytes == 16);
  CHECK(named("float5").kind == CType::Kind::Unknown);
  CHECK(named("Point").kind == CType::Kind::Unknown);
  CHECK(named("const float* __restrict__").kind == CType::Kind::Pointer);
  CHECK(types.name_of(types.named("const float**", 8)) == "float**");
  CHECK(types.name_of(types.array_of(types.array_of(types.named("int", 8), 17), 16)) == "int[16][17]");
}

TEST_CASE("debug information that is cut off or changed is read without harm", "[debug]") {
  const auto source = SourceText::read_file(WARPTIME_SOURCE_DIR "/tests/debug/debug_info.ptx", nullptr);
  REQUIRE(source != nullptr);
  const std::string text(source->text());
  const DebugSections whole = read_debug_sections(*source);
  const std::vector<DwarfEntry> entries = read_dwarf(whole);
  CHECK(std::count_if(entries.begin(), entries.end(), [](const auto& e) { return e.tag == dwarf::kVariable; }) == 11);
  std::minstd_rand random(7);
  for (int round = 0; round < 400; ++round) {
    DebugSections changed = whole;
    for (auto& [name, section] : changed.sections) {
      if (section.bytes.empty()) continue;
      if (round % 4 == 0) section.bytes.resize(random() % section.bytes.size());
      for (uint32_t i = 0; i < 3 && !section.bytes.empty(); ++i)
        section.bytes[random() % section.bytes.size()] = static_cast<char>(random());
    }
    CHECK(read_dwarf(changed).size() <= size_t{1} << 22);
  }
  const size_t begin = text.find(".section");
  for (size_t end = begin; end < text.size(); end += 97) {
    const SourceText part("cut.ptx", text.substr(0, end));
    CHECK(read_dwarf(read_debug_sections(part)).size() <= entries.size());
  }
}
