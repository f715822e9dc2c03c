#include "cli/sweep/sweep_children.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <map>
#include <new>
#include <utility>

#include "base/descriptors.h"
#include "base/system_error.h"
#include "cli/cli.h"
#include "cli/command_line.h"

namespace warptime::cli {

namespace {

// How a child that has no result ends.
constexpr int kCannotTell = 75, kHasNoRoom = 76;
// What a run opens at a time, and some more.
constexpr int kDescriptorsOfRun = 8;

/// A run that found none would be told as one whose files cannot be read.
void require_descriptors() {
  std::array<Descriptor, kDescriptorsOfRun> spare;
  for (Descriptor& one : spare) {
    one = Descriptor(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
    if (one.number() < 0 && errno == EMFILE) throw NoRoom{"the limit on open files (ulimit -n) leaves too few of them"};
    if (one.number() < 0 && errno == ENFILE) throw NoRoom{"this host has no more open files"};
  }
}

/// A signal by which a program ends itself, by a fault of its own.
bool is_crash(int signal) {
  for (int own : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS})
    if (signal == own) return true;
  return false;
}

/// How a child ended, whose file this is.
ChildResult result_of(int how, int file) {
  using End = ChildResult::End;
  if (WIFSIGNALED(how)) {
    const int signal = WTERMSIG(how);
    std::string text = fmt::format("its process was ended by signal {}", signal);
    if (is_crash(signal)) return {End::Crash, text};
    if (signal == SIGKILL) text += ", perhaps for want of memory";
    if (signal == SIGXCPU) text += ", the limit on processor time";
    return {End::NotDone, text};
  }
  switch (WEXITSTATUS(how)) {
    case 0: return {End::Result, contents_of_file(file)};
    case kCannotTell:
      return {End::NotDone,
              "its result cannot be kept: the host is out of memory, or files may not grow so large (ulimit -f)"};
    case kHasNoRoom: return {End::NotDone, contents_of_file(file)};
    default: return {End::Crash, fmt::format("its process ended itself, with exit status {}", WEXITSTATUS(how))};
  }
}

/// In the child: works, and returns its exit status.
int work_in_child(size_t number, const std::function<std::string(size_t)>& work, int file) {
  std::string text;
  int status = 0;
  try {
    require_descriptors();
    text = work(number);
  } catch (const NoRoom& room) {
    text = room.why;
    status = kHasNoRoom;
  } catch (const std::bad_alloc&) {
    text = "the host has not enough memory for it";
    status = kHasNoRoom;
  }
  return write_whole(file, text) == 0 ? status : kCannotTell;
}

/// Waits for SIGCHLD, which is blocked meanwhile: a child that ends before wait() is called is not missed.
class EndOfChild {
 public:
  EndOfChild() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~EndOfChild() { restore(); }
  EndOfChild(const EndOfChild&) = delete;
  EndOfChild& operator=(const EndOfChild&) = delete;

  void restore() const { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  /// For the time between two progress lines at most.
  void wait() const {
    timespec most{0, 100'000'000};
    sigtimedwait(&signal_, nullptr, &most);
  }

 private:
  sigset_t signal_{}, before_{};
};

class Children {
 public:
  Children() = default;
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;
  ~Children() {
    for (const auto& [id, child] : running_) kill(id, SIGKILL);
    while (!running_.empty() && wait_for_one()) {
    }
  }

  size_t running() const { return running_.size(); }

  /// False if the system has no room for another process; errno says why.
  bool start(size_t number, const std::function<std::string(size_t)>& work) {
    Descriptor file(memory_file());
    if (file.number() < 0) return false;
    std::fflush(stdout);  // or the child would write what is in the buffers once more
    std::fflush(stderr);
    pid_t parent = getpid(), id = fork();
    if (id < 0) return false;
    if (id == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);  // a killed sweep leaves nothing running
      if (getppid() != parent) _exit(1);
      end_of_child_.restore();
      _exit(work_in_child(number, work, file.number()));
    }
    running_[id] = {number, std::move(file)};
    return true;
  }

  /// Waits until one ends, or for a moment, and keeps its result; false if there is none to wait for.
  bool wait_for_one() {
    int how = 0;
    pid_t id = waitpid(-1, &how, WNOHANG);
    if (id < 0) return errno == EINTR;
    if (id == 0) {
      end_of_child_.wait();
      return true;
    }
    auto found = running_.find(id);
    if (found == running_.end()) return true;
    Child child = std::move(found->second);
    running_.erase(found);
    if (WIFSIGNALED(how)) end_with(WTERMSIG(how));
    results_[child.number] = result_of(how, child.file.number());
    return true;
  }

  std::map<size_t, ChildResult>& results() { return results_; }

 private:
  struct Child {
    size_t number = 0;
    Descriptor file;
  };

  // Whoever asks a child to end means the whole sweep: its point has not failed, and must not become a row.
  static void end_with(int signal) {
    for (int asked : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
      if (signal != asked) continue;
      std::signal(signal, SIG_DFL);
      std::raise(signal);
    }
  }

  EndOfChild end_of_child_;
  std::map<pid_t, Child> running_;
  std::map<size_t, ChildResult> results_;  // of those that ended, not yet handed over
};

}  // namespace

void run_children(size_t first, size_t last, unsigned jobs, const ChildWork& what) {
  Children children;
  size_t next = first, handed_over = first, ended = 0;
  while (handed_over < last) {
    bool room = true;
    while (room && next < last && children.running() < jobs) {
      room = children.start(next, what.work);
      if (room) ++next;
    }
    if (!room && children.running() == 0)
      fail_not_done(next, fmt::format("cannot start a process: {}", error_text(errno)));
    size_t running = children.running();
    children.wait_for_one();
    ended += running - children.running();
    what.progress(ended);
    auto& results = children.results();
    for (auto at = results.find(handed_over); at != results.end(); at = results.find(++handed_over)) {
      what.done(at->first, at->second);
      results.erase(at);
    }
  }
}

}  // namespace warptime::cli
