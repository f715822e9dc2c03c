#include "sim/state/spin_watch.h"

#include <algorithm>
#include <cstddef>

namespace warptime::sim {

void SpinWatch::begin() {
  on_ = true;
  changed_ = false;
  followed_ = came_ = 0;
  seen_.resize(state_->warp_slots());
  for (Seen& seen : seen_) {
    seen.looks = 0;
    seen.next_copy = 1;
    seen.repeats = false;
    seen.state.clear();
  }
  load_store_->watch_memory(true);
}

void SpinWatch::end() {
  on_ = false;
  load_store_->watch_memory(false);
}

/// After the state at one jump, the states at the next ones: as many as there were before it, then from a new one on
/// (Brent's way to find a cycle).
void SpinWatch::look(uint32_t slot, uint32_t from) {
  Seen& seen = seen_[slot];
  // What an atomic operation gives back is not in its register yet.
  if (seen.repeats || (state_->warp(slot).outstanding_loads != 0 && !load_store_->atomics().empty())) return;
  seen.loop.first = std::min(seen.loop.first, state_->warp(slot).stack.pc());
  seen.loop.last = std::max(seen.loop.last, from);
  ++seen.looks;
  if (!seen.state.empty() && is_as(slot, seen.state)) {
    seen.repeats = true;
  } else if (seen.looks == seen.next_copy) {
    copy_state(slot, seen.state);
    seen.next_copy *= 2;
    seen.loop = {state_->warp(slot).stack.pc(), 0};
  }
}

void SpinWatch::copy_state(uint32_t slot, std::vector<std::byte>& out) {
  out.clear();
  state_->for_each_part(slot, control_, [&](const void* part, size_t bytes) {
    const auto* from = static_cast<const std::byte*>(part);
    out.insert(out.end(), from, from + bytes);
    return true;
  });
}

bool SpinWatch::is_as(uint32_t slot, const std::vector<std::byte>& before) {
  size_t at = 0;
  bool same = state_->for_each_part(slot, control_, [&](const void* part, size_t bytes) {
    const auto* from = static_cast<const std::byte*>(part);
    bool equal = at + bytes <= before.size() && std::equal(from, from + bytes, before.data() + at);
    at += bytes;
    return equal;
  });
  return same && at == before.size();
}

SpinWatch::Finding SpinWatch::finding(uint32_t slot) const {
  if (seen_[slot].repeats) return Finding::Repeats;
  bool waits = state_->warp(slot).barrier != kNoBarrier && ((came_ >> slot) & 1) == 0;
  return waits ? Finding::Waits : Finding::Unknown;
}

}  // namespace warptime::sim
