// A file that grows by whole lines while a long command runs, and that one command writes at a time: it is locked
// (flock) as long as it is open. A line that does not fit is taken back, so the file ends with a whole line but for a
// loss of power. Devices, pipes and descriptors are written directly, without a lock.
#pragma once

#include <string>
#include <string_view>

namespace warptime {

class GrowingFile {
 public:
  GrowingFile() = default;
  ~GrowingFile();
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  // Each says what went wrong, in the system's words; empty: nothing.

  /// Opens and locks the file, whose contents stay; one that is not there is made. See busy().
  std::string open(const std::string& path);
  /// open() failed because another process has the lock.
  bool busy() const { return busy_; }
  /// What is in it.
  std::string read(std::string& text);
  /// Keeps that many bytes.
  std::string cut(size_t bytes);
  /// Puts a file with these lines in its place: the older contents are there until the new ones are on the disk.
  std::string begin_anew(std::string_view lines);
  /// Adds whole lines in one write.
  std::string append(std::string_view lines);
  std::string close();
  bool is_open() const { return descriptor_ >= 0; }

 private:
  std::string path_;  // its links followed
  int descriptor_ = -1;
  bool regular_ = false;
  bool borrowed_ = false;  // a descriptor that the program was started with
  bool busy_ = false;
};

}  // namespace warptime
