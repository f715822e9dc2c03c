// The checkers of `warptime check` for a program's launches (WARPTIME_CHECK), in the program's process. What they find
// is written to a file of who started the program, at once and with what mends it at the end; to standard error if
// there is none. Left out: accesses of the host to managed and page-locked memory, which counts as written.
//
// The file has lines of fields between tabs, of which a process adds all that it has to:
//
//   finding  PROCESS  JSON             one more
//   findings  PROCESS  [JSON,...]      the process ends: all of them
//   note  TEXT
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/descriptors.h"
#include "debug/check/checker.h"

namespace warptime::cuda {

/// The variable with the path of the file.
inline constexpr const char* kFindingsVariable = "WARPTIME_EXEC_FINDINGS";

class ProgramChecks final : public debug::Checker {
 public:
  /// The call that allocated a buffer; nullopt: it is not the program's.
  using AllocatedBy = std::function<std::optional<debug::HostCall>(const std::string& buffer)>;

  ProgramChecks(debug::CheckTools tools, AllocatedBy allocated_by, bool all_calls);

  void launched_by(debug::HostCall call) { found().launched_by(std::move(call)); }
  /// The program ends.
  void end();

 private:
  std::string json_of(debug::Finding finding) const;
  void line(const std::string& text) const;

  pid_t process_;     // a child that the program forks has other findings
  std::string name_;  // of the process, and of its checker: a device that is reset has another one
  Descriptor file_;
  AllocatedBy allocated_by_;
  bool all_calls_;
};

}  // namespace warptime::cuda
