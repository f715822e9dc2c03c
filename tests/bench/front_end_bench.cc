// How fast PTX is read: tokens alone, parsed and checked, and loaded (with control flow, registers and native code), in
// bytes per second. The text is 10 MB of the workloads' kernels as nvcc made them, each copy under other names.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "bench/count.h"
#include "ptx/load_module.h"
#include "ptx/syntax/lexer.h"
#include "ptx/syntax/module_parser.h"

namespace warptime::ptx {
namespace {

namespace fs = std::filesystem;
constexpr size_t kBytes = 10'000'000;
constexpr std::string_view kHead = ".version 9.0\n.target sm_75\n.address_size 64\n";

/// The text behind the header of a file, and every name in it that must differ from copy to copy.
struct Part {
  std::shared_ptr<const SourceText> source;
  uint32_t begin = 0;
  std::set<std::string, std::less<>> names;
};

Part part_of(const fs::path& path) {
  std::string why;
  Part part{SourceText::read_file(path.string(), &why), 0, {}};
  Diagnostics diagnostics;
  auto module = load_module(part.source, diagnostics);
  if (module == nullptr || module->address_bytes != 8) return {};
  part.begin = static_cast<uint32_t>(part.source->text().find(".address_size 64") + 16);
  for (const Symbol& symbol : module->symbols) part.names.insert(symbol.name);
  for (const std::vector<Kernel>* kernels : {&module->kernels, &module->functions})
    for (const Kernel& kernel : *kernels) part.names.insert(kernel.name);
  return part;
}

void append_copy(const Part& part, size_t copy, std::string& out) {
  Diagnostics diagnostics;
  Lexer lexer(*part.source, diagnostics);
  std::string_view text = part.source->text();
  uint32_t done = part.begin;
  for (Token token = lexer.next(); token.kind != TokenKind::End; token = lexer.next()) {
    if (token.begin < part.begin || token.kind != TokenKind::Identifier) continue;
    if (!part.names.contains(text.substr(token.begin, token.length))) continue;
    out += text.substr(done, token.end() - done);
    out += fmt::format("_{}", copy);
    done = token.end();
  }
  out += text.substr(done);
}

std::shared_ptr<const SourceText> large_module() {
  static const auto source = [] {
    std::vector<fs::path> paths;
    for (const auto& entry : fs::recursive_directory_iterator(WARPTIME_SOURCE_DIR "/workloads"))
      if (entry.path().extension() == ".ptx") paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    std::vector<Part> parts;
    for (const fs::path& path : paths)
      if (Part part = part_of(path); part.source != nullptr && !part.names.empty()) parts.push_back(std::move(part));
    std::string text(kHead);
    for (size_t copy = 0; text.size() < kBytes; ++copy) append_copy(parts[copy % parts.size()], copy, text);
    return std::make_shared<const SourceText>("large.ptx", std::move(text));
  }();
  return source;
}

void count_bytes(benchmark::State& state) { bench::count(state, large_module()->text().size(), "byte of PTX"); }

void tokens(benchmark::State& state) {
  auto source = large_module();
  for (auto _ : state) {
    Diagnostics diagnostics;
    Lexer lexer(*source, diagnostics);
    while (lexer.next().kind != TokenKind::End) continue;
  }
  count_bytes(state);
}

void parse_and_check(benchmark::State& state) {
  auto source = large_module();
  for (auto _ : state) {
    Diagnostics diagnostics;
    Module module;
    module.source = source;
    ModuleParser(module, diagnostics).parse();
    if (diagnostics.has_errors()) state.SkipWithError(diagnostics.to_text().c_str());
  }
  count_bytes(state);
}

void load(benchmark::State& state) {
  auto source = large_module();
  for (auto _ : state) {
    Diagnostics diagnostics;
    if (load_module(source, diagnostics) == nullptr) state.SkipWithError(diagnostics.to_text().c_str());
  }
  count_bytes(state);
}

BENCHMARK(tokens)->Name("ptx/tokens");
BENCHMARK(parse_and_check)->Name("ptx/parse and check");
BENCHMARK(load)->Name("ptx/load");

}  // namespace
}  // namespace warptime::ptx
