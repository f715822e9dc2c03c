// The microbenchmarks of `warptime measure micro`: the properties of a GPU that a machine file has, each measured by a
// kernel of our own in PTX. Cycles are counted by the kernels (%clock); times of launches are taken between events. The
// cost of a step is the difference of two runs of different length, so that start and end of a kernel fall out.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "measure/micro/micro_gpu.h"

namespace warptime::measure {

struct MicroValue {
  std::string name;  // "latency/add_f32"
  double value = 0;
  std::string unit;    // "cycles"
  std::string kernel;  // that measured it
};

/// A value, or several whose names begin so, that the GPU refused to measure.
struct MicroFailure {
  std::string name;
  std::string message;  // a sentence
};

struct MicroResults {
  std::vector<MicroValue> values;
  std::vector<MicroFailure> failures;
  /// The GPU failed: what came after the last failure was not tried.
  bool has_fault = false;
};

/// Whether the name begins as one of these, of which there may be none.
bool is_selected(std::string_view name, const std::vector<std::string>& only);

/// Measures what is wanted, and keeps the values.
class Micro {
 public:
  /// `only`: beginnings of names; empty: everything.
  Micro(MicroGpu& gpu, std::vector<std::string> only)
      : gpu_(gpu), only_(std::move(only)), out_(gpu.allocate(kOutBytes, "results")) {}

  MicroGpu& gpu() { return gpu_; }
  const GpuDescription& description() const { return gpu_.description(); }
  bool includes(std::string_view name) const { return is_selected(name, only_); }
  /// Whether anything that begins with this is wanted.
  bool includes_some(std::string_view beginning) const;
  /// Keeps it, if it is wanted.
  void add(std::string name, double value, std::string unit, std::string kernel);
  /// Calls `measure`, which measures the values whose names begin with `name`. If the GPU refuses it, or fails, that is
  /// kept as a failure; after the GPU failed, nothing is called any more.
  void attempt(std::string name, const std::function<void()>& measure);
  MicroResults take() { return {std::move(values_), std::move(failures_), has_fault_}; }

  /// Where kernels write: of each warp the clock at its start and its end, as u32.
  DevicePointer out() const { return out_; }
  /// The cycles of a launch whose warps store theirs at out(): of its slowest warp, in the fastest of a few launches.
  double cycles(const GpuLaunch& launch);
  /// The microseconds of a launch between events: the median of a few.
  double us(const GpuLaunch& launch, uint32_t in_a_row = 1) { return gpu_.us(launch, in_a_row); }

 private:
  static constexpr uint64_t kOutBytes = 1 << 16;
  MicroGpu& gpu_;
  std::vector<std::string> only_;
  DevicePointer out_;
  std::vector<MicroValue> values_;
  std::vector<MicroFailure> failures_;
  bool has_fault_ = false;
};

/// The body of a kernel of one block that counts the cycles of `rounds` passes through a loop of `repeat` steps.
/// Registers: %r0 the thread, %r1 and %r2 the arguments a and b, %l0 the argument in, and for the body %r3.., %f, %d,
/// %l1.., %p1...
struct Chain {
  std::string name;
  std::string variables = {};  // of the module
  std::string shared = {};     // declarations of the kernel
  std::string setup;
  std::function<std::string(uint32_t)> step;  // by the number of the repetition
  std::string end = {};                       // leaves in %r3 what is stored
  uint32_t repeat = 64;
};
std::string chain_ptx(const Chain& chain);
/// ".version ... .target ...": what begins all modules. `capability`: at least 70.
std::string ptx_header(uint32_t capability = 70);

/// A loaded chain.
class ChainKernel {
 public:
  ChainKernel(Micro& micro, const Chain& chain, uint32_t capability = 70);
  ~ChainKernel() { micro_.gpu().unload(module_); }
  ChainKernel(const ChainKernel&) = delete;
  ChainKernel& operator=(const ChainKernel&) = delete;
  /// Cycles of a step, by the difference of 2 and 10 rounds.
  double step_cycles(uint32_t threads, uint32_t a = 1, uint32_t b = 3, DevicePointer in = 0);
  void* module() const { return module_; }

 private:
  Micro& micro_;
  uint32_t repeat_;
  void* module_;
  GpuKernel kernel_;
};

// The groups, a file each.
void measure_pipes(Micro& micro);
void measure_shared(Micro& micro);
void measure_constant(Micro& micro);
void measure_caches(Micro& micro);
void measure_atomics(Micro& micro);
void measure_bandwidth(Micro& micro);
void measure_ports(Micro& micro);
void measure_launches(Micro& micro);

/// All of them.
MicroResults measure_micro(MicroGpu& gpu, std::vector<std::string> only);

}  // namespace warptime::measure
