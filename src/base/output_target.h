// The destination of an output path after following symbolic links: whether two paths are the same file, and whether it
// is a file that is replaced or a device that is written directly.
#pragma once

#include <sys/types.h>

#include <string>

namespace warptime {

struct OutputTarget {
  enum class Kind : uint8_t {
    File,        // a regular file, or nothing yet
    Device,      // a device or a pipe with a name
    Descriptor,  // a descriptor of this process: "-", /dev/stdout, /dev/fd/N
    Folder,
  };
  Kind kind = Kind::File;
  std::string path;     // what is written: no longer a symbolic link
  int descriptor = -1;  // of Descriptor
};

/// "-" is standard output.
OutputTarget find_output_target(const std::string& path);

/// Tells files apart whatever the spelling of their paths. Of a regular file, device and inode; of one that is not
/// there yet, those of its folder and its name. Equal to no other where there is nothing to be overwritten: devices,
/// pipes, a folder that does not exist.
class FileIdentity {
 public:
  FileIdentity() = default;
  explicit FileIdentity(const std::string& path);
  friend bool operator==(const FileIdentity& a, const FileIdentity& b) {
    return a.known_ && b.known_ && a.device_ == b.device_ && a.inode_ == b.inode_ && a.name_ == b.name_;
  }

 private:
  bool known_ = false;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::string name_;  // of a file that is not there yet
};

}  // namespace warptime
