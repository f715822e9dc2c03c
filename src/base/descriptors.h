// Reading and writing of file descriptors, whatever they are: also one that the shell, or another program that shares
// it, has set to return at once (O_NONBLOCK). And files without a name, for what nobody else is to see.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace warptime {

/// All of it, however long the reader at the other end takes; returns errno, 0: it is written.
int write_whole(int descriptor, std::string_view bytes) noexcept;
/// read(2) that waits for the first byte, and goes on after a signal.
ssize_t read_some(int descriptor, void* to, size_t most) noexcept;

/// A file in memory, for a few kilobytes that one process hands to another: neither a full nor a read-only disk can
/// hinder it. -1: there is none, errno says why.
int memory_file();
/// A file on the disk, in the folder of TMPDIR, else in /tmp: for any amount. -1: there is none, errno says why.
int unnamed_file();
/// Such a file of another process, by its path in /proc: what is written comes behind what is there. -1: it is gone.
int open_to_append(const char* path);
/// What is in such a file, from its beginning.
std::string contents_of_file(int descriptor);

/// Owns a descriptor.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  int number() const { return number_; }

 private:
  int number_;
};

}  // namespace warptime
