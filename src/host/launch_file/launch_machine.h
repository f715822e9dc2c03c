// The machine that a launch file names (`machine`), for commands that are not given one.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/source_text.h"

namespace warptime::host {

struct LaunchMachine {
  std::string name;  // or the path of its file
  SourceSpan where;
  std::shared_ptr<const SourceText> source;  // that `where` points into
};

/// nullopt: the file names none, or cannot be read, which its reader reports (launch_file.h).
std::optional<LaunchMachine> machine_of_launch_file(const std::string& path);

}  // namespace warptime::host
