// Which face of a cube map a direction points to, and where on it (CUDA C++ Programming Guide, "Cubemap Textures"). For
// one host instruction set; included only by texture_sampling.isa.cc.
#pragma once

#include <cstring>

#include "sim/exec/texture_sampling.h"

namespace warptime::sim::inline WARPTIME_ISA {

template <class F>
inline void for_lanes(const F& f) {
  for (uint32_t lane = 0; lane < kWarpSize; ++lane) f(lane);
}
inline Lanes<float> lanes_of(const std::byte* row) {
  Lanes<float> x;
  std::memcpy(x.data(), row, sizeof x);
  return x;
}

/// A place on each lane's face, from 0 to 1, and the face's layer in an array of cubes.
struct PlacesOnCube {
  Lanes<float> across, down;
  Lanes<uint32_t> face;
};

inline PlacesOnCube places_on_cube(const std::array<Lanes<float>, 3>& direction, const Lanes<uint32_t>& cube) {
  PlacesOnCube out;
  auto size = [](float v) { return v < 0 ? -v : v; };
  for_lanes([&](uint32_t lane) {
    float x = direction[0][lane], y = direction[1][lane], z = direction[2][lane];
    // Where two are equal, z goes before y, and y before x (seen on an H200).
    float across = x, down = -y, depth = size(z);
    uint32_t side = z < 0 ? 5 : 4;
    if (size(z) >= size(x) && size(z) >= size(y)) {
      if (z < 0) across = -x;
    } else if (size(y) >= size(x)) {
      side = y < 0 ? 3 : 2;
      depth = size(y);
      down = y < 0 ? -z : z;
    } else {
      side = x < 0 ? 1 : 0;
      depth = size(x);
      across = x < 0 ? z : -z;
    }
    out.across[lane] = (across / depth + 1) * 0.5f;
    out.down[lane] = (down / depth + 1) * 0.5f;
    out.face[lane] = cube[lane] * 6 + side;
  });
  return out;
}

}  // namespace warptime::sim::inline WARPTIME_ISA
