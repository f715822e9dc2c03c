// What the two kinds of `warptime measure` share: of a target, and of the microbenchmarks.
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>

#include "cli/command_line.h"
#include "cli/output.h"

namespace warptime::cli {

inline constexpr uint32_t kRepetitions = 11;

bool takes_stdout(const std::optional<Output>& output);
/// Refuses options that go with something else only.
void refuse_options(const Arguments& arguments, std::initializer_list<std::string_view> options, std::string_view with);
/// `measure micro`; returns the exit status.
int measure_microbenchmarks(const Arguments& arguments);

}  // namespace warptime::cli
