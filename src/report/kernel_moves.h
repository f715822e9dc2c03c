// What moved between two runs by kernel and line: the rows of one side by side with those of the other.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "report/kernel_rows.h"

namespace warptime::report {

/// In the order of `b`: kernels of the same name, or the only ones of both. By kernel `a` and `b` (names), `slots_a`,
/// `slots_b`, and `rows`: `line_a`, `line_b` (null: that side has no such row), `text`, and of each side `executions`,
/// `issued` and `stalls`. Rows are matched by their text, the first with the first; one that cost nothing on either
/// side is left out.
nlohmann::ordered_json kernel_moves(const std::vector<KernelRows>& a, const std::vector<KernelRows>& b);

}  // namespace warptime::report
