// Tensor maps as host programs write them (Device::make_tensor_map).
#pragma once

#include "sim/mem/tensor_map.h"

namespace warptime::host {

using sim::TensorMap;

}  // namespace warptime::host
