// The bytes are not a state that was saved from such an object (state_archive.h).
#pragma once

#include <stdexcept>

namespace warptime {

class StateError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace warptime
