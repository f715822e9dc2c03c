// Runs every file of tests/ptx: a PTX text whose expected output stands in the same file.
//
//   // test: check               diagnostics only, errors expected
//   // test: print               no errors; prints diagnostics and the module (to_text)
//   // test: describe            no errors; prints diagnostics and the report of `warptime ptx`
//   // test: native              no errors; prints diagnostics and `warptime ptx --native`
//   ...PTX...
//   // ---- expected
//   ...what is printed...
//
//   // test: refusals            no errors; prints diagnostics, and for each kernel why it cannot run
//
// The first line belongs to the PTX text. ", escapes" after the command: \xNN in the PTX stands for that byte.
// ", dump": the first line does not belong to it. ", final-nul": it ends with a byte 0, as nvrtc's does.
// ", bom": the text begins with the mark of UTF-8. ", crlf": lines end with CR LF. WARPTIME_UPDATE=1 rewrites what is
// expected. Every module that is accepted is also printed, read and printed again, which must give the same text.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ptx/load_module.h"
#include "ptx/runtime_functions.h"
#include "ptx/text/report.h"

namespace warptime::ptx {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kHeader = "// test: ", kSeparator = "\n// ---- expected\n";

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

struct Case {
  fs::path path;
  std::string command, options, input, expected;
};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

std::string unescape(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "\\x") == 0 && i + 3 < text.size()) {
      out += static_cast<char>(std::stoi(text.substr(i + 2, 2), nullptr, 16));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

Case read_case(const fs::path& path) {
  Case c;
  c.path = path;
  std::string text = read(path);
  REQUIRE(text.starts_with(kHeader));
  std::string header = text.substr(kHeader.size(), text.find('\n') - kHeader.size());
  size_t comma = header.find(',');
  c.command = header.substr(0, comma);
  if (comma != std::string::npos) c.options = header.substr(comma);
  size_t at = text.find(kSeparator);
  c.input = text.substr(0, at);
  if (at != std::string::npos) c.expected = text.substr(at + kSeparator.size());
  return c;
}

std::vector<fs::path> files_in(const char* folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(WARPTIME_SOURCE_DIR) / "tests/ptx" / folder))
    if (entry.path().extension() == ".ptx") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string run(const Case& c) {
  std::string input = c.input;
  if (c.options.find("escapes") != std::string::npos) input = unescape(input);
  if (c.options.find("dump") != std::string::npos) input = input.substr(input.find('\n') + 1);
  if (c.options.find("final-nul") != std::string::npos) input += '\0';
  if (c.options.find("bom") != std::string::npos) input = "\xef\xbb\xbf" + input;
  if (c.options.find("crlf") != std::string::npos) replace_all(input, "\n", "\r\n");
  Diagnostics diagnostics;
  auto module = load_module(std::make_shared<SourceText>("case.ptx", input), diagnostics);
  std::string output = diagnostics.to_text();
  if (c.command == "check") {
    CHECK(module == nullptr);
    CHECK(diagnostics.has_errors());
    return output;
  }
  INFO(output);
  REQUIRE(module != nullptr);
  if (c.command == "refusals") {
    for (const Kernel& kernel : module->kernels) {
      std::vector<Diagnostic> why = why_not_runnable(*module, kernel);
      output += fmt::format("kernel {}{}\n", kernel.name, why.empty() ? " can run" : ":");
      for (const Diagnostic& problem : why) output += format_diagnostic(problem);
    }
    return output;
  }
  std::string text = to_text(*module);
  Diagnostics again;
  auto second = load_module(std::make_shared<SourceText>("printed.ptx", text), again);
  INFO(again.to_text());
  REQUIRE(second != nullptr);
  CHECK(to_text(*second) == text);
  CHECK(describe(*second).substr(0, 40) == describe(*module).substr(0, 40));
  if (c.command == "native")
    for (const Kernel& kernel : module->kernels) output += native_listing(*module, kernel);
  else output += c.command == "describe" ? describe(*module) : text;
  return output;
}

void run_folder(const char* folder) {
  bool update = std::getenv("WARPTIME_UPDATE") != nullptr;
  for (const fs::path& path : files_in(folder)) {
    DYNAMIC_SECTION(path.stem().string()) {
      Case c = read_case(path);
      std::string output = run(c);
      if (update) {
        std::ofstream(path, std::ios::binary) << c.input << kSeparator << output;
      } else {
        CHECK(output == c.expected);
      }
    }
  }
}

TEST_CASE("PTX texts that are accepted", "[ptx]") { run_folder("accept"); }
TEST_CASE("PTX texts that are rejected", "[ptx]") { run_folder("reject"); }

}  // namespace
}  // namespace warptime::ptx
