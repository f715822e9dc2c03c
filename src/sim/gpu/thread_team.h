// Host threads that run the tasks of a step and join at its end. Only this class uses threads.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <vector>

#include "base/host_lines.h"

namespace warptime::sim {

/// `run(count, readers, work)` calls bool work.task(i, thread) for i = 0 .. count - 1, each once, on the calling thread
/// (0) and the team's others. If it says true, work.finish(i) follows on the same thread, when tasks 0 .. readers - 1
/// are done: it may write what these read. Returns when all is done. Tasks of one run must not depend on each other; at
/// most 65,535. Of n threads, thread i begins with tasks i, i + n, ... in this order (their data are in its core's
/// cache), then takes what others have not begun. Nobody waits for a thread that has begun nothing: the host may be
/// busy with other work. If a task or a finish throws std::bad_alloc, the others are done, then run throws it.
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
  void run(uint32_t count, uint32_t readers, Work&& work) {
    make_room(count);
    if (workers_.empty()) {
      std::vector<uint32_t>& unfinished = own_[0].unfinished;
      for (uint32_t i = 0; i < count; ++i)
        if (work.task(i, 0)) unfinished.push_back(i);
      for (uint32_t i : unfinished) work.finish(i);
      unfinished.clear();
    } else {
      using Type = std::remove_reference_t<Work>;
      run_erased(count, {&work, readers,
                         [](void* to, uint32_t i, uint32_t thread) { return static_cast<Type*>(to)->task(i, thread); },
                         [](void* to, uint32_t i) { static_cast<Type*>(to)->finish(i); }});
    }
  }
  template <std::invocable<uint32_t> F>
  void run(uint32_t count, F&& f) {
    struct Plain {
      std::remove_reference_t<F>& f;
      bool task(uint32_t i, uint32_t) {
        f(i);
        return false;
      }
      void finish(uint32_t) {}
    };
    run(count, 0, Plain{f});
  }

 private:
  struct ErasedWork {
    void* to = nullptr;
    uint32_t readers = 0;
    bool (*task)(void*, uint32_t i, uint32_t thread) = nullptr;
    void (*finish)(void*, uint32_t i) = nullptr;
  };
  /// Thread i's part of a run; all that it has to read before it begins lies in one line of the host's cache. The line
  /// beside it is left alone, as hosts may fetch both.
  struct alignas(kHostLines) Share {
    /// What is left. One word, so that a thread which is late, and looks at it in a later run, cannot mistake it:
    /// run << 32 | tasks left << 16 | tasks taken.
    std::atomic<uint64_t> word{0};
    std::atomic<uint32_t> run{0};  // the last that was begun
    ErasedWork work;               // may be read only by a thread that has claimed a task
  };

  /// What one thread alone writes while it has tasks of a run.
  struct alignas(kHostLines) Own {
    std::atomic<uint64_t> read{0};     // run << 32 | readers that it has done
    std::vector<uint32_t> unfinished;  // tasks
    bool out_of_memory = false;        // a task threw std::bad_alloc
  };

  void make_room(uint32_t tasks) {
    if (tasks <= room_) return;
    room_ = tasks;
    for (Own& own : own_) own.unfinished.reserve(tasks);
  }
  void end_workers();
  void run_erased(uint32_t count, const ErasedWork& work);
  void work(uint32_t thread);
  uint32_t take_tasks(uint32_t thread, uint32_t run);
  void finish_tasks(const ErasedWork& work, uint32_t thread, uint32_t run);
  bool readers_are_done(uint32_t readers, uint32_t run) const;
  struct Tasks {
    uint32_t first = 0, count = 0;  // of a share's
  };
  static Tasks take(Share& share, uint32_t run, bool is_own);

  std::vector<Share> shares_;  // this and the next by thread
  std::vector<Own> own_;
  uint32_t room_ = 0;         // for tasks of a run, in what is allocated
  uint32_t run_ = 0;          // counts the runs
  uint32_t done_before_ = 0;  // what done_ has come to
  std::atomic<bool> stop_{false};
  alignas(kHostLines) std::atomic<uint32_t> done_{0};  // tasks that others than thread 0 have done, in all runs
  alignas(kHostLines) std::vector<std::thread> workers_;
};

}  // namespace warptime::sim
