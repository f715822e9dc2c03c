// Host threads that run the tasks of a step and meet again. The only place besides its .cc that knows threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace warptime::sim {

/// `run(count, task)` calls task(0) .. task(count - 1), each once, on the calling thread and the team's others, and
/// returns when all are done. Tasks of one run must not depend on each other. Which thread runs which is free; thread i
/// prefers tasks i, i + n, ...
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
  static constexpr uint32_t kMaxTasks = 256;

  void run_erased(uint32_t count, Call call, void* context);
  void work(uint32_t thread);
  void take_tasks(uint32_t thread, uint64_t epoch);

  std::vector<std::thread> workers_;
  std::unique_ptr<std::atomic<uint64_t>[]> claimed_;  // by task: the last epoch in which it was taken
  Call call_ = nullptr;
  void* context_ = nullptr;
  uint32_t count_ = 0;
  bool stop_ = false;
  alignas(64) std::atomic<uint64_t> epoch_{0};
  alignas(64) std::atomic<uint32_t> busy_{0};  // workers that have not finished the epoch
};

}  // namespace warptime::sim
