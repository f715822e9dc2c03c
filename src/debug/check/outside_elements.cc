#include "debug/check/outside_elements.h"

#include <fmt/format.h>

#include <algorithm>

namespace warptime::debug {

namespace {

/// Elements between the threads of two neighbouring lanes of one row of the block; 0: not the same for all, or less
/// than one forwards.
uint64_t elements_apart(const SpaceAccess& access, uint32_t bytes) {
  const uint32_t row = std::min(access.event.sm.launch().block[0], sim::kWarpSize);
  uint64_t out = 0;
  for (uint32_t lane = 0; lane + 1 < sim::kWarpSize; ++lane) {
    if ((access.lanes >> lane & 3) != 3 || (lane + 1) % row == 0) continue;
    const Addr from = access.addresses[lane], to = access.addresses[lane + 1];
    if (to <= from || (to - from) % bytes != 0 || (out != 0 && out != (to - from) / bytes)) return 0;
    out = (to - from) / bytes;
  }
  return out;
}

}  // namespace

void OutsideElements::note(Kind kind, const SpaceAccess& access, uint32_t lane, const Variable& variable) {
  const sim::LaunchContext& launch = access.event.sm.launch();
  const Addr address = access.addresses[lane];
  auto [place, is_new] = outside_.try_emplace({kind, line_key(launch, access.event.pc), variable.name});
  last_ = &place->second;
  if (is_new) {
    const bool flat = launch.grid[1] == 1 && launch.grid[2] == 1 && launch.block[1] == 1 && launch.block[2] == 1;
    *last_ = {.variable = variable,
              .bytes = access.element_bytes(),
              .low = address,
              .high = address,
              .apart = elements_apart(access, access.element_bytes()),
              .is_flat = flat};
  }
  last_->low = std::min(last_->low, address);
  last_->high = std::max(last_->high, address);
}

std::string OutsideElements::remedy(const Outside& outside) {
  const uint64_t count = outside.variable.bytes / outside.bytes;
  const Addr end = outside.variable.begin + count * outside.bytes;
  if (count != 0 && outside.low == end && outside.high == end)
    return fmt::format("; only element {} is accessed beyond them: < in place of <=, or one thread or element fewer",
                       count);
  if (!outside.is_flat && outside.apart > 1 && outside.apart < count && count % outside.apart == 0)
    return fmt::format("; neighbouring threads are {} elements apart: perhaps width and height are exchanged",
                       outside.apart);
  return {};
}

void OutsideElements::finish(Findings& findings) const {
  for (const auto& [key, outside] : outside_)
    if (outside.finding) findings.all()[*outside.finding].remedy += remedy(outside);
}

}  // namespace warptime::debug
