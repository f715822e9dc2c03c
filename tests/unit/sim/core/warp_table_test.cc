// One status for each warp slot, and the masks that follow from it.
#include "sim/core/warp_table.h"

#include <catch2/catch.hpp>

using namespace warptime;
using namespace warptime::sim;

namespace {

struct AnyKernel {
  CompiledKernel code;
  LaunchContext launch = [this] {
    LaunchContext out;
    out.kernel = &code;
    return out;
  }();
  KernelOnSm kernel{launch};
};

}  // namespace

TEST_CASE("every slot has exactly one status") {
  AnyKernel any;
  KernelOnSm& kernel = any.kernel;
  WarpTable warps(1);
  CHECK(warps.resident() == 0);
  warps.start(3, kernel, 100);
  warps.start(63, kernel, 100);
  warps.start(0, kernel, 120);
  warps.suspend(63, WarpStatus::AtFence, Stall::Fence);
  warps.set(0, WarpStatus::AwaitsLoad);
  CHECK(warps.resident() == (uint64_t{1} << 63 | 0b1001));
  uint64_t all = 0;
  for (size_t i = 0; i < kWarpStatuses; ++i) {
    uint64_t with = warps.with(static_cast<WarpStatus>(i));
    CHECK((all & with) == 0);
    all |= with;
  }
  CHECK(all == ~uint64_t{0});
  for (uint32_t slot = 0; slot < ReadySet::kMaxWarps; ++slot)
    CHECK(((warps.with(warps[slot].status) >> slot) & 1) == 1);
  warps.set(3, WarpStatus::Empty);
  CHECK(warps.resident() == (uint64_t{1} << 63 | 1));
}

TEST_CASE("a suspended warp waits for an event without a cycle, one that awaits a load is not suspended") {
  AnyKernel any;
  KernelOnSm& kernel = any.kernel;
  WarpTable warps(1);
  warps.start(5, kernel, 100);
  CHECK_FALSE(warps.is_suspended(5));
  warps.set(5, WarpStatus::AwaitsLoad);
  CHECK_FALSE(warps.is_suspended(5));
  for (auto status : {WarpStatus::AtBarrier, WarpStatus::AtFence, WarpStatus::BeforeAtomic, WarpStatus::RuntimeCall}) {
    warps.suspend(5, status, Stall::Barrier);
    CHECK(warps.is(5, status));
    CHECK(warps.is_suspended(5));
    CHECK_FALSE(warps[5].wait.known());
    CHECK(warps[5].wait.reason() == Stall::Barrier);
    CHECK(warps.with(WarpStatus::Runnable) == 0);
  }
}

TEST_CASE("slots belong to sub-cores in turn") {
  WarpTable warps(4);
  for (uint32_t slot = 0; slot < ReadySet::kMaxWarps; ++slot) CHECK(warps[slot].sub_core == slot % 4);
}
