#include "cli/exec/program_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>

#include "base/standard_streams.h"
#include "base/system_error.h"
#include "cli/cli.h"
#include "cuda/record.h"
#include "host/device/device.h"

namespace warptime::cli {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kGrace = std::chrono::seconds(5);            // from SIGTERM to SIGKILL
constexpr auto kMostWait = std::chrono::milliseconds(100);  // if another thread had the signal of the end

pid_t signalled = 0;  // the program, or its group
void to_program(int signal) { kill(signalled, signal); }
void wake(int) {}

[[noreturn]] void no_process(int error) {
  throw host::InputError(fmt::format("error: no process can be started: {}\n", error_text(error)));
}

/// Signals as they are while the program runs, and as they were before.
class RunSignals {
 public:
  explicit RunSignals(bool own_group) {
    struct sigaction action {};
    auto set = [&](std::initializer_list<int> signals, void (*handler)(int)) {
      action.sa_handler = handler;
      for (int signal : signals) sigaction(signal, &action, &before_[static_cast<size_t>(signal)]);
    };
    set({SIGINT, SIGQUIT}, own_group ? to_program : SIG_IGN);
    set({SIGTERM, SIGHUP}, to_program);
    set({SIGCHLD}, wake);
  }
  ~RunSignals() {
    for (int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGCHLD})
      sigaction(signal, &before_[static_cast<size_t>(signal)], nullptr);
  }
  RunSignals(const RunSignals&) = delete;
  RunSignals& operator=(const RunSignals&) = delete;

 private:
  std::array<struct sigaction, NSIG> before_{};
};

[[noreturn]] void become(const std::string& path, std::vector<std::string>& words, bool own_group,
                         const sigset_t& mask) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // what is killed leaves nothing running
  std::vector<char*> raw;
  for (std::string& word : words) raw.push_back(word.data());
  raw.push_back(nullptr);
  if (own_group) setpgid(0, 0);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  for (int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_DFL);
  execv(path.c_str(), raw.data());
  print_error(fmt::format("error: {} cannot be started: {}\n", words.front(), error_text(errno)));
  _exit(kBadInput);
}

}  // namespace

PacketServer::PacketServer(Receive receive) : receive_(std::move(receive)), bytes_(cuda::kMostPacketBytes) {
  std::array<uint64_t, 2> random{};
  if (getrandom(random.data(), sizeof random, 0) < 0) no_process(errno);
  const std::string name = fmt::format("warptime-{}-{:016x}{:016x}", getpid(), random[0], random[1]);
  const auto [address, bytes] = cuda::record_address(name);
  listener_ = Descriptor(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (listener_.number() < 0 || bind(listener_.number(), reinterpret_cast<const sockaddr*>(&address), bytes) != 0 ||
      listen(listener_.number(), SOMAXCONN) != 0)
    no_process(errno);
  setenv(cuda::kRecordVariable, name.c_str(), 1);
}

std::vector<int> PacketServer::descriptors() const {
  std::vector<int> out{listener_.number()};
  for (const Descriptor& process : processes_)
    if (process.number() >= 0) out.push_back(process.number());
  return out;
}

void PacketServer::read(size_t process) {
  for (Descriptor& socket = processes_[process]; socket.number() >= 0;) {
    const ssize_t count = recv(socket.number(), bytes_.data(), bytes_.size(), MSG_DONTWAIT);
    if (count > 0) receive_(process, {bytes_.data(), static_cast<size_t>(count)});
    else if (count == 0) socket = Descriptor();
    else if (errno != EINTR) return;
  }
}

void PacketServer::take(bool connects) {
  for (size_t i = 0; i < processes_.size(); ++i) read(i);
  while (connects) {
    Descriptor process(accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC));
    if (process.number() < 0 && errno == EINTR) continue;
    if (process.number() < 0) return;
    // Names are seen by all users of the host.
    ucred peer{};
    socklen_t bytes = sizeof peer;
    if (getsockopt(process.number(), SOL_SOCKET, SO_PEERCRED, &peer, &bytes) != 0 || peer.uid != getuid()) continue;
    processes_.push_back(std::move(process));
    read(processes_.size() - 1);
  }
}

ProgramEnd run_process(const std::string& path, std::vector<std::string> words, PacketServer* server,
                       std::optional<uint64_t> timeout) {
  // SIGCHLD comes while ppoll waits only, so that none is missed.
  sigset_t child, before;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, &before);
  const pid_t process = fork();
  if (process < 0) no_process(errno);
  if (process == 0) become(path, words, timeout.has_value(), before);
  if (timeout) setpgid(process, process);
  signalled = timeout ? -process : process;
  ProgramEnd end;
  {
    const RunSignals signals(timeout.has_value());
    sigset_t waiting = before;
    sigdelset(&waiting, SIGCHLD);
    Clock::time_point deadline = Clock::now() + std::chrono::seconds(timeout.value_or(0));
    int how = 0;
    for (pid_t ended = 0; (ended = waitpid(process, &how, WNOHANG)) != process;) {
      if (ended < 0 && errno != EINTR) break;
      if (timeout && Clock::now() >= deadline) {
        kill(signalled, end.timed_out ? SIGKILL : SIGTERM);
        end.timed_out = true;
        deadline = Clock::now() + kGrace;
      }
      std::vector<pollfd> readable;
      if (server != nullptr)
        for (int descriptor : server->descriptors()) readable.push_back({descriptor, POLLIN, 0});
      constexpr timespec kWait{0, std::chrono::nanoseconds(kMostWait).count()};
      if (ppoll(readable.data(), readable.size(), &kWait, &waiting) > 0) server->take(readable.front().revents != 0);
    }
    // What has been sent before; programs that go on in the background are not waited for.
    if (server != nullptr) server->take(true);
    if (end.timed_out) kill(signalled, SIGKILL);  // what it has left behind
    end.was_killed = WIFSIGNALED(how);
    constexpr int kFirstOfSignals = 128;
    end.status = end.was_killed ? kFirstOfSignals + WTERMSIG(how) : WEXITSTATUS(how);
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
  return end;
}

}  // namespace warptime::cli
