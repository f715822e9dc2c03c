// Runs a small PTX kernel on one TPC with its memory system, one cycle at a time, and notes at which cycle each
// instruction of each PTX line issued. Tests then assert that nothing had issued by n - 1 and the instruction had by n.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/decode/compiled_kernel.h"
#include "sim/gpu/tpc.h"
#include "sim/mem/memory_system.h"
#include "sim/model/machine.h"
#include "sim/model/occupancy.h"
#include "sim/model/texture.h"

namespace warptime::sim {

/// A machine with one TPC of one SM and round numbers: launch at cycle 64, everything else as its tests set it.
MachineConfig small_machine();

class SmBench {
 public:
  struct Shape {
    uint32_t threads = 32;
    uint32_t blocks = 1;
    uint32_t registers = 8;
    std::string declarations{};  // of functions, without new lines; a body may end the kernel and go on with them
    Texture texture = {.bound = true, .size = {64, 64, 1}};  // `image`, of the buffer's first bytes
    std::string target = ".version 6.4\n.target sm_75\n";
    bool keep = true;  // store every register at the end, so that none is dead and shares its row with another
  };
  /// `body`: the instructions of a kernel; it may use %r0-%r31 (b32), %f0-%f31, %d0-%d31 (f64), %rd0-%rd15, %p0-%p7,
  /// `shared_bytes` bytes at symbol `sh`, 16384 constant ones at `table`, the texture `image`, and the address of
  /// `global_bytes` of zeroed device memory in parameter `buf`. Line 1 is its first line.
  SmBench(MachineConfig machine, const std::string& body, Shape shape);
  SmBench(MachineConfig machine, const std::string& body) : SmBench(std::move(machine), body, Shape{}) {}

  /// Cycles at which line `line` of the body issued, over all warps, in order.
  const std::vector<Cycle>& issues(uint32_t line) const;
  /// How many times it had issued up to and including `cycle`.
  size_t issued_by(uint32_t line, Cycle cycle) const;
  /// Cycles charged to a reason at a line.
  uint64_t stalled(uint32_t line, Stall reason) const;
  uint64_t issued_cycles(uint32_t line) const;
  SmCounters counters() const { return tpc_->sms()[0]->counters(); }
  const DataCacheStats& texture_cache() const { return tpc_->caches().statistics(ReadKind::Texture); }
  const DataCacheStats& instruction_cache() const { return tpc_->caches().statistics(ReadKind::Instruction); }
  const DataCacheStats& l1_cache() const { return tpc_->caches().statistics(ReadKind::Data); }
  DramStats dram() const { return system_->dram_statistics(Cycle{1} << 40); }
  Cycle end() const { return end_; }

  static constexpr uint32_t kSharedBytes = 8192;
  static constexpr uint64_t kGlobalBytes = 1 << 20;

 private:
  void run(uint32_t blocks);
  uint32_t line_of(size_t instruction) const;

  MachineConfig machine_;
  std::unique_ptr<DeviceMemory> memory_;
  std::unique_ptr<MemorySystem> system_;
  std::unique_ptr<const CompiledKernel> kernel_;
  LaunchContext context_;
  Texture texture_;
  std::vector<std::byte> parameters_, constants_;
  std::unique_ptr<Tpc<Attributed>> tpc_;
  uint32_t first_line_ = 0;  // of the body in the PTX text, minus 1
  std::map<uint32_t, std::vector<Cycle>> issues_;
  Cycle end_ = 0;
};

/// Checks that `line` had not issued by `cycle` - 1 and has, once, by `cycle`.
void issues_at(const SmBench& bench, uint32_t line, Cycle cycle);
/// Checks that no warp had issued `line` by `cycle` - 1, and at least one has by `cycle`.
void starts_at(const SmBench& bench, uint32_t line, Cycle cycle);

}  // namespace warptime::sim
