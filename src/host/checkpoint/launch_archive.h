// How the statistics of a launch are saved (base/state_archive.h). Groups of numbers list their members already; these
// are the others.
#pragma once

#include "base/state_archive.h"
#include "sim/model/statistics.h"

namespace warptime::sim {

template <class Archive>
void serialize(Archive& archive, CachesStats& caches) {
  CachesStats::zip(caches, caches, [&](auto& one, const auto&) { archive(one); });
  archive(caches.reported);
}

template <class Archive>
void serialize(Archive& archive, SamplingStatistics& sampling) {
  archive(sampling.full_values, sampling.seed, sampling.samples, sampling.blocks_timed, sampling.cycles_low,
          sampling.cycles_high, sampling.spread);
}

template <class Archive>
void serialize(Archive& archive, UnitsBusy& units) {
  archive(units.resource, units.busy);
}

template <class Archive>
void serialize(Archive& archive, InstructionRow& row) {
  archive(row.line, row.text, row.warp_instructions, row.thread_instructions, row.issued, row.stalls, row.source_file,
          row.source_line, row.calls, row.function, row.target, row.line_statistics);
}

/// Without `ptx`, which the launch has.
template <class Archive>
void serialize(Archive& archive, LaunchStatistics& launch) {
  LaunchStatistics::zip_groups(launch, launch, [&](const StatGroup&, auto& group, const auto&) { archive(group); });
  archive(launch.timed, launch.attributed, launch.detailed, launch.staged, launch.note);
}

}  // namespace warptime::sim
