// The only writer of output files: complete or not at all. A regular file is written as an unnamed file in the folder
// of its target, synced, and renamed to the target; until then an older file is unchanged, and an interrupted program
// leaves no file behind. Devices, pipes and descriptors ("-", /dev/stdout, /dev/fd/N) are written directly, also only
// in commit().
//
// The target keeps its mode, and its owner if the user may change owners; for a symbolic link, its target is replaced.
// Left out: access control lists and extended attributes, and further hard links to the older file, which keep its
// contents. On file systems without unnamed files (NFS), a temporary name beside the target is used, which remains
// after SIGKILL.
#pragma once

#include <string>
#include <string_view>

#include "base/output_target.h"
#include "base/spool.h"

namespace warptime {

class OutputFile {
 public:
  /// Opens; see error(). The older file is not touched.
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;

  /// After an error does nothing.
  void write(std::string_view bytes);
  /// The end: what was written is in its place. False: there was an error, and the older file is still there.
  bool commit();
  /// commit() of a regular file that returns its descriptor, which the caller closes; -1: there was an error.
  int commit_and_keep();
  /// Locks it for this process before others can see it (flock), where the file system has locks.
  void lock();

  /// The first thing that went wrong, in the system's words; empty: nothing. A pipe's reader that has seen enough and
  /// is gone (`| head`) is not an error.
  std::string error() const;
  const OutputTarget& place() const { return place_; }

 private:
  void open();
  void open_temporary();
  void flush();
  bool write_all(int descriptor, std::string_view bytes);
  void write_directly();
  /// The file has its name; the descriptor stays open.
  void replace_target();
  void close_descriptor();
  void fail(int error);
  std::string temporary_path() const;

  OutputTarget place_;
  int error_ = 0;
  int descriptor_ = -1;
  std::string temporary_;  // its name, while it has one
  std::string buffer_;     // of a file
  Spool spool_;            // of what is written directly
};

/// Why this file could not be written at present; empty: it can be. The older file is not touched.
std::string why_not_writable(const std::string& path);

}  // namespace warptime
