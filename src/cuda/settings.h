// The options of `warptime exec` that concern the library in the program's process, which reads them from its
// environment: --max-cycles is WARPTIME_MAX_CYCLES there.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "cuda/launch_choice.h"
#include "sim/gpu/gpu.h"
#include "sim/model/machine.h"

namespace warptime::cuda {

/// --machine, --set (PATH=VALUE, with ; between them) and --stats are also settings.
inline constexpr std::array<std::string_view, 12> kRunSettings{"threads",
                                                               "functional",
                                                               "max-cycles",
                                                               "attribution",
                                                               "calls",
                                                               "stats-per-instruction",
                                                               "sample",
                                                               "adversarial",
                                                               "sample-seed",
                                                               "launches",
                                                               "first-per-kernel",
                                                               "functional-before"};

inline std::string variable_of(std::string_view option) {
  std::string name = "WARPTIME_";
  for (const char c : option) name += c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return name;
}
/// Its value in the environment; empty: there is none.
std::string setting(std::string_view option);

struct Settings {
  sim::RunOptions run;
  LaunchChoice choice;
  bool is_partly_timed() const { return !choice.all() || run.sampling == sim::Sampling::FirstLaunches; }
};
/// Throws CallError with a sentence.
Settings settings_of_environment(const sim::MachineConfig& machine);

}  // namespace warptime::cuda
