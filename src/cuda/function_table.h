// The functions of functions.def and driver.def as rows, for lists.
#pragma once

#include <span>
#include <string_view>

namespace warptime::cuda {

struct FunctionRow {
  std::string_view name, versions, arguments;
  bool done;
};

std::span<const FunctionRow> functions();

}  // namespace warptime::cuda
