// The chip between its SMs and its DRAM (src/sim/gpu, src/sim/mem): windows of 64 cycles, in which all TPCs and all
// partitions run and after which they exchange what they sent, on one host thread and on two. In place of SMs are lists
// of loads: as many as an SM may have on their way, each sent as soon as there is room.
#include "base/random.h"
#include "bench/count.h"
#include "sim/gpu/thread_team.h"
#include "sim/mem/memory_system.h"

namespace warptime::sim {
namespace {

/// The transactions of one load by a warp: `runs` of `alike` equal ones.
struct Load {
  uint32_t runs = 0, alike = 1;
  uint16_t bytes = 32;
  Addr (*address)(SplitMix64& random, uint32_t sm, uint64_t load, uint32_t run) = nullptr;
};

Addr in_order(SplitMix64&, uint32_t sm, uint64_t load, uint32_t run) {
  return kDeviceBase + (Addr{sm} * (1 << 22) + (load * 2 + run) * 64) % (1 << 26);
}
/// An element of A for each half-warp of matmul:naive, of a width of 1024.
Addr element_of_a(SplitMix64&, uint32_t sm, uint64_t load, uint32_t run) {
  return kDeviceBase + (Addr{sm} * 16 + load % 8 * 2 + run) * 4096 + load / 8 * 4 % 4096 / 32 * 32;
}
Addr anywhere(SplitMix64& random, uint32_t, uint64_t, uint32_t) { return kDeviceBase + random.below(1 << 21) * 32; }

/// An SM that does nothing but load.
class Loader {
 public:
  Loader(const MachineConfig& machine, const Load& load, uint32_t sm)
      : load_(&load),
        random_(sm),
        sm_(sm),
        in_tpc_(sm % machine.chip.sms_per_tpc),
        spacing_(machine.memory.request_cycles) {
    for (uint32_t tag = 0; tag < machine.memory.max_outstanding_loads; ++tag) free_.push_back(tag);
    if (load.runs == 0) wake_ = kNever;
  }

  Cycle wake() const { return wake_; }
  void begin_step(Cycle begin) {
    if (waits_for_room_) wake_ = begin;
  }
  void act(TpcMemory& tpc, Cycle now) {
    waits_for_room_ = !tpc.has_room(in_tpc_, 1, now);
    if (waits_for_room_) {
      wake_ = tpc.next_room(in_tpc_, now);
      return;
    }
    Request request;
    request.sm = static_cast<uint16_t>(sm_);
    request.bytes = load_->bytes;
    request.tag = free_.back();
    request.counted = true;
    free_.pop_back();
    uint32_t transactions = load_->runs * load_->alike;
    tpc.expect(in_tpc_, request.tag, transactions);
    for (uint32_t run = 0; run < load_->runs; ++run) {
      request.cycle = now + Cycle{run} * load_->alike * spacing_;
      request.address = request.word = load_->address(random_, sm_, loads_, run);
      request.group = group_ + run;
      tpc.send(in_tpc_, request, load_->alike, spacing_);
    }
    group_ += load_->runs;
    ++loads_;
    wake_ = free_.empty() ? kNever : now + transactions * spacing_;
  }
  void answer(const Response& response) {
    if (free_.empty()) wake_ = response.cycle;
    free_.push_back(response.tag);
    ++answers_;
  }
  uint64_t answered_transactions() const { return answers_ * load_->runs * load_->alike; }

 private:
  const Load* load_;
  SplitMix64 random_;
  uint32_t sm_, in_tpc_, spacing_, group_ = 0;
  Cycle wake_ = 0;
  bool waits_for_room_ = false;
  uint64_t loads_ = 0, answers_ = 0;
  std::vector<uint32_t> free_;  // tags of loads that are not on their way
};

class Chip {
 public:
  Chip(const Load& load, uint32_t threads)
      : memory_(machine_.memory.bytes, 256), system_(machine_, memory_), team_(threads), loaders_(machine_.chip.tpcs) {
    memory_.allocate(1 << 27, "all");
    uint32_t per_tpc = machine_.chip.sms_per_tpc;
    for (uint32_t sm = 0; sm < machine_.chip.tpcs * per_tpc; ++sm)
      loaders_[sm / per_tpc].emplace_back(machine_, load, sm);
  }

  void run_window() {
    Cycle begin = now_, end = now_ + machine_.chip.window_cycles;
    team_.run(machine_.chip.tpcs + system_.partition_count(), [&](uint32_t i) {
      if (i < machine_.chip.tpcs) run_tpc(i, begin, end);
      else system_.run_partition(i - machine_.chip.tpcs, begin, end);
    });
    system_.exchange();
    now_ = end;
  }
  uint64_t answered_transactions() const {
    uint64_t sum = 0;
    for (const auto& tpc : loaders_)
      for (const Loader& loader : tpc) sum += loader.answered_transactions();
    return sum;
  }

 private:
  void run_tpc(uint32_t t, Cycle begin, Cycle end) {
    TpcMemory& tpc = system_.tpc(t);
    tpc.begin_step(begin, end);
    for (Loader& loader : loaders_[t]) loader.begin_step(begin);
    for (;;) {
      Cycle response = tpc.next_response();
      Loader* first = &loaders_[t][0];
      for (Loader& loader : loaders_[t])
        if (loader.wake() < first->wake()) first = &loader;
      if (std::min(first->wake(), response) >= end) break;
      if (response <= first->wake()) {
        Response answer = tpc.pop_response();
        loaders_[t][answer.sm % machine_.chip.sms_per_tpc].answer(answer);
      } else {
        first->act(tpc, first->wake());
      }
    }
    tpc.finish_step();
  }

  MachineConfig machine_;
  DeviceMemory memory_;
  MemorySystem system_;
  ThreadTeam team_;
  std::vector<std::vector<Loader>> loaders_;  // [tpc]
  Cycle now_ = 0;
};

void windows(benchmark::State& state, const Load& load, uint32_t threads) {
  Chip chip(load, threads);
  for (int i = 0; i < 100; ++i) chip.run_window();  // until as much is on its way as ever will be
  uint64_t before = chip.answered_transactions();
  for (auto _ : state) chip.run_window();
  uint64_t transactions = chip.answered_transactions() - before;
  if (load.runs == 0) return bench::count(state, 1, "window");
  if (transactions == 0) return state.SkipWithError("no answer came");
  state.SetItemsProcessed(static_cast<int64_t>(transactions));
  state.SetLabel("transaction");
}

const bool kRegistered = [] {
  for (uint32_t threads : {1u, 2u}) {
    auto add = [&](const std::string& name, const Load& load) {
      std::string with = threads == 1 ? "" : ", 2 threads";
      auto* benchmark = benchmark::RegisterBenchmark(("gpu/" + name + with).c_str(), windows, load, threads);
      if (threads > 1) benchmark->UseRealTime();
    };
    add("window without loads", {});
    add("loads, words in order", {2, 1, 64, in_order});
    add("loads, a word a half-warp", {2, 16, 32, element_of_a});
    add("loads, any words", {32, 1, 32, anywhere});
  }
  return true;
}();

}  // namespace
}  // namespace warptime::sim
