// Which kernel of a profile is which kernel of a run. PTX has mangled names (Itanium C++ ABI), profilers write them
// mangled, demangled or bare, and the first CUDA profilers without their first underscore.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptime::cli {

struct KernelName {
  std::string base;       // "scale" of scaled::scale<float>(float*, float)
  std::string arguments;  // of its template, without blanks: "float"; empty: none, or not simple enough to read
};
KernelName kernel_name(std::string_view name);

/// For each launch of a, the launch of b that it is compared with: the next one of the same kernel. The same name is
/// better than the same base and template arguments, which are better than the same base.
std::vector<std::optional<size_t>> pair_launches(const std::vector<std::string_view>& a,
                                                 const std::vector<std::string_view>& b);

}  // namespace warptime::cli
