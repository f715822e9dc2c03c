#include "cli/model/memory_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/text_table.h"

namespace warptime::cli {

namespace {

using analysis::HitDistribution;
using analysis::kMemoryLevelNames;
using analysis::kMemoryLevels;
using analysis::MemoryLevel;

constexpr size_t kBins = 10;

std::string percent(double ratio) { return fmt::format("{:.1f} %", 100 * ratio); }

/// Trials by their ratio, in equal parts between the least and the largest.
std::array<size_t, kBins> histogram(const HitDistribution& of, double least, double largest) {
  std::array<size_t, kBins> bins{};
  for (double ratio : of.ratios) {
    const auto bin = static_cast<size_t>((ratio - least) / (largest - least) * kBins);
    ++bins[std::min(bin, kBins - 1)];
  }
  return bins;
}

std::string histogram_text(std::string_view name, const HitDistribution& of) {
  const auto [least, largest] = std::minmax_element(of.ratios.begin(), of.ratios.end());
  if (percent(*least) == percent(*largest)) return {};
  std::string out = fmt::format("{}, trials by hit ratio\n", name);
  const std::array<size_t, kBins> bins = histogram(of, *least, *largest);
  const size_t most = *std::max_element(bins.begin(), bins.end());
  for (size_t bin = 0; bin < kBins; ++bin) {
    const double from = *least + (*largest - *least) * static_cast<double>(bin) / kBins;
    out += fmt::format("  from {:>8} {:>4} {}\n", fmt::format("{:.2f} %", 100 * from), bins[bin],
                       std::string((bins[bin] * 40 + most - 1) / most, '#'));
  }
  return out;
}

nlohmann::ordered_json level_json(const HitDistribution& of) {
  return {{"accesses", of.accesses}, {"mean", of.mean}, {"low", of.low}, {"high", of.high}};
}

}  // namespace

SimulatedHits simulated_hits(const sim::LaunchStatistics& launch) {
  SimulatedHits out;
  auto set = [&](MemoryLevel level, uint64_t accesses, uint64_t hits) {
    if (accesses != 0) out[static_cast<size_t>(level)] = static_cast<double>(hits) / static_cast<double>(accesses);
  };
  set(MemoryLevel::Constant, launch.caches.constant.accesses, launch.caches.constant.hits);
  set(MemoryLevel::Texture, launch.caches.texture.accesses, launch.caches.texture.hits);
  set(MemoryLevel::L1, launch.caches.l1.accesses, launch.caches.l1.hits);
  set(MemoryLevel::L2, launch.caches.l2.accesses, launch.caches.l2.hits);
  set(MemoryLevel::DramRows, launch.dram.row_hits + launch.dram.row_misses, launch.dram.row_hits);
  return out;
}

std::string memory_text(const analysis::MemoryEstimate& estimate, const std::optional<SimulatedHits>& simulated) {
  std::string out = fmt::format("hit ratios over {} random orders of the requests", estimate.trials);
  if (estimate.recorded_blocks < estimate.blocks)
    out += fmt::format(" of the first {} of {} blocks", estimate.recorded_blocks, estimate.blocks);
  out += "\n";
  TextRows rows{{"level", "accesses", "hits", "95 % interval"}};
  if (simulated) rows.front().emplace_back("simulated");
  std::string histograms;
  for (size_t level = 0; level < kMemoryLevels; ++level) {
    if (!estimate.levels[level]) continue;
    const HitDistribution& of = *estimate.levels[level];
    rows.push_back({std::string(kMemoryLevelNames[level]), fmt::format("{:.0f}", of.accesses), percent(of.mean),
                    fmt::format("{} to {}", percent(of.low), percent(of.high))});
    if (simulated)
      rows.back().push_back((*simulated)[level] ? percent(*(*simulated)[level]) : std::string("no access"));
    histograms += histogram_text(kMemoryLevelNames[level], of);
  }
  if (rows.size() == 1) return out + "  no access reaches a cache or DRAM\n";
  out += text_table(rows, "  ") + histograms;
  TextRows lines{{"line", "level", "accesses", "hits"}};
  for (const analysis::MemoryEstimate::Line& line : estimate.lines)
    for (size_t level = 0; level < kMemoryLevels; ++level)
      if (line.levels[level])
        lines.push_back({fmt::format("{}", line.line), std::string(kMemoryLevelNames[level]),
                         fmt::format("{:.0f}", line.levels[level]->accesses), percent(line.levels[level]->mean)});
  return out + "by line of the PTX\n" + text_table(lines, "  ");
}

nlohmann::ordered_json memory_json(const analysis::MemoryEstimate& estimate,
                                   const std::optional<SimulatedHits>& simulated) {
  nlohmann::ordered_json out{{"trials", estimate.trials},
                             {"recorded_blocks", estimate.recorded_blocks},
                             {"blocks", estimate.blocks},
                             {"levels", nlohmann::ordered_json::object()},
                             {"lines", nlohmann::ordered_json::array()}};
  for (size_t level = 0; level < kMemoryLevels; ++level) {
    if (!estimate.levels[level]) continue;
    nlohmann::ordered_json one = level_json(*estimate.levels[level]);
    one["ratios"] = estimate.levels[level]->ratios;
    one["simulated"] = nullptr;
    if (simulated && (*simulated)[level]) one["simulated"] = *(*simulated)[level];
    out["levels"][std::string(kMemoryLevelNames[level])] = std::move(one);
  }
  for (const analysis::MemoryEstimate::Line& line : estimate.lines) {
    nlohmann::ordered_json one{{"line", line.line}, {"levels", nlohmann::ordered_json::object()}};
    for (size_t level = 0; level < kMemoryLevels; ++level)
      if (line.levels[level]) one["levels"][std::string(kMemoryLevelNames[level])] = level_json(*line.levels[level]);
    out["lines"].push_back(std::move(one));
  }
  return out;
}

}  // namespace warptime::cli
