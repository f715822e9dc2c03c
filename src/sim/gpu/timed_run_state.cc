// Saves a timed launch at an edge, and restores it: everything that changes between its first cycle and its last, on
// all levels. What follows from the machine, the kernel and the launch is made anew by the constructors;
// tests/rules/unsaved_members.txt lists it.
#include "base/state_archive.h"
#include "sim/gpu/announced_code.h"
#include "sim/gpu/timed_run_clusters.h"
#include "sim/gpu/timed_run_launches.h"

namespace warptime::sim {

template <class Policy>
template <class Archive>
void TimedRun<Policy>::serialize(Archive& archive) {
  announce_code(archive, *context_.kernel);
  archive.limits.tpcs = chip_.tpcs;
  archive.limits.sms = uint64_t{chip_.tpcs} * chip_.sms_per_tpc;
  archive.limits.blocks = context_.blocks_per_sm;
  archive(scheduler_, placed_, now_, edge_, steps_, next_watch_, result_);
  for (uint32_t i = 0; i < chip_.tpcs; ++i) {
    bool exists = tpcs_.find(i) != nullptr;
    archive(exists);
    if (exists) archive(tpc(i));
  }
  archive(livelock_);  // after the TPCs, which it watches
}

template <class Policy>
std::string_view TimedRun<Policy>::why_not_saved() const {
  if constexpr (Policy::Observer::kOn) return "it is traced";
  if (recording_.intervals != nullptr || recording_.block_instructions != nullptr) return "it is sampled";
  if (parts_.next() != kNever) return "its intervals are recorded";
  if (needs_.blocks != nullptr) return "its blocks are recorded";
  if (launches_.several()) return "others run beside it";
  return {};
}

template <class Policy>
void TimedRun<Policy>::save(StateWriter& archive) {
  serialize(archive);
  memory_.save(archive);
}

template <class Policy>
void TimedRun<Policy>::restore(StateReader& archive) {
  serialize(archive);
  memory_.restore(archive);
  stop_ = options_.max_cycles;
  if (now_ == stop_) stop();
}

template class TimedRun<Attributed>;
template class TimedRun<Unattributed>;
template class TimedRun<Traced>;
template class TimedRun<Counted>;
template class TimedRun<Probed>;

}  // namespace warptime::sim
