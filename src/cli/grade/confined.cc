#include "cli/grade/confined.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "base/descriptors.h"
#include "base/parse_number.h"
#include "base/system_error.h"
#include "cli/grade/file_rights.h"
#include "cli/interruption.h"
#include "host/device/device.h"

namespace warptime::cli {

namespace {

using ConfinedClock = std::chrono::steady_clock;
constexpr int kLookAgain = 50;  // milliseconds between two looks at memory and time
constexpr uint64_t kLargestFile = uint64_t{256} << 20;
constexpr int kChildFailed = 1;

void set_limit(int resource, uint64_t value) {
  const rlimit both{static_cast<rlim_t>(value), static_cast<rlim_t>(value)};
  setrlimit(resource, &both);
}

/// What both kinds of children begin with. `addresses`: also limit the address space and processor time.
void confine(const ConfinementLimits& limits, const FileRights& rights, bool addresses) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int signal : {SIGINT, SIGTERM, SIGALRM, SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_DFL);
  set_limit(RLIMIT_CORE, 0);
  set_limit(RLIMIT_FSIZE, kLargestFile);
  if (addresses) {
    set_limit(RLIMIT_AS, limits.memory_bytes);
    set_limit(RLIMIT_CPU, limits.seconds);
  }
  restrict_files(rights);
}

uint64_t resident_bytes(pid_t process) {
  const Descriptor file(open(fmt::format("/proc/{}/statm", process).c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 128> text{};
  const ssize_t count = file.number() < 0 ? 0 : read(file.number(), text.data(), text.size() - 1);
  if (count <= 0) return 0;
  std::string_view rest(text.data(), static_cast<size_t>(count));  // "size resident shared ..."
  rest.remove_prefix(std::min(rest.find(' '), rest.size() - 1) + 1);
  uint64_t pages = 0;
  if (parse_number(rest.substr(0, rest.find(' ')), pages) != NumberError::Ok) return 0;
  return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

/// What a pipe has by now; false: it is closed.
bool read_available(const Descriptor& from, int milliseconds, std::string& to) {
  std::array<char, 65536> buffer{};
  pollfd readable{from.number(), POLLIN, 0};
  if (poll(&readable, 1, milliseconds) <= 0) return true;
  const ssize_t count = read(from.number(), buffer.data(), buffer.size());
  if (count > 0) to.append(buffer.data(), static_cast<size_t>(count));
  return count > 0 || (count < 0 && errno == EINTR);
}

/// Waits for the end of a child, reads what it says, and ends it at its limits. What it has started ends with it.
ConfinedEnd supervise(pid_t child, const Descriptor& from, const ConfinementLimits& limits, bool watch_memory) {
  using How = ConfinedEnd::How;
  ConfinedEnd end;
  const ConfinedClock::time_point deadline = ConfinedClock::now() + std::chrono::seconds(limits.seconds);
  bool open = true;
  int how = 0;
  while (waitpid(child, &how, WNOHANG) == 0) {
    if (open) open = read_available(from, kLookAgain, end.output);
    else usleep(1000);
    if (end.output.size() > limits.output_bytes) end.how = How::Output;
    else if (ConfinedClock::now() >= deadline) end.how = How::Time;
    else if (watch_memory && resident_bytes(child) > limits.memory_bytes) end.how = How::Memory;
    else if (Interruption::flag() != 0) end.how = How::Interrupted;
    if (end.how != How::Exited) break;
  }
  kill(-child, SIGKILL);
  if (end.how != How::Exited) {
    kill(child, SIGKILL);
    while (waitpid(child, &how, 0) < 0 && errno == EINTR) {
    }
    return end;
  }
  while (open && end.output.size() <= limits.output_bytes) open = read_available(from, kLookAgain, end.output);
  if (WIFSIGNALED(how)) end.how = WTERMSIG(how) == SIGXCPU ? How::Time : How::Signal;
  end.status = WIFSIGNALED(how) ? WTERMSIG(how) : WEXITSTATUS(how);
  if (end.output.size() > limits.output_bytes) end.how = How::Output;
  return end;
}

struct Pipe {
  Descriptor out, in;
};
Pipe make_pipe() {
  std::array<int, 2> both{};
  if (pipe2(both.data(), O_CLOEXEC) != 0)
    throw host::InputError(fmt::format("error: no process can be started: {}\n", error_text(errno)));
  return {Descriptor(both[0]), Descriptor(both[1])};
}

pid_t make_child() {
  const pid_t child = fork();
  if (child < 0) throw host::InputError(fmt::format("error: no process can be started: {}\n", error_text(errno)));
  return child;
}

[[noreturn]] void become_program(const std::string& path, std::vector<std::string>& words, const std::string& folder,
                                 int output) {
  const char* search = std::getenv("PATH");
  std::vector<std::string> environment{fmt::format("PATH={}", search == nullptr ? "/usr/bin:/bin" : search),
                                       "HOME=" + folder, "TMPDIR=" + folder, "LC_ALL=C"};
  std::vector<char*> raw, variables;
  for (std::string& word : words) raw.push_back(word.data());
  for (std::string& variable : environment) variables.push_back(variable.data());
  raw.push_back(nullptr);
  variables.push_back(nullptr);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  execve(path.c_str(), raw.data(), variables.data());
  _exit(127);
}

}  // namespace

ConfinedEnd run_confined(const ConfinementLimits& limits, const FileRights& rights,
                         const std::function<std::string()>& work) {
  Pipe pipe = make_pipe();
  const pid_t child = make_child();
  if (child == 0) {
    confine(limits, rights, false);
    int status = 0;
    try {
      const std::string result = work();
      write_whole(pipe.in.number(), result);
    } catch (const std::exception&) {
      status = kChildFailed;
    }
    _exit(status);
  }
  setpgid(child, child);
  pipe.in = Descriptor();
  return supervise(child, pipe.out, limits, true);
}

ConfinedEnd run_confined_program(const ConfinementLimits& limits, const FileRights& rights, const std::string& path,
                                 std::vector<std::string> words, const std::string& folder) {
  Pipe pipe = make_pipe();
  const pid_t child = make_child();
  if (child == 0) {
    confine(limits, rights, true);
    if (chdir(folder.c_str()) == 0) become_program(path, words, folder, pipe.in.number());
    _exit(kChildFailed);
  }
  setpgid(child, child);
  pipe.in = Descriptor();
  return supervise(child, pipe.out, limits, false);
}

}  // namespace warptime::cli
