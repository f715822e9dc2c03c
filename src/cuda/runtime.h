// What the functions of the CUDA runtime are done with: one device of the simulator in the program's own process, the
// device code that the program registered, its streams and its memory. One lock around every call: a device serves one
// thread at a time. Left out: more than one device, and contexts.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cuda/array.h"
#include "cuda/call_site.h"
#include "cuda/capture.h"
#include "cuda/errors.h"
#include "cuda/fat_binary.h"
#include "cuda/launch_capture.h"
#include "cuda/program_checks.h"
#include "cuda/recorder.h"
#include "cuda/texture.h"
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
  std::string text = {};  // PTX that the driver API loads, in place of a wrapper
};
/// A kernel or a variable by its name in PTX.
struct Symbol {
  Image* image = nullptr;
  std::string name;
};
/// A texture reference of CUDA 11.
struct ReferenceSymbol {
  Symbol symbol = {};
  bool normalized = false;  // integers are read as numbers up to 1
};
/// cudaMemPool_t
struct MemoryPool {
  uint64_t used = 0, most_used = 0, threshold = 0;
  int reuse[3] = {1, 1, 1};
};
struct PoolMemory {
  MemoryPool* pool = nullptr;
  size_t bytes = 0;
};
using AttributeValue = std::array<std::byte, 64>;  // cudaLaunchAttributeValue
struct GraphExec;
struct StreamObject {
  host::Stream stream;
  unsigned flags = 0;
  int priority = 0;
};
struct EventObject {
  host::Event moment = {};
  bool recorded = false;
  unsigned flags = 0;
  // Recorded in a stream that is captured: what it stands for there.
  std::shared_ptr<Capture> capture = {};
  std::vector<Node*> nodes = {};
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
  /// To standard error, with the call of the program; the second time nothing.
  void say_once(const std::string& text);
  /// A call of the program begins.
  void count_call() { ++calls_; }
  CallSite call_site() const { return this_call(calls_); }
  /// Before a launch of a kernel with this stub, and after it.
  void will_launch(const void* stub);
  void launched() { ++launches; }
  /// The launch is written to a launch file, if that is asked for; whether it was.
  bool capture(const LaunchToCapture& launch);
  void captured(const LaunchToCapture& launch, uint64_t warp_instructions);

  // ---- Device code. Functions and variables are known by addresses in the program.
  Image* add(const FatWrapper* wrapper);
  void add_kernel(Image* image, const void* function, const char* name);
  void add_variable(Image* image, const void* variable, const char* name);
  void remove(Image* image);
  bool has_images() const { return !images_.empty(); }
  /// The PTX of an image, and its name for messages. Throws CallError.
  std::string ptx_text(Image& image, std::string& name);
  /// All throw CallError.
  const host::ModuleRef& load(Image& image);
  const Symbol& kernel_of(const void* function);
  const ptx::Kernel& ptx_of(const Symbol& kernel);
  const Symbol& variable_of(const void* variable);
  /// Where a variable is in device memory, also a constant, and a part of it.
  host::Buffer place_of_variable(const void* variable);
  Addr part_of_variable(const void* variable, size_t bytes, size_t offset);

  /// 0, 1 and 2 are the default stream. Throws CallError.
  host::Stream stream_of(const void* stream) const;
  std::map<const void*, std::unique_ptr<StreamObject>> streams;
  std::map<const void*, std::unique_ptr<EventObject>> events;
  std::map<const void*, std::map<int, AttributeValue>> stream_attributes;
  EventObject& event_of(const void* event);

  // ---- Graphs. Handles of the program: all graphs, nodes and executable graphs that there are.
  Captures captures;
  std::set<const void*> graph_handles, node_handles;
  std::map<const void*, std::shared_ptr<Graph>> graphs;
  std::map<const void*, std::unique_ptr<GraphExec>> graph_execs;
  std::set<const void*> graph_memory;  // that graphs allocated, and the program has not freed
  /// A stream of the device for a branch of a graph.
  host::Stream take_lane();
  void give_lanes(std::vector<host::Stream> lanes);

  // ---- Memory
  /// `waits`: the call may wait for the device, which a capture does not allow.
  void* allocate(uint64_t bytes, std::string_view function, bool waits = true);
  /// That host and device have at one address. Without `must`: plain memory of the host if it cannot be.
  void* allocate_shared(uint64_t bytes, std::string_view function, HostBlock::Kind kind, unsigned flags, bool must);
  /// `waits`: the host waits for the device before.
  void free(void* pointer, bool waits = true);
  void free_host(void* pointer);
  const HostBlock* host_block(const void* pointer) const;
  std::map<uintptr_t, HostBlock> host_blocks;
  std::map<const void*, std::unique_ptr<Array>> arrays;
  std::map<const void*, std::unique_ptr<MipmappedArray>> mipmapped_arrays;
  std::vector<std::unique_ptr<MemoryPool>> pools;  // the first is the default one
  MemoryPool* current_pool = nullptr;              // nullptr: the default one
  std::map<const void*, PoolMemory> pool_memory;
  const Array& array_of(const void* array) const;
  const MipmappedArray& mipmapped_array_of(const void* array) const;
  std::map<unsigned long long, TextureObject> textures;
  std::map<const void*, ReferenceSymbol> references;

  Runtime();
  ~Runtime();

 private:
  void make_checks(const std::string& tools, bool all_calls);
  std::string next_name(std::string_view function);
  std::string allocation_lines(std::string_view message) const;

  std::recursive_mutex lock_;
  std::unique_ptr<LaunchCapture> capture_;
  std::unique_ptr<ProgramChecks> checks_;
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
  uint64_t allocations_ = 0, calls_ = 0;
  std::map<std::string, CallSite, std::less<>> allocated_;  // by the name of the buffer
  std::vector<CallSite> waiting_;                           // launches that may not have run yet
  std::vector<host::Stream> lanes_;
};

/// Blocks of a kernel on all SMs at the same time.
uint64_t blocks_at_once(Runtime& runtime, const ptx::Kernel& kernel, uint32_t threads, uint32_t dynamic_bytes);
/// The calling thread's last error, as cudaGetLastError has it.
Error& last_error();
/// What a call returns whose result has no place.
#define CUDA_NEEDS(pointer) \
  if ((pointer) == nullptr) return ::warptime::cuda::last_error() = ::warptime::cuda::Error::InvalidValue
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
  runtime.count_call();
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
