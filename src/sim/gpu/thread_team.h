// Host threads that run the tasks of a step and meet again. The only place besides its .cc that knows threads.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <vector>

namespace warptime::sim {

/// `run(count, work)` calls work.task(0, thread) .. work.task(count - 1, thread), each once, on the calling thread (0)
/// and the team's others, and returns when all are done. Tasks of one run must not depend on each other; at most
/// 65,535. Of n threads, thread i begins with tasks i, i + n, ... in this order (their data are in its core's cache),
/// then takes what others have not begun. Nobody waits for a thread that has begun nothing: the host may be busy with
/// other work.
///
/// `run(count, f)` with a function calls f(i) for each task.
class ThreadTeam {
 public:
  explicit ThreadTeam(uint32_t threads);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  uint32_t threads() const { return static_cast<uint32_t>(shares_.size()); }

  template <class Work>
  void run(uint32_t count, Work&& work) {
    if constexpr (std::invocable<Work&, uint32_t>) {
      struct Plain {
        std::remove_reference_t<Work>& f;
        void task(uint32_t i, uint32_t) { f(i); }
      };
      run(count, Plain{work});
    } else if (workers_.empty()) {
      for (uint32_t i = 0; i < count; ++i) work.task(i, 0);
    } else {
      using Type = std::remove_reference_t<Work>;
      run_erased(count,
                 {&work, [](void* to, uint32_t i, uint32_t thread) { static_cast<Type*>(to)->task(i, thread); }});
    }
  }

 private:
  struct ErasedWork {
    void* to = nullptr;
    void (*task)(void*, uint32_t i, uint32_t thread) = nullptr;
  };
  /// Thread i's part of a run; all that it has to read before it begins lies in one line of the host's cache. The line
  /// beside it is left alone, as hosts may fetch both.
  struct alignas(128) Share {
    /// What is left. One word, so that a thread which is late, and looks at it in a later run, cannot mistake it:
    /// run << 32 | tasks left << 16 | tasks taken.
    std::atomic<uint64_t> word{0};
    std::atomic<uint32_t> run{0};  // the last that was begun
    ErasedWork work;               // to be read only by who has taken one of its tasks
  };

  void run_erased(uint32_t count, const ErasedWork& work);
  void work(uint32_t thread);
  uint32_t take_tasks(uint32_t thread, uint32_t run);
  struct Tasks {
    uint32_t first = 0, count = 0;  // of a share's
  };
  static Tasks take(Share& share, uint32_t run, bool is_own);

  std::vector<Share> shares_;  // by thread
  uint32_t run_ = 0;           // counts the runs
  uint32_t done_before_ = 0;   // what done_ has come to
  std::atomic<bool> stop_{false};
  alignas(128) std::atomic<uint32_t> done_{0};  // tasks that others than thread 0 have done, in all runs
  alignas(128) std::vector<std::thread> workers_;
};

}  // namespace warptime::sim
