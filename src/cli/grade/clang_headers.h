// The names of CUDA C++ that labs use, for clang++ on a host without a CUDA toolkit: declarations for the compiler, as
// include files. With nvcc, the toolkit's own headers are used.
#pragma once

#include <span>
#include <string_view>

namespace warptime::cli {

struct HeaderText {
  std::string_view name;
  std::string_view text;
};

/// Included before the submission.
inline constexpr std::string_view kClangHeader = "warptime_cuda.h";
/// kClangHeader, and empty files for headers of the toolkit that it stands for.
std::span<const HeaderText> clang_headers();

}  // namespace warptime::cli
