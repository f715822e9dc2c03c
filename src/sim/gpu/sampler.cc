#include "sim/gpu/sampler.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "sim/gpu/alike_launches.h"
#include "sim/gpu/extrapolation.h"
#include "sim/gpu/memory_image.h"

namespace warptime::sim {

namespace {

// If half the interval is wider than this, a second pass takes as many samples as it needs to be narrower.
constexpr double kWanted = 0.0075;
// And if it is that many times as wide, and there is no room for more samples, the launch is timed in full detail.
constexpr double kTooWide = 2;
// A wave is as many blocks as make each SM execute so many warp instructions (16,000 cycles at least on a G80): what
// one sample leaves in queues and DRAM rows is gone before the next begins to count.
constexpr double kWaveInstructions = 4000;
constexpr uint64_t kProbed = 16;  // blocks that say how long blocks are, where there is no functional pass

/// A pass over blocks of a launch: its options, and what the launch's listener hears of it.
class Pass final : public LaunchListener {
 public:
  /// `half_from`: it is the half of the launch from there on; nullopt: its progress is that of the launch.
  Pass(const RunOptions& launch, const LaunchNeeds& needs, std::optional<double> half_from = {})
      : LaunchListener(needs), options(launch), to_(launch.listener), half_from_(half_from) {
    options.listener = this;
  }
  void printed(std::string_view text) override { to_->printed(text); }
  void progress(const RunMoment& moment) override {
    RunMoment told = moment;
    if (half_from_) {
      told.share = *half_from_ + told.share / 2;
      told.blocks = 0;
    }
    to_->progress(told);
  }

  RunOptions options;

 private:
  LaunchListener* to_;
  std::optional<double> half_from_;
};

/// One launch of a sampled run.
class SampledLaunch {
 public:
  SampledLaunch(const LaunchContext& context, const Launch& launch, const RunOptions& options, DeviceMemory& memory,
                MemorySystem& system, ThreadTeam& team, AlikeLaunches& alike, LaunchStatistics& statistics)
      : context_(context),
        launch_(launch),
        options_(options),
        needs_(options.needs()),
        memory_(memory),
        system_(system),
        team_(team),
        alike_(alike),
        statistics_(statistics),
        // The seed of a launch differs from that of the one before.
        random_(SplitMix64(options.sample_seed + 0x632be59bd9b4e019 * alike.number()).next()),
        grid_(uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2]),
        total_(launch.blocks.empty() ? grid_ : launch.blocks.size()),
        wave_(uint64_t{sm_count(*context.machine)} * context.blocks_per_sm),
        values_(options.sampling != Sampling::Timing) {
    options_.step = Step::Whole;  // intervals end where steps do
    needs_.interval = 0;          // blocks that are not timed are in no cycle
    needs_.blocks = nullptr;
    statistics.timed = true;
    statistics.attributed = options.attribution;
  }

  std::optional<Fault> run() {
    if (options_.sampling == Sampling::FirstLaunches) return first_or_executed();
    bool is_small = SamplePlan::most_samples(total_, wave_) == 0;  // before it is known how short blocks are
    bool wanted = alike_.wanted(options_.sample_seed);
    if (!wanted && !values_) {
      from_others(alike_.mean_instructions());
      return std::nullopt;
    }
    if (wanted && is_small) return in_full(small_note());
    const MemoryImage before(memory_, launch_.heap);
    FunctionalDetail detail;
    if (values_) {
      if (auto fault = functional(detail)) return fault;
      needs_.prints = false;  // what the samples print has been printed
      take(detail);
      if (!wanted && alike_.has_like(instructions_)) {
        from_others(instructions_);
        return std::nullopt;
      }
      set_wave(instructions_ / static_cast<double>(total_));
    } else {
      probe();
    }
    if (SamplePlan::most_samples(total_, wave_) == 0) {
      before.restore();
      return in_full(small_note());
    }
    return samples(before);
  }

 private:
  struct Outcome {
    std::optional<Fault> fault;
    std::string why_not;  // samples say nothing
  };

  std::string_view name() const { return context_.kernel->kernel->name; }
  std::string small_note() const {
    return fmt::format("{} blocks are {:.1f} waves of {}, too few to sample", total_,
                       static_cast<double>(total_) / static_cast<double>(wave_), wave_);
  }

  /// A functional pass counts instructions: it ends where the chip cannot have executed more in the cycles of the
  /// limit.
  RunOptions with_instruction_limit(RunOptions options) const {
    constexpr uint64_t kMostPerCycle = 64;  // of an SM: well above what any has ports for
    uint64_t most = kMostPerCycle * sm_count(*context_.machine);
    options.max_cycles = options.max_cycles > kNever / most ? kNever : options.max_cycles * most;
    return options;
  }

  std::optional<Fault> functional(FunctionalDetail& detail) {
    LaunchStatistics ignored;
    Pass half(options_, needs_, 0);
    auto fault =
        run_functional(context_, launch_, with_instruction_limit(half.options), memory_, team_, ignored, &detail);
    if (fault) {
      ChipCounters executed(sm_count(*context_.machine), context_.kernel->insns.size());
      executed.take_values(detail.counters);
      fill(statistics_, context_, executed, 0, options_.per_instruction);
    }
    return fault;
  }

  void set_wave(double block_instructions) {
    double wave = block_instructions * context_.blocks_per_sm;
    if (wave > 0) wave_ *= static_cast<uint64_t>(std::max(1.0, std::ceil(kWaveInstructions / wave)));
  }

  /// Executes the first blocks, to know how long they are; memory is put back by who calls.
  void probe() {
    Launch part = launch_;
    part.blocks.resize(std::min(total_, kProbed));
    for (uint64_t i = 0; i < part.blocks.size(); ++i) part.blocks[i] = launch_.blocks.empty() ? i : launch_.blocks[i];
    LaunchStatistics ignored;
    FunctionalDetail detail;
    Pass silent(options_, {});
    if (run_functional(context_, part, with_instruction_limit(silent.options), memory_, team_, ignored, &detail))
      return;  // the timed run will tell
    uint64_t all = 0;
    for (uint64_t block : detail.block_instructions) all += block;
    set_wave(static_cast<double>(all) / static_cast<double>(part.blocks.size()));
  }

  void take(FunctionalDetail& detail) {
    executed_ = std::move(detail.counters);
    block_instructions_ = std::move(detail.block_instructions);
    uint64_t all = 0;
    for (uint64_t block : block_instructions_) all += block;
    instructions_ = static_cast<double>(all);
  }

  std::optional<Fault> first_or_executed() {
    if (alike_.timed() < options_.first_launches) return in_full({});
    FunctionalDetail detail;
    if (auto fault = functional(detail)) return fault;
    take(detail);
    from_others(instructions_);
    return std::nullopt;
  }

  /// `why`: it was to be sampled; empty: it was not.
  std::optional<Fault> in_full(const std::string& why) {
    system_.reset(context_.lines);
    ChipCounters counters;
    Cycle cycles = 0;
    Pass whole(options_, needs_);
    if (auto fault = run_recorded(context_, launch_, whole.options, system_, team_, {}, counters, cycles)) {
      fill(statistics_, context_, counters, cycles, options_.per_instruction);
      return fault;
    }
    if (!why.empty()) statistics_.note = fmt::format("kernel {}: {}: timed in full detail", name(), why);
    alike_.add_timed(counters, cycles);
    fill(statistics_, context_, counters, cycles, options_.per_instruction);
    return std::nullopt;
  }

  /// In which an SM gets on by one block. By so much no sampled run can know when the launch ends: which SM then has a
  /// block more than the others, and whether its last blocks run side by side, is decided by all that ran before.
  double cycles_of_a_block(double cycles) const {
    return cycles * sm_count(*context_.machine) / static_cast<double>(total_);
  }

  /// Times samples; `before`: memory as the launch found it.
  std::optional<Fault> samples(const MemoryImage& before) {
    std::optional<MemoryImage> after;
    if (values_) after.emplace(memory_, launch_.heap);
    uint32_t most = SamplePlan::most_samples(total_, wave_);
    uint32_t count = std::min(most, values_ ? SamplePlan::kUsualSamples : SamplePlan::kLeastSamples);
    for (bool again = false;; again = true) {
      before.restore();
      SamplePlan plan = SamplePlan::make(total_, wave_, count, block_instructions_, random_.next());
      IntervalRecorder recorder(
          plan.intervals, plan.parts(),
          ChipCounters(sm_count(*context_.machine), context_.kernel->insns.size(), context_.machine->chip.tpcs,
                       context_.machine->memory.partitions, context_.lines));
      Outcome outcome = measure(plan, recorder);
      if (!outcome.why_not.empty()) {
        before.restore();
        return in_full(outcome.why_not);
      }
      if (outcome.fault) {
        if (values_) after->restore();
        return outcome.fault;
      }
      Estimate cycles = launch_cycles(plan, recorder.intervals(), instructions_);
      // A narrower interval is not wanted where blocks may not be sampled like this.
      bool useful = statistics_.sampling->spread <= kSameInstructions;
      double width = useful ? cycles.half_width / cycles.cycles / kWanted : 0;
      if (width > 1 && count < most && !again) {
        count = static_cast<uint32_t>(std::min<double>(most, std::ceil(1.2 * count * width * width)));
        continue;
      }
      if (width > kTooWide && count == most && most < SamplePlan::kMostSamples) {
        before.restore();
        statistics_.sampling.reset();
        return in_full(fmt::format("{} samples, as many as it has room for, differ too much", count));
      }
      cycles.half_width = std::hypot(cycles.half_width, cycles_of_a_block(cycles.cycles));
      ChipCounters counters = launch_counters(plan, recorder, instructions_);
      if (values_) counters.take_values(executed_);
      finish(counters, cycles);
      alike_.add_timed(counters, statistics_.cycles);
      if (values_) after->restore();
      return std::nullopt;
    }
  }

  /// Runs the blocks of the plan, and learns from them what no functional pass has told.
  Outcome measure(const SamplePlan& plan, IntervalRecorder& recorder) {
    Launch part = launch_;
    part.blocks = plan.blocks;
    if (!launch_.blocks.empty())
      for (uint64_t& block : part.blocks) block = launch_.blocks[block];
    Recording recording{.intervals = &recorder};
    std::vector<uint64_t> counts;
    if (values_) {
      recording.most_instructions = 0;
      for (uint64_t block : plan.blocks) recording.most_instructions += 2 * block_instructions_[block];
    } else {
      counts.assign(grid_, 0);
      recording.block_instructions = counts.data();
    }
    system_.reset(context_.lines);
    ChipCounters counters;
    Cycle cycles = 0;
    Pass samples(options_, {.progress = needs_.progress}, values_ ? std::optional(0.5) : std::nullopt);
    auto fault = run_recorded(context_, part, samples.options, system_, team_, recording, counters, cycles);
    // Every block has run without a fault before; without what others wrote, these are not what they were.
    bool given_up = fault && (fault->kind == Fault::Kind::CycleLimit || fault->kind == Fault::Kind::Interrupted);
    if (fault && values_ && !given_up)
      return {{}, fmt::format("its blocks depend on one another ({})", fault->message)};
    if (fault) {
      // The statistics are those of the samples, which are then no estimate of the launch.
      statistics_.sampling.reset();
      fill(statistics_, context_, counters, cycles, options_.per_instruction);
      return {std::move(fault), {}};
    }
    for (const Interval& interval : recorder.intervals())
      if (interval.warp_instructions == 0 || interval.cycles == 0)
        return {{}, "a wave of its blocks takes no longer than a step of the simulation"};

    statistics_.sampling = SamplingStatistics{};
    statistics_.sampling->samples = plan.intervals.size() - 2;
    statistics_.sampling->blocks_timed = plan.blocks.size();
    if (values_) return {};
    // The others are like those of the samples; start and end may have blocks of their own kind.
    std::vector<uint64_t> sampled;
    double all = 0;
    for (size_t i = 1; i + 1 < plan.intervals.size(); ++i)
      for (uint64_t at = plan.intervals[i].first; at < plan.intervals[i].last; ++at) {
        sampled.push_back(counts[part.blocks[at]]);
        all += static_cast<double>(sampled.back());
      }
    statistics_.sampling->spread = spread(sampled);
    instructions_ = static_cast<double>(counters.warp_instructions()) +
                    static_cast<double>(total_ - part.blocks.size()) * all / static_cast<double>(sampled.size());
    return {};
  }

  /// A launch that is not timed takes what those took that are like it, in cycles per instruction.
  void from_others(double instructions) {
    statistics_.sampling = SamplingStatistics{};
    statistics_.sampling->samples = alike_.timed();
    ChipCounters counters = alike_.counters(instructions);
    if (values_) counters.take_values(executed_);
    finish(counters, alike_.cycles(instructions));
  }

  void finish(ChipCounters& counters, const Estimate& cycles) {
    auto whole = [](double number) { return static_cast<uint64_t>(std::llround(std::max(0.0, number))); };
    SamplingStatistics& record = *statistics_.sampling;
    record.full_values = values_;
    record.seed = options_.sample_seed;
    record.cycles_low = whole(cycles.cycles - cycles.half_width);
    record.cycles_high = whole(cycles.cycles + cycles.half_width);
    counters.reconcile(whole(cycles.cycles), context_.machine->issue.ports, statistics_.attributed);
    fill(statistics_, context_, counters, whole(cycles.cycles), options_.per_instruction);
  }

  const LaunchContext& context_;
  const Launch& launch_;
  RunOptions options_;
  LaunchNeeds needs_;
  DeviceMemory& memory_;
  MemorySystem& system_;
  ThreadTeam& team_;
  AlikeLaunches& alike_;
  LaunchStatistics& statistics_;
  SplitMix64 random_;
  uint64_t grid_;   // blocks of it
  uint64_t total_;  // blocks that run
  uint64_t wave_;   // blocks that the chip holds
  bool values_;     // every block is executed
  // Executed instructions of all blocks; without values, estimated from those that were timed.
  double instructions_ = 0;
  std::vector<uint64_t> block_instructions_;
  SmCounters executed_{0, false};
};

}  // namespace

struct Sampler::Impl {
  DeviceMemory& memory;
  MemorySystem& system;
  std::map<AlikeLaunches::Key, AlikeLaunches> seen = {};
};

Sampler::Sampler(DeviceMemory& memory, MemorySystem& system) : impl_(new Impl{memory, system}) {}
Sampler::~Sampler() = default;

std::optional<Fault> Sampler::run(const LaunchContext& context, const Launch& launch, const RunOptions& options,
                                  ThreadTeam& team, LaunchStatistics& statistics) {
  AlikeLaunches& alike = impl_->seen[AlikeLaunches::key_of(launch)];
  auto fault = SampledLaunch(context, launch, options, impl_->memory, impl_->system, team, alike, statistics).run();
  alike.next();
  if (fault || statistics.cycles <= options.max_cycles) return fault;
  Fault limit;
  limit.kind = Fault::Kind::CycleLimit;
  limit.message = fmt::format("kernel {} takes about {} cycles, more than {}", statistics.kernel, statistics.cycles,
                              options.max_cycles);
  limit.hint = "give more with --max-cycles";
  limit.where = context.kernel->kernel->where;
  return limit;
}

}  // namespace warptime::sim
