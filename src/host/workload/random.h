// The generator of base/random.h, under the name by which host programs know it.
#pragma once

#include "base/random.h"

namespace warptime::host {

using warptime::SplitMix64;

}  // namespace warptime::host
