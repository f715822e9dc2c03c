#include "measure/driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "host/device/device.h"

namespace warptime::measure {

void refuse(std::string message, std::string hint) {
  throw host::InputError(format_diagnostic({Severity::Error, {}, std::move(message), std::move(hint)}));
}

namespace {

template <class F>
void find(void* library, F& address, const char* name) {
  address = reinterpret_cast<F>(dlsym(library, name));
  if (address == nullptr)
    refuse(fmt::format("the NVIDIA driver of this machine has no function {}", name), "a newer driver has it");
}

}  // namespace

Driver load_driver() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    refuse("this machine has no NVIDIA driver (libcuda.so.1)",
           "`warptime measure` needs a GPU; `warptime run` simulates one");
  Driver driver;
#define WARPTIME_DRIVER_FIND(member, name, parameters) find(library, driver.member, name);
  WARPTIME_DRIVER(WARPTIME_DRIVER_FIND)
#undef WARPTIME_DRIVER_FIND
#define WARPTIME_DRIVER_FIND(member, name, parameters) \
  driver.member = reinterpret_cast<decltype(driver.member)>(dlsym(library, name));
  WARPTIME_DRIVER_NEWER(WARPTIME_DRIVER_FIND)
#undef WARPTIME_DRIVER_FIND
  return driver;
}

}  // namespace warptime::measure
