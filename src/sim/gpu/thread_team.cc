#include "sim/gpu/thread_team.h"

#include <fmt/format.h>

#include <new>
#include <system_error>
#include <utility>

#include "base/host_memory.h"
#include "base/system_error.h"

namespace warptime::sim {

namespace {

// A step takes some ten microseconds: waiting a little in a loop is cheaper than asking the kernel. After that, let
// others run (the host may have fewer cores than threads, or other work), and only then sleep.
constexpr uint32_t kSpins = 100;
constexpr uint32_t kYields = 2000;

/// The longer the more often it was called for the same.
void wait_a_moment(uint32_t times) {
  if (times >= kSpins) return std::this_thread::yield();
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

void wait_while(const std::atomic<uint32_t>& value, uint32_t unwanted) {
  for (uint32_t times = 0; times < kSpins + kYields; ++times) {
    if (value.load(std::memory_order_acquire) != unwanted) return;
    wait_a_moment(times);
  }
  while (value.load(std::memory_order_acquire) == unwanted) value.wait(unwanted, std::memory_order_acquire);
}

}  // namespace

ThreadTeam::ThreadTeam(uint32_t threads) : shares_(threads), own_(threads) {
  try {
    for (uint32_t i = 1; i < threads; ++i) workers_.emplace_back([this, i] { work(i); });
  } catch (const std::system_error& error) {
    end_workers();
    throw HostMemoryError(fmt::format("host thread {} of {} cannot be started: {}", workers_.size() + 2, threads,
                                      error_text(error.code().value())),
                          "--threads takes a smaller number");
  } catch (const std::bad_alloc&) {
    end_workers();
    throw;
  }
}

ThreadTeam::~ThreadTeam() { end_workers(); }

void ThreadTeam::end_workers() {
  stop_ = true;
  for (Share& share : shares_) {
    share.run.fetch_add(1, std::memory_order_release);
    share.run.notify_all();
  }
  for (std::thread& worker : workers_) worker.join();
}

void ThreadTeam::run_erased(uint32_t count, const ErasedWork& work) {
  ++run_;
  for (uint32_t i = 0; i < threads(); ++i) {
    Share& share = shares_[i];
    uint64_t tasks = (count + threads() - 1 - i) / threads();
    share.work = work;
    share.word.store(uint64_t{run_} << 32 | tasks << 16, std::memory_order_release);
    share.run.store(run_, std::memory_order_release);
    share.run.notify_all();
  }
  done_before_ += count - take_tasks(0, run_);
  for (uint32_t done = done_.load(std::memory_order_acquire); done != done_before_;
       done = done_.load(std::memory_order_acquire))
    wait_while(done_, done);
  bool out_of_memory = false;
  for (Own& own : own_) out_of_memory |= std::exchange(own.out_of_memory, false);
  if (out_of_memory) throw std::bad_alloc();
}

void ThreadTeam::work(uint32_t thread) {
  uint32_t seen = 0;
  for (;;) {
    wait_while(shares_[thread].run, seen);
    seen = shares_[thread].run.load(std::memory_order_acquire);
    if (stop_) return;
    const uint32_t done = take_tasks(thread, seen);
    if (done == 0) continue;
    done_.fetch_add(done, std::memory_order_acq_rel);
    done_.notify_one();
  }
}

/// How many it has done.
uint32_t ThreadTeam::take_tasks(uint32_t thread, uint32_t run) {
  Own& own = own_[thread];
  ErasedWork work;
  uint32_t done = 0, read = 0;
  for (uint32_t i = 0; i < threads(); ++i) {
    const uint32_t owner = (thread + i) % threads();
    Share& share = shares_[owner];
    for (Tasks tasks = take(share, run, i == 0); tasks.count != 0; tasks = take(share, run, i == 0)) {
      work = share.work;
      for (uint32_t k = 0; k < tasks.count; ++k) {
        const uint32_t task = owner + (tasks.first + k) * threads();
        try {
          if (work.task(work.to, task, thread)) own.unfinished.push_back(task);
        } catch (const std::bad_alloc&) {
          own.out_of_memory = true;
        }
        if (task < work.readers) own.read.store(uint64_t{run} << 32 | ++read, std::memory_order_release);
      }
      done += tasks.count;
    }
  }
  // The run of a thread that has done nothing may be over, and what is its own be made larger.
  if (done != 0 && !own.unfinished.empty()) finish_tasks(work, thread, run);
  return done;
}

void ThreadTeam::finish_tasks(const ErasedWork& work, uint32_t thread, uint32_t run) {
  for (uint32_t times = 0; !readers_are_done(work.readers, run); ++times) wait_a_moment(times);
  Own& own = own_[thread];
  try {
    for (uint32_t task : own.unfinished) work.finish(work.to, task);
  } catch (const std::bad_alloc&) {
    own.out_of_memory = true;
  }
  own.unfinished.clear();
}

bool ThreadTeam::readers_are_done(uint32_t readers, uint32_t run) const {
  uint32_t done = 0;
  for (const Own& own : own_) {
    const uint64_t read = own.read.load(std::memory_order_acquire);
    if (read >> 32 == run) done += static_cast<uint32_t>(read);
  }
  return done == readers;
}

/// The owner takes the first half of what is left, as each time costs a wait for all that the thread has written.
/// Others take the last one.
ThreadTeam::Tasks ThreadTeam::take(Share& share, uint32_t run, bool is_own) {
  uint64_t was = share.word.load(std::memory_order_acquire);
  for (;;) {
    const auto left = static_cast<uint32_t>(was >> 16 & 0xffff), taken = static_cast<uint32_t>(was & 0xffff);
    if (was >> 32 != run || left == 0) return {};
    const uint32_t count = is_own ? (left + 1) / 2 : 1;
    const uint64_t now = uint64_t{run} << 32 | (left - count) << 16 | (is_own ? taken + count : taken);
    if (share.word.compare_exchange_weak(was, now, std::memory_order_acq_rel, std::memory_order_acquire))
      return {is_own ? taken : taken + left - 1, count};
  }
}

}  // namespace warptime::sim
