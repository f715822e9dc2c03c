#include "base/host_memory.h"

#include <fmt/format.h>
#include <sys/resource.h>

namespace warptime {

void throw_no_host_memory(std::string_view what, uint64_t bytes) {
  throw HostMemoryError(fmt::format("{} needs {} bytes of host memory, which this process cannot get", what, bytes));
}

std::string host_memory_limits() {
  std::string out;
  auto add = [&](auto resource, const char* option) {
    rlimit limit{};
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
    out += fmt::format("{}ulimit -{} allows this process {} bytes", out.empty() ? "" : "; ", option, limit.rlim_cur);
  };
  add(RLIMIT_AS, "v");
  add(RLIMIT_DATA, "d");
  return out;
}

}  // namespace warptime
