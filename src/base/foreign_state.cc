#include "base/foreign_state.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "base/descriptors.h"

namespace warptime {

namespace {

std::string file_name;  // empty: there is none
std::string farewell;   // made before the signal: its handler may not allocate

extern "C" void end_after_signal(int /*signal*/) {
  write_whole(STDERR_FILENO, farewell);
  _exit(kForeignStateStatus);
}

}  // namespace

std::string foreign_state_failure(std::string_view reason) {
  if (file_name.empty()) return {};
  return fmt::format(
      "error: {} is damaged: its parts do not fit together, and the run that continued from it failed ({})\n"
      "  hint: run the program from its beginning\n",
      file_name, reason);
}

void continue_from_foreign_state(const std::string& file) {
  file_name = file;
  farewell = foreign_state_failure("a signal");
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  struct sigaction action {};
  action.sa_handler = end_after_signal;
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(signal, &action, nullptr);
#endif
}

}  // namespace warptime
