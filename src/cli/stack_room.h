// Room on the host's stack, which `ulimit -s` can make too small for the commands.
#pragma once

#include <functional>

namespace warptime::cli {

/// Calls `work`; where the stack is limited to less than is needed, in a thread whose stack has the room. Threads that
/// are started later have it, too.
int with_stack_room(const std::function<int()>& work);

}  // namespace warptime::cli
