#include "base/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "base/descriptors.h"

namespace warptime {

void print_error(std::string_view text) noexcept {
  std::fflush(stdout);
  std::fflush(stderr);
  write_whole(STDERR_FILENO, text);
}

void prepare_standard_streams() noexcept {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  // O_PATH: the descriptor names a file without opening it, so reading and writing fail with EBADF as on a closed one.
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0 && open("/", O_PATH) != stream) return;
}

}  // namespace warptime
