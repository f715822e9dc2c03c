// A student's CUDA C++ becomes PTX. The compiler makes PTX only: nothing of the host's side is compiled, let alone run.
//
// What a compiler reads and says is not the student's to choose: the file is copied under a harmless name into a folder
// of its own; files that it includes have to be the compiler's (a first pass lists them, before anything is compiled);
// of the compiler's messages, those about the submission's own lines are passed on, without the lines themselves.
#pragma once

#include <string>
#include <vector>

#include "cli/grade/confined.h"
#include "cli/grade/submission.h"

namespace warptime::cli {

/// A compiler of this host: nvcc, else clang++.
struct Compiler {
  std::string path;
  bool is_nvcc = false;
};
/// Throws host::InputError at `where`: neither is in a folder of PATH.
Compiler find_compiler(SourceSpan where);

struct CompilerMessage {
  uint32_t line = 0;  // of the submission; 0: of none
  std::string text;
};

struct CompiledSubmission {
  std::string ptx;                        // empty: it was not compiled
  std::vector<CompilerMessage> messages;  // why
  ConfinedEnd::How how = ConfinedEnd::How::Exited;
};
CompiledSubmission compile_submission(const Compiler& compiler, const Submission& submission,
                                      const ConfinementLimits& limits);

// Parts of it, for tests.

/// The files that the output of `-M` lists, in the form of make.
std::vector<std::string> listed_files(std::string_view rule);
/// Whether the file comes with a compiler: a header in a folder of headers below /usr, /opt or the compiler's own root.
bool is_compiler_file(const std::string& path, const std::string& compiler_root);
/// The errors that a compiler reports at lines of this file.
std::vector<CompilerMessage> errors_at(std::string_view output, std::string_view file);

}  // namespace warptime::cli
