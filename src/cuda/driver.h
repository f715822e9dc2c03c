// The driver API (libcuda.so.1) over the same device as the runtime: contexts that all are of one device, modules that
// programs load, and the driver's error codes. Functions whose arguments and errors are those of a function of the
// runtime are that function (driver.def).
#pragma once

#include "cuda/work.h"

namespace warptime::cuda {

using Result = int;  // CUresult
enum : Result {
  kDone = 0,
  kInvalidValue = 1,
  kNotInitialized = 3,
  kNoDevice = 101,
  kInvalidContext = 201,
  kInvalidHandle = 400,
  kNotFound = 500,
};

/// The driver's code for it.
Result result_of(Error error);
/// Whether the calling thread has a context.
bool has_context();
void* current_context();

/// Does the work of a function of the driver; the runtime's last error stays. Without a context only where `anywhere`.
template <class Do>
Result drive(Do work, bool anywhere = false) {
  if (!anywhere && !has_context()) return kInvalidContext;
  const Error before = last_error();
  const Error error = call(work);
  last_error() = before;
  return result_of(error);
}

/// A function of the library by its name; nullopt: there is none. `version`: 12000 of CUDA 12.0.
void* driver_function(std::string_view name, int version);

}  // namespace warptime::cuda

/// The definition of a function that the library exports under its own name (exports.cc).
#define DRIVER_FUNCTION(name) extern "C" warptime::cuda::Result warptime_##name
