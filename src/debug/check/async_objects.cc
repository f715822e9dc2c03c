// What racecheck follows of mbarrier objects: their phases, wrong uses, accesses to their bytes.
#include <fmt/format.h>

#include <string>

#include "base/plural.h"
#include "debug/check/async_check.h"

namespace warptime::debug {

using ptx::Space;
using sim::AsyncOperation, sim::Mbarrier;

namespace {

constexpr uint32_t kObjectBytes = 8;

}  // namespace

void AsyncCheck::report(Kind kind, const sim::SmState& sm, const sim::MbarrierUse& use, std::string message) {
  report(kind, use.pc, block_index(sm, use.block), use.thread, Space::Shared, use.address, kObjectBytes,
         std::move(message), nullptr, {});
}

bool AsyncCheck::meets_object(const SpaceAccess& access, uint32_t lane, const Block& block) {
  const Addr begin = access.addresses[lane];
  auto after = block.objects.lower_bound(static_cast<uint32_t>(begin + access.bytes));
  if (after == block.objects.begin()) return false;
  const auto& [address, object] = *--after;
  if (!object.is_valid || begin >= address + kObjectBytes) return false;
  const sim::Warp& warp = access.event.warp();
  report(Kind::MbarrierAccess, access.event.pc, access.event.sm.block_of(warp).index,
         warp.index_in_block * sim::kWarpSize + lane, Space::Shared, address, kObjectBytes,
         fmt::format("{} the bytes of an mbarrier object", access.writes() ? "a write to" : "a read of"), nullptr, {});
  return true;
}

/// A wait that ends while a copy is under way that the object counts in a later phase: it is not for the copy.
void AsyncCheck::notice_early(const sim::SmState& sm, const sim::MbarrierUse& use, Object& object) {
  sm.async().for_each_bulk_of(use.block, [&](const sim::BulkCopy& copy) {
    if (copy.mbarrier == use.address) object.early = {true, use.is_parity, use.pc, object.all_phases()};
  });
}

void AsyncCheck::waited(const sim::SmState& sm, const sim::MbarrierUse& use, Object& object) {
  if (!use.is_true) return;
  notice_early(sm, use, object);
  if (object.phases == 0) return;
  uint32_t& last = object.waited[use.thread];
  if (!use.is_parity) {
    const uint32_t behind =
        (Mbarrier::of(use.before).phase - Mbarrier::of(use.value).phase) % (1u << Mbarrier::kPhaseBits);
    if (behind > 1)
      report(Kind::MbarrierPhase, sm, use,
             fmt::format("a wait with the state of a phase {} before this one", plural(behind, "phase")));
  } else if (last == object.phases) {
    report(
        Kind::MbarrierPhase, sm, use,
        fmt::format(
            "a wait for the phase of parity {}, for which the thread has waited before: the next phase is not complete",
            use.value & 1));
  }
  last = object.phases;
}

void AsyncCheck::used(const sim::SmState& sm, const sim::MbarrierUse& use) {
  Object& object = block_of(sm, use.block).objects[use.address];
  if (use.is_remote) {  // by a thread of another block, whose order with this one's is not followed
    if (Mbarrier::of(use.before).phase != Mbarrier::of(use.after).phase) ++object.phases;
    return;
  }
  if (use.operation == AsyncOperation::Init) {
    if (object.is_valid)
      report(Kind::MbarrierInvalid, sm, use, "an initialisation of an mbarrier object that is one already");
    if (use.count == 0 || use.count > Mbarrier::kMostCount)
      report(Kind::MbarrierCount, sm, use,
             fmt::format("an mbarrier object that expects {}", plural(use.count, "arrival")));
    object = {.is_valid = true, .pc = use.pc, .thread = use.thread, .earlier_phases = object.all_phases() + 1};
    return;
  }
  if (!object.is_valid)
    return report(Kind::MbarrierInvalid, sm, use,
                  "a use of an mbarrier object that has not been initialised, or is invalid again");
  const Mbarrier before = Mbarrier::of(use.before), after = Mbarrier::of(use.after);
  const bool completes = before.phase != after.phase;
  switch (use.operation) {
    case AsyncOperation::Inval: object.is_valid = false; break;
    case AsyncOperation::Arrive:
      if (use.count > before.pending)
        report(Kind::MbarrierCount, sm, use,
               fmt::format("{} at an mbarrier object that expects {} more in this phase", plural(use.count, "arrival"),
                           before.pending));
      break;
    case AsyncOperation::ExpectTx:
    case AsyncOperation::CompleteTx:
      if (use.count > Mbarrier::kMostCount)
        report(Kind::MbarrierCount, sm, use,
               fmt::format("{} at an mbarrier object, which counts up to {}", plural(use.count, "byte"),
                           Mbarrier::kMostCount));
      break;
    case AsyncOperation::TestWait:
    case AsyncOperation::TryWait: waited(sm, use, object); break;
    case AsyncOperation::Init:
    case AsyncOperation::CopyArrive:
    case AsyncOperation::CommitGroup:
    case AsyncOperation::BulkCommit:
    case AsyncOperation::BulkWait:
    case AsyncOperation::WaitGroup:
    case AsyncOperation::WaitAll:
    case AsyncOperation::ClusterArrive:
    case AsyncOperation::ClusterWait:
    case AsyncOperation::PendingCount: break;
  }
  if (completes && use.operation != AsyncOperation::Inval) ++object.phases;
}

}  // namespace warptime::debug
