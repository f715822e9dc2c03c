// Runs the kernels of barrier_cases.h on an NVIDIA GPU:
//
//   record_barriers FILE [SECONDS]     every case, its outcome to FILE; a kernel that has not ended by then hangs
//   record_barriers --ptx NAME         prints one
//
// A kernel that hangs ends with the process that launched it, so cases run in processes of their own, several at once.
// What threads have stored before a hang is in host memory, where it can still be read.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "cuda_driver.h"
#include "isa/barrier_cases.h"

namespace warptime::sim {

namespace {

constexpr uint32_t kMostThreads = 128, kProcesses = 12;

/// One case's outcome, in memory that all processes share.
struct Slot {
  enum class State : int { Waits, Runs, Complete, Hang, Fault, Refused };
  State state = State::Waits;
  std::array<char, 200> message{};
  std::array<uint32_t, kMostThreads> words{};
};
struct Shared {
  std::atomic<uint32_t> next = 0;
  std::array<char, 600> origin{};
  Slot slots[1];
};

/// In a process of its own: runs cases until none is left (true) or one has to be ended with the process (false).
class Worker {
 public:
  Worker(const std::vector<BarrierCase>& cases, Shared& shared, double seconds)
      : cases_(cases), shared_(shared), seconds_(seconds) {
    constexpr unsigned kDeviceMap = 2;  // CU_MEMHOSTALLOC_DEVICEMAP
    void* host = nullptr;
    Driver::check(cuda_.allocate_host(&host, sizeof(Memory), kDeviceMap), "cuMemHostAlloc");
    Driver::check(cuda_.host_to_device(&device_, host, 0), "cuMemHostGetDevicePointer");
    memory_ = static_cast<Memory*>(host);
    fmt::format_to_n(shared.origin.data(), shared.origin.size() - 1, "{}", cuda_.origin());
  }

  bool run() {
    for (uint32_t i; (i = shared_.next++) < cases_.size();)
      if (!run(cases_[i], shared_.slots[i])) return false;
    return true;
  }

 private:
  struct Memory {
    volatile uint32_t counts[kMostCounts];
    volatile uint32_t words[kMostThreads];
  };

  bool run(const BarrierCase& c, Slot& slot) {
    slot.state = Slot::State::Runs;
    for (uint32_t i = 0; i < kMostCounts; ++i) memory_->counts[i] = i < c.counts.size() ? c.counts[i] : 0;
    for (volatile uint32_t& word : memory_->words) word = kNothing;
    std::string log(4096, '\0');
    int options[] = {5, 6};  // CU_JIT_ERROR_LOG_BUFFER, its size
    void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
    void *module = nullptr, *function = nullptr;
    if (cuda_.load(&module, text_of(c).c_str(), 2, options, values) != 0)
      return say(slot, Slot::State::Refused, one_line(log.c_str()));
    Driver::check(cuda_.function(&function, module, "k"), "cuModuleGetFunction");
    Driver::Pointer counts = device_, out = device_ + offsetof(Memory, words);
    void* arguments[] = {&counts, &out};
    int status = cuda_.launch(function, 1, 1, 1, c.threads, 1, 1, 0, nullptr, arguments, nullptr);
    constexpr int kNotReady = 600;  // CUDA_ERROR_NOT_READY
    auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds_);
    while (status == 0 && (status = cuda_.query(nullptr)) == kNotReady && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      status = 0;
    }
    for (uint32_t i = 0; i < c.threads; ++i) slot.words[i] = memory_->words[i];
    if (status == kNotReady) return say(slot, Slot::State::Hang, ""), false;
    if (status != 0) return say(slot, Slot::State::Fault, fmt::format("CUDA error {}", status)), false;
    Driver::check(cuda_.unload(module), "cuModuleUnload");
    return say(slot, Slot::State::Complete, "");
  }
  static bool say(Slot& slot, Slot::State state, const std::string& message) {
    fmt::format_to_n(slot.message.data(), slot.message.size() - 1, "{}", message);
    slot.state = state;
    return true;
  }

  const std::vector<BarrierCase>& cases_;
  Shared& shared_;
  double seconds_;
  Driver cuda_;
  Driver::Pointer device_ = 0;
  Memory* memory_ = nullptr;
};

BarrierOutcome outcome_of(const Slot& slot, uint32_t threads) {
  BarrierOutcome out;
  out.words.assign(slot.words.begin(), slot.words.begin() + threads);
  out.message = slot.message.data();
  switch (slot.state) {
    case Slot::State::Complete: break;
    case Slot::State::Hang: out.end = BarrierOutcome::End::Hang; break;
    case Slot::State::Refused: out.end = BarrierOutcome::End::Refused; break;
    case Slot::State::Fault: out.end = BarrierOutcome::End::Fault; break;
    case Slot::State::Waits:
    case Slot::State::Runs:
      out.end = BarrierOutcome::End::Fault;
      out.message = "the driver ended the process";
      break;
  }
  return out;
}

int record(const std::string& path, double seconds) {
  const std::vector<BarrierCase> cases = barrier_cases();
  size_t bytes = sizeof(Shared) + cases.size() * sizeof(Slot);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) Driver::fail("no shared memory");
  auto* shared = new (memory) Shared;
  uint32_t running = 0, failed_starts = 0;
  for (;;) {
    while (running < kProcesses && shared->next < cases.size()) {
      std::fflush(nullptr);
      pid_t child = fork();
      if (child < 0) Driver::fail("no further process");
      if (child == 0) _exit(Worker(cases, *shared, seconds).run() ? 0 : 3);
      ++running;
    }
    int status = 0;
    if (running == 0 || wait(&status) < 0) break;
    --running;
    bool ended_well = WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 3);
    if (!ended_well && ++failed_starts > 20) Driver::fail("the GPU cannot be used");
  }
  std::ofstream file(path);
  std::string_view origin = shared->origin.data();
  for (size_t at = 0; at < origin.size();) {
    size_t end = std::min(origin.find('\n', at), origin.size());
    file << "# " << origin.substr(at, end - at) << '\n';
    at = end + 1;
  }
  for (size_t i = 0; i < cases.size(); ++i)
    file << cases[i].name << ": " << to_text(outcome_of(shared->slots[i], cases[i].threads)) << '\n';
  return file.flush() ? 0 : 1;
}

}  // namespace

}  // namespace warptime::sim

int main(int count, char** arguments) {
  using namespace warptime::sim;
  if (count == 3 && std::string_view(arguments[1]) == "--ptx") {
    for (const BarrierCase& c : barrier_cases())
      if (c.name == arguments[2]) fmt::print("{}", text_of(c));
    return 0;
  }
  if (count == 2 || count == 3) return record(arguments[1], count == 3 ? std::strtod(arguments[2], nullptr) : 3);
  fmt::print(stderr, "usage: record_barriers FILE [SECONDS] | --ptx NAME\n");
  return 2;
}
