#include "debug/check/race_clock.h"

#include <bit>

namespace warptime::debug {

using sim::kWarpSize;

namespace {

template <class F>
void for_bits(uint64_t bits, const F& f) {
  for (; bits != 0; bits &= bits - 1) f(static_cast<uint32_t>(std::countr_zero(bits)));
}

}  // namespace

uint32_t Clock::time_of(uint32_t block, uint32_t warp) const {
  if (everything_) return ~uint32_t{0};
  auto found = std::lower_bound(times_.begin(), times_.end(), std::pair(key(block, warp), uint32_t{0}));
  return found == times_.end() || found->first != key(block, warp) ? 0 : found->second;
}

void Clock::set(uint32_t block, uint32_t warp, uint32_t time) {
  if (time == 0) return;
  auto found = std::lower_bound(times_.begin(), times_.end(), std::pair(key(block, warp), uint32_t{0}));
  if (found != times_.end() && found->first == key(block, warp)) found->second = std::max(found->second, time);
  else times_.insert(found, {key(block, warp), time});
}

void Clock::join(const Clock& other) {
  everything_ = everything_ || other.everything_;
  if (everything_) return times_.clear();
  if (other.times_.empty()) return;
  Times both;
  both.reserve(times_.size() + other.times_.size());
  auto a = times_.begin();
  for (auto [warp, time] : other.times_) {
    for (; a != times_.end() && a->first < warp; ++a) both.push_back(*a);
    if (a != times_.end() && a->first == warp) time = std::max(time, (a++)->second);
    both.push_back({warp, time});
  }
  both.insert(both.end(), a, times_.end());
  times_ = std::move(both);
  if (times_.size() <= kMost) return;
  everything_ = true;
  times_.clear();
}

void LaneClocks::arrive(uint32_t mask, uint32_t group, uint32_t live, uint32_t& time) {
  auto same = [mask](const Group& g) { return g.mask == mask; };
  auto found = std::find_if(waiting.begin(), waiting.end(), same);
  if (found == waiting.end()) found = waiting.insert(found, {mask, 0});
  found->arrived |= group;
  if ((mask & live & ~found->arrived) != 0) return;
  const uint32_t together = found->arrived;
  waiting.erase(found);
  ++time;
  if (together == sim::kFullMask) all = time;
  else meet(together, time);
}

void LaneClocks::meet(uint32_t mask, uint32_t now) {
  if (of_lanes.empty()) of_lanes.resize(kWarpSize * kWarpSize);
  std::array<uint32_t, kWarpSize> joined{};
  for_bits(mask, [&](uint32_t lane) {
    for (uint32_t other = 0; other < kWarpSize; ++other)
      joined[other] = std::max(joined[other], of_lanes[lane * kWarpSize + other]);
  });
  for_bits(mask, [&](uint32_t lane) { joined[lane] = now; });
  for_bits(mask, [&](uint32_t lane) { std::copy(joined.begin(), joined.end(), of_lanes.begin() + lane * kWarpSize); });
}

void LaneClocks::learn(uint32_t lanes, uint32_t time) {
  if (of_lanes.empty()) of_lanes.resize(kWarpSize * kWarpSize);
  for_bits(lanes, [&](uint32_t lane) {
    for (uint32_t other = 0; other < kWarpSize; ++other)
      of_lanes[lane * kWarpSize + other] = std::max(of_lanes[lane * kWarpSize + other], time);
  });
}

void BlockClock::start(uint32_t index, uint32_t count, bool independent_lanes) {
  *this = {};
  block = index;
  warps = count;
  if (independent_lanes) lanes_.resize(count);
}

std::vector<uint32_t>& BlockClock::known_rows() {
  if (known_.empty()) known_.resize(size_t{warps} * warps);
  return known_;
}

void BlockClock::arrive(uint32_t barrier, uint32_t warp) {
  Arrivals& here = arrivals_[barrier];
  if (here.known.empty()) here.known.resize(warps);
  for (uint32_t other = 0; other < warps; ++other) here.known[other] = std::max(here.known[other], known(warp, other));
  here.known[warp] = ++time;
  if (!fences_.empty()) here.fences.join(fences_[warp]);
}

void BlockClock::release_all(uint32_t barrier) {
  all_known = ++time;
  arrivals_[barrier] = {};
  if (fences_.empty()) return;
  FenceClocks all;  // also of warps that have exited
  for (const FenceClocks& warp : fences_) all.join(warp);
  std::fill(fences_.begin(), fences_.end(), all);
}

void BlockClock::release(uint32_t barrier, uint64_t released) {
  Arrivals& here = arrivals_[barrier];
  std::vector<uint32_t>& rows = known_rows();
  ++time;
  for_bits(released, [&](uint32_t warp) {
    for (uint32_t other = 0; other < here.known.size(); ++other)
      rows[warp * warps + other] = std::max(rows[warp * warps + other], here.known[other]);
    if (!lanes_.empty()) lanes_[warp].all = time;
  });
  if (!fences_.empty())
    for_bits(released, [&](uint32_t warp) {
      FenceClocks all = here.fences;
      all.join(fences_[warp]);
      fences_[warp] = std::move(all);
    });
  here = {};
}

void FenceClocks::join(const FenceClocks& other) {
  for (const Clock* seen : {&other.foreign, &other.pending_device, &other.pending_block}) foreign.join(*seen);
  release_device.join(other.release_device);
  release_block.join(other.release_block);
}

void BlockClock::learn(uint32_t warp, uint32_t lanes, const Clock& clock) {
  if (clock.empty()) return;
  FenceClocks& own = fences_of(warp);
  if (clock.knows_everything()) return own.foreign.join(clock);
  Clock others;
  clock.for_each([&](uint32_t from, uint32_t other, uint32_t until) {
    if (from != block || other >= Clock::kObjects) others.set(from, other, until);
    else if (other != warp) known_rows()[warp * warps + other] = std::max(known_rows()[warp * warps + other], until);
    else if (!lanes_.empty()) lanes_[warp].learn(lanes, until);
  });
  own.foreign.join(others);
}

void BlockClock::fence(uint32_t warp, uint32_t lanes, bool on_device) {
  FenceClocks& own = fences_of(warp);
  const Clock seen_block = std::exchange(own.pending_block, {});
  learn(warp, lanes, seen_block);
  if (on_device) learn(warp, lanes, std::exchange(own.pending_device, {}));
  ++time;
  Clock now = own.foreign;
  for (uint32_t other = 0; other < warps; ++other) now.set(block, other, other == warp ? time : known(warp, other));
  own.release_block = now;
  if (on_device) own.release_device = std::move(now);
}

}  // namespace warptime::debug
