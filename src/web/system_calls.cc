// Functions of Linux that Emscripten's C library declares and does not have. A browser has no processes, no libraries
// to load, and no files without a name: each says so, and its caller reports it as on any host without them.
#include <dlfcn.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace {

int not_here() {
  errno = ENOSYS;
  return -1;
}

}  // namespace

extern "C" {

int memfd_create(const char*, unsigned) { return not_here(); }
// There is no other language.
const char* strerrordesc_np(int error) { return std::strerror(error); }
int ppoll(pollfd*, nfds_t, const timespec*, const sigset_t*) { return not_here(); }
int prctl(int, ...) { return not_here(); }
pid_t wait4(pid_t, int*, int, rusage*) { return not_here(); }
// Names of temporary files: no other process has any.
ssize_t getrandom(void* to, size_t bytes, unsigned) {
  return getentropy(to, bytes) == 0 ? static_cast<ssize_t>(bytes) : -1;
}

// Emscripten's own would end the program.
void* dlopen(const char*, int) { return nullptr; }
void* dlsym(void*, const char*) { return nullptr; }
}
