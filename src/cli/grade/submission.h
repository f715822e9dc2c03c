// A file that a student has handed in: CUDA C++ (.cu) or PTX (.ptx).
#pragma once

#include <string>

#include "cli/command_line.h"

namespace warptime::cli {

struct Submission {
  std::string name;     // as the teacher wrote it
  std::string file;     // a name without folders in letters, digits, '_', '-' and '.': "alice.cu"
  std::string text;     // what is in it
  std::string refused;  // why it is not looked at; empty: it is
  bool is_cuda() const { return file.ends_with(".cu"); }
};

/// Reads the file. Symbolic links are refused, as they may lead to any file of the host, and so is what is not an
/// ordinary file or very large: that is the student's. Throws host::InputError where the teacher has made the mistake:
/// no such file, or neither .cu nor .ptx.
Submission read_submission(const ArgumentText& word);

}  // namespace warptime::cli
