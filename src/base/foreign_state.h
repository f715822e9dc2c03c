// A run that continues from a file takes over a state that anybody may have written. Each number in it has been
// compared with its bound (base/state_archive.h), but no such check can know whether all of them fit together: a queue
// may lack the request that something waits for. What would be a fault of warptime itself is the file's fault then, and
// ends the program as bad input does.
#pragma once

#include <string>
#include <string_view>

namespace warptime {

/// From now on. `file`: its name, for the sentence.
void continue_from_foreign_state(const std::string& file);

/// The sentence that such a run ends with, for this reason ("signal 11"); empty: the run is not one.
std::string foreign_state_failure(std::string_view reason);

/// The exit status of bad input.
inline constexpr int kForeignStateStatus = 2;

}  // namespace warptime
