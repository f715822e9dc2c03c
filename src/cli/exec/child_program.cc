#include "cli/exec/child_program.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "base/plural.h"
#include "base/standard_streams.h"
#include "base/system_error.h"
#include "cli/cli.h"
#include "host/device/device.h"

namespace warptime::cli {

namespace {

constexpr unsigned kGraceSeconds = 5;  // between SIGTERM and SIGKILL

/// The program, or -1 times the process group that it leads.
volatile pid_t started = 0;
volatile sig_atomic_t alarms = 0;

void pass_on(int signal) { kill(started, signal); }
void end_started(int) {
  kill(started, alarms == 0 ? SIGTERM : SIGKILL);
  alarms = alarms + 1;
  alarm(kGraceSeconds);
}

}  // namespace

int ProgramEnd::status() const {
  constexpr int kFirstOfSignals = 128;
  if (timed_out) return kTimedOut;
  return WIFSIGNALED(how) ? kFirstOfSignals + WTERMSIG(how) : WEXITSTATUS(how);
}

ProgramEnd run_program(const std::string& path, const std::vector<ArgumentText>& words,
                       std::optional<uint64_t> timeout) {
  std::vector<std::string> texts;
  for (const ArgumentText& word : words) texts.push_back(word.text);
  std::vector<char*> raw;
  for (std::string& text : texts) raw.push_back(text.data());
  raw.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) throw host::InputError(fmt::format("error: no process can be started: {}\n", error_text(errno)));
  if (child == 0) {
    if (timeout) setpgid(0, 0);
    for (int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_DFL);
    execv(path.c_str(), raw.data());
    print_error(fmt::format("error: {} cannot be started: {}\n", texts.front(), error_text(errno)));
    _exit(kBadInput);
  }
  if (timeout) setpgid(child, child);
  started = timeout ? -child : child;
  alarms = 0;
  // The terminal's signals do not reach another process group.
  for (int signal : {SIGINT, SIGQUIT}) std::signal(signal, timeout ? pass_on : SIG_IGN);
  for (int signal : {SIGTERM, SIGHUP}) std::signal(signal, pass_on);
  if (timeout) {
    std::signal(SIGALRM, end_started);
    alarm(static_cast<unsigned>(*timeout));
  }
  ProgramEnd end;
  while (waitpid(child, &end.how, 0) < 0 && errno == EINTR) {
  }
  alarm(0);
  for (int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGALRM}) std::signal(signal, SIG_DFL);
  end.timed_out = alarms > 0;
  if (end.timed_out) {
    kill(started, SIGKILL);  // what it has left behind
    print_error(fmt::format("error: {} was ended after {} (--timeout)\n", texts.front(), plural(*timeout, "second")));
  }
  return end;
}

}  // namespace warptime::cli
