// pns: a stochastic Petri net, simulated by each thread with random numbers of its own. The net is a ring of stations
// that pass messages on; README.md draws it.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "host/workload/compare.h"
#include "host/workload/random.h"
#include "host/workload/workload.h"
#include "reference.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kThreads = 256, kRegisters = 32;    // Ryoo et al. 2008, table 3; README.md derives the threads
constexpr size_t kDraws = kTwisterWords / kThreads;    // that a thread takes of the words made together
constexpr uint64_t kCheckedTurns = uint64_t{1} << 28;  // that a check may cost on the CPU
constexpr uint64_t kCountedTurns = 100000;             // of the CPU baseline

enum Place : int32_t { idle, busy, ready, down, empty, full, kPlaces };
constexpr int32_t kNext = kPlaces;  // the same place of the next station
constexpr std::array<PetriTransition, 5> kStation = {{
    {2, 4, 0x80000000, 1, {idle, full, busy, empty}},                   // takes a message from its buffer
    {1, 2, 0x40000000, -1, {busy, ready}},                              // has worked on it
    {2, 4, 0x80000000, 0, {ready, empty + kNext, idle, full + kNext}},  // passes it on
    {1, 2, 0x04000000, 0, {idle, down}},                                // fails
    {1, 2, 0x10000000, 0, {down, idle}},                                // is repaired
}};
constexpr std::array<int32_t, kPlaces> kTokens = {1, 0, 0, 0, 2, 2};  // at the start: half of a buffer's 4 places full
constexpr size_t kTransitions = kStation.size();

/// The generator's own rule for a seed (Matsumoto and Nishimura, initialization of 2002).
std::vector<uint32_t> make_twister(uint32_t seed) {
  std::vector<uint32_t> state{seed};
  for (uint32_t i = 1; i < kTwisterWords; ++i) state.push_back(1812433253u * (state.back() ^ (state.back() >> 30)) + i);
  return state;
}
std::vector<uint32_t> make_twisters(size_t blocks) {
  host::SplitMix64 random(13);
  std::vector<uint32_t> words;
  for (size_t i = 0; i < blocks; ++i) {
    std::vector<uint32_t> state = make_twister(static_cast<uint32_t>(random.next()));
    words.insert(words.end(), state.begin(), state.end());
  }
  return words;
}

/// Where a simulation's word lies among those of all.
struct Layout {
  bool contiguous;
  size_t simulations, words;  // words of each
  size_t at(size_t simulation, size_t word) const {
    return contiguous ? simulation * words + word : word * simulations + simulation;
  }
};

struct Results {
  std::vector<int32_t> marking, fired, statistics;
};

/// Simulations of a block in step, as they share the words of its twister.
Results simulate_block(std::vector<uint32_t> twister, size_t stations, int64_t ticks) {
  size_t places = stations * kPlaces, draws = kDraws;
  Layout layout{true, kThreads, places}, counts{true, kThreads, stations * kTransitions};
  Results out{{}, std::vector<int32_t>(kThreads * counts.words), std::vector<int32_t>(2 * size_t{kThreads})};
  for (size_t i = 0; i < kThreads * stations; ++i)
    out.marking.insert(out.marking.end(), kTokens.begin(), kTokens.end());
  std::vector<int32_t> watched(kThreads);
  for (int64_t tick = 0; tick < ticks; ++tick) {
    for (size_t turn = 0; turn < counts.words; ++turn, ++draws) {
      if (draws == kDraws) {
        make_words(twister);
        draws = 0;
      }
      const PetriTransition& transition = kStation[turn % kTransitions];
      for (size_t t = 0; t < kThreads; ++t) {
        auto place = [&](size_t i) { return layout.at(t, i); };
        uint32_t word = temper(twister[draws * kThreads + t]);
        if (!take_turn(transition, turn / kTransitions * kPlaces, places, word, out.marking, place)) continue;
        ++out.fired[counts.at(t, turn)];
        ++out.statistics[2 * t];
        watched[t] += transition.watched;
      }
    }
    for (size_t t = 0; t < kThreads; ++t) out.statistics[2 * t + 1] += watched[t];
  }
  return out;
}

class Program {
 public:
  Program(host::WorkloadContext& context, bool contiguous)
      : context_(context),
        device_(context.device),
        stations_(static_cast<size_t>(context["stations"])),
        ticks_(context["ticks"]),
        blocks_(static_cast<uint32_t>(context["blocks"])),
        marking_{contiguous, size_t{blocks_} * kThreads, stations_ * kPlaces},
        fired_{contiguous, marking_.simulations, stations_ * kTransitions},
        statistics_{true, marking_.simulations, 2},
        twisters_(make_twisters(blocks_)) {}

  void run() {
    auto module = device_.load_module_file(context_.directory + "/pns.ptx");
    host::Buffer marking = device_.allocate<int32_t>(marking_.simulations * marking_.words, "marking");
    host::Buffer fired = device_.allocate<int32_t>(fired_.simulations * fired_.words, "fired");
    host::Buffer statistics = device_.allocate<int32_t>(statistics_.simulations * statistics_.words, "statistics");
    host::Buffer twisters = device_.allocate<uint32_t>(twisters_.size(), "twisters");
    device_.copy_to(twisters, twisters_, "twisters");
    std::string name = marking_.contiguous ? "contiguous" : "interleaved";
    host::LaunchOptions options;
    options.registers_per_thread = kRegisters;
    const auto& launch =
        device_.launch(module, "simulate_" + name, {blocks_}, {kThreads},
                       {marking, fired, statistics, twisters, host::arg_u32(static_cast<uint32_t>(stations_)),
                        host::arg_u32(static_cast<uint32_t>(ticks_))},
                       options);
    double turns = static_cast<double>(fired_.simulations * fired_.words) * static_cast<double>(ticks_);
    if (launch.timed)
      device_.add_figure({name + "_turns", turns / launch.time_us / 1e3, "G turns/s", "transitions, in each tick"});
    Results got;
    got.statistics.resize(statistics_.simulations * statistics_.words);
    device_.copy_from(got.statistics, statistics, "statistics");
    if (!context_.check) return;
    got.marking.resize(marking_.simulations * marking_.words);
    got.fired.resize(fired_.simulations * fired_.words);
    device_.read_bytes(std::as_writable_bytes(std::span(got.marking)), marking.address);
    device_.read_bytes(std::as_writable_bytes(std::span(got.fired)), fired.address);
    check(got, name);
  }

 private:
  /// All simulations of evenly spread blocks.
  void check(const Results& got, const std::string& name) {
    uint64_t turns = kThreads * fired_.words * static_cast<uint64_t>(ticks_);
    auto count = static_cast<uint32_t>(std::clamp<uint64_t>(kCheckedTurns / turns, 1, blocks_));
    host::Comparison marking("marking (" + name + ")", ptx::Type::U32, {}),
        fired("fired (" + name + ")", ptx::Type::U32, {}), statistics("statistics (" + name + ")", ptx::Type::U32, {});
    for (uint32_t i = 0; i < count; ++i) {
      size_t block = size_t{i} * blocks_ / count;
      auto first = twisters_.begin() + static_cast<std::ptrdiff_t>(block * kTwisterWords);
      Results expected = simulate_block({first, first + kTwisterWords}, stations_, ticks_);
      auto compare = [&](host::Comparison& comparison, const Layout& layout, const std::vector<int32_t>& values,
                         const std::vector<int32_t>& references) {
        for (size_t k = 0; k < references.size(); ++k) {
          size_t simulation = block * kThreads + k / layout.words, word = k % layout.words;
          comparison.element(static_cast<uint32_t>(values[layout.at(simulation, word)]),
                             static_cast<uint32_t>(references[k]),
                             [&] { return fmt::format("simulation {}, word {}", simulation, word); });
        }
      };
      compare(marking, marking_, got.marking, expected.marking);
      compare(fired, fired_, got.fired, expected.fired);
      compare(statistics, statistics_, got.statistics, expected.statistics);
    }
    for (const host::Comparison* comparison : {&marking, &fired, &statistics})
      context_.checks.push_back(comparison->result());
  }

  host::WorkloadContext& context_;
  host::Device& device_;
  size_t stations_;
  int64_t ticks_;
  uint32_t blocks_;
  Layout marking_, fired_, statistics_;
  std::vector<uint32_t> twisters_;
};

/// Without a variant: the one whose accesses coalesce.
void run(host::WorkloadContext& context) { Program(context, context.variant == "contiguous").run(); }

/// The first ticks of one simulation, which takes all words of a twister.
void run_on_cpu(cpu::CpuContext& context) {
  auto stations = static_cast<size_t>(context["stations"]);
  size_t turns = stations * kTransitions, draws = kTwisterWords;
  auto ticks = std::clamp<int64_t>(static_cast<int64_t>(kCountedTurns / turns), 1, context["ticks"]);
  std::vector<int32_t> tokens;
  for (size_t i = 0; i < stations; ++i) tokens.insert(tokens.end(), kTokens.begin(), kTokens.end());
  cpu::CountedArray<int32_t> marking(tokens), fired(turns);
  cpu::CountedArray<uint32_t> twister(make_twister(5489));
  using Word = cpu::Counted<uint32_t>;
  cpu::Counted<int32_t> firings = 0, watched = 0, sum = 0;
  for (int64_t tick = 0; tick < ticks; ++tick) {
    for (size_t turn : cpu::steps<Word>(turns)) {
      if (draws == kTwisterWords) {
        make_words(twister);
        draws = 0;
      }
      const PetriTransition& transition = kStation[turn % kTransitions];
      Word word = temper(Word(twister[draws++]));
      if (!take_turn(transition, turn / kTransitions * kPlaces, tokens.size(), word, marking,
                     [](size_t i) { return i; }))
        continue;
      ++fired[turn];
      ++firings;
      if (transition.watched != 0) watched += transition.watched;
    }
    sum += watched;
  }
  context.scale = static_cast<double>(context["blocks"]) * kThreads * static_cast<double>(context["ticks"]) /
                  static_cast<double>(ticks);
  context.part = fmt::format("{} of {} ticks of one simulation", ticks, context["ticks"]);
}

host::Published published_registers(const char* variant) {
  return {variant, "registers per thread", kRegisters, "", "Ryoo et al. 2008, table 3", "geforce-8800-gtx"};
}

const bool kRegistered = host::register_workload({
    .name = "pns",
    .summary = "a stochastic Petri net, a simulation per thread: state in global memory, few threads",
    .variants = {"interleaved", "contiguous"},
    .parameters =
        {{.name = "stations",
          .default_value = 32,
          .low = 2,
          .high = 8192,
          .choices = {},
          .what = "stations of the net"},
         {.name = "ticks", .default_value = 50, .low = 1, .high = 1 << 24, .choices = {}, .what = "steps of time"},
         {.name = "blocks",
          .default_value = 8,
          .low = 1,
          .high = 64,
          .choices = {},
          .what = "blocks of 256 simulations; published: 8"}},
    .published = {published_registers(""), published_registers("interleaved"), published_registers("contiguous")},
    .run = run,
    .cpu = run_on_cpu,
});

}  // namespace
}  // namespace warptime::workloads
