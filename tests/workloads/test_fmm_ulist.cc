// Is the octree of fmm-ulist one, and do its U-lists hold what lies near? (The potentials: test_results.cc.)
#include <algorithm>

#include "../../workloads/fmm-ulist/octree.h"
#include "host/workload/random.h"
#include "workloads/workload_run.h"

namespace warptime {

namespace {

using workloads::Octree;
using workloads::OctreePoint;

std::vector<OctreePoint> random_points(uint64_t seed, size_t count) {
  host::SplitMix64 random(seed);
  std::vector<OctreePoint> points(count);
  for (OctreePoint& point : points)
    for (uint32_t& at : point) at = static_cast<uint32_t>(random.next() >> (64 - workloads::kOctreeBits));
  return points;
}

std::vector<int32_t> list_of(const Octree& tree, size_t leaf) {
  return {tree.u_list.begin() + tree.u_list_from[leaf], tree.u_list.begin() + tree.u_list_from[leaf + 1]};
}
bool contains(const std::vector<int32_t>& list, size_t leaf) {
  return std::find(list.begin(), list.end(), static_cast<int32_t>(leaf)) != list.end();
}
size_t leaf_of(const std::vector<int32_t>& from, size_t point) {
  return static_cast<size_t>(std::upper_bound(from.begin(), from.end(), static_cast<int32_t>(point)) - from.begin()) -
         1;
}

}  // namespace

TEST_CASE("fmm-ulist: an octree keeps all points, few in a leaf, and near ones in its U-lists") {
  std::vector<OctreePoint> targets = random_points(1, 700), sources = random_points(2, 700);
  Octree tree = workloads::make_octree(targets, sources, 30);
  CHECK(tree.leaves() == tree.sources_from.size() - 1);
  CHECK(tree.targets_from.back() == 700);
  for (size_t leaf = 0; leaf < tree.leaves(); ++leaf) {
    CHECK(tree.targets_from[leaf + 1] - tree.targets_from[leaf] <= 30);
    CHECK(tree.sources_from[leaf + 1] - tree.sources_from[leaf] <= 30);
    std::vector<int32_t> list = list_of(tree, leaf);
    CHECK(contains(list, leaf));
    for (int32_t other : list) CHECK(contains(list_of(tree, static_cast<size_t>(other)), leaf));
  }
  // Leaves that do not touch are as far apart as the smallest is wide, which is more than this.
  constexpr int64_t kNear = (int64_t{1} << workloads::kOctreeBits) / 32;
  for (size_t t = 0; t < tree.targets.size(); ++t)
    for (size_t s = 0; s < tree.sources.size(); ++s) {
      bool near = true;
      for (size_t axis : {0, 1, 2})
        near = near && std::abs(int64_t{tree.targets[t][axis]} - int64_t{tree.sources[s][axis]}) < kNear;
      if (near && !contains(list_of(tree, leaf_of(tree.targets_from, t)), leaf_of(tree.sources_from, s)))
        FAIL("left out");
    }
  for (auto [points, kept] : {std::pair{&targets, &tree.targets}, {&sources, &tree.sources}}) {
    std::sort(points->begin(), points->end());
    std::sort(kept->begin(), kept->end());
    CHECK(*points == *kept);
  }
}

TEST_CASE("fmm-ulist: an inner leaf touches 27, and all leaves of a full level (3n - 2)^3 together") {
  std::vector<OctreePoint> points;
  for (uint32_t i = 0; i < 512; ++i) points.push_back({i % 8 * 8192 + 5, i / 8 % 8 * 8192 + 5, i / 64 * 8192 + 5});
  Octree tree = workloads::make_octree(points, points, 1);
  CHECK(tree.leaves() == 512);
  CHECK(tree.u_list.size() == 22 * 22 * 22);
  size_t most = 0;
  for (size_t leaf = 0; leaf < 512; ++leaf) most = std::max(most, list_of(tree, leaf).size());
  CHECK(most == 27);
}

}  // namespace warptime
