#include "mesh.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "host/workload/random.h"

namespace warptime::workloads {
namespace {

std::vector<uint32_t> random_order(size_t count, host::SplitMix64& random) {
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

double six_volumes(const TetrahedralMesh& mesh, const std::array<uint32_t, 4>& element) {
  std::array<std::array<double, 3>, 3> edge;
  for (size_t k = 0; k < 3; ++k)
    for (size_t i = 0; i < 3; ++i) edge[k][i] = mesh.nodes[element[k + 1]][i] - mesh.nodes[element[0]][i];
  double out = 0;
  for (size_t i = 0; i < 3; ++i)
    out += edge[0][i] * (edge[1][(i + 1) % 3] * edge[2][(i + 2) % 3] - edge[1][(i + 2) % 3] * edge[2][(i + 1) % 3]);
  return out;
}

/// Nodes by rank: what is node 7 in `mesh` is node rank[7].
TetrahedralMesh ranked(const TetrahedralMesh& mesh, const std::vector<uint32_t>& rank) {
  TetrahedralMesh out = mesh;
  for (size_t n = 0; n < rank.size(); ++n) out.nodes[rank[n]] = mesh.nodes[n];
  for (auto& element : out.elements)
    for (uint32_t& node : element) node = rank[node];
  return out;
}

}  // namespace

TetrahedralMesh make_mesh(uint32_t cells) {
  host::SplitMix64 random(14);
  const uint32_t side = cells + 1;
  TetrahedralMesh mesh;
  for (uint32_t n = 0; n < side * side * side; ++n) {
    std::array<uint32_t, 3> at = {n % side, n / side % side, n / side / side};
    std::array<double, 3> node;
    for (size_t i = 0; i < 3; ++i) {
      double off = static_cast<double>(random.uniform(-0.15f, 0.15f));
      bool on_face = at[i] == 0 || at[i] == cells;
      node[i] = (static_cast<double>(at[i]) + (on_face ? 0 : off)) / cells;
    }
    mesh.nodes.push_back(node);
  }
  // Random ranks first: then the lowest rank of a face is its lowest node.
  std::vector<uint32_t> rank = random_order(mesh.nodes.size(), random);
  mesh = ranked(mesh, rank);
  for (uint32_t cell = 0; cell < cells * cells * cells; ++cell) {
    uint32_t x = cell % cells, y = cell / cells % cells, z = cell / cells / cells;
    std::array<uint32_t, 8> corner;
    for (uint32_t c = 0; c < 8; ++c) corner[c] = rank[((z + (c >> 2)) * side + y + (c >> 1 & 1)) * side + x + (c & 1)];
    auto lowest = static_cast<uint32_t>(std::min_element(corner.begin(), corner.end()) - corner.begin());
    // The three faces without that corner, each in two triangles, which are bases of tetrahedra with their tip there.
    for (uint32_t axis = 0; axis < 3; ++axis) {
      uint32_t origin = ~lowest & 1u << axis, u = 1u << (axis + 1) % 3, v = 1u << (axis + 2) % 3;
      std::array<uint32_t, 4> face = {corner[origin], corner[origin | u], corner[origin | u | v], corner[origin | v]};
      std::rotate(face.begin(), std::min_element(face.begin(), face.end()), face.end());
      for (size_t half = 0; half < 2; ++half)
        mesh.elements.push_back({corner[lowest], face[0], face[1 + half], face[2 + half]});
    }
  }
  for (auto& element : mesh.elements)
    if (six_volumes(mesh, element) < 0) std::swap(element[2], element[3]);
  TetrahedralMesh shuffled = mesh;
  std::vector<uint32_t> order = random_order(mesh.elements.size(), random);
  for (size_t e = 0; e < order.size(); ++e) shuffled.elements[e] = mesh.elements[order[e]];
  return shuffled;
}

TetrahedralMesh renumbered(const TetrahedralMesh& mesh) {
  std::vector<std::set<uint32_t>> neighbours(mesh.nodes.size());
  for (const auto& element : mesh.elements)
    for (uint32_t a : element)
      for (uint32_t b : element)
        if (a != b) neighbours[a].insert(b);
  auto fewer = [&](uint32_t a, uint32_t b) { return neighbours[a].size() < neighbours[b].size(); };
  std::vector<uint32_t> all(mesh.nodes.size()), order;
  std::iota(all.begin(), all.end(), 0);
  std::vector<bool> seen(all.size());
  order.push_back(*std::min_element(all.begin(), all.end(), fewer));
  seen[order[0]] = true;
  for (size_t i = 0; i < order.size(); ++i) {  // a mesh is connected: all come
    std::vector<uint32_t> next;
    for (uint32_t n : neighbours[order[i]])
      if (!seen[n]) next.push_back(n);
    std::stable_sort(next.begin(), next.end(), fewer);
    for (uint32_t n : next) seen[n] = true;
    order.insert(order.end(), next.begin(), next.end());
  }
  std::vector<uint32_t> rank(order.size());
  for (size_t i = 0; i < order.size(); ++i) rank[order[i]] = static_cast<uint32_t>(order.size() - 1 - i);
  TetrahedralMesh out = ranked(mesh, rank);
  std::stable_sort(out.elements.begin(), out.elements.end(), [](const auto& a, const auto& b) {
    return *std::min_element(a.begin(), a.end()) < *std::min_element(b.begin(), b.end());
  });
  return out;
}

}  // namespace warptime::workloads
