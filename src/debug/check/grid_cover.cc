#include "debug/check/grid_cover.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/plural.h"
#include "debug/check/variables.h"

namespace warptime::debug {

namespace {

uint64_t threads_of(const sim::LaunchContext& launch) { return uint64_t{launch.grid[0]} * launch.block[0]; }

/// The values of the kernel's whole-number parameters.
std::vector<uint64_t> numbers_of(const sim::LaunchContext& launch) {
  std::vector<uint64_t> out;
  const ptx::Kernel& kernel = *launch.kernel->kernel;
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const ptx::Symbol& parameter = kernel.symbols[kernel.parameters[i]];
    const bool is_address = i < kernel.parameter_is_address.size() && kernel.parameter_is_address[i];
    if (is_address || info(parameter.type).kind == ptx::TypeKind::Float) continue;
    if ((parameter.size != 4 && parameter.size != 8) || parameter.offset + parameter.size > launch.parameters.size())
      continue;
    uint64_t value = 0;
    std::memcpy(&value, launch.parameters.data() + parameter.offset, parameter.size);
    out.push_back(value);
  }
  return out;
}

}  // namespace

void GridCover::begins(const sim::LaunchContext& launch) {
  launch_ = &launch;
  is_linear_ = launch.grid[1] * launch.grid[2] * launch.block[1] * launch.block[2] == 1;
  uses_.clear();
  recent_.assign(launch.kernel->insns.size(), nullptr);
}

GridCover::Use* GridCover::use_of(const SpaceAccess& access, Addr low, Addr high) {
  Use*& recent = recent_[access.event.pc];
  if (recent != nullptr && low >= recent->begin && high < recent->end) return recent;
  const auto* buffer = launch_->memory->find(low, 1);
  if (buffer == nullptr) return nullptr;
  Use& use = uses_[buffer->begin];
  use.begin = buffer->begin;
  use.end = buffer->end();
  return recent = &use;
}

void GridCover::check(const SpaceAccess& access) {
  if (access.space != ptx::Space::Global) return;
  const AddressBounds bounds(access);
  Use* use = use_of(access, bounds.low, bounds.high);
  if (use != nullptr && bounds.high < use->end) {
    use->reach = std::max(use->reach, bounds.high + access.bytes - use->begin);
    if (access.writes() && use->is_by_thread) count_stores(access, *use);
    return;
  }
  sim::for_lanes_of(access.lanes, [&](uint32_t lane) {
    const Addr address = access.addresses[lane];
    Use* of_lane = use_of(access, address, address);
    if (of_lane == nullptr) return;
    of_lane->reach = std::max(of_lane->reach, address + access.bytes - of_lane->begin);
    of_lane->is_by_thread = of_lane->is_by_thread && !access.writes();
  });
}

void GridCover::count_stores(const SpaceAccess& access, Use& use) {
  const sim::Warp& warp = access.event.warp();
  const uint64_t first =
      access.event.sm.block_of(warp).index * launch_->threads_per_block + warp.index_in_block * sim::kWarpSize;
  use.is_by_thread = is_linear_ && !access.is_atomic() && (use.stores == 0 || use.element_bytes == access.bytes);
  use.element_bytes = access.bytes;
  use.pc = access.event.pc;
  sim::for_lanes_of(access.lanes, [&](uint32_t lane) {
    ++use.stores;
    use.is_by_thread = use.is_by_thread && access.addresses[lane] - use.begin == (first + lane) * access.bytes;
  });
}

/// Whether an argument, or the product of two, is the size of the whole buffer, and none is that of what is covered.
bool GridCover::says(uint64_t elements, uint64_t covered) const {
  const std::vector<uint64_t> numbers = numbers_of(*launch_);
  auto has = [&](uint64_t value) {
    return std::any_of(numbers.begin(), numbers.end(), [&](uint64_t a) {
      return a == value || (a != 0 && std::any_of(numbers.begin(), numbers.end(), [&](uint64_t b) {
                              return b != 0 && a <= value / b && a * b == value;
                            }));
    });
  };
  return has(elements) && !has(covered);
}

Finding GridCover::note(const Use& use) const {
  const uint64_t threads = threads_of(*launch_), elements = (use.end - use.begin) / use.element_bytes;
  const auto variable = variable_at(*launch_, ptx::Space::Global, use.begin);
  Finding out = finding_at(Kind::GridTooSmall, *launch_, use.pc, launch_->grid[0] - 1, launch_->block[0] - 1);
  if (variable) {
    out.buffer = variable->name;
    out.address = use.begin + threads * use.element_bytes;
    out.variable = element_of(*variable, *out.address, use.element_bytes);
  }
  out.message = fmt::format("the grid of {} with {} writes {} of the {} of \"{}\"", plural(launch_->grid[0], "block"),
                            plural(launch_->block[0], "thread"), threads, plural(elements, "element"), out.buffer);
  out.hint = fmt::format("nothing touches the last {}", elements - threads);
  out.remedy = fmt::format("{} blocks: {} elements / {} threads, rounded up",
                           (elements + launch_->block[0] - 1) / launch_->block[0], elements, launch_->block[0]);
  return out;
}

void GridCover::ends() {
  for (const auto& [begin, use] : uses_) {
    Buffer& buffer = buffers_[begin];
    buffer.reach = std::max(buffer.reach, use.reach);
    const uint64_t threads = threads_of(*launch_);
    if (use.stores == 0 || !use.is_by_thread) continue;
    const uint64_t covered = threads * use.element_bytes, bytes = use.end - use.begin;
    if (use.stores < threads || use.reach != covered || covered >= bytes || bytes % use.element_bytes != 0) continue;
    if (covered <= buffer.covered || !says(bytes / use.element_bytes, threads)) continue;
    buffer.covered = covered;
    buffer.finding = note(use);
  }
  launch_ = nullptr;
}

void GridCover::host_copies(Addr to, Addr from, uint64_t bytes) {
  for (Addr begin : {to, from}) {
    auto found = buffers_.upper_bound(begin);
    if (found == buffers_.begin()) continue;
    --found;
    found->second.reach = std::max(found->second.reach, begin + bytes - found->first);
  }
}

void GridCover::finish() {
  for (auto& [begin, buffer] : buffers_)
    if (buffer.finding && buffer.reach <= buffer.covered) findings_.add(std::move(*buffer.finding));
}

}  // namespace warptime::debug
