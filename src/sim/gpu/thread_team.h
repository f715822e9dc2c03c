// Host threads that run the tasks of a step and meet again. The only place besides its .cc that knows threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace warptime::sim {

/// `run(count, task)` calls task(0) .. task(count - 1), each once, on the calling thread and the team's others, and
/// returns when all are done. Tasks of one run must not depend on each other; at most 65,535. Of n threads, thread i
/// begins with tasks i, i + n, ... in this order (their data are in its core's cache), then takes what others have not
/// begun. Nobody waits for a thread that has begun nothing: the host may be busy with other work.
class ThreadTeam {
 public:
  explicit ThreadTeam(uint32_t threads);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  template <class Task>
  void run(uint32_t count, Task&& task) {
    if (workers_.empty()) {
      for (uint32_t i = 0; i < count; ++i) task(i);
      return;
    }
    run_erased(
        count, [](void* context, uint32_t i) { (*static_cast<std::remove_reference_t<Task>*>(context))(i); }, &task);
  }

 private:
  using Call = void (*)(void*, uint32_t);
  /// What is left of thread i's tasks. One word, so that a thread which is late, and looks at it in a later run, cannot
  /// mistake it: run << 32 | tasks left << 16 | tasks taken.
  struct alignas(64) Share {
    std::atomic<uint64_t> word{0};
  };

  void run_erased(uint32_t count, Call call, void* context);
  void work(uint32_t thread);
  void take_tasks(uint32_t thread, uint32_t run);
  bool take_one(uint32_t share, uint32_t run);
  uint32_t threads() const { return static_cast<uint32_t>(shares_.size()); }

  std::vector<Share> shares_;  // by thread
  Call call_ = nullptr;        // of the run; to be read only by who has taken one of its tasks
  void* context_ = nullptr;
  std::atomic<bool> stop_{false};
  alignas(64) std::atomic<uint32_t> run_{0};   // counts the runs
  alignas(64) std::atomic<uint32_t> done_{0};  // tasks of the run
  std::vector<std::thread> workers_;
};

}  // namespace warptime::sim
