// Which registers have one value for all lanes of a warp, and which branches all of its lanes take alike.
#pragma once

#include <vector>

#include "ptx/module.h"

namespace warptime::ptx {

/// By register: whether lanes of a warp may have different values. What only some lanes wrote counts as different,
/// unless `parted` is false: then values count alone, as lanes that are at the same place see them as a rule.
std::vector<bool> find_varying(const Kernel& kernel, bool parted = true);

}  // namespace warptime::ptx
