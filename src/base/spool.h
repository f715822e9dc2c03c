// Buffers text until the text before it is known, or until it is complete: a small amount in memory, more in an unnamed
// file (unnamed_file). Any amount takes the same memory.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/descriptors.h"

namespace warptime {

class Spool {
 public:
  void write(std::string_view bytes);
  /// Hands over everything, piece by piece, and is empty again.
  void drain(const std::function<void(std::string_view)>& to);
  /// drain() on request: the next bytes; returns how many. 0: that was all. Nothing is written after the first call.
  size_t read(char* to, size_t most);
  /// errno of what went wrong; 0: nothing. After an error there is nothing to hand over.
  int error() const { return error_; }

 private:
  void flush();

  std::string buffer_;
  Descriptor file_;
  int error_ = 0;
  bool reading_ = false;
  size_t handed_over_ = 0;  // of what is in memory
};

}  // namespace warptime
