// Runs the built `warptime` (or any program) as a user would: words in, exit status and both outputs back. No shell.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace warptime::test {

/// A sanitizer's shadow takes address space and memory: limits and peaks say nothing of the program then.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// A folder of its own, removed with everything in it.
class TempFolder {
 public:
  TempFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "warptime-test-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TempFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::string path(const std::string& name) const { return path_ + "/" + name; }
  /// Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

 private:
  std::string path_;
};

inline std::string read_text(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

struct Outcome {
  int status = -1;  // exit status; 128 + N after signal N
  std::string out, err;
};

using Environment = std::vector<std::pair<std::string, std::string>>;

/// `out_file`: where standard output goes instead ("/dev/full").
inline Outcome run_program(std::vector<std::string> words, const Environment& environment = {},
                           const std::string& out_file = {}) {
  TempFolder folder;
  std::string out = out_file.empty() ? folder.path("out") : out_file, err = folder.path("err");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = fork();
  if (child == 0) {
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    int in = open("/dev/null", O_RDONLY);
    int to_out = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int to_err = open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(in, 0);
    dup2(to_out, 1);
    dup2(to_err, 2);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  int how = 0;
  waitpid(child, &how, 0);
  Outcome outcome;
  outcome.status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
  if (out_file.empty()) outcome.out = read_text(out);
  outcome.err = read_text(err);
  return outcome;
}

#ifdef WARPTIME_BINARY
/// `warptime WORDS...` as built.
inline Outcome warptime(std::vector<std::string> words, const Environment& environment = {},
                        const std::string& out_file = {}) {
  words.insert(words.begin(), WARPTIME_BINARY);
  return run_program(std::move(words), environment, out_file);
}
#endif

}  // namespace warptime::test
