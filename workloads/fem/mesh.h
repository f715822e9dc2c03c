// An irregular mesh of tetrahedra in a box, of a material whose stiffness and density change with the height.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warptime::workloads {

struct TetrahedralMesh {
  std::vector<std::array<double, 3>> nodes;
  std::vector<std::array<uint32_t, 4>> elements;
};

/// The unit cube in cells^3 cells of six tetrahedra each, their nodes moved by chance. A face is cut from its corner of
/// the lowest rank, where ranks are a random order of all nodes (Dompierre et al. 1999): neighbours agree. Nodes and
/// elements come in a random order.
TetrahedralMesh make_mesh(uint32_t cells);

/// The order of nodes by reverse Cuthill-McKee (Cuthill and McKee 1969, George 1971); elements by their first node.
TetrahedralMesh renumbered(const TetrahedralMesh& mesh);

}  // namespace warptime::workloads
