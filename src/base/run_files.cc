#include "base/run_files.h"

namespace warptime {

namespace {
thread_local RunFiles* innermost = nullptr;
}  // namespace

RunFiles::RunFiles() : outer_(innermost) {
  innermost = this;
  // Where the shell has sent them to a file, it must be no other output, too.
  outputs_.push_back({FileIdentity("/dev/fd/1"), "-", "standard output"});
  outputs_.push_back({FileIdentity("/dev/fd/2"), "/dev/stderr", "standard error"});
}

RunFiles::~RunFiles() { innermost = outer_; }

RunFiles* RunFiles::current() { return innermost; }

std::string RunFiles::reading(const std::string& path) {
  FileIdentity identity(path);
  for (const File& output : outputs_)
    if (output.identity == identity) return output.what + " of this command writes the same file";
  inputs_.push_back({identity, path, {}});
  return {};
}

std::optional<RunFiles::Clash> RunFiles::writing(const std::string& path, const std::string& what) {
  // Several may share a standard stream: it is one file, written in turn.
  if (find_output_target(path).kind == OutputTarget::Kind::Descriptor) return std::nullopt;
  FileIdentity identity(path);
  for (const std::vector<File>* files : {&inputs_, &outputs_})
    for (const File& file : *files)
      if (file.identity == identity) return Clash{files == &outputs_, file.path, file.what};
  outputs_.push_back({identity, path, what});
  return std::nullopt;
}

}  // namespace warptime
