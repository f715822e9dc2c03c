// The octree of the fast multipole method: cubes are split into eight until none holds more than a number of points;
// the leaves, each with the leaves that touch it (its U-list, Kim et al. 2012, 3.2).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warptime::workloads {

/// Coordinates are whole, from 0 to 2^kOctreeBits - 1.
constexpr uint32_t kOctreeBits = 16;
using OctreePoint = std::array<uint32_t, 3>;

/// Targets and sources ordered by leaf; leaf b has those from targets_from[b] to targets_from[b + 1] - 1, likewise
/// sources, and the leaves u_list[u_list_from[b]] ...
struct Octree {
  std::vector<OctreePoint> targets, sources;
  std::vector<int32_t> targets_from, sources_from, u_list_from, u_list;
  size_t leaves() const { return targets_from.size() - 1; }
};

/// Leaves hold at most `most` targets and `most` sources each.
Octree make_octree(std::vector<OctreePoint> targets, std::vector<OctreePoint> sources, uint32_t most);

}  // namespace warptime::workloads
