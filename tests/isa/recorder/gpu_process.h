// Random programs on an NVIDIA GPU, run by a process of its own: a program that the GPU does not end, or that faults,
// ends that process, and the next program gets a new one.
#pragma once

#include <sys/types.h>

#include <string>

#include "isa/random/simulated.h"

namespace warptime::sim {

class GpuProcess {
 public:
  /// Ends this process, too, if there is no GPU.
  GpuProcess();
  ~GpuProcess();
  GpuProcess(const GpuProcess&) = delete;
  GpuProcess& operator=(const GpuProcess&) = delete;

  /// "GPU: ..." and "Driver: ...", a line each.
  const std::string& origin() const { return origin_; }

  /// `optimized`: as the driver's compiler does unless told otherwise. An error begins with what it is: "refused" by
  /// that compiler, "fault", or "no end" after so many seconds.
  Outcome run(const Program& program, bool optimized, int seconds = 20);

 private:
  void start();
  void stop();

  pid_t process_ = -1;
  int socket_ = -1;
  std::string origin_;
};

}  // namespace warptime::sim
