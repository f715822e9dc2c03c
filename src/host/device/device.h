// The interface for host programs: a device with memory, modules, launches, copies, and a clock. Workloads, launch
// files and all programs that link warptime (`find_package(warptime)`, docs/cpp-api.md) use it.
//
//   host::Device device(machine, options);
//   auto module = device.load_module_file("saxpy.ptx");
//   auto x = device.allocate<float>(n, "x");
//   device.copy_to(x, values, "x");
//   host::LaunchResult result = device.launch(module, "saxpy", {blocks}, {256}, {arg_u32(n), arg_f32(2.0f), x, y});
//
// Sizes, offsets and addresses are in bytes, times in microseconds of the simulated machine (`_us`). Every call that
// gets something wrong throws InputError. One thread at a time may use a device; several devices are independent.
//
// Values change in the order of the calls, whatever their streams: that is one of the orders that a real device may
// choose. A program whose results depend on the order of two streams is not detected.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/diagnostics.h"
#include "host/device/launch_argument.h"
#include "host/device/timeline.h"
#include "sim/fault.h"
#include "sim/model/texture.h"

// Host programs that name one of these include its header: sim/model/machine.h, sim/gpu/gpu.h, sim/model/statistics.h,
// sim/mem/tensor_map.h.
namespace warptime::ptx {
struct Module;
}
namespace warptime::sim {
struct Machine;
struct RunOptions;
struct LaunchStatistics;
struct TensorMap;
}  // namespace warptime::sim

namespace warptime::host {

/// Bad input: wrong PTX, arguments, sizes or addresses. what() is the complete text of every diagnostic, with
/// positions and hints, ending in a newline; the command line ends with exit status 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The simulated program faulted: a bad address, a deadlock, a limit (`fault.kind`). The statistics of the launch up to
/// there are the last of Device::launches(). The command line ends with exit status 3.
class FaultError : public std::runtime_error {
 public:
  explicit FaultError(sim::Fault f, bool all_calls = false)
      : std::runtime_error(sim::format_fault(f, all_calls)), fault(std::move(f)) {}
  sim::Fault fault;
};

/// Blocks of a grid or threads of a block along x, y and z; each at least 1.
struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
};

/// What a launch has beside its grid, block and arguments.
struct LaunchOptions {
  uint32_t dynamic_shared_bytes = 0;  // per block, beside what the kernel declares
  uint32_t registers_per_thread = 0;  // 0: the estimate
  std::vector<uint64_t> blocks;       // part of the grid, as linear indices; empty: all
  bool synchronous = false;           // the host waits for its end; otherwise it continues after the call
  bool functional = false;            // values only, also where the device times its launches: it takes no time
  SourceSpan where;                   // in a launch file or on the command line, for messages
  Stream stream = {};
  Dim3 cluster = {0, 0, 0};  // blocks of a cluster; 0: what the kernel requires, or none
  bool cooperative = false;  // all blocks are resident, and may wait for each other (cudaLaunchCooperativeKernel)
};

/// Rows and slices of a box in memory that is not contiguous; `bytes` of a call are then those of one row.
struct BoxSteps {
  uint64_t row = 0, slice = 0;  // bytes from one to the next
};
struct BoxRows {
  uint64_t rows = 1, slices = 1;
  uint64_t count() const { return rows * slices; }
};

/// Places of a copy within device memory.
struct DeviceCopyOptions {
  uint64_t to_offset = 0, from_offset = 0;  // bytes from the beginnings of the buffers
  Stream stream = {};
  BoxRows box = {};
  BoxSteps to_steps = {}, from_steps = {};
};

/// Where a fill begins, and its stream.
struct FillOptions {
  uint64_t offset = 0;  // bytes from the beginning of the buffer
  Stream stream = {};
  uint32_t element_bytes = 1;  // 1, 2 or 4 of the value's bytes are repeated
  BoxRows box = {};
  BoxSteps steps = {};
};

/// A moment of the device's work, as recorded by cudaEventRecord: when the stream had finished all calls before it.
struct Event {
  double when_us = 0;  // since the program began
};

/// A quantity that a program measured on its device: "the latency of an addition is 22 cycles".
struct Figure {
  std::string name;  // letters, digits and _
  double value = 0;
  std::string unit;
  std::string what;  // a few words
};

/// What a launch took. It converts to all that was counted, as a copy; `counted` lives as long as the result.
class LaunchResult {
 public:
  explicit LaunchResult(const sim::LaunchStatistics& counted);
  bool timed = false;  // not a functional run, whose cycles and time are 0
  Cycle cycles = 0;    // of the shader clock
  double time_us = 0;
  const sim::LaunchStatistics& counted() const { return *counted_; }
  operator sim::LaunchStatistics() const;  // NOLINT: implicit on purpose

 private:
  std::shared_ptr<const sim::LaunchStatistics> counted_;
};

/// A launch that may not have run yet (Device::enqueue).
class PendingLaunch {
 public:
  /// Runs it first, if it has not run, and whatever else waits on its device, which must exist. Throws FaultError.
  LaunchResult result() const;

 private:
  friend class Device;
  struct State;
  explicit PendingLaunch(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

/// Receives each launch and each event of the host's timeline in the order of the calls.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void launch(const sim::LaunchStatistics& launch) = 0;
  virtual void event(const TimelineEvent& event) = 0;
};

/// A module loaded on a device: its variables have addresses. It belongs to the device that loaded it.
class LoadedModule;
class Checkpoints;
class RealDevice;
using ModuleRef = std::shared_ptr<LoadedModule>;

/// A simulated GPU with its memory, and the host program that uses it.
class Device {
 public:
  /// `machine`: of sim::load_machine. On one without timing (`has_timing: false`) every launch is a functional run.
  /// `options.listener` follows its launches (sim/gpu/launch_listener.h), and must outlive the device; without one that
  /// asks for it, the output of device code is dropped.
  Device(sim::Machine machine, sim::RunOptions options);
  ~Device();

  const sim::Machine& machine() const;
  const sim::RunOptions& options() const;

  // ---- Modules

  /// Checks the PTX and places the module's variables in device memory. Throws InputError with every diagnostic.
  ModuleRef load_module(std::shared_ptr<const SourceText> source) { return load_module(std::move(source), {}); }
  /// With .global variables at these addresses, by their names: their contents may have pointers to each other.
  ModuleRef load_module(std::shared_ptr<const SourceText> source, const std::map<std::string, Addr>& places);
  /// Throws InputError, also if the file cannot be read.
  ModuleRef load_module_file(const std::string& path);

  /// The checked PTX of a loaded module.
  static const ptx::Module& ptx_of(const ModuleRef& module);
  /// The front end's warnings about the modules loaded so far, and notes, as text; empty: none.
  const std::string& warnings() const;
  /// Adds a line to warnings().
  void note(std::string_view sentence);
  /// Adds a line to warnings() unless it is already there.
  void note_once(std::string_view sentence);
  /// A figure that the program measured, for its report; each name once. Without timing, figures are ignored.
  void add_figure(Figure figure);
  const std::vector<Figure>& figures() const;

  // ---- Memory. Allocations are zero at first, at multiples of `alignment` bytes (at least the machine's
  // memory.allocation_alignment), and never beside each other. They take no time.

  /// nullopt if it does not fit. `name`: for messages about wrong accesses.
  std::optional<Buffer> try_allocate(uint64_t bytes, std::string name, uint32_t alignment = 0);
  /// At this address, for contents with pointers into it; nullopt if something is there.
  std::optional<Buffer> try_allocate_at(Addr address, uint64_t bytes, std::string name);
  /// Everything that is allocated, in increasing addresses: buffers, variables of modules, the heap of device code.
  struct NamedBuffer {
    Buffer buffer;
    std::string name;
  };
  std::vector<NamedBuffer> allocations() const;
  /// The largest allocation that fits, in bytes.
  uint64_t bytes_free() const;
  /// Throws InputError if it does not fit.
  Buffer allocate_bytes(uint64_t bytes, std::string name, uint32_t alignment = 0);
  /// `count` elements of T. Throws InputError if they do not fit.
  template <class T>
  Buffer allocate(uint64_t count, std::string name) {
    constexpr uint64_t kMost = ~uint64_t{0} / sizeof(T);
    return allocate_bytes(count > kMost ? ~uint64_t{0} : count * sizeof(T), std::move(name));
  }
  /// Gives the memory back; the host first waits for the device, as in cudaFree. A later access to it is an InputError
  /// of the host and a FaultError of a kernel, until its addresses are allocated anew, which happens only when no
  /// others are left; textures in it are unbound. A Buffer without address is ignored. Throws InputError if no buffer
  /// begins at its address: freed twice, a part of a buffer.
  /// `waits`: false if the host goes on, as in cudaFreeAsync.
  void free(const Buffer& buffer, bool waits = true);

  // ---- Copies. Each takes its time on the timeline; `name` is for the timeline. All throw InputError if a byte of
  // device memory is not allocated.

  /// From the host to `offset` of a buffer, as many bytes as `from` has.
  void copy_to_bytes(const Buffer& to, std::span<const std::byte> from, std::string_view name, uint64_t offset = 0,
                     CopyOptions options = {});
  /// From `offset` of a buffer to the host, as many bytes as `to` has.
  void copy_from_bytes(std::span<std::byte> to, const Buffer& from, std::string_view name, uint64_t offset = 0,
                       CopyOptions options = {});
  /// All elements of a vector, to or from the beginning of a buffer. The vector must have its size before.
  template <class T>
  void copy_to(const Buffer& to, const std::vector<T>& from, std::string_view name, CopyOptions options = {}) {
    static_assert(std::is_trivially_copyable_v<T>);
    copy_to_bytes(to, std::as_bytes(std::span<const T>(from)), name, 0, options);
  }
  template <class T>
  void copy_from(std::vector<T>& to, const Buffer& from, std::string_view name, CopyOptions options = {}) {
    static_assert(std::is_trivially_copyable_v<T>);
    copy_from_bytes(std::as_writable_bytes(std::span<T>(to)), from, name, 0, options);
  }
  /// Within device memory: reads and writes at the peak bandwidth of DRAM, after a launch latency; the host goes on.
  /// Throws InputError also if the two ranges overlap.
  void copy_on_device(const Buffer& to, const Buffer& from, uint64_t bytes, std::string_view name,
                      DeviceCopyOptions options = {});
  /// Sets `bytes` bytes to one value (cudaMemset): writes at the peak bandwidth of DRAM, after a launch latency; the
  /// host goes on.
  void fill_bytes(const Buffer& buffer, uint32_t value, uint64_t bytes, std::string_view name,
                  FillOptions options = {});
  /// Sets and reads values without time (values that "are already there"). Throw InputError as copies do.
  void write_bytes(Addr to, std::span<const std::byte> from);
  void read_bytes(std::span<std::byte> to, Addr from) const;
  /// The allocation that holds [address, address + bytes); nullopt: none does.
  std::optional<Buffer> allocation_at(Addr address, uint64_t bytes = 1) const;
  /// Until the buffer is freed, the host reaches its bytes at the device's own addresses (cudaMallocManaged): what one
  /// writes, the other reads. False: this process has something else there.
  bool share_with_host(const Buffer& buffer);
  /// Only the time of a copy between host and device.
  void time_copy(TimelineEvent::Direction direction, uint64_t bytes, std::string_view name, CopyOptions options = {});

  /// A copy to a module-scope .const or .global variable; throws InputError if there is none, or the sizes differ.
  void set_symbol(const ModuleRef& module, std::string_view symbol, std::span<const std::byte> value);
  /// Copies to and from a part of such a variable; throw InputError also if the part is not in it.
  void copy_to_symbol(const ModuleRef& module, std::string_view symbol, std::span<const std::byte> from,
                      uint64_t offset, CopyOptions options = {});
  void copy_from_symbol(std::span<std::byte> to, const ModuleRef& module, std::string_view symbol, uint64_t offset,
                        CopyOptions options = {});
  /// What is in a variable, without the time of a copy.
  std::vector<std::byte> symbol_bytes(const ModuleRef& module, std::string_view symbol) const;
  /// Where a .global variable is; nullopt if there is none of this name.
  std::optional<Buffer> find_symbol(const ModuleRef& module, std::string_view symbol) const;
  /// Where a .const variable is in device memory, which holds the module's constants from now on
  /// (cudaGetSymbolAddress): writes there change what kernels read. nullopt if there is none of this name, or no
  /// memory.
  std::optional<Buffer> find_constant(const ModuleRef& module, std::string_view symbol);
  /// Binds a module's .texref until it is bound again, or its memory is freed. Throws InputError: no such .texref, or a
  /// texture that cannot be.
  void bind_texture(const ModuleRef& module, std::string_view texref, const sim::Texture& texture);
  /// A texture object: its handle, as an argument for kernels (32 or 64 bits, as the parameter is).
  Argument make_texture(const sim::Texture& texture);
  /// Its handle is no longer valid.
  void destroy_texture(const Argument& texture);
  /// A tensor map: its 128 bytes, as an argument for kernels (`const __grid_constant__ CUtensorMap`). Throws
  /// InputError: a map that the CUDA driver does not allow, or a tensor that is not in one allocation.
  Argument make_tensor_map(const sim::TensorMap& map) const;

  // ---- Streams and events. A functional run has no time: all moments are at 0. Calls with a stream that this device
  // did not create throw InputError.

  /// A stream whose copies and launches may overlap those of other streams where the machine can: a copy beside a
  /// kernel from one copy engine on (host.copy_engines), copies of both directions with two. Operations of the default
  /// stream wait for all others, and others for them.
  Stream create_stream();
  /// A mark in a stream; elapsed_us is the time between two. The event of the default stream waits for all streams.
  Event record_event(Stream stream = {});
  static double elapsed_us(const Event& from, const Event& to) { return to.when_us - from.when_us; }
  /// Later calls in the stream begin after the event (cudaStreamWaitEvent).
  void wait_event(Stream stream, const Event& event);
  /// Whether the event is over when the host asks (cudaEventQuery).
  bool query_event(const Event& event);
  /// The host waits until the device has finished all calls, those of a stream, or those before an event.
  void synchronize();
  void synchronize(Stream stream);
  void synchronize(const Event& event);
  /// The time of the host program after all calls so far.
  double now_us() const;

  // ---- Launches

  /// Runs the kernel to its end, and returns what was counted; later calls do not change it. `arguments`: in the order
  /// of the kernel's parameters. Throws InputError (wrong arguments, limits of the machine, blocks that can never fit)
  /// or FaultError.
  LaunchResult launch(const ModuleRef& module, std::string_view kernel, Dim3 grid, Dim3 block,
                      const std::vector<Argument>& arguments, const LaunchOptions& options = {});

  /// A launch that may run beside others. In the default stream it runs now. In another one it waits for those after
  /// it, and they run side by side where the machine can (`chip.concurrent_kernels`) and their streams allow it. Calls
  /// that use memory, modules, textures, events, the time or results run all that wait, as PendingLaunch::result does.
  /// Throws InputError as launch does; faults come with what runs it.
  PendingLaunch enqueue(const ModuleRef& module, std::string_view kernel, Dim3 grid, Dim3 block,
                        const std::vector<Argument>& arguments, const LaunchOptions& options = {});

  /// From now on, launches and the timeline go to this observer and are no longer kept: launches() has only the last
  /// one. nullptr: they are kept again.
  void observe(RunObserver* observer);
  /// Writes checkpoints of this program, or continues one (host/checkpoint/checkpoints.h). Before the first call.
  void checkpoint(Checkpoints* checkpoints);
  /// From now on all of this is done by a GPU that exists (real_device.h), and takes no simulated time. Before the
  /// first call. Copies within the device, addresses that the program chooses, and streams are for simulated ones.
  void attach(RealDevice* real);
  /// Every launch so far, also one that faulted. Its elements move when another is added: copy those to be kept.
  const std::vector<sim::LaunchStatistics>& launches() const;
  /// Copies, fills and launches in the order of the calls.
  const std::vector<TimelineEvent>& timeline() const;
  /// Host seconds spent from decode to the end of each launch, summed.
  double simulate_seconds() const;

 private:
  friend class PendingLaunch;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace warptime::host
