// Leaves come in the order of a depth-first walk, so that leaves that are neighbours in space are often neighbours in
// memory.
#include "octree.h"

#include <algorithm>
#include <span>

namespace warptime::workloads {
namespace {

class OctreeBuilder {
 public:
  OctreeBuilder(Octree& tree, uint32_t most) : tree_(tree), most_(most) {
    root_ = add({0, 0, 0}, kOctreeBits, tree.targets, tree.sources);
    tree.targets_from.push_back(static_cast<int32_t>(tree.targets.size()));
    tree.sources_from.push_back(static_cast<int32_t>(tree.sources.size()));
    for (const Cube& cube : cubes_) {
      if (cube.leaf < 0) continue;
      tree.u_list_from.push_back(static_cast<int32_t>(tree.u_list.size()));
      add_touching(cube, cubes_[root_]);
    }
    tree.u_list_from.push_back(static_cast<int32_t>(tree.u_list.size()));
  }

 private:
  using Range = std::span<OctreePoint>;
  struct Cube {
    OctreePoint low;
    uint32_t bits;              // of its width
    int32_t leaf;               // -1: it has children
    std::vector<size_t> parts;  // its children, of cubes_
  };

  /// Points below and from the middle along an axis, in their order.
  static std::array<Range, 2> halves(Range points, size_t axis, uint32_t middle) {
    auto behind = std::stable_partition(points.begin(), points.end(),
                                        [&](const OctreePoint& point) { return point[axis] < middle; });
    auto below = static_cast<size_t>(behind - points.begin());
    return {points.first(below), points.subspan(below)};
  }

  size_t add(OctreePoint low, uint32_t bits, Range targets, Range sources) {
    size_t at = cubes_.size();
    cubes_.push_back({low, bits, -1, {}});
    if (std::max(targets.size(), sources.size()) <= most_ || bits == 0) {
      cubes_[at].leaf = static_cast<int32_t>(tree_.targets_from.size());
      tree_.targets_from.push_back(static_cast<int32_t>(targets.data() - tree_.targets.data()));
      tree_.sources_from.push_back(static_cast<int32_t>(sources.data() - tree_.sources.data()));
      return at;
    }
    split(at, low, 2, targets, sources);
    return at;
  }
  /// By z, then y, then x: eight children.
  void split(size_t parent, OctreePoint low, size_t axis, Range targets, Range sources) {
    uint32_t half = 1u << (cubes_[parent].bits - 1);
    auto target_halves = halves(targets, axis, low[axis] + half),
         source_halves = halves(sources, axis, low[axis] + half);
    for (size_t side : {0, 1}) {
      if (axis > 0) split(parent, low, axis - 1, target_halves[side], source_halves[side]);
      else {
        size_t child = add(low, cubes_[parent].bits - 1, target_halves[side], source_halves[side]);
        cubes_[parent].parts.push_back(child);
      }
      low[axis] += half;
    }
  }

  static bool touch(const Cube& a, const Cube& b) {
    for (size_t axis : {0, 1, 2})
      if (a.low[axis] > b.low[axis] + (1u << b.bits) || b.low[axis] > a.low[axis] + (1u << a.bits)) return false;
    return true;
  }
  void add_touching(const Cube& leaf, const Cube& from) {
    if (!touch(leaf, from)) return;
    if (from.leaf >= 0) tree_.u_list.push_back(from.leaf);
    for (size_t part : from.parts) add_touching(leaf, cubes_[part]);
  }

  Octree& tree_;
  uint32_t most_;
  std::vector<Cube> cubes_;
  size_t root_ = 0;
};

}  // namespace

Octree make_octree(std::vector<OctreePoint> targets, std::vector<OctreePoint> sources, uint32_t most) {
  Octree tree{std::move(targets), std::move(sources), {}, {}, {}, {}};
  OctreeBuilder(tree, most);
  return tree;
}

}  // namespace warptime::workloads
