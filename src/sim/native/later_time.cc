// The native instructions of compute capability 7.0 to 9.0 for each one of PTX (`native_cost: sm_70` to `sm_90`).
#include "ptx/native/later_code.h"
#include "sim/model/pipe.h"
#include "sim/native/instruction_time.h"

namespace warptime::sim {

using ptx::Effect, ptx::NativePipe, ptx::Unit;

namespace {

constexpr uint32_t kWideFactor = 2;  // of a product's upper half, in cycles of its pipe and until its result
// Measured on an H200 (docs/hopper.md): sqrt.rn, div.rn and div.rn.f64 take about so long from the last result to the
// instruction behind BSYNC; a chain of f16x2 alternates between two pipes, 6 and 10 cycles away from each other.
constexpr uint32_t kJoinLatency = 10, kHalfDelay = 4;

class LaterTime : private PtxTime {
 public:
  using PtxTime::PtxTime;

  uint32_t by_later(const ptx::LaterInstruction& later) {
    const uint32_t steps = std::min(later.slots(), 0xffffu);
    if (steps == 0) {
      // It issues together with another instruction: no pipe, no time.
      out_.unit = Unit::Control;
      out_.issue_cycles = out_.pipe_cycles = out_.latency = 0;
      return 0;
    }
    set(out_.issue_cycles, issue_cycles() + machine_.issue.interval * (steps - 1));
    if (effect_ != Effect::None || out_.unit == Unit::Tensor || is_move()) return steps;
    set(out_.latency, latency_of_chain(later));
    out_.unit = Unit::Control;
    out_.pipe_cycles = 0;
    // A sum or product of f32 takes either half of the SPs, an integer product one of them.
    const uint32_t products = later.of(NativePipe::Product) + (kWideFactor - 1) * later.wide;
    consider(Unit::Sp, later.of(NativePipe::Fma) * machine_.sp.initiation + products * machine_.sp.product_initiation);
    consider(Unit::Alu, later.of(NativePipe::Alu) * machine_.alu.initiation);
    consider(Unit::Sfu, later.of(NativePipe::Xu) * machine_.sfu.initiation);
    consider(Unit::Dp, later.of(NativePipe::Double) * machine_.dp.initiation);
    if (const uint32_t accesses = later.of(NativePipe::Memory); accesses != 0 && out_.unit == Unit::Control) {
      out_.unit = Unit::Memory;
      set(out_.pipe_cycles, accesses);
    }
    return steps;
  }

 private:
  /// The pipe that it takes longest is the one that it waits for.
  void consider(Unit unit, uint32_t cycles) {
    if (cycles == 0 || cycles < out_.pipe_cycles) return;
    out_.unit = unit;
    set(out_.pipe_cycles, cycles);
  }

  /// From issue to the result: each step of a chain takes its pipe's latency.
  uint32_t latency_of_chain(const ptx::LaterInstruction& later) const {
    const LatencyConfig& latency = machine_.latency;
    const uint32_t cycles =
        later.chain_of(NativePipe::Fma) * latency.float_mad + later.chain_of(NativePipe::Product) * latency.int_mul +
        later.wide_in_chain * (latency.int_mul_hi - std::min(latency.int_mul_hi, latency.int_mul)) +
        (later.chain_of(NativePipe::Alu) + later.chain_of(NativePipe::Uniform)) * latency.int_alu +
        later.chain_of(NativePipe::Xu) * latency.special + later.chain_of(NativePipe::Double) * latency.double_alu;
    if (later.chain_of(NativePipe::Memory) == 0 && cycles != 0) return cycles + waits_in_chain(later);
    return std::max<uint32_t>(cycles, latency.shuffle);
  }
  uint32_t waits_in_chain(const ptx::LaterInstruction& later) const {
    return later.guards * machine_.issue.guard_delay + later.specials * machine_.issue.special_delay +
           later.branches * machine_.latency.branch + later.joins * kJoinLatency + later.halves * kHalfDelay;
  }
};

}  // namespace

uint32_t set_later_time(const InstructionOfKernel& what, NativeInsn& out, NativeDetail& detail) {
  return LaterTime(what, out, detail).by_later(what.kernel.later[what.number]);
}

}  // namespace warptime::sim
