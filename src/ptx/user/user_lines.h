// The line of the user: for an instruction the line of the user's own CUDA source. Code of a header of the CUDA toolkit
// (atomicAdd, cooperative groups) counts as the line that calls it, however many functions were inlined on the way.
//
// Here is the rule which files are the user's own; all messages, listings and pages take their CUDA lines from here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "ptx/module.h"
#include "ptx/user/cuda_sources.h"

namespace warptime::ptx {

/// Whether a file comes with a compiler or a library, not from the user: it lies in a folder of the toolkit, of the
/// system or of a library that NVIDIA ships. A .cu file is always the user's.
bool is_toolkit_file(std::string_view path);

/// The place of the user's own source for a place: the innermost of the chain of calls that is in a file of the user;
/// the outermost if none is. 0: none. An index in Module::locations, as `location`.
uint32_t user_location(const Module& module, uint32_t location);

/// The chain of calls, from the innermost place outwards: indices in Module::locations.
std::vector<uint32_t> call_chain(const Module& module, uint32_t location);

/// Sets the user's line of every instruction (source_file, source_line), once all of the module is read: nvcc writes
/// the names of files at its end.
void set_user_lines(Module& module);

/// The lines of a module with their text, as far as the files are on this host.
class UserLines {
 public:
  explicit UserLines(const Module& module) : module_(module), sources_(*module.source) {}

  /// The line of the user for messages (Instruction::location); without a file (UserLine::file) if there is none.
  UserLine of(uint32_t location);
  /// The line of a kernel as a whole: where its code begins.
  UserLine of(const Kernel& kernel);
  bool is_inlined(uint32_t location) const {
    return location < module_.locations.size() && module_.locations[location].inlined_at != 0;
  }
  /// "y[i] = inner(p, i);" without the blanks around it; empty if the file is not on this host.
  std::string text(uint32_t location);

 private:
  /// "k.cu:9, in inner(float*, int): return p[i];"
  std::string call_text(uint32_t location);

  const Module& module_;
  CudaSources sources_;
};

}  // namespace warptime::ptx
