// What programs ask of the device: its properties, attributes and limits, as the machine file has them. What the model
// does not have is 0: surfaces, ECC, more than one device.
#pragma once

#include <optional>

#include "cuda/abi.h"
#include "sim/model/machine.h"

namespace warptime::cuda {

/// All that CUDA 11 knows; later ones have these, too.
Properties11 properties_of(const sim::Machine& machine);
Properties13 properties_13(const Properties11& from);
/// What CUDA 12 and 13 have behind the members of 11.
void set_newer(int* members);
/// By the number of a cudaDeviceAttr; nullopt: there is none of that number.
std::optional<int> attribute_of(const sim::Machine& machine, int number);

}  // namespace warptime::cuda
