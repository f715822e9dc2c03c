#include "sim/gpu/thread_team.h"

#include "base/assert.h"

namespace warptime::sim {

namespace {

// A step takes some ten microseconds: waiting a little in a loop is cheaper than asking the kernel. After that, let
// others run (the host may have fewer cores than threads, or other work), and only then sleep.
constexpr int kSpins = 100;
constexpr int kYields = 2000;

inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

template <class T>
void wait_while(const std::atomic<T>& value, T unwanted) {
  for (int i = 0; i < kSpins; ++i) {
    if (value.load(std::memory_order_acquire) != unwanted) return;
    pause();
  }
  for (int i = 0; i < kYields; ++i) {
    if (value.load(std::memory_order_acquire) != unwanted) return;
    std::this_thread::yield();
  }
  while (value.load(std::memory_order_acquire) == unwanted) value.wait(unwanted, std::memory_order_acquire);
}

}  // namespace

ThreadTeam::ThreadTeam(uint32_t threads) : claimed_(new std::atomic<uint64_t>[kMaxTasks]) {
  for (uint32_t i = 0; i < kMaxTasks; ++i) claimed_[i].store(0, std::memory_order_relaxed);
  for (uint32_t i = 1; i < threads; ++i) workers_.emplace_back([this, i] { work(i); });
}

ThreadTeam::~ThreadTeam() {
  stop_ = true;
  epoch_.fetch_add(1, std::memory_order_release);
  epoch_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadTeam::run_erased(uint32_t count, Call call, void* context) {
  SIM_ASSERT(count <= kMaxTasks, "{} tasks, at most {}", count, kMaxTasks);
  call_ = call;
  context_ = context;
  count_ = count;
  busy_.store(static_cast<uint32_t>(workers_.size()), std::memory_order_relaxed);
  uint64_t epoch = epoch_.fetch_add(1, std::memory_order_release) + 1;
  epoch_.notify_all();
  take_tasks(0, epoch);
  for (uint32_t busy = busy_.load(std::memory_order_acquire); busy != 0; busy = busy_.load(std::memory_order_acquire))
    wait_while(busy_, busy);
}

void ThreadTeam::work(uint32_t thread) {
  uint64_t seen = 0;
  for (;;) {
    wait_while(epoch_, seen);
    ++seen;  // epochs do not run ahead: the next starts when every worker has finished this one
    if (stop_) return;
    take_tasks(thread, seen);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
  }
}

void ThreadTeam::take_tasks(uint32_t thread, uint64_t epoch) {
  auto take = [&](uint32_t i) {
    uint64_t before = claimed_[i].load(std::memory_order_relaxed);
    if (before != epoch && claimed_[i].compare_exchange_strong(before, epoch, std::memory_order_acq_rel))
      call_(context_, i);
  };
  // First the preferred ones (their data are in this core's cache), then whatever nobody has taken.
  auto threads = static_cast<uint32_t>(workers_.size()) + 1;
  for (uint32_t i = thread; i < count_; i += threads) take(i);
  for (uint32_t i = 0; i < count_; ++i) take(i);
}

}  // namespace warptime::sim
