// The classes of kernels, each rule at its border.
#include "host/report/kernel_class.h"

#include <catch2/catch.hpp>

namespace warptime::host {

namespace {

using sim::Resource;

constexpr uint64_t kSlots = 100'000;

/// A launch of 65 blocks that uses nothing and waits for nothing.
sim::LaunchStatistics unclassed_launch() {
  sim::LaunchStatistics launch;
  launch.grid = {65, 1, 1};
  launch.issue.slots = kSlots;
  for (sim::ResourceUse& use : launch.resources) use.available = kSlots;
  return launch;
}

/// `busiest`: of `available`, of the busiest unit.
sim::LaunchStatistics with_busy(Resource resource, uint64_t busiest) {
  sim::LaunchStatistics launch = unclassed_launch();
  launch.resources[static_cast<size_t>(resource)].busiest = busiest;
  return launch;
}

std::string_view class_of_launch(const sim::LaunchStatistics& launch) {
  return class_name(kernel_class(launch).value());
}

void set_stall(sim::LaunchStatistics& launch, sim::Stall stall, uint64_t slots) {
  launch.issue.stalls[static_cast<size_t>(stall)] = slots;
}

}  // namespace

TEST_CASE("kernel class: up to 64 blocks, of all three extents, is small whatever it does") {
  sim::LaunchStatistics launch = with_busy(Resource::Dram, kSlots);
  CHECK(class_of_launch(launch) == "memory");
  launch.grid = {64, 1, 1};
  CHECK(class_of_launch(launch) == "small");
  launch.grid = {4, 4, 4};
  CHECK(class_of_launch(launch) == "small");
  launch.grid = {5, 4, 4};
  CHECK(class_of_launch(launch) == "memory");
  launch.grid = {65536, 65536, 1};  // more blocks than 32 bits count
  CHECK(class_of_launch(launch) == "memory");
}

TEST_CASE("kernel class: waits for constants from 15 % of the slots of SMs with warps on") {
  sim::LaunchStatistics launch = with_busy(Resource::Sp, kSlots);
  set_stall(launch, sim::Stall::ConstantDependency, 14'999);
  CHECK(class_of_launch(launch) == "arithmetic");
  set_stall(launch, sim::Stall::ConstantDependency, 15'000);
  CHECK(class_of_launch(launch) == "constants");
  // 12,000 are 15 % of 80,000 slots.
  set_stall(launch, sim::Stall::Drained, 15'000);
  set_stall(launch, sim::Stall::NoWarp, 5'000);
  set_stall(launch, sim::Stall::ConstantDependency, 11'999);
  CHECK(class_of_launch(launch) == "arithmetic");
  set_stall(launch, sim::Stall::ConstantDependency, 12'000);
  CHECK(class_of_launch(launch) == "constants");
  launch.attributed = false;  // the reasons are not known
  CHECK(class_of_launch(launch) == "arithmetic");
}

TEST_CASE("kernel class: without a slot that has a warp, nothing waits for constants") {
  sim::LaunchStatistics launch = unclassed_launch();
  set_stall(launch, sim::Stall::Drained, kSlots);
  CHECK(class_of_launch(launch) == "latency");
}

TEST_CASE("kernel class: a resource is what limits from 30 % of what it can reach on") {
  CHECK(class_of_launch(unclassed_launch()) == "latency");
  CHECK(class_of_launch(with_busy(Resource::Issue, 29'999)) == "latency");
  CHECK(class_of_launch(with_busy(Resource::Issue, 30'000)) == "arithmetic");
  // DRAM reaches five sixths.
  CHECK(class_of_launch(with_busy(Resource::Dram, 24'999)) == "latency");
  CHECK(class_of_launch(with_busy(Resource::Dram, 25'001)) == "memory");
}

TEST_CASE("kernel class: each resource has one, and that of the busiest counts") {
  for (Resource resource : {Resource::Issue, Resource::Sp, Resource::Sfu, Resource::Dp, Resource::Tensor, Resource::Alu,
                            Resource::CopyEngine})
    CHECK(class_of_launch(with_busy(resource, 50'000)) == "arithmetic");
  for (Resource resource : {Resource::MemoryPort, Resource::TpcRequestPort, Resource::TpcResponsePort})
    CHECK(class_of_launch(with_busy(resource, 50'000)) == "load_store");
  for (Resource resource : {Resource::Partition, Resource::AtomicUnit, Resource::Dram})
    CHECK(class_of_launch(with_busy(resource, 50'000)) == "memory");
  sim::LaunchStatistics launch = with_busy(Resource::MemoryPort, 50'000);
  launch.resources[static_cast<size_t>(Resource::Alu)].busiest = 49'999;
  CHECK(class_of_launch(launch) == "load_store");
  launch.resources[static_cast<size_t>(Resource::Alu)].busiest = 50'001;
  CHECK(class_of_launch(launch) == "arithmetic");
}

TEST_CASE("kernel class: none without a time") {
  sim::LaunchStatistics launch = unclassed_launch();
  launch.timed = false;
  CHECK_FALSE(kernel_class(launch).has_value());
}

}  // namespace warptime::host
