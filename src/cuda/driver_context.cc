// Devices, contexts and errors of the driver API, and its functions by name.
#include <algorithm>
#include <cstring>

#include "cuda/driver.h"
#include "cuda/driver_table.h"
#include "cuda/properties.h"

namespace warptime::cuda {

namespace {

struct Context {
  unsigned flags = 0;
  bool active = true;
};
Context primary{.active = false};
std::set<Context*> contexts;  // others
thread_local std::vector<Context*> stack;
bool is_initialized = false;

bool is_known(const void* context) {
  return context == &primary || contexts.count(static_cast<Context*>(const_cast<void*>(context))) != 0;
}

/// The driver's names, as far as they are not the runtime's in capitals.
struct DriverName {
  Error error;
  const char* name;
};
constexpr DriverName kNames[] = {{Error::MemoryAllocation, "OUT_OF_MEMORY"},
                                 {Error::InitializationError, "NOT_INITIALIZED"},
                                 {Error::InvalidKernelImage, "INVALID_IMAGE"},
                                 {Error::DeviceUninitialized, "INVALID_CONTEXT"},
                                 {Error::NoKernelImageForDevice, "NO_BINARY_FOR_GPU"},
                                 {Error::InvalidResourceHandle, "INVALID_HANDLE"},
                                 {Error::SymbolNotFound, "NOT_FOUND"},
                                 {Error::LaunchFailure, "LAUNCH_FAILED"}};

std::string name_of(const ErrorRow& row) {
  if (row.error == Error::Success) return "CUDA_SUCCESS";
  for (const DriverName& known : kNames)
    if (known.error == row.error) return std::string("CUDA_ERROR_") + known.name;
  std::string out = "CUDA_ERROR";
  for (const char* c = row.name + std::strlen("cudaError"); *c != '\0'; ++c) {
    if (*c >= 'A' && *c <= 'Z') out += '_';
    out += *c >= 'a' && *c <= 'z' ? static_cast<char>(*c - 'a' + 'A') : *c;
  }
  return out;
}

const ErrorRow* row_of_result(Result result) {
  for (const ErrorRow& row : kErrors)
    if (static_cast<Result>(row.error) == result && result_of(row.error) == result) return &row;
  return nullptr;
}

/// A question about the only device.
template <class Answer>
Result ask(int device, Answer answer) {
  if (!is_initialized) return kNotInitialized;
  if (device != 0) return kNoDevice;
  return drive(
      [&](Runtime& r) {
        answer(r);
        return Error::Success;
      },
      true);
}

}  // namespace

Result result_of(Error error) {
  constexpr int kSame = 3, kOwn = 100;  // the first codes are the same, and from 100 on
  const int code = static_cast<int>(error);
  if (error == Error::InvalidDeviceFunction) return kInvalidHandle;
  return code > kSame && code < kOwn ? kInvalidValue : code;
}

void* current_context() {
  if (!stack.empty()) return stack.back();
  // A program of the runtime has the primary one.
  return Runtime::get().has_images() ? &primary : nullptr;
}
bool has_context() { return current_context() != nullptr; }

DRIVER_FUNCTION(cuInit)(unsigned flags) {
  if (flags != 0) return kInvalidValue;
  const Result result = drive([](Runtime& r) { return r.device(), Error::Success; }, true);
  is_initialized = is_initialized || result == kDone;
  return result;
}
DRIVER_FUNCTION(cuGetErrorName)(Result result, const char** name) {
  static const auto names = [] {
    std::map<Result, std::string> out;
    for (const ErrorRow& row : kErrors)
      if (const ErrorRow* known = row_of_result(static_cast<Result>(row.error)))
        out[static_cast<Result>(row.error)] = name_of(*known);
    return out;
  }();
  auto found = names.find(result);
  *name = found == names.end() ? nullptr : found->second.c_str();
  return found == names.end() ? kInvalidValue : kDone;
}
DRIVER_FUNCTION(cuGetErrorString)(Result result, const char** text) {
  const ErrorRow* row = row_of_result(result);
  *text = row == nullptr ? nullptr : row->text;
  return row == nullptr ? kInvalidValue : kDone;
}

DRIVER_FUNCTION(cuDeviceGet)(int* device, int ordinal) {
  if (!is_initialized) return kNotInitialized;
  if (ordinal != 0) return kNoDevice;
  *device = 0;
  return kDone;
}
DRIVER_FUNCTION(cuDeviceGetCount)(int* count) {
  *count = 1;
  return is_initialized ? kDone : kNotInitialized;
}
DRIVER_FUNCTION(cuDeviceGetName)(char* name, int length, int device) {
  if (length <= 0) return kInvalidValue;
  return ask(device, [&](Runtime& r) {
    const std::string& known = r.device().machine().name;
    const size_t bytes = std::min(known.size(), static_cast<size_t>(length) - 1);
    std::memcpy(name, known.data(), bytes);
    name[bytes] = '\0';
  });
}
DRIVER_FUNCTION(cuDeviceTotalMem)(size_t* bytes, int device) {
  return ask(device, [&](Runtime& r) { *bytes = r.machine().memory.bytes; });
}
DRIVER_FUNCTION(cuDeviceGetUuid)(void* id, int device) {
  constexpr size_t kBytes = 16;
  return ask(device, [&](Runtime&) { std::memset(id, 0, kBytes); });
}
DRIVER_FUNCTION(cuDeviceComputeCapability)(int* major, int* minor, int device) {
  return ask(device, [&](Runtime& r) {
    *major = static_cast<int>(r.capability() / 10);
    *minor = static_cast<int>(r.capability() % 10);
  });
}
DRIVER_FUNCTION(cuDeviceGetAttribute)(int* value, int attribute, int device) {
  if (!is_initialized) return kNotInitialized;
  if (device != 0) return kNoDevice;
  return drive(
      [&](Runtime& r) {
        const auto known = attribute_of(r.device().machine(), attribute);
        if (!known) return Error::InvalidValue;
        *value = *known;
        return Error::Success;
      },
      true);
}

DRIVER_FUNCTION(cuDevicePrimaryCtxRetain)(void** context, int device) {
  return ask(device, [&](Runtime&) {
    primary.active = true;
    *context = &primary;
  });
}
DRIVER_FUNCTION(cuDevicePrimaryCtxRelease)(int device) {
  return ask(device, [](Runtime&) { primary.active = false; });
}
DRIVER_FUNCTION(cuDevicePrimaryCtxReset)(int device) {
  return ask(device, [](Runtime& r) { r.reset(); });
}
DRIVER_FUNCTION(cuDevicePrimaryCtxSetFlags)(int device, unsigned flags) {
  return ask(device, [&](Runtime&) { primary.flags = flags; });
}
DRIVER_FUNCTION(cuDevicePrimaryCtxGetState)(int device, unsigned* flags, int* active) {
  return ask(device, [&](Runtime&) {
    *flags = primary.flags;
    *active = primary.active ? 1 : 0;
  });
}
DRIVER_FUNCTION(cuCtxCreate)(void** context, unsigned flags, int device) {
  return ask(device, [&](Runtime&) {
    auto* made = new Context{.flags = flags};  // until cuCtxDestroy
    contexts.insert(made);
    stack.push_back(made);
    *context = made;
  });
}
extern "C" Result warptime_create_context_3(void** context, const void*, int, unsigned flags, int device) {
  return warptime_cuCtxCreate(context, flags, device);
}
extern "C" Result warptime_create_context_4(void** context, const void*, unsigned flags, int device) {
  return warptime_cuCtxCreate(context, flags, device);
}
DRIVER_FUNCTION(cuCtxDestroy)(Context* context) {
  std::lock_guard guard(Runtime::get().lock());
  if (contexts.erase(context) == 0) return kInvalidContext;
  std::erase(stack, context);
  delete context;
  return kDone;
}
DRIVER_FUNCTION(cuCtxPushCurrent)(void* context) {
  if (!is_known(context)) return kInvalidContext;
  stack.push_back(static_cast<Context*>(context));
  return kDone;
}
DRIVER_FUNCTION(cuCtxPopCurrent)(void** context) {
  if (stack.empty()) return kInvalidContext;
  if (context != nullptr) *context = stack.back();
  stack.pop_back();
  return kDone;
}
DRIVER_FUNCTION(cuCtxSetCurrent)(void* context) {
  if (context != nullptr && !is_known(context)) return kInvalidContext;
  if (!stack.empty()) stack.pop_back();
  if (context != nullptr) stack.push_back(static_cast<Context*>(context));
  return kDone;
}
DRIVER_FUNCTION(cuCtxGetCurrent)(void** context) {
  *context = current_context();
  return is_initialized ? kDone : kNotInitialized;
}
DRIVER_FUNCTION(cuCtxGetDevice)(int* device) {
  *device = 0;
  return has_context() ? kDone : kInvalidContext;
}
DRIVER_FUNCTION(cuCtxGetFlags)(unsigned* flags) {
  if (!has_context()) return kInvalidContext;
  *flags = static_cast<const Context*>(current_context())->flags;
  return kDone;
}
DRIVER_FUNCTION(cuCtxGetApiVersion)(void*, unsigned* version) {
  constexpr unsigned kVersion = 3020;
  *version = kVersion;
  return kDone;
}
DRIVER_FUNCTION(cuCtxSynchronize)() {
  return drive([](Runtime& r) {
    r.captures.check_wait();
    r.device().synchronize();
    return Error::Success;
  });
}
DRIVER_FUNCTION(cuStreamGetCtx)(const void* stream, void** context) {
  return drive([&](Runtime& r) {
    r.stream_of(stream);
    *context = current_context();
    return Error::Success;
  });
}

void* driver_function(std::string_view name, int version) {
  // A name without a number means the newest that the version has: cuMemAlloc is cuMemAlloc_v2.
  const DriverRow* best = nullptr;
  auto number_of = [&](std::string_view known) {
    if (known == name) return 1;
    const std::string_view rest = known.substr(std::min(name.size(), known.size()));
    const bool is_newer = known.starts_with(name) && rest.size() == 3 && rest.starts_with("_v");
    return is_newer ? rest[2] - '0' : 0;
  };
  int best_number = 0;
  for (const DriverRow& row : driver_rows())
    if (const int number = number_of(row.name);
        number > best_number && row.since <= version && row.function != nullptr) {
      best = &row;
      best_number = number;
    }
  return best == nullptr ? nullptr : reinterpret_cast<void*>(best->function);
}

extern "C" Result warptime_proc_address_2(const char* name, void** function, int version, uint64_t, int* status) {
  constexpr int kFound = 0, kMissing = 1;
  if (name == nullptr || function == nullptr) return kInvalidValue;
  *function = driver_function(name, version);
  if (status != nullptr) *status = *function == nullptr ? kMissing : kFound;
  return *function == nullptr && status == nullptr ? kNotFound : kDone;
}
DRIVER_FUNCTION(cuGetProcAddress)(const char* name, void** function, int version, uint64_t flags) {
  return warptime_proc_address_2(name, function, version, flags, nullptr);
}
extern "C" Error warptime_entry_point(const char* name, void** function, int version, uint64_t flags, int* status) {
  const Result result = warptime_proc_address_2(name, function, version, flags, status);
  return result == kDone ? Error::Success : last_error() = static_cast<Error>(result);
}
extern "C" Error warptime_entry_point_11(const char* name, void** function, uint64_t flags) {
  constexpr int kVersion = 11080;
  return warptime_entry_point(name, function, kVersion, flags, nullptr);
}
extern "C" Error warptime_entry_point_12(const char* name, void** function, uint64_t flags, int* status) {
  constexpr int kVersion = 12090;
  return warptime_entry_point(name, function, kVersion, flags, status);
}
extern "C" Error warptime_entry_point_by_version(const char* name, void** function, unsigned version, uint64_t flags,
                                                 int* status) {
  return warptime_entry_point(name, function, static_cast<int>(version), flags, status);
}

}  // namespace warptime::cuda
