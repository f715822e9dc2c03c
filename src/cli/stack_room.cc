#include "cli/stack_room.h"

#include <pthread.h>
#include <sys/resource.h>

namespace warptime::cli {

namespace {

constexpr size_t kStackRoom = size_t{8} << 20;  // what Linux gives a process unless told otherwise

struct StackedCall {
  const std::function<int()>& work;
  int status = 0;
};

void* call(void* to) {
  auto* stacked = static_cast<StackedCall*>(to);
  stacked->status = stacked->work();
  return nullptr;
}

}  // namespace

int with_stack_room(const std::function<int()>& work) {
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kStackRoom) return work();
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackRoom);
#ifdef __GLIBC__
  pthread_setattr_default_np(&attributes);
#endif
  StackedCall stacked{work};
  pthread_t thread{};
  int error = pthread_create(&thread, &attributes, call, &stacked);
  pthread_attr_destroy(&attributes);
  if (error != 0) return work();
  pthread_join(thread, nullptr);
  return stacked.status;
}

}  // namespace warptime::cli
