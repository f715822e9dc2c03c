// What moved between two runs by kernel, CUDA line and instruction: the rows of one side by side with those of the
// other.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "report/kernel_rows.h"

namespace warptime::report {

/// In the order of `b`: kernels of the same name, or the only ones of both. By kernel `a` and `b` (names), `slots_a`,
/// `slots_b`, `rows` and `lines`; what cost nothing on either side is left out.
///
/// A line of CUDA is paired with the line of the same number in a file of the same name; one that has none, with the
/// next line of the same text. `lines`: `source_a`, `source_b` ("k.cu:7"; null: only the other side has it), `text`
/// (empty: the file is not on this host), the sums `a` and `b`, and `rows`, the indices of its rows. Rows without a
/// CUDA line are in none.
///
/// Rows are paired within their pair of lines: by text, then by operation (`ld.global.f32`), the first with the first.
/// `rows`: `line_a`, `line_b` (of the PTX; null: only the other side has it), `text`, and of each side `executions`,
/// `issued` and `stalls`.
nlohmann::ordered_json kernel_moves(const std::vector<KernelRows>& a, const std::vector<KernelRows>& b);

}  // namespace warptime::report
