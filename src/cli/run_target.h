// The TARGET of `warptime run`: a workload, a launch file or a bare PTX file, behind one door.
#pragma once

#include <memory>
#include <vector>

#include "cli/command_line.h"
#include "host/workload.h"

namespace warptime::cli {

class Target {
 public:
  virtual ~Target() = default;
  /// Runs it; throws host::InputError or host::FaultError.
  virtual std::vector<host::Check> run(host::Device& device, bool check) = 0;
  /// Figures that were published for it, to stand beside the simulated ones.
  virtual std::vector<host::Published> published() const { return {}; }
};

/// Reads and checks everything that can be checked before a device is there. Throws host::InputError.
std::unique_ptr<Target> find_target(const Arguments& arguments);

}  // namespace warptime::cli
