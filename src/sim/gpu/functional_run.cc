// A launch without time: blocks in index order, as many resident as the machine holds, in rounds of a fixed number of
// instructions per warp. Stores apply between rounds in (round, SM, slot) order, so spinning kernels end and bytes do
// not depend on host threads.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/state_archive.h"
#include "sim/gpu/adversary.h"
#include "sim/gpu/announced_code.h"
#include "sim/gpu/fault_text.h"
#include "sim/gpu/functional_sm.h"
#include "sim/gpu/gather.h"
#include "sim/gpu/livelock.h"
#include "sim/gpu/request_recorder.h"
#include "sim/gpu/run.h"

namespace warptime::sim {

namespace {

// An adversary rests after so many instructions of a launch, as only repeated states are recognized as endless.
constexpr uint64_t kReorderedInstructions = 1 << 26, kMostReorderedBlocks = 1 << 24;
constexpr uint64_t kSeedsApart = 0x9e3779b97f4a7c15;  // seeds of neighbouring launches

constexpr uint64_t kInstructionsBetweenWatches = 1 << 19;  // of all warps: a tenth of a second

template <bool Observed>
class FunctionalRun : public Run {
 public:
  FunctionalRun(const LaunchContext& context, const Launch& launch, const RunOptions& options, DeviceMemory& memory,
                ThreadTeam& team, LaunchStatistics& statistics, FunctionalDetail* detail)
      : context_(context),
        options_(options),
        needs_(options.needs()),
        memory_(memory),
        team_(team),
        statistics_(statistics),
        detail_(detail),
        heap_(context.kernel->uses_heap ? launch.heap : nullptr),
        chosen_(launch.blocks),
        total_(launch.blocks.empty() ? uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2]
                                     : launch.blocks.size()) {
    if constexpr (Observed) needs_.observer->begins(context);
    const bool small = !Observed && needs_.requests == nullptr && total_ < sm_count(*context.machine);
    add_sms(small ? static_cast<uint32_t>(total_) : sm_count(*context.machine));
    statistics.timed = false;
    statistics.attributed = false;
    if (detail != nullptr) count_blocks();
    if (needs_.requests != nullptr) record_requests();
    if constexpr (Observed)
      if (auto seed = needs_.observer->adversarial_seed()) reorder(*seed);
    for (uint32_t round = 0; round < context_.blocks_per_sm; round += context_.cluster_blocks)
      for (auto& sm : sms_) start_next(*sm);
  }

  bool step(Cycle until) override {
    while (!ended_ && instructions_ < until) ended_ = !run_round();
    return !ended_;
  }
  Cycle now() const override { return instructions_; }
  uint64_t ended_blocks() const override { return finished_; }
  const SmState* sm(uint32_t index) const override {
    if (index >= sms_.size()) const_cast<FunctionalRun*>(this)->add_sms(sm_count(*context_.machine));
    return &sms_[index]->state();
  }
  std::string_view why_not_saved() const override {
    if (detail_ != nullptr) return "it is sampled";
    if (needs_.requests != nullptr) return "its accesses are recorded";
    if (Observed) return "checkers follow it";
    return {};
  }
  void save(StateWriter& archive) override { serialize(archive); }
  void restore(StateReader& archive) override { serialize(archive); }

 private:
  /// Up to so many. Those that get no block are made only where somebody looks at them: most of a small launch's time.
  void add_sms(uint32_t count) {
    for (auto i = static_cast<uint32_t>(sms_.size()); i < count; ++i) {
      sms_.push_back(std::make_unique<FunctionalSm<Observed>>(context_, i, needs_.observer));
      livelock_.add({&sms_.back()->state(), &sms_.back()->watch()});
    }
  }

  void reorder(uint64_t seed) {
    adversary_.emplace(seed + options_.launch * kSeedsApart, context_);
    for (auto& sm : sms_) sm->reorder_by(&*adversary_);
    if (total_ <= kMostReorderedBlocks && context_.cluster_blocks == 1) block_order_ = adversary_->order(total_);
  }

  void count_blocks() {
    detail_->block_instructions.assign(total_, 0);
    for (auto& sm : sms_) sm->count_into(detail_->block_instructions.data());
  }

  void record_requests() {
    RequestRecord& log = *needs_.requests;
    log = RequestRecord{.most_requests = log.most_requests};
    for (auto& sm : sms_) {
      recorders_.push_back(std::make_unique<RequestRecorder>(needs_.requests->most_requests / sms_.size()));
      sm->record_into(recorders_.back().get());
    }
  }

  void finish_log(RequestRecord& log) {
    log.blocks = total_;
    log.blocks_per_sm = context_.blocks_per_sm;
    for (const ptx::Instruction& instruction : context_.kernel->kernel->instructions)
      log.lines.push_back(instruction.line);
    for (auto& recorder : recorders_) recorder->finish(log);
    std::sort(log.warps.begin(), log.warps.end(), [](const RecordedWarp& a, const RecordedWarp& b) {
      return std::pair(a.block, a.index_in_block) < std::pair(b.block, b.index_in_block);
    });
  }

  /// False: that was the last one.
  bool run_round() {
    fault_ = run_round_to_fault();
    if (!fault_ && finished_ < total_) return true;
    print();
    if (fault_ && fault_->warps.empty() && !fault_->hint_has_warps()) fault_->warps = who_waits();
    gather();
    if constexpr (Observed) needs_.observer->ends(fault_ ? &*fault_ : nullptr);
    return false;
  }

  std::optional<Fault> run_round_to_fault() {
    std::vector<uint64_t> order;  // of the SMs in this round; empty: as they are
    if constexpr (Observed)
      if (adversary_) order = adversary_->order(sms_.size());
    team_.run(static_cast<uint32_t>(sms_.size()), [&](uint32_t i) { sms_[order.empty() ? i : order[i]]->run_round(); });
    bool executed = false;
    for (auto& sm : sms_) {
      if (sm->fault().raised) return describe(sm->fault(), context_, false);
      executed = executed || sm->executed();
    }
    if (!executed) return deadlock(context_, chain(), who_waits(), 0, false);
    instructions_ = 0;
    for (size_t i = 0; i < sms_.size(); ++i) {
      auto& sm = sms_[order.empty() ? i : order[i]];
      sm->apply_stores(memory_);
      finished_ += sm->ended_blocks();
      if (sm->ended_blocks() != 0) livelock_.disturbed();
      instructions_ += sm->executed_instructions();
    }
    if (adversary_ && instructions_ > kReorderedInstructions) adversary_->rest();
    if (heap_ != nullptr)
      for (auto& sm : sms_) {
        if (sm->answer_heap_requests(*heap_)) livelock_.disturbed();
        if (sm->fault().raised) return describe(sm->fault(), context_, false);
      }
    if (instructions_ > options_.max_cycles) return instruction_limit(options_.max_cycles);
    if (options_.interrupt != nullptr && options_.interrupt->load(std::memory_order_relaxed) != 0)
      return interrupted(context_, fmt::format("{} of {} blocks had ended", finished_, total_), 0, false);
    if (instructions_ >= livelock_.next() && livelock_.look(instructions_))
      return livelock(context_, livelock_.chain(blocks_left()), livelock_.who_repeats(), 0, false);
    for (auto& sm : sms_)
      while (sm->has_room() && next_ < total_) start_next(*sm);
    if (needs_.progress) report();
    return std::nullopt;
  }

  void report() {
    options_.listener->progress({.kernel = context_.kernel->kernel->name,
                                 .timed = false,
                                 .now = instructions_,
                                 .ended_blocks = finished_,
                                 .blocks = total_,
                                 .share = static_cast<double>(finished_) / static_cast<double>(total_),
                                 .counts = [this] { return RunCounts{.warp_instructions = instructions_}; }});
  }

  void print() {
    if (!needs_.prints || !context_.kernel->calls_runtime) return;
    std::vector<PrintfBuffer*> buffers;
    for (auto& sm : sms_) buffers.push_back(&sm->printed());
    PrintfBuffer::print(buffers, kNever, [this](std::string_view text) { options_.listener->printed(text); });
  }

  void gather() {
    bool rows = options_.per_instruction || detail_ != nullptr;
    SmCounters sum(rows ? context_.kernel->insns.size() : 0, false, context_.lines);
    for (auto& sm : sms_) {
      const SmCounters counters = sm->counters();
      add_sm(statistics_, context_, counters, 0);
      if (rows) add_instructions(sum, counters);
    }
    if (options_.per_instruction) fill_instruction_rows(statistics_, context_, sum);
    if (needs_.requests != nullptr) finish_log(*needs_.requests);
    if (detail_ == nullptr) return;
    // fill_instruction_rows reads only the instructions of `sum`; the rest follows here.
    SmStatistics::zip_groups(sum, statistics_, [](const StatGroup&, auto& to, const auto& from) { to = from; });
    detail_->counters = std::move(sum);
  }

  /// A block, or all blocks of a cluster.
  void start_next(FunctionalSm<Observed>& sm) {
    const uint32_t first = sm.free_slot();
    for (uint32_t i = 0; i < context_.cluster_blocks && next_ < total_; ++i) {
      const uint64_t number = block_order_.empty() ? next_ : block_order_[next_];
      sm.start_block(chosen_.empty() ? number : chosen_[number], number, first + i);
      ++next_;
    }
  }

  Fault instruction_limit(uint64_t limit) {
    return over_limit(
        context_, limit, "warp instructions",
        fmt::format("{} of {} blocks had ended; give more with --max-cycles\n{}", finished_, total_, who_waits()));
  }

  BlocksLeft blocks_left() const {
    return {next_ < total_ && !chosen_.empty() ? chosen_[next_] : next_, total_ - next_};
  }

  WaitChain chain() const {
    WaitChain out(blocks_left());
    for (auto& sm : sms_) out.add(sm->state(), nullptr);
    return out;
  }

  std::string who_waits() {
    WarpLines lines;
    for (auto& sm : sms_) lines.add(sm->state(), [](uint32_t) { return "runs"; });
    return lines.text();
  }

  /// Saves or restores what changes between rounds (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    add_sms(sm_count(*context_.machine));
    announce_code(archive, *context_.kernel);
    archive.limits.sms = sms_.size();
    archive.limits.blocks = context_.blocks_per_sm;
    archive(next_, finished_, instructions_);
    archive.expect(finished_ <= next_ && next_ <= total_);
    for (auto& sm : sms_) archive(*sm);
    archive(livelock_);
  }

  const LaunchContext& context_;
  const RunOptions& options_;
  const LaunchNeeds needs_;
  DeviceMemory& memory_;
  ThreadTeam& team_;
  LaunchStatistics& statistics_;
  FunctionalDetail* detail_;
  DeviceHeap* heap_;  // nullptr: the kernel does not use it
  std::span<const uint64_t> chosen_;
  uint64_t total_;
  std::optional<Adversary> adversary_;
  std::vector<uint64_t> block_order_;  // of an adversary
  uint64_t next_ = 0;
  uint64_t finished_ = 0;      // blocks
  uint64_t instructions_ = 0;  // of all warps, up to the last round
  bool ended_ = false;
  std::vector<std::unique_ptr<FunctionalSm<Observed>>> sms_;
  std::vector<std::unique_ptr<RequestRecorder>> recorders_;  // by SM, if accesses are recorded
  Livelock livelock_{kInstructionsBetweenWatches};
};

}  // namespace

std::unique_ptr<Run> begin_functional(const LaunchContext& context, const Launch& launch, const RunOptions& options,
                                      DeviceMemory& memory, ThreadTeam& team, LaunchStatistics& statistics,
                                      FunctionalDetail* detail) {
  if (options.needs().observer != nullptr)
    return std::make_unique<FunctionalRun<true>>(context, launch, options, memory, team, statistics, detail);
  return std::make_unique<FunctionalRun<false>>(context, launch, options, memory, team, statistics, detail);
}

std::optional<Fault> run_functional(const LaunchContext& context, const Launch& launch, const RunOptions& options,
                                    DeviceMemory& memory, ThreadTeam& team, LaunchStatistics& statistics,
                                    FunctionalDetail* detail) {
  FunctionalRun<false> run(context, launch, options, memory, team, statistics, detail);
  run.step(kNever);
  return run.fault();
}

}  // namespace warptime::sim
