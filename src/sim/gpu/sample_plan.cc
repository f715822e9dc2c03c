#include "sim/gpu/sample_plan.h"

#include <algorithm>
#include <numeric>

#include "base/assert.h"
#include "base/random.h"

namespace warptime::sim {

namespace {

constexpr size_t kLeastInStratum = 4;

struct Segment {
  uint64_t number = 0;
  uint64_t instructions = 0;
};

/// Segments in strata of like counts. Half of a segment's time is assumed proportional to its instructions, half
/// constant; by that measure strata are equally long, so samples are where the time goes.
std::vector<std::vector<Segment>> stratify(std::vector<Segment> segments, uint32_t strata) {
  std::vector<std::vector<Segment>> out(1);
  if (strata == 1) {
    out[0] = std::move(segments);
    return out;
  }
  uint64_t all = 0, seen = 0;
  for (const Segment& s : segments) all += s.instructions;
  uint64_t each = all / segments.size();
  all += each * segments.size();
  std::stable_sort(segments.begin(), segments.end(),
                   [](const Segment& a, const Segment& b) { return a.instructions < b.instructions; });
  for (const Segment& s : segments) {
    // Enough in each for a line through them and what they deviate from it.
    if (out.size() < strata && out.back().size() >= kLeastInStratum &&
        (seen + (each + s.instructions) / 2) * strata >= all * out.size())
      out.emplace_back();
    out.back().push_back(s);
    seen += each + s.instructions;
  }
  if (out.back().size() < kLeastInStratum && out.size() > 1) {
    auto& before = out[out.size() - 2];
    before.insert(before.end(), out.back().begin(), out.back().end());
    out.pop_back();
  }
  for (auto& stratum : out)
    std::sort(stratum.begin(), stratum.end(), [](const Segment& a, const Segment& b) { return a.number < b.number; });
  return out;
}

}  // namespace

double spread(std::span<const uint64_t> counts) {
  if (counts.empty()) return 0;
  auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  return static_cast<double>(*most) / static_cast<double>(std::max<uint64_t>(*least, 1)) - 1;
}

uint32_t SamplePlan::most_samples(uint64_t blocks, uint64_t wave) {
  // Start, end with its warm-up, and each sample with its own.
  uint64_t half = blocks / wave / 2, fixed = kStartWaves + kEndWaves + 1;
  uint64_t samples = half < fixed ? 0 : (half - fixed) / (1 + kSampleWaves);
  return samples < kLeastSamples ? 0 : static_cast<uint32_t>(std::min<uint64_t>(kMostSamples, samples));
}

SamplePlan SamplePlan::make(uint64_t blocks, uint64_t wave, uint32_t samples, std::span<const uint64_t> instructions,
                            uint64_t seed) {
  SIM_ASSERT(samples >= kLeastSamples && samples <= most_samples(blocks, wave), "{} samples of {} blocks", samples,
             blocks);
  uint64_t begin = kStartWaves * wave;
  uint64_t length = kSampleWaves * wave, count = (blocks - begin - kEndWaves * wave) / length;
  uint64_t end = begin + count * length;

  std::vector<Segment> segments(count);
  for (uint64_t i = 0; i < count; ++i) {
    segments[i].number = i;
    if (instructions.empty()) continue;
    auto first = instructions.begin() + static_cast<ptrdiff_t>(begin + i * length);
    segments[i].instructions = std::accumulate(first, first + static_cast<ptrdiff_t>(length), uint64_t{0});
  }
  std::span<const uint64_t> between = instructions.empty() ? instructions : instructions.subspan(begin, end - begin);
  auto strata = stratify(std::move(segments), spread(between) > kSameInstructions ? kStrata : 1);

  SamplePlan plan;
  struct Chosen {
    uint64_t segment;
    uint32_t stratum;
  };
  std::vector<Chosen> chosen;
  SplitMix64 random(seed);
  double all = 0;
  for (uint32_t h = 0; h < strata.size(); ++h) {
    const std::vector<Segment>& members = strata[h];
    uint64_t wanted = samples / strata.size() + (h < samples % strata.size() ? 1 : 0);
    wanted = std::min<uint64_t>(wanted, members.size());
    for (uint64_t i = 0; i < wanted; ++i) {
      uint64_t low = i * members.size() / wanted, high = (i + 1) * members.size() / wanted;
      chosen.push_back({members[low + random.below(high - low)].number, h});
    }
    double weight = 0;
    for (const Segment& s : members) weight += instructions.empty() ? 1 : static_cast<double>(s.instructions);
    plan.weight.push_back(weight);
    plan.segments.push_back(members.size());
    all += weight;
  }
  for (double& weight : plan.weight) weight /= all;
  std::sort(chosen.begin(), chosen.end(), [](const Chosen& a, const Chosen& b) { return a.segment < b.segment; });

  // The list of blocks, and where in it the intervals begin and end.
  auto append = [&](uint64_t from, uint64_t to) {
    if (!plan.blocks.empty()) from = std::max(from, plan.blocks.back() + 1);
    for (uint64_t block = from; block < to; ++block) plan.blocks.push_back(block);
  };
  append(0, begin);
  plan.intervals.push_back({.first = 0, .last = begin, .part = 0});
  for (const Chosen& c : chosen) {
    uint64_t first = begin + c.segment * length;
    append(first - wave, first);
    uint64_t at = plan.blocks.size();
    append(first, first + length);
    plan.intervals.push_back({.first = at, .last = at + length, .part = 1 + c.stratum});
  }
  append(end - wave, end);
  plan.intervals.push_back({.first = plan.blocks.size(), .last = Interval::kEnd, .part = plan.parts() - 1});
  append(end, blocks);
  return plan;
}

}  // namespace warptime::sim
