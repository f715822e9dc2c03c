// The functions of driver.def with their addresses, by name.
#pragma once

#include <span>
#include <string_view>

namespace warptime::cuda {

struct DriverRow {
  std::string_view name;
  int since;           // the name without its number means this one from that version of CUDA on
  void (*function)();  // nullptr: not supported
};

std::span<const DriverRow> driver_rows();

}  // namespace warptime::cuda
