#include "sim/gpu/launch_listener.h"

#include <algorithm>

namespace warptime::sim {

void LaunchNeeds::add(const LaunchNeeds& other) {
  using Needs = LaunchNeeds;
  auto first = [&](auto... need) { ((this->*need = this->*need ? this->*need : other.*need), ...); };
  first(&Needs::prints, &Needs::progress, &Needs::visits, &Needs::drives, &Needs::interval, &Needs::trace,
        &Needs::blocks, &Needs::requests, &Needs::probe, &Needs::observer);
}

LaunchListeners::LaunchListeners(std::initializer_list<LaunchListener*> all) {
  for (LaunchListener* one : all)
    if (one != nullptr) {
      all_.push_back(one);
      needs_.add(one->needs());
    }
}

Cycle LaunchListeners::visit(Session& session) {
  Cycle next = kNever;
  for (LaunchListener* one : all_) next = std::min(next, one->visit(session));
  return next;
}

std::optional<Fault> LaunchListeners::drive(Gpu& gpu, const Launch& launch, const RunOptions& options,
                                            LaunchStatistics& statistics) {
  const auto driver = std::find_if(all_.begin(), all_.end(), [](const auto* one) { return one->needs().drives; });
  return (*driver)->drive(gpu, launch, options, statistics);
}

}  // namespace warptime::sim
