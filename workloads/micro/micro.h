// What the microbenchmarks share: programs of one kernel around a body that is repeated, and how a cost is taken from
// runs of different length.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "host/workload/workload.h"

namespace warptime::workloads {

// One function a variant, each in the file of its name or that of its group.
void measure_arithmetic(host::WorkloadContext& context);
void measure_f64(host::WorkloadContext& context);
void measure_overlap(host::WorkloadContext& context);
void measure_shared(host::WorkloadContext& context);
void measure_control(host::WorkloadContext& context);
void measure_caches(host::WorkloadContext& context);
void measure_access(host::WorkloadContext& context);
void measure_bandwidth(host::WorkloadContext& context);
void measure_partitions(host::WorkloadContext& context);
void measure_pitches(host::WorkloadContext& context);
void measure_reads(host::WorkloadContext& context);
void measure_ladder(host::WorkloadContext& context);
void measure_chase(host::WorkloadContext& context);
void measure_widths(host::WorkloadContext& context);
void measure_host(host::WorkloadContext& context);

/// A kernel `chain` that executes its body again and again, in PTX of the card's time (version 1.4, 32-bit addresses).
/// Registers: %r0 the thread's number, %r2 or %f2 the value that goes through the body, %r3..%r5 and %f3..%f5 its other
/// operands, %r8 and %f8 on for anything else. The parameter `in` is an array of words.
struct Body {
  std::string target = "sm_10";
  std::string variables = {};  // of the module
  std::string shared = {};     // declarations of the kernel
  std::string setup;           // before the first step
  std::string step;            // repeated; "#" stands for the number of the repetition
  std::string end = {};        // after the last step
  std::string result = "%r2";  // 32 bits that each thread stores
};

/// The kernel with `repeat` steps in its loop.
host::ModuleRef load_chain(host::Device& device, const std::string& name, const Body& body, uint32_t repeat);

/// Runs kernels of one block and keeps what they store.
class ChainRunner {
 public:
  ChainRunner(host::WorkloadContext& context, std::vector<uint32_t> input);

  host::Device& device() { return context_.device; }
  /// Cycles of `rounds` passes through the loop by one block.
  double cycles(const host::ModuleRef& module, uint32_t threads, uint32_t rounds);
  /// Cycles of one step: the difference of a longer and a shorter loop, of which a pass is the difference of a run with
  /// one round more. So neither start and end, nor the loop, nor the first fetch of its instructions count; the median
  /// of the passes leaves out a refresh of DRAM that delays the end of one run. The last of its runs makes
  /// kLong x kRounds steps, whose results are kept.
  double step_cycles(const std::string& name, const Body& body, uint32_t threads);
  static constexpr uint32_t kShort = 32, kLong = 96, kRounds = 4;

  /// Holds the last results against `expected(thread)`, as u32, or as f32 within a tolerance.
  void check(const std::string& name, const std::function<uint32_t(uint32_t)>& expected);
  void check_f32(const std::string& name, double tolerance, const std::function<float(uint32_t)>& expected);

 private:
  host::WorkloadContext& context_;
  host::Buffer in_, out_;
  std::vector<uint32_t> results_;
};

/// Whether launches find in the L2 what the one before left: launches whose difference is taken then need one before
/// them, so that each finds the same.
bool keeps_l2(const host::Device& device);

}  // namespace warptime::workloads
