#include "host/checkpoint/checkpoints.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/state_archive.h"
#include "host/device/device_impl.h"

namespace warptime::host {

namespace {

// The host's clock is read this often: a fraction of a second apart.
constexpr Cycle kCyclesBetweenLooks = 1 << 12;
constexpr Cycle kInstructionsBetweenLooks = 1 << 20;

template <class T>
std::string_view bytes_of(const T& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0])};
}

[[noreturn]] void other_calls() {
  throw_error("the host program differs from that of the run that wrote the checkpoint",
              "continue with the files and options of that run");
}

}  // namespace

void Checkpoints::write_at(std::optional<uint64_t> launch, Cycle cycle, Write write) {
  at_.push_back({launch, cycle, std::move(write)});
}

void Checkpoints::write_every(std::chrono::duration<double> time, Write write) {
  every_ = {time, std::move(write), {}};
}

void Checkpoints::written(Addr to, std::span<const std::byte> bytes) {
  calls_.mix(bytes_of(std::array{to}));
  calls_.mix(bytes_of(bytes));
}

void Checkpoints::read(std::span<std::byte> bytes) {
  if (from_) {
    if (bytes.size() > from_->reads.size() - read_) other_calls();
    if (!bytes.empty()) std::memcpy(bytes.data(), from_->reads.data() + read_, bytes.size());
    read_ += bytes.size();
  }
  if (may_write()) reads_.insert(reads_.end(), bytes.begin(), bytes.end());
}

void Checkpoints::launched(const sim::Launch& launch) {
  calls_.mix(launch.kernel->kernel->name);
  calls_.mix(bytes_of(launch.grid));
  calls_.mix(bytes_of(launch.block));
  calls_.mix(bytes_of(std::array{launch.dynamic_shared_bytes, launch.registers_per_thread}));
  calls_.mix(bytes_of(launch.parameters));
  calls_.mix(bytes_of(launch.constants));
  calls_.mix(bytes_of(launch.blocks));
}

std::optional<sim::Fault> Checkpoints::run(sim::Gpu& gpu, const sim::Launch& launch, sim::RunOptions options,
                                           sim::DeviceHeap& heap, sim::LaunchStatistics& statistics) {
  launched(launch);
  std::optional<sim::Fault> fault;
  if (from_ && number_ < from_->launch) {
    if (from_->launches.at(number_).kernel != launch.kernel->kernel->name) other_calls();
    statistics = from_->launches[number_];
    if (!statistics.instructions.empty()) statistics.ptx = launch.kernel->module->source;
  } else {
    if (every_ && options.interrupt != nullptr) interrupt_ = std::exchange(options.interrupt, &stop_);
    heap_ = &heap;
    timed_ = !options.functional;
    sim::LaunchListeners all{options.listener, this};
    options.listener = &all;
    fault = gpu.run(launch, options, statistics);
  }
  longest_ = std::max(longest_, statistics.timed ? statistics.cycles : statistics.counts.warp_instructions);
  if (may_write()) launches_.push_back(statistics);
  ++number_;
  return fault;
}

Cycle Checkpoints::visit(sim::Session& session) {
  if (from_) go_on(session);
  if (stop_ != 0) return kNever;
  Cycle next = kNever;
  for (auto at = at_.begin(); at != at_.end();) {
    const bool is_due = !at->launch || *at->launch == number_;
    if (is_due && session.now() >= at->cycle) {
      at->write(checkpoint_of(session));
      at = at_.erase(at);
    } else {
      if (is_due) next = std::min(next, at->cycle);
      ++at;
    }
  }
  if (every_ && interrupt_ != nullptr)
    if (const int signal = interrupt_->load(std::memory_order_relaxed); signal != 0) {
      every_->write(checkpoint_of(session));
      interrupted_at_ = session.now();
      stop_ = signal;
      return kNever;
    }
  if (every_) {
    const auto now = std::chrono::steady_clock::now();
    const auto time = std::chrono::duration_cast<std::chrono::steady_clock::duration>(every_->time);
    if (every_->next == std::chrono::steady_clock::time_point()) every_->next = now + time;
    if (now >= every_->next) {
      every_->write(checkpoint_of(session));
      every_->next = std::chrono::steady_clock::now() + time;
    }
  }
  if (every_) next = std::min(next, session.now() + (timed_ ? kCyclesBetweenLooks : kInstructionsBetweenLooks));
  return next;
}

/// The launch that was running.
void Checkpoints::go_on(sim::Session& session) {
  if (calls_.digits() != from_->calls || read_ != from_->reads.size()) other_calls();
  try {
    session.restore(from_->snapshot);
  } catch (const std::exception& error) {
    throw_error(fmt::format("the checkpoint is damaged: its state is not one of this launch ({})", error.what()),
                "continue with the files and options of that run, or run it from its beginning");
  }
  *heap_ = from_->heap;
  from_.reset();
}

Checkpoint Checkpoints::checkpoint_of(const sim::Session& session) const {
  return {.identity = identity_,
          .launch = number_,
          .calls = calls_.digits(),
          .launches = launches_,
          .reads = reads_,
          .heap = *heap_,
          .snapshot = session.save()};
}

}  // namespace warptime::host
