#include "cli/gnuplot.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/printable.h"

namespace warptime::cli {

namespace {

/// A file in memory that the child inherits: unlike a pipe it never fills up, so that none waits for the other.
class Memory {
 public:
  explicit Memory(const char* name) : descriptor_(memfd_create(name, MFD_CLOEXEC)) {
    if (descriptor_ < 0) fail({}, fmt::format("no file in memory for gnuplot: {}", std::strerror(errno)));
  }
  ~Memory() { close(descriptor_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  int descriptor() const { return descriptor_; }
  void write(std::string_view text) {
    while (!text.empty()) {
      ssize_t n = ::write(descriptor_, text.data(), text.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) fail({}, fmt::format("no room for gnuplot's script: {}", std::strerror(errno)));
      text.remove_prefix(static_cast<size_t>(n));
    }
    lseek(descriptor_, 0, SEEK_SET);
  }
  std::string text() const {
    std::string out;
    std::array<char, 65536> part;
    for (ssize_t n; (n = pread(descriptor_, part.data(), part.size(), static_cast<off_t>(out.size()))) > 0;)
      out.append(part.data(), static_cast<size_t>(n));
    return out;
  }

 private:
  int descriptor_;
};

/// The exit status; 128 + N after signal N, -1 if it could not be started (errno).
int run_to_end(const std::string& program, const Memory& in, const Memory& out, const Memory& err) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.descriptor(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.descriptor(), STDERR_FILENO);
  std::string name = program, defaults = "-d", locale = "LC_ALL=C.UTF-8";
  char* words[] = {name.data(), defaults.data(), nullptr};
  char* environment[] = {locale.data(), nullptr};
  pid_t child = 0;
  int error = posix_spawn(&child, program.c_str(), &actions, nullptr, words, environment);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    errno = error;
    return -1;
  }
  int how = 0;
  while (waitpid(child, &how, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
}

bool is_program(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string find_gnuplot(const SourceSpan& where, std::string_view what) {
  const char* path = std::getenv("PATH");
  std::string_view folders = path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
  while (!folders.empty()) {
    size_t end = std::min(folders.find(':'), folders.size());
    std::string program = std::string(folders.substr(0, end)) + "/gnuplot";
    if (program.front() == '/' && end > 0 && is_program(program)) return program;
    folders.remove_prefix(std::min(end + 1, folders.size()));
  }
  fail(where, fmt::format("{} draws its charts with gnuplot, which is not on PATH", what),
       "apt-get install gnuplot-nox");
}

std::string draw(const std::string& gnuplot, const std::string& script) {
  Memory in("script"), out("picture"), err("messages");
  in.write(script);
  int status = run_to_end(gnuplot, in, out, err);
  if (status < 0) fail({}, fmt::format("cannot start \"{}\": {}", gnuplot, std::strerror(errno)));
  std::string picture = out.text();
  picture.erase(picture.find_last_not_of(" \n") + 1);
  if (status == 0 && picture.ends_with("</svg>")) return picture + "\n";
  // The line that it stumbled over can be long; the reason comes last.
  std::string words = err.text();
  while (!words.empty() && (words.back() == '\n' || words.back() == ' ')) words.pop_back();
  size_t line = words.rfind('\n');
  if (line != std::string::npos) words.erase(0, words.find_first_not_of(" \n", line));
  fail({}, fmt::format("\"{}\" drew no chart (exit status {}){}{}", gnuplot, status, words.empty() ? "" : ": ", words),
       "gnuplot 5.4 is known to draw it");
}

std::string gnuplot_text(std::string_view text) {
  std::string out = "\"";
  for (char c : printable(text)) {
    if (c == '"' || c == '`') out += '\'';
    else if (c == '\\') out += '/';
    else if (c == '&') out += '+';
    else if (c == '\t') out += ' ';
    else out += c;
  }
  return out + "\"";
}

}  // namespace warptime::cli
