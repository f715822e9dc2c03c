// What the functions of the CUDA runtime are done with: one device of the simulator in the program's own process, the
// device code that the program registered, its streams and its memory. One lock around every call: a device serves one
// thread at a time. Left out: more than one device, and contexts.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cuda/errors.h"
#include "cuda/fat_binary.h"
#include "cuda/recorder.h"
#include "host/device/device.h"
#include "ptx/module.h"
#include "sim/model/machine.h"

namespace warptime::cuda {

/// Ends a call with this error; the text, if there is one, goes to standard error, once.
struct CallError {
  Error code = Error::Unknown;
  std::string text = {};
};

/// A variable that host code reads and writes through a pointer (__managed__).
struct ManagedVariable {
  void** pointer;  // the program's, which gets the address
  std::string name;
};
/// A registered fat binary. It becomes a module when something of it is used first.
struct Image {
  const FatWrapper* wrapper = nullptr;
  uint32_t capability = ~uint32_t{0};  // that its PTX is for
  host::ModuleRef module = nullptr;
  std::optional<CallError> failure = {};
  std::vector<ManagedVariable> managed = {};
};
/// A kernel or a variable by its name in PTX.
struct Symbol {
  Image* image = nullptr;
  std::string name;
};
struct StreamObject {
  host::Stream stream;
  unsigned flags = 0;
  int priority = 0;
};
struct EventObject {
  host::Event moment = {};
  bool recorded = false;
  unsigned flags = 0;
};
/// Memory that the host may use at the same address: page-locked or managed.
struct HostBlock {
  enum class Kind : uint8_t { PageLocked, Registered, Managed };
  uint64_t bytes = 0;
  Kind kind = Kind::PageLocked;
  bool shared = false;  // the device has it, too
  unsigned flags = 0;
};

/// Pointers of programs to memory of the device are its addresses.
inline Addr address_of(const void* pointer) { return reinterpret_cast<Addr>(pointer); }
inline void* pointer_to(Addr address) { return reinterpret_cast<void*>(address); }  // NOLINT

class Runtime {
 public:
  /// The one of this process; it is never destroyed.
  static Runtime& get();

  std::recursive_mutex& lock() { return lock_; }
  /// Throws CallError if the machine cannot be loaded.
  host::Device& device();
  const sim::MachineConfig& machine() { return device().machine().config; }
  /// 75 of a machine with compute capability 7.5.
  uint32_t capability();
  void reset();
  /// Whether the device is that of the process that forked this one.
  bool is_forked() const;
  /// Which launches are timed; and the number of those that the program has made on this device.
  const LaunchChoice& choice() const { return choice_; }
  uint64_t launches = 0;
  Recorder& recorder() { return recorder_; }

  /// The error of a launch that faulted: every later call returns it.
  Error fault() const { return fault_; }
  void note(const host::FaultError& error);
  /// To standard error; the second time nothing.
  void say_once(const std::string& text);

  // ---- Device code. Functions and variables are known by addresses in the program.
  Image* add(const FatWrapper* wrapper);
  void add_kernel(Image* image, const void* function, const char* name);
  void add_variable(Image* image, const void* variable, const char* name);
  void remove(Image* image);
  /// All throw CallError.
  const host::ModuleRef& load(Image& image);
  const Symbol& kernel_of(const void* function);
  const ptx::Kernel& ptx_of(const Symbol& kernel);
  const Symbol& variable_of(const void* variable);

  /// 0, 1 and 2 are the default stream. Throws CallError.
  host::Stream stream_of(const void* stream) const;
  std::map<const void*, std::unique_ptr<StreamObject>> streams;
  std::map<const void*, std::unique_ptr<EventObject>> events;

  // ---- Memory
  void* allocate(uint64_t bytes, std::string_view function);
  /// That host and device have at one address. Without `must`: plain memory of the host if it cannot be.
  void* allocate_shared(uint64_t bytes, std::string_view function, HostBlock::Kind kind, unsigned flags, bool must);
  void free(void* pointer);
  void free_host(void* pointer);
  const HostBlock* host_block(const void* pointer) const;
  std::map<uintptr_t, HostBlock> host_blocks;

 private:
  std::string ptx_text(Image& image, std::string& name);

  std::recursive_mutex lock_;
  std::unique_ptr<sim::LaunchListeners> listeners_;
  std::unique_ptr<host::Device> device_;
  pid_t process_ = 0;  // that has the device
  LaunchChoice choice_;
  std::optional<CallError> no_device_;
  Error fault_ = Error::Success;
  Recorder recorder_;
  std::set<std::string> said_;
  std::vector<std::unique_ptr<Image>> images_;
  std::map<const void*, Symbol> kernels_, variables_;
  uint64_t allocations_ = 0;
};

/// The calling thread's last error, as cudaGetLastError has it.
Error& last_error();
/// Does the work of a function of the runtime. Every exception becomes its error.
template <class Work>
Error call(Work work);
Error end_call(Runtime& runtime, std::exception_ptr problem, Error code);

template <class Work>
Error call(Work work) {
  Runtime& runtime = Runtime::get();
  std::lock_guard guard(runtime.lock());
  Error code = runtime.is_forked() ? Error::InitializationError : runtime.fault();
  std::exception_ptr problem;
  try {
    if (code == Error::Success) code = work(runtime);
  } catch (...) {
    problem = std::current_exception();
  }
  return end_call(runtime, problem, code);
}

}  // namespace warptime::cuda

/// The definition of a function that the library exports under its own name (exports.cc).
#define CUDA_FUNCTION(name) extern "C" warptime::cuda::Error warptime_##name
