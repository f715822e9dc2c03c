// A launch without time: blocks in index order, as many resident as the machine holds, in rounds of a fixed number of
// instructions a warp. Stores apply between rounds in (round, SM, slot) order, so spinning kernels end and bytes do not
// depend on host threads.
#include <algorithm>
#include <bit>
#include <cstring>

#include "sim/core/sm_counters.h"
#include "sim/gpu/fault_text.h"
#include "sim/gpu/gather.h"
#include "sim/gpu/livelock.h"
#include "sim/gpu/run.h"
#include "sim/state/load_store.h"
#include "sim/state/runtime_calls.h"
#include "sim/state/sm_state.h"
#include "sim/state/spin_watch.h"

namespace warptime::sim {

using ptx::Effect;

namespace {

constexpr uint32_t kInstructionsPerRound = 256;  // of a warp
constexpr size_t kDeadlockLines = 40;
constexpr uint64_t kInstructionsBetweenWatches = 1 << 19;  // of all warps: a tenth of a second

/// One SM's share of the work.
class FunctionalSm {
 public:
  FunctionalSm(const LaunchContext& launch, uint32_t sm)
      : state_(launch, sm),
        load_store_(launch, sm),
        counters_(launch.kernel->insns.size(), false),
        watch_(state_, load_store_),
        number_(launch.blocks_per_sm) {
    if (launch.kernel->calls_runtime) runtime_calls_ = std::make_unique<RuntimeCalls>(launch);
  }

  /// `number`: in the order of launch.
  void start_block(uint64_t block, uint64_t number) {
    uint32_t slot = state_.free_slot();
    number_[slot] = number;
    warps_ |= state_.start_block(block, slot);
  }
  /// Where to count each block's instructions, by its number.
  void count_into(uint64_t* block_instructions) { block_instructions_ = block_instructions; }
  bool has_room() const { return state_.free_slot() < state_.launch().blocks_per_sm; }

  /// Runs every resident warp once; afterwards `ended_blocks()` and the stores are there.
  void run_round() {
    ended_blocks_ = 0;
    executed_ = false;
    for (uint64_t rest = warps_; rest != 0 && !fault_.raised; rest &= rest - 1) {
      auto place = static_cast<uint32_t>(std::countr_zero(rest));
      Warp& warp = state_.warp(place);
      uint32_t executed = run_warp(place, warp);
      if (block_instructions_ != nullptr) block_instructions_[number_[warp.slot_of_block]] += executed;
    }
  }

  /// Stores and atomic operations of the round, in the order in which they were issued.
  void apply_stores(DeviceMemory& memory) {
    for (const Write& write : writes_) {
      if (write.insn != nullptr) {
        auto& atomic = static_cast<PendingAtomic&>(*write.store);
        std::memcpy(atomic.bytes.data(), memory.at(atomic.address), atomic.size);
        atomic.perform();
        if (write.insn->has_result) LoadStore::write_result(*write.insn, state_.warp(write.place), atomic);
        apply(atomic, memory);
        load_store_.atomics().release(atomic);
      } else {
        apply(*write.store, memory);
        load_store_.stores().release(write.store);
      }
    }
    writes_.clear();
  }

  /// The round's calls of malloc and free, in the order in which they were issued, up to a fault. False: there were
  /// none.
  bool answer_heap_requests(DeviceHeap& heap) {
    if (runtime_calls_->requests().empty()) return false;
    for (const HeapRequest& request : runtime_calls_->requests())
      if (!runtime_calls_->answer(request, state_, heap, fault_)) return true;
    runtime_calls_->clear_requests();
    return true;
  }
  PrintfBuffer& printed() { return runtime_calls_->printed(); }

  bool executed() const { return executed_; }
  uint32_t ended_blocks() const { return ended_blocks_; }
  const FaultRecord& fault() const { return fault_; }
  const SmCounters& counters() const { return counters_; }
  const SmState& state() const { return state_; }
  SpinWatch& watch() { return watch_; }
  uint64_t executed_instructions() const { return executed_instructions_; }

 private:
  /// Instructions executed.
  uint32_t run_warp(uint32_t place, Warp& warp) {
    uint32_t executed = 0;
    for (uint32_t i = 0; i < kInstructionsPerRound && warp.barrier == kNoBarrier; ++i) {
      const Insn& insn = state_.insn(warp.stack.pc());
      uint32_t lanes = warp.guarded(insn);
      executed_ = true;
      ++executed_instructions_;
      ++executed;
      counters_.executed(warp.stack.pc(), count_lanes(lanes));
      if (insn.effect == Effect::None) [[likely]] {
        if (lanes != 0) insn.run(warp.values, insn, lanes);
        warp.forget(insn);
        warp.stack.advance();
      } else if (!run_effect(place, warp, insn, lanes)) {
        return executed;
      }
    }
    return executed;
  }

  /// False: the warp's round is over.
  bool run_effect(uint32_t place, Warp& warp, const Insn& insn, uint32_t lanes) {
    bool goes_on = perform(place, warp, insn, lanes);
    warp.forget(insn);
    return goes_on;
  }
  void jumped(uint32_t place, uint32_t from) {
    if (watch_.on()) [[unlikely]]
      watch_.jumped(place, from);
  }
  bool perform(uint32_t place, Warp& warp, const Insn& insn, uint32_t lanes) {
    switch (insn.effect) {
      case Effect::None: break;
      case Effect::Collective: state_.collective(place, insn, lanes, fault_); return !fault_.raised;
      case Effect::Clock:
        state_.set_clocks(warp, executed_instructions_);
        watch_.did_anything();
        if (lanes != 0) insn.run(warp.values, insn, lanes);
        break;
      case Effect::Load:
      case Effect::Store:
        if (lanes != 0 && !access(place, warp, insn, lanes)) return false;
        break;
      case Effect::Texture:
        if (lanes == 0) break;
        access_.count = 0;
        if (!load_store_.texture(insn, warp, lanes, access_, fault_)) {
          state_.locate(fault_, place, 1u << fault_.thread);
          return false;
        }
        break;
      case Effect::Atomic:  // what global memory gives back is there in the next round
        if (lanes == 0) break;
        if (!access(place, warp, insn, lanes)) return false;
        warp.stack.advance();
        return !access_.off_chip;
      case Effect::Branch: {
        if (insn.guard != kNoPredicate) ++counters_.divergence.branches;
        uint32_t from = warp.stack.pc();
        if (warp.stack.branch(lanes, insn.target, insn.reconvergence)) ++counters_.divergence.divergent_branches;
        jumped(place, from);
        return true;
      }
      case Effect::Barrier: {
        if (lanes == 0) break;
        watch_.arrived(place, insn);
        state_.arrive(place, lanes, insn, fault_);
        if (fault_.raised) return false;
        if (state_.independent_lanes()) return true;  // its lanes have gone on or aside
        break;
      }
      case Effect::IndexedBranch:
      case Effect::Call:
      case Effect::Return: {
        uint32_t from = warp.stack.pc();
        state_.jump(place, insn, lanes, counters_.divergence, fault_);
        jumped(place, from);
        return !fault_.raised;
      }
      case Effect::Exit: {
        if (lanes == 0) break;
        SmState::Exited exited = state_.exit(place, lanes, fault_);
        if (fault_.raised) return false;
        if (exited.warp_done) warps_ &= ~(uint64_t{1} << place);
        if (exited.block_done) ++ended_blocks_;
        return !exited.warp_done;
      }
      case Effect::Trap:
        if (lanes == 0) break;
        fault_.kind = Fault::Kind::Trap;
        fault_.raised = true;
        state_.locate(fault_, place, lanes);
        return false;
      case Effect::Fence:  // everything earlier is visible from the next round on
        warp.stack.advance();
        return false;
      case Effect::RuntimeCall: {  // what the heap gives back is there in the next round
        if (lanes == 0) break;
        bool waits = runtime_calls_->call(state_, load_store_, place, insn, lanes, 0, fault_);
        if (fault_.raised) return false;
        warp.stack.advance();
        return !waits;
      }
      case Effect::Nop: break;
    }
    warp.stack.advance();
    return true;
  }

  bool access(uint32_t place, Warp& warp, const Insn& insn, uint32_t lanes) {
    if (!load_store_.access(insn, warp, place, lanes, access_, fault_)) {
      uint32_t lane = fault_.thread;
      fault_.is_store = insn.effect != Effect::Load;
      state_.locate(fault_, place, 1u << lane);
      return false;
    }
    counters_.accessed(insn, count_lanes(lanes), access_);
    if (insn.effect == Effect::Load || !access_.off_chip) return true;
    const Insn* atomic = insn.effect == Effect::Atomic ? &insn : nullptr;
    for (uint32_t i = 0; i < access_.count; ++i) writes_.push_back({access_.stores[i], atomic, place});
    return true;
  }

  static void apply(const PendingStore& store, DeviceMemory& memory) {
    for (size_t word = 0; word < store.byte_mask.size(); ++word)
      for (uint64_t rest = store.byte_mask[word]; rest != 0; rest &= rest - 1) {
        size_t at = word * 64 + static_cast<size_t>(std::countr_zero(rest));
        *memory.at(store.address + at) = store.bytes[at];
      }
  }

  struct Write {
    PendingStore* store = nullptr;
    const Insn* insn = nullptr;  // of an atomic operation; nullptr: a store
    uint32_t place = 0;
  };

  SmState state_;
  LoadStore load_store_;
  SmCounters counters_;
  SpinWatch watch_;
  FaultRecord fault_;
  uint64_t warps_ = 0;  // resident, not done
  uint32_t ended_blocks_ = 0;
  bool executed_ = false;
  uint64_t executed_instructions_ = 0;  // of all warps: the time as %clock has it, where there is none
  std::vector<Write> writes_;
  MemoryAccess access_;
  std::vector<uint64_t> number_;  // of the block in each slot
  uint64_t* block_instructions_ = nullptr;
  std::unique_ptr<RuntimeCalls> runtime_calls_;
};

class FunctionalRun {
 public:
  FunctionalRun(const LaunchContext& context, const Launch& launch, DeviceMemory& memory, FunctionalDetail* detail)
      : context_(context),
        memory_(memory),
        heap_(context.kernel->uses_heap ? launch.heap : nullptr),
        chosen_(launch.blocks),
        total_(launch.blocks.empty() ? uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2]
                                     : launch.blocks.size()) {
    for (uint32_t i = 0; i < sm_count(*context.machine); ++i)
      sms_.push_back(std::make_unique<FunctionalSm>(context, i));
    for (auto& sm : sms_) livelock_.add({&sm->state(), &sm->watch()});
    if (detail == nullptr) return;
    detail->block_instructions.assign(total_, 0);
    for (auto& sm : sms_) sm->count_into(detail->block_instructions.data());
  }

  std::optional<Fault> run(ThreadTeam& team, const RunOptions& options) {
    auto fault = run_to_end(team, options);
    if (options.print && context_.kernel->calls_runtime) {
      std::vector<PrintfBuffer*> buffers;
      for (auto& sm : sms_) buffers.push_back(&sm->printed());
      PrintfBuffer::print(buffers, kNever, options.print);
    }
    return fault;
  }

  void gather(LaunchStatistics& statistics, bool per_instruction, FunctionalDetail* detail) {
    bool rows = per_instruction || detail != nullptr;
    SmCounters sum(rows ? context_.kernel->insns.size() : 0, false);
    for (auto& sm : sms_) {
      add_sm(statistics, context_, sm->counters(), 0);
      if (rows) add_instructions(sum, sm->counters());
    }
    if (per_instruction) fill_instruction_rows(statistics, context_, sum);
    if (detail == nullptr) return;
    // fill_instruction_rows reads only the instructions of `sum`; the rest follows here.
    SmStatistics::zip_groups(sum, statistics, [](const StatGroup&, auto& to, const auto& from) { to = from; });
    detail->counters = std::move(sum);
  }

 private:
  std::optional<Fault> run_to_end(ThreadTeam& team, const RunOptions& options) {
    for (uint32_t round = 0; round < context_.blocks_per_sm; ++round)
      for (auto& sm : sms_) start_next(*sm);
    while (finished_ < total_) {
      team.run(static_cast<uint32_t>(sms_.size()), [this](uint32_t i) { sms_[i]->run_round(); });
      bool executed = false;
      for (auto& sm : sms_) {
        if (sm->fault().raised) return describe(sm->fault(), context_, false);
        executed = executed || sm->executed();
      }
      if (!executed) return deadlock(context_, who_waits(), 0, false);
      uint64_t instructions = 0;
      for (auto& sm : sms_) {
        sm->apply_stores(memory_);
        finished_ += sm->ended_blocks();
        if (sm->ended_blocks() != 0) livelock_.disturbed();
        instructions += sm->executed_instructions();
      }
      if (heap_ != nullptr)
        for (auto& sm : sms_) {
          if (sm->answer_heap_requests(*heap_)) livelock_.disturbed();
          if (sm->fault().raised) return describe(sm->fault(), context_, false);
        }
      if (instructions > options.max_cycles) return instruction_limit(options.max_cycles);
      if (instructions >= livelock_.next() && livelock_.look(instructions)) return livelock();
      for (auto& sm : sms_)
        while (sm->has_room() && next_ < total_) start_next(*sm);
      if (options.progress) options.progress(static_cast<double>(finished_) / static_cast<double>(total_));
    }
    return std::nullopt;
  }

  void start_next(FunctionalSm& sm) {
    if (next_ >= total_) return;
    sm.start_block(chosen_.empty() ? next_ : chosen_[next_], next_);
    ++next_;
  }

  Fault instruction_limit(uint64_t limit) {
    return over_limit(
        context_, limit, "warp instructions",
        fmt::format("{} of {} blocks had ended; give more with --max-cycles\n{}", finished_, total_, who_waits()));
  }

  Fault livelock() {
    size_t lines = kDeadlockLines;
    std::string who = livelock_.who_repeats(&lines);
    return sim::livelock(context_, lines == 0 ? who + "...\n" : who, 0, false);
  }

  std::string who_waits() {
    std::string out;
    size_t lines = kDeadlockLines;
    for (auto& sm : sms_)
      out += describe_warps(
          sm->state(), [](uint32_t) { return "runs"; }, &lines);
    if (lines == 0) out += "...\n";
    return out;
  }

  const LaunchContext& context_;
  DeviceMemory& memory_;
  DeviceHeap* heap_;  // nullptr: the kernel does not use it
  std::span<const uint64_t> chosen_;
  uint64_t total_;
  uint64_t next_ = 0;
  uint64_t finished_ = 0;
  std::vector<std::unique_ptr<FunctionalSm>> sms_;
  Livelock livelock_{kInstructionsBetweenWatches};
};

}  // namespace

std::optional<Fault> run_functional(const LaunchContext& context, const Launch& launch, const RunOptions& options,
                                    DeviceMemory& memory, ThreadTeam& team, LaunchStatistics& statistics,
                                    FunctionalDetail* detail) {
  statistics.timed = false;
  statistics.attributed = false;
  FunctionalRun functional(context, launch, memory, detail);
  auto fault = functional.run(team, options);
  if (!fault) functional.gather(statistics, options.per_instruction, detail);
  return fault;
}

}  // namespace warptime::sim
