// Which function of the runtime the program called, and where in the program: by the stack of the calling thread and
// the symbol tables of the program's files. Frames of this library, of the stubs that nvcc makes for kernels, and of
// the toolkit's own templates are passed over. Left out: lines of host code, which need debug information.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "debug/check/finding.h"

/// The name under which this thread called the runtime last (shared/exports.cc).
extern "C" {
extern constinit thread_local const char* warptime_called __attribute__((tls_model("initial-exec")));
}

namespace warptime::cuda {

struct CallSite {
  static constexpr size_t kFrames = 12;
  const char* function = "";
  uint64_t number = 0;                        // among the program's calls, the first is 1
  std::optional<uint64_t> launch = {};        // its number, the first is 0
  const void* stub = nullptr;                 // of the kernel that is launched
  std::array<const void*, kFrames> frames{};  // return addresses in the program, the innermost first

  /// With names for the addresses.
  debug::HostCall named() const;
  std::string text() const { return named().text(); }
};

/// The call that this thread is in.
CallSite this_call(uint64_t number);

}  // namespace warptime::cuda
