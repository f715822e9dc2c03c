// The device, its errors and limits. What only says how real hardware is to be used succeeds and does nothing.
#include <cstring>

#include "cuda/abi.h"
#include "cuda/properties.h"
#include "cuda/runtime.h"

namespace warptime::cuda {

namespace {

Error only_device(int device) {
  if (device == 0) return Error::Success;
  return last_error() = Error::InvalidDevice;
}

const ErrorRow* row_of(Error error) {
  for (const ErrorRow& row : kErrors)
    if (row.error == error) return &row;
  return nullptr;
}

}  // namespace

extern "C" const char* warptime_cudaGetErrorString(Error error) {
  const ErrorRow* row = row_of(error);
  return row == nullptr ? "unrecognized error code" : row->text;
}
extern "C" const char* warptime_cudaGetErrorName(Error error) {
  const ErrorRow* row = row_of(error);
  return error == Error::Success ? "cudaSuccess" : row == nullptr ? "unrecognized error code" : row->name;
}
CUDA_FUNCTION(cudaPeekAtLastError)() { return last_error(); }
CUDA_FUNCTION(cudaGetLastError)() {
  const Error last = last_error();
  // One of a launch that faulted stays.
  if (last != Runtime::get().fault()) last_error() = Error::Success;
  return last;
}

CUDA_FUNCTION(cudaGetDeviceCount)(int* count) {
  CUDA_NEEDS(count);
  *count = 1;
  return Error::Success;
}
CUDA_FUNCTION(cudaGetDevice)(int* device) {
  CUDA_NEEDS(device);
  *device = 0;
  return Error::Success;
}
CUDA_FUNCTION(cudaSetDevice)(int device) { return only_device(device); }
CUDA_FUNCTION(cudaInitDevice)(int device, unsigned, unsigned) { return only_device(device); }
CUDA_FUNCTION(cudaChooseDevice)(int* device, const void*) { return warptime_cudaGetDevice(device); }
CUDA_FUNCTION(cudaSetDeviceFlags)(unsigned) { return Error::Success; }
CUDA_FUNCTION(cudaGetDeviceFlags)(unsigned* flags) {
  CUDA_NEEDS(flags);
  *flags = 0;
  return Error::Success;
}
CUDA_FUNCTION(cudaDeviceReset)() {
  std::lock_guard guard(Runtime::get().lock());
  if (Runtime::get().is_forked()) return last_error() = Error::InitializationError;
  Runtime::get().reset();
  return last_error() = Error::Success;
}
CUDA_FUNCTION(cudaDeviceGetAttribute)(int* value, int attribute, int device) {
  CUDA_NEEDS(value);
  if (device != 0) return only_device(device);
  return call([&](Runtime& r) {
    const auto known = attribute_of(r.device().machine(), attribute);
    if (!known) return Error::InvalidValue;
    *value = *known;
    return Error::Success;
  });
}
extern "C" Error warptime_get_properties_11(Properties11* properties, int device) {
  CUDA_NEEDS(properties);
  if (device != 0) return only_device(device);
  return call([&](Runtime& r) {
    *properties = properties_of(r.device().machine());
    return Error::Success;
  });
}
extern "C" Error warptime_get_properties_12(Properties12* properties, int device) {
  CUDA_NEEDS(properties);
  std::memset(static_cast<void*>(properties), 0, sizeof *properties);
  set_newer(properties->newer);
  return warptime_get_properties_11(properties, device);
}
extern "C" Error warptime_get_properties_13(Properties13* properties, int device) {
  CUDA_NEEDS(properties);
  Properties11 known{};
  const Error error = warptime_get_properties_11(&known, device);
  *properties = properties_13(known);
  return error;
}
CUDA_FUNCTION(cudaDeviceGetPCIBusId)(char* text, int length, int device) {
  CUDA_NEEDS(text);
  constexpr std::string_view kId = "0000:00:00.0";
  if (length <= static_cast<int>(kId.size())) return last_error() = Error::InvalidValue;
  std::memcpy(text, kId.data(), kId.size() + 1);
  return only_device(device);
}
CUDA_FUNCTION(cudaDeviceGetByPCIBusId)(int* device, const char*) { return warptime_cudaGetDevice(device); }

CUDA_FUNCTION(cudaDeviceGetLimit)(size_t* value, int limit) {
  CUDA_NEEDS(value);
  return call([&](Runtime& r) {
    const sim::MachineConfig& machine = r.machine();
    const size_t values[] = {machine.sm.max_local_bytes_per_thread, machine.runtime.printf_fifo_bytes,
                             machine.runtime.malloc_heap_bytes};
    constexpr int kLimits = 7;  // that there are
    if (limit < 0 || limit >= kLimits) return Error::InvalidValue;
    if (static_cast<size_t>(limit) >= std::size(values)) return Error::UnsupportedLimit;
    *value = values[limit];
    return Error::Success;
  });
}
/// The machine file has them (runtime.malloc_heap_bytes): what is there suffices, or it cannot be had.
CUDA_FUNCTION(cudaDeviceSetLimit)(int limit, size_t value) {
  size_t there = 0;
  const Error error = warptime_cudaDeviceGetLimit(&there, limit);
  if (error != Error::Success || value <= there) return error;
  return call([&](Runtime& r) {
    r.say_once(
        fmt::format("warptime: note: limit {} stays {} bytes; the machine's file has it (runtime.printf_fifo_bytes, "
                    "runtime.malloc_heap_bytes)\n",
                    limit, there));
    return Error::Success;
  });
}

extern "C" Error warptime_version_11(int* version) { return *version = 11080, Error::Success; }
extern "C" Error warptime_version_12(int* version) { return *version = 12090, Error::Success; }
extern "C" Error warptime_version_13(int* version) { return *version = 13000, Error::Success; }

extern "C" Error warptime_nothing() { return Error::Success; }

/// A function that is only named.
extern "C" Error warptime_not_supported() {
  return call([](Runtime&) -> Error {
    const bool of_driver = warptime_called[2] != 'd';  // cuMemMap, not cudaMalloc
    throw CallError{Error::NotSupported, fmt::format("warptime: {} is not supported: it returns {}\n", warptime_called,
                                                     of_driver ? "CUDA_ERROR_NOT_SUPPORTED" : "cudaErrorNotSupported")};
  });
}

}  // namespace warptime::cuda
