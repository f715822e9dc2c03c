// The interface for host programs: a device with memory, modules, launches, copies, and a clock. Workloads, launch
// files and all programs that link warptime (`find_package(warptime)`) use it.
//
//   host::Device device(machine, options);
//   auto module = device.load_module_file("saxpy.ptx");
//   auto x = device.allocate<float>(n, "x");
//   device.copy_to(x, values);
//   device.launch(module, "saxpy", {blocks}, {256}, {arg_u32(n), arg_f32(2.0f), x, y});
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/diagnostics.h"
#include "host/device/host_clock.h"
#include "sim/fault.h"
#include "sim/gpu/gpu.h"
#include "sim/model/machine.h"
#include "sim/model/statistics.h"
#include "sim/model/texture.h"

namespace warptime::host {

/// Bad input (exit status 2), with the complete message: positions and hints.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The simulated program faulted (exit status 3).
class FaultError : public std::runtime_error {
 public:
  explicit FaultError(sim::Fault f) : std::runtime_error(sim::format_fault(f)), fault(std::move(f)) {}
  sim::Fault fault;
};

/// A piece of device memory. Plain data: copying it does not copy the memory.
struct Buffer {
  Addr address = 0;
  uint64_t bytes = 0;
};

/// A kernel argument: the bytes of a scalar or struct, or a buffer's address (which takes the width of the parameter).
struct Argument {
  enum class Kind : uint8_t { Scalar, Bytes, Address };
  Kind kind = Kind::Scalar;
  ptx::Type type = ptx::Type::None;  // of a Scalar
  uint64_t bits = 0;                 // Scalar: value; Address: device address
  std::vector<std::byte> bytes;      // Bytes
  std::string text;                  // as the user wrote it, for messages
  SourceSpan where;                  // in a launch file or on the command line, if it came from there

  Argument() = default;
  Argument(const Buffer& buffer) : kind(Kind::Address), bits(buffer.address) {}  // NOLINT: implicit on purpose
};
Argument arg_u16(uint16_t value);
Argument arg_u32(uint32_t value);
Argument arg_s32(int32_t value);
Argument arg_f32(float value);
Argument arg_u64(uint64_t value);
Argument arg_f64(double value);

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
};

struct LaunchOptions {
  uint32_t dynamic_shared_bytes = 0;
  uint32_t registers_per_thread = 0;  // 0: the estimate
  std::vector<uint64_t> blocks;       // part of the grid, as linear indices; empty: all
  bool synchronous = false;           // the host waits for its end; otherwise it continues after the call
  SourceSpan where;                   // in a launch file or on the command line, for messages
};

/// A moment of the device's work, as recorded by cudaEventRecord.
struct Event {
  double when_us = 0;
};

/// A quantity that a program measured on its device: "the latency of an addition is 22 cycles".
struct Figure {
  std::string name;  // letters, digits and _
  double value = 0;
  std::string unit;
  std::string what;  // a few words
};

/// Receives each launch and each event of the host's timeline as it ends.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void launch(const sim::LaunchStatistics& launch) = 0;
  virtual void event(const TimelineEvent& event) = 0;
};

/// A module loaded on a device: its variables have addresses.
class LoadedModule;
using ModuleRef = std::shared_ptr<LoadedModule>;

class Device {
 public:
  /// `options.print` receives the output of device code; without it, the output is dropped.
  Device(sim::Machine machine, sim::RunOptions options);
  ~Device();

  const sim::Machine& machine() const;
  const sim::RunOptions& options() const;

  /// Throws InputError with every diagnostic of the module.
  ModuleRef load_module(std::shared_ptr<const SourceText> source);
  ModuleRef load_module_file(const std::string& path);

  /// The checked PTX of a loaded module.
  static const ptx::Module& ptx_of(const ModuleRef& module);
  /// The front end's warnings about the modules loaded so far, and notes, as text; empty: none.
  const std::string& warnings() const;
  /// Adds a line to warnings().
  void note(std::string_view sentence);
  /// The same, unless the line is already there.
  void note_once(std::string_view sentence);
  /// A figure that the program measured, for its report; each name once. Without timing, figures are ignored.
  void add_figure(Figure figure);
  const std::vector<Figure>& figures() const;

  /// nullopt if it does not fit.
  std::optional<Buffer> try_allocate(uint64_t bytes, std::string name, uint32_t alignment = 0);
  uint64_t bytes_free() const;
  /// Throws InputError if it does not fit.
  Buffer allocate_bytes(uint64_t bytes, std::string name, uint32_t alignment = 0);
  template <class T>
  Buffer allocate(uint64_t count, std::string name) {
    return allocate_bytes(count * sizeof(T), std::move(name));
  }
  /// Copies with their time on the timeline.
  void copy_to_bytes(const Buffer& to, std::span<const std::byte> from, std::string_view name, uint64_t offset = 0,
                     CopyOptions options = {});
  void copy_from_bytes(std::span<std::byte> to, const Buffer& from, std::string_view name, uint64_t offset = 0,
                       CopyOptions options = {});
  template <class T>
  void copy_to(const Buffer& to, const std::vector<T>& from, std::string_view name, CopyOptions options = {}) {
    copy_to_bytes(to, std::as_bytes(std::span<const T>(from)), name, 0, options);
  }
  template <class T>
  void copy_from(std::vector<T>& to, const Buffer& from, std::string_view name, CopyOptions options = {}) {
    copy_from_bytes(std::as_writable_bytes(std::span<T>(to)), from, name, 0, options);
  }
  /// Sets values without time (values that "are already there").
  void write_bytes(Addr to, std::span<const std::byte> from);
  void read_bytes(std::span<std::byte> to, Addr from) const;
  /// Only the time of a copy.
  void time_copy(TimelineEvent::Direction direction, uint64_t bytes, std::string_view name, CopyOptions options = {});
  /// The host waits until the device has finished all calls.
  void synchronize();
  /// A mark in the device's queue; elapsed_us is the time between two. A functional run has no time: all are at 0.
  Event record_event();
  static double elapsed_us(const Event& from, const Event& to) { return to.when_us - from.when_us; }
  /// The time of the host program after all calls so far.
  double now_us() const;

  /// A copy to a module-scope .const or .global variable; throws InputError if there is none, or the sizes differ.
  void set_symbol(const ModuleRef& module, std::string_view symbol, std::span<const std::byte> value);

  /// Binds a module's .texref until it is bound again. Throws InputError: no such .texref, or a texture that cannot be.
  void bind_texture(const ModuleRef& module, std::string_view texref, const sim::Texture& texture);
  /// A texture object: its handle, as an argument for kernels (32 or 64 bits, as the parameter is).
  Argument make_texture(const sim::Texture& texture);

  /// Throws InputError (wrong arguments, limits of the machine, blocks that can never fit) or FaultError.
  const sim::LaunchStatistics& launch(const ModuleRef& module, std::string_view kernel, Dim3 grid, Dim3 block,
                                      const std::vector<Argument>& arguments, const LaunchOptions& options = {});

  /// From now on, launches and the timeline go to this observer and are no longer kept: launches() has only the last
  /// one.
  void observe(RunObserver* observer);
  const std::vector<sim::LaunchStatistics>& launches() const;
  const std::vector<TimelineEvent>& timeline() const;
  /// Host seconds spent from decode to the end of each launch, summed.
  double simulate_seconds() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace warptime::host
