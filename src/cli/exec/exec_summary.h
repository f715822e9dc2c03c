// What a program did on the simulated device, from the lines that it left (cuda/recorder.h): its summary, and whether a
// launch faulted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warptime::cli {

struct ExecSummary {
  std::string text;  // empty: the program used no device
  bool faulted = false;
  std::vector<std::string> kernels;  // as PTX has their names, in the order of their first launches
};

/// `program` and `machine`: as the user named them.
ExecSummary summarize_exec(std::string_view lines, const std::string& program, const std::string& machine);

}  // namespace warptime::cli
