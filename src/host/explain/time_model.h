// The estimate of `explain`: what a launch's time would be if it used less of something.
//
// A launch computes, transfers and waits, all at once. Each part alone would take a share of the time: a pipe, the
// memory resource that is busy most, a warp's own latencies one after the other. If they overlapped perfectly, the
// largest share would be all of the time; if not at all, the sum would be. How well they do follows from the launch
// itself: time = (sum of share^p)^(1/p), with the exponent p for which this is the measured time. A change makes shares
// smaller; p stays.
//
// Left out: that a change may alter how well the parts overlap.
#pragma once

#include <array>

#include "sim/model/resource.h"

namespace warptime::host {

class Facts;

/// What a finding would change.
struct Change {
  std::array<double, sim::kResourceCount> remains;  // of each resource's use, the part that remains
  double waits = 0;     // of the warps' time: what they no longer wait, or issue, with no queue before it
  double barriers = 0;  // of the warps' time: what they no longer wait at barriers
  double path = 1;      // of what remains of the warps' time, the part that remains
  double slots = 0;     // of all issue slots: those in which the SM no longer does anything; the rest is as before
  double most = 1;      // of all issue slots: no more than these are saved
  Change() { remains.fill(1); }
  double& of(sim::Resource resource) { return remains[static_cast<size_t>(resource)]; }
  double of(sim::Resource resource) const { return remains[static_cast<size_t>(resource)]; }
};

/// The share of the launch's time that a change saves.
double saved_by(const Change& change, const Facts& facts);

}  // namespace warptime::host
