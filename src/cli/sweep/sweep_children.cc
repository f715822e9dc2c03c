#include "cli/sweep/sweep_children.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <map>
#include <memory>

#include "base/system_error.h"
#include "cli/command_line.h"

namespace warptime::cli {

namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

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

  /// False if the system has no room for another process.
  bool start(size_t number, const std::function<std::string(size_t)>& work) {
    File file(std::tmpfile());
    if (!file) fail({}, fmt::format("no temporary file: {}", error_text(errno)));
    std::fflush(stdout);  // or the child would write what is in the buffers once more
    std::fflush(stderr);
    pid_t parent = getpid(), id = fork();
    if (id < 0) return false;
    if (id == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);  // a killed sweep leaves nothing running
      if (getppid() != parent) _exit(1);
      end_of_child_.restore();
      std::string text = work(number);
      bool whole = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
      whole = std::fflush(file.get()) == 0 && whole;
      _exit(whole ? 0 : 1);
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
    ChildResult result;
    result.finished = WIFEXITED(how) && WEXITSTATUS(how) == 0;
    if (result.finished) result.text = contents(child.file.get());
    else if (WIFSIGNALED(how))
      result.signal = WTERMSIG(how), result.text = fmt::format("its process was ended by signal {}", WTERMSIG(how));
    else result.text = "its result could not be written to a temporary file";
    results_[child.number] = std::move(result);
    return true;
  }

  std::map<size_t, ChildResult>& results() { return results_; }

 private:
  struct Child {
    size_t number = 0;
    File file;
  };

  // Whoever asks a child to end means the whole sweep: its point has not failed, and must not become a row.
  static void end_with(int signal) {
    for (int asked : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
      if (signal != asked) continue;
      std::signal(signal, SIG_DFL);
      std::raise(signal);
    }
  }

  static std::string contents(std::FILE* file) {
    std::string text;
    char part[4096];
    std::rewind(file);
    for (size_t n; (n = std::fread(part, 1, sizeof part, file)) > 0;) text.append(part, n);
    return text;
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
    if (!room && children.running() == 0) fail({}, fmt::format("cannot start a process: {}", error_text(errno)));
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
