// Tensor maps as arguments of kernels (device.h).
#include "base/plural.h"
#include "host/device/device_impl.h"
#include "sim/mem/tensor_map.h"

namespace warptime::host {

Argument Device::make_tensor_map(const sim::TensorMap& map) const {
  const sim::TensorProblem found = problem_of(map);
  if (found != sim::TensorProblem::None)
    throw_error(fmt::format("this tensor map cannot be: {}", text(found)),
                "lists begin with the innermost dimension; strides are in bytes");
  Argument argument;
  argument.kind = Argument::Kind::Bytes;
  argument.text = "a tensor map";
  if (impl_->real != nullptr) {
    argument.bytes = impl_->real->make_tensor_map(map);
    return argument;
  }
  if (impl_->memory.find(map.address, map.tensor_bytes()) == nullptr)
    throw_error(
        fmt::format("the tensor has {}, more than are allocated at its address", plural(map.tensor_bytes(), "byte")));
  argument.bytes.resize(sim::TensorMap::kBytes);
  map.write(std::span<std::byte, sim::TensorMap::kBytes>(argument.bytes));
  return argument;
}

}  // namespace warptime::host
