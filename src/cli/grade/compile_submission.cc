#include "cli/grade/compile_submission.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/output_file.h"
#include "base/parse_number.h"
#include "base/source_text.h"
#include "base/system_error.h"
#include "cli/exec/program_check.h"
#include "cli/grade/clang_headers.h"
#include "host/device/device.h"

namespace warptime::cli {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMostMessages = 8, kLongestMessage = 300;
constexpr std::string_view kForeignFile = "it includes a file that is not part of the compiler";
constexpr uintmax_t kMostPtx = uintmax_t{64} << 20;

/// A new folder that only this user can read; it goes with the object.
class PrivateFolder {
 public:
  PrivateFolder() {
    std::string name = (fs::temp_directory_path() / "warptime-grade-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw host::InputError(fmt::format("error: no temporary folder can be made: {}\n", error_text(errno)));
    path_ = fs::canonical(name).string();
  }
  ~PrivateFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  const std::string& path() const { return path_; }
  void write(const std::string& name, std::string_view text) const {
    OutputFile file(path_ + "/" + name);
    file.write(text);
    if (!file.commit()) throw host::InputError(fmt::format("error: {}: {}\n", path_, file.error()));
  }

 private:
  std::string path_;
};

/// The folder above that of the program, where its headers are.
std::string root_of(const std::string& program) {
  std::error_code none;
  const fs::path real = fs::canonical(program, none);
  return none ? std::string() : real.parent_path().parent_path().string();
}

FileRights rights_of_compiler(const Compiler& compiler, const PrivateFolder& folder) {
  FileRights rights{.read = {"/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin", "/opt", "/etc/ld.so.cache",
                             "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/dev/urandom"},
                    .write = {folder.path(), "/dev/null"}};
  rights.read.push_back(root_of(compiler.path));
  return rights;
}

/// Name first, then options, then the file.
std::vector<std::string> command_of(const Compiler& compiler, const std::string& file, std::vector<std::string> more) {
  std::vector<std::string> words;
  if (compiler.is_nvcc) words = {"nvcc", "-arch=compute_75", "-lineinfo"};
  else
    words = {"clang++",
             "-x",
             "cuda",
             "--cuda-device-only",
             "--cuda-gpu-arch=sm_75",
             "-nocudainc",
             "-nocudalib",
             "-Wno-unknown-cuda-version",
             "-O2",
             "-gline-tables-only",
             "-Iheaders",
             "-include",
             kClangHeader.data()};
  words.insert(words.end(), more.begin(), more.end());
  words.push_back(file);
  return words;
}

std::string_view without_folders(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

/// The line that includes a file of this name; 0: none does by itself.
uint32_t including_line(const std::string& text, std::string_view file) {
  const SourceText source("", text);
  for (uint32_t i = 1; i <= source.line_count(); ++i) {
    const std::string_view line = source.line(i);
    if (line.find("include") != std::string_view::npos && line.find(without_folders(file)) != std::string_view::npos)
      return i;
  }
  return 0;
}

CompiledSubmission not_compiled(const ConfinedEnd& end, const std::string& file) {
  CompiledSubmission out{.ptx = {}, .messages = errors_at(end.output, file), .how = end.how};
  if (end.how == ConfinedEnd::How::Signal) out.messages.clear();  // out of memory, most likely
  if (out.messages.empty() && end.how == ConfinedEnd::How::Exited)
    out.messages.push_back({0, "the compiler gave up, and named none of its lines"});
  return out;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

}  // namespace

Compiler find_compiler(SourceSpan where) {
  if (std::string nvcc = find_in_path("nvcc"); !nvcc.empty()) return {nvcc, true};
  if (std::string clang = find_in_path("clang++"); !clang.empty()) return {clang, false};
  fail(where, "a .cu file has to be compiled, and there is neither nvcc nor clang++ here",
       "students can hand in PTX: nvcc -ptx -arch=compute_75 -lineinfo, or clang++ (docs/make-ptx.md)");
}

std::vector<std::string> listed_files(std::string_view rule) {
  std::vector<std::string> files;
  std::string word;
  auto end_word = [&] {
    if (!word.empty()) files.push_back(std::exchange(word, {}));
  };
  const size_t colon = rule.find(": ");
  for (size_t i = colon == std::string_view::npos ? rule.size() : colon + 2; i < rule.size(); ++i) {
    const char c = rule[i], next = i + 1 < rule.size() ? rule[i + 1] : '\n';
    if (c == '\\' && next != '\n') word += rule[++i];
    else if (c == '$' && next == '$') word += rule[++i];
    else if (c == '\\' || c == ' ' || c == '\n' || c == '\t') end_word();
    else word += c;
  }
  end_word();
  return files;
}

bool is_compiler_file(const std::string& path, const std::string& compiler_root) {
  if (path.find("/include/") == std::string::npos && path.find("/include-fixed/") == std::string::npos) return false;
  const bool of_root = !compiler_root.empty() && path.starts_with(compiler_root + "/");
  return of_root || path.starts_with("/usr/") || path.starts_with("/opt/");
}

std::vector<CompilerMessage> errors_at(std::string_view output, std::string_view file) {
  std::vector<CompilerMessage> out;
  const SourceText lines("", std::string(output));
  for (uint32_t i = 1; i <= lines.line_count() && out.size() < kMostMessages; ++i) {
    // nvcc: "alice.cu(7): error: ..."; gcc and clang: "alice.cu:7:3: error: ...".
    std::string_view line = lines.line(i);
    if (!line.starts_with(file)) continue;
    line.remove_prefix(file.size());
    if (line.empty() || (line.front() != '(' && line.front() != ':')) continue;
    uint32_t number = 0;
    const size_t end = line.find_first_not_of("0123456789", 1);
    if (end == std::string_view::npos || parse_number(line.substr(1, end - 1), number) != NumberError::Ok) continue;
    const size_t error = line.find("error: ");
    if (error == std::string_view::npos) continue;
    std::string text(line.substr(error + std::string_view("error: ").size()));
    if (text.find("Permission denied") != std::string::npos) text = kForeignFile;
    if (text.size() > kLongestMessage) text = text.substr(0, kLongestMessage) + "...";
    out.push_back({number, std::move(text)});
  }
  return out;
}

CompiledSubmission compile_submission(const Compiler& compiler, const Submission& submission,
                                      const ConfinementLimits& limits) {
  const PrivateFolder folder;
  folder.write(submission.file, submission.text);
  if (!compiler.is_nvcc) {
    fs::create_directory(folder.path() + "/headers");
    for (const HeaderText& header : clang_headers()) folder.write("headers/" + std::string(header.name), header.text);
  }
  const FileRights rights = rights_of_compiler(compiler, folder);
  auto compile = [&](std::vector<std::string> options) {
    return run_confined_program(limits, rights, compiler.path,
                                command_of(compiler, submission.file, std::move(options)), folder.path());
  };
  const std::string list = folder.path() + "/files", result = folder.path() + "/result";
  const ConfinedEnd first = compile({"-M", "-o", "files"});
  if (!first.succeeded()) return not_compiled(first, submission.file);
  const auto files = SourceText::read_file(list, nullptr);
  for (const std::string& file : listed_files(files == nullptr ? std::string_view() : files->text())) {
    std::error_code none;
    const std::string real = fs::weakly_canonical(fs::path(folder.path()) / file, none).string();
    if (real.starts_with(folder.path() + "/") || is_compiler_file(real, root_of(compiler.path))) continue;
    return {.ptx = {},
            .messages = {{including_line(submission.text, file), std::string(kForeignFile)}},
            .how = ConfinedEnd::How::Exited};
  }
  const ConfinedEnd second = compile(compiler.is_nvcc ? std::vector<std::string>{"-ptx", "-o", "result"}
                                                      : std::vector<std::string>{"-S", "-o", "result"});
  std::error_code none;
  if (!second.succeeded() || fs::file_size(result, none) > kMostPtx) return not_compiled(second, submission.file);
  const auto ptx = SourceText::read_file(result, nullptr);
  if (ptx == nullptr || ptx->text().empty()) return not_compiled(second, submission.file);
  CompiledSubmission out{.ptx = std::string(ptx->text()), .messages = {}, .how = ConfinedEnd::How::Exited};
  // The folder is another one in each run, and no name that a student knows.
  replace_all(out.ptx, folder.path() + "/", "");
  replace_all(out.ptx, "\"" + folder.path() + "\" ", "");
  return out;
}

}  // namespace warptime::cli
