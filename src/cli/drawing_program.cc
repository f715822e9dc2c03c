#include "cli/drawing_program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "base/system_error.h"
#include "cli/command_line.h"

namespace warptime::cli {

namespace {

/// A file in memory that the child inherits: unlike a pipe it never fills up, so that none waits for the other.
class Memory {
 public:
  explicit Memory(const char* name) : descriptor_(memfd_create(name, MFD_CLOEXEC)) {
    if (descriptor_ < 0) fail({}, fmt::format("no file in memory for a drawing: {}", error_text(errno)));
  }
  ~Memory() { close(descriptor_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  int descriptor() const { return descriptor_; }
  void write(std::string_view text) {
    while (!text.empty()) {
      ssize_t n = ::write(descriptor_, text.data(), text.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) fail({}, fmt::format("no room for a drawing's script: {}", error_text(errno)));
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

constexpr int kNotStarted = -1, kTooLong = -2;

/// waitpid with a time limit; false: the process has not ended.
bool wait_for(pid_t child, int& how, std::chrono::milliseconds most) {
  const auto end = std::chrono::steady_clock::now() + most;
  for (useconds_t pause = 500;; pause = std::min<useconds_t>(2 * pause, 20'000)) {
    pid_t ended = waitpid(child, &how, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR)) return true;
    if (std::chrono::steady_clock::now() >= end) return false;
    usleep(pause);
  }
}

/// The exit status; 128 + N after signal N, kNotStarted (errno) or kTooLong.
int run_to_end(const std::string& program, std::vector<std::string>& arguments, const Memory& in, const Memory& out,
               const Memory& err, std::chrono::milliseconds most) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.descriptor(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.descriptor(), STDERR_FILENO);
  std::string name = program, locale = "LC_ALL=C.UTF-8";
  std::vector<char*> words{name.data()};
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  char* environment[] = {locale.data(), nullptr};
  pid_t child = 0;
  int error = posix_spawn(&child, program.c_str(), &actions, nullptr, words.data(), environment);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    errno = error;
    return kNotStarted;
  }
  int how = 0;
  if (!wait_for(child, how, most)) {
    kill(child, SIGKILL);
    while (waitpid(child, &how, 0) < 0 && errno == EINTR) {
    }
    return kTooLong;
  }
  return WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
}

bool is_program(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::optional<std::string> find_on_path(std::string_view name) {
  const char* path = std::getenv("PATH");
  std::string_view folders = path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
  while (!folders.empty()) {
    size_t end = std::min(folders.find(':'), folders.size());
    std::string program = std::string(folders.substr(0, end)) + "/" + std::string(name);
    if (program.front() == '/' && end > 0 && is_program(program)) return program;
    folders.remove_prefix(std::min(end + 1, folders.size()));
  }
  return std::nullopt;
}

Drawing run_drawing(const std::string& program, std::vector<std::string> words, const std::string& input,
                    std::chrono::milliseconds most) {
  Memory in("script"), out("picture"), err("messages");
  in.write(input);
  int status = run_to_end(program, words, in, out, err, most);
  if (status == kTooLong)
    fail({}, fmt::format("\"{}\" had not drawn the chart after {:g} s and was stopped", program,
                         std::chrono::duration<double>(most).count()));
  if (status == kNotStarted) fail({}, fmt::format("cannot start \"{}\": {}", program, error_text(errno)));
  return {status, out.text(), err.text()};
}

namespace {

[[noreturn]] void fail_drawing(const Drawing& drawing, const std::string& program, const std::string& hint) {
  // The line that it stumbled over can be long; the reason comes last.
  std::string words = drawing.words;
  while (!words.empty() && (words.back() == '\n' || words.back() == ' ')) words.pop_back();
  size_t line = words.rfind('\n');
  if (line != std::string::npos) words.erase(0, words.find_first_not_of(" \n", line));
  fail({},
       fmt::format("\"{}\" drew no chart (exit status {}){}{}", program, drawing.status, words.empty() ? "" : ": ",
                   words),
       hint);
}

}  // namespace

std::string svg_of(const Drawing& drawing, const std::string& program, const std::string& hint) {
  std::string picture = drawing.picture;
  picture.erase(picture.find_last_not_of(" \n") + 1);
  if (drawing.status != 0 || !picture.ends_with("</svg>")) fail_drawing(drawing, program, hint);
  return picture + "\n";
}

std::string png_of(const Drawing& drawing, const std::string& program, const std::string& hint) {
  using namespace std::string_view_literals;
  bool whole = drawing.picture.starts_with("\x89PNG\r\n"sv) && drawing.picture.ends_with("IEND\xae\x42\x60\x82"sv);
  if (drawing.status != 0 || !whole) fail_drawing(drawing, program, hint);
  return drawing.picture;
}

}  // namespace warptime::cli
