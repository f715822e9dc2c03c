// The generator of base/random.h, under its name for host programs.
#pragma once

#include "base/random.h"

namespace warptime::host {

using warptime::SplitMix64;

}  // namespace warptime::host
