// A roofline as text, as JSON and as gnuplot's script.
#pragma once

#include <string>

#include "cli/roofline/roofline_input.h"

namespace warptime::cli {

std::string roofline_text(const RooflineInput& input);
std::string roofline_json(const RooflineInput& input);
std::string roofline_chart(const RooflineInput& input);

}  // namespace warptime::cli
