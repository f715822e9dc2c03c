// The files that one command reads and writes: an output must not be an input or another output, by whatever path.
// While an object of this class exists, SourceText::read_file registers every file that it reads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/output_target.h"

namespace warptime {

class RunFiles {
 public:
  RunFiles();
  ~RunFiles();
  RunFiles(const RunFiles&) = delete;
  RunFiles& operator=(const RunFiles&) = delete;

  /// The innermost one that is alive; null: none.
  static RunFiles* current();

  /// Why this file must not be read; empty: it may, and is noted.
  std::string reading(const std::string& path);

  struct Clash {
    bool is_output = false;  // else it is read
    std::string path;        // as it was given there
    std::string what;        // of an output: what writes it
  };
  /// The file that an output would overwrite; nullopt: none, and the output is noted. `what`: "--stats".
  std::optional<Clash> writing(const std::string& path, const std::string& what);

 private:
  struct File {
    FileIdentity identity;
    std::string path, what;
  };
  std::vector<File> inputs_, outputs_;
  RunFiles* outer_;
};

}  // namespace warptime
