// What becomes of a task for which the host has no room.
#include <new>

#include "base/host_memory.h"
#include "cli/cli.h"
#include "cli/command_line.h"
#include "cli/sweep/sweep_children.h"

namespace warptime::cli {

int guarded_in_child(const std::function<int()>& work, std::string& message) {
  return guarded(
      [&] {
        try {
          return work();
        } catch (const HostMemoryError& error) {
          throw NoRoom{error.what()};
        } catch (const std::bad_alloc&) {
          throw NoRoom{"the host has not enough memory for it"};
        }
      },
      message);
}

void fail_not_done(size_t number, const std::string& why) {
  fail({}, fmt::format("point {} is not done: {}", number + 1, why), "--resume runs what is missing");
}

}  // namespace warptime::cli
