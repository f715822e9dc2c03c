#include "sim/gpu/thread_team.h"

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

void wait_while(const std::atomic<uint32_t>& value, uint32_t unwanted) {
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

ThreadTeam::ThreadTeam(uint32_t threads) : shares_(threads) {
  for (uint32_t i = 1; i < threads; ++i) workers_.emplace_back([this, i] { work(i); });
}

ThreadTeam::~ThreadTeam() {
  stop_ = true;
  run_.fetch_add(1, std::memory_order_release);
  run_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadTeam::run_erased(uint32_t count, Call call, void* context) {
  call_ = call;
  context_ = context;
  done_.store(0, std::memory_order_relaxed);
  uint32_t run = run_.load(std::memory_order_relaxed) + 1;
  for (uint32_t i = 0; i < threads(); ++i) {
    uint64_t tasks = (count + threads() - 1 - i) / threads();
    shares_[i].word.store(uint64_t{run} << 32 | tasks << 16, std::memory_order_release);
  }
  run_.store(run, std::memory_order_release);
  run_.notify_all();
  take_tasks(0, run);
  for (uint32_t done = done_.load(std::memory_order_acquire); done != count;
       done = done_.load(std::memory_order_acquire))
    wait_while(done_, done);
}

void ThreadTeam::work(uint32_t thread) {
  uint32_t seen = 0;
  for (;;) {
    wait_while(run_, seen);
    seen = run_.load(std::memory_order_acquire);
    if (stop_) return;
    take_tasks(thread, seen);
  }
}

void ThreadTeam::take_tasks(uint32_t thread, uint32_t run) {
  uint32_t done = 0;
  for (uint32_t i = 0; i < threads(); ++i) {
    uint32_t share = (thread + i) % threads();
    while (take_one(share, run)) ++done;
  }
  if (done == 0) return;
  done_.fetch_add(done, std::memory_order_acq_rel);
  done_.notify_one();
}

bool ThreadTeam::take_one(uint32_t share, uint32_t run) {
  constexpr uint64_t kTakeOne = 1 - (1 << 16);  // one left less, one taken more
  std::atomic<uint64_t>& word = shares_[share].word;
  uint64_t now = word.load(std::memory_order_acquire);
  do {
    if (now >> 32 != run || (now >> 16 & 0xffff) == 0) return false;
  } while (!word.compare_exchange_weak(now, now + kTakeOne, std::memory_order_acq_rel, std::memory_order_acquire));
  call_(context_, share + static_cast<uint32_t>(now & 0xffff) * threads());
  return true;
}

}  // namespace warptime::sim
