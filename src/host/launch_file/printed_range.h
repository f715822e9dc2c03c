// Elements of a buffer that are printed after a run: `--print y[0:8]`.
#pragma once

#include <span>
#include <string>

#include "host/launch_file/launch_plan.h"

namespace warptime::host {

/// Reads "NAME", "NAME[I]" or "NAME[FIRST:END]" (either may be left out) into the plan; an error points into the text.
void plan_print(const std::string& text, LaunchPlan& plan, Diagnostics& diagnostics);

/// The elements with their indices, eight a line. `bytes`: of the whole buffer.
std::string printed_elements(const TypedData& buffer, std::span<const std::byte> bytes, const PlannedPrint& print);

}  // namespace warptime::host
