// An out-of-order core of the CPU baseline, which receives the operations of a counted reference (counted.h) one after
// the other and determines the cycle of each result. An operation is decoded in program order, at most `front.width`
// per cycle and `front.window` ahead of retirement; it starts when its operands are ready and a unit of its pipe is
// free, and retires in order. Throughput, chains of dependent operations, memory latencies and mispredictions therefore
// overlap as far as the window permits.
//
// Packed: the same operations with every element standing for `simd.width` of them. An f32 operation, and an access to
// f32 elements whose index the data do not decide, is one packed instruction; what SIMD cannot pack (integers, branches
// on data and their comparisons, gathers) takes `width` times as long; a loop's own instructions stay one. Cycles are
// then those of `width` times the work, and cycles() divides them.
//
// Left out: instruction fetch, address translation, bank conflicts of the first cache, schedulers smaller than the
// window; predictions see the history of outcomes alone, no addresses of branches.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cpu/config.h"
#include "cpu/memory.h"

namespace warptime::cpu {

/// Where an access goes and what it has to wait for.
struct CpuAccess {
  uint64_t address = 0;
  uint32_t bytes = 0;
  bool is_float = false;
  bool gathered = false;  // an index that the data decide: no packed access
  Cycle ready = 0;        // of the index (and of the value, for a store)
  Cycle stored = 0;       // load: when the value was written, 0 if it never was
};

/// Cycles at which units of a pipe are taken, as far ahead as a window reaches.
class CpuPipeCalendar {
 public:
  explicit CpuPipeCalendar(uint32_t units) : units_(units) {}
  /// Takes one unit for `busy` cycles in a row, from `earliest` on or later; returns the first of them.
  Cycle take(Cycle earliest, uint32_t busy);
  /// Nothing will ask for a cycle before this one.
  void advance(Cycle now);

 private:
  static constexpr Cycle kAhead = 8192;  // farther ahead everything is free
  uint32_t units_;
  Cycle now_ = 0;
  std::array<uint8_t, kAhead> taken_{};  // by cycle, modulo
};

class CpuCore {
 public:
  /// While it lives, counted numbers are computed on it; one at a time.
  CpuCore(const CpuConfig& config, bool packed);
  ~CpuCore();
  CpuCore(const CpuCore&) = delete;
  CpuCore& operator=(const CpuCore&) = delete;
  static CpuCore& current();

  bool packed() const { return packed_; }

  /// The cycle of its result. `fused`: one of its operands was loaded by the same macro-operation.
  Cycle execute(CpuOperation operation, Cycle ready, bool fused = false);
  Cycle load(const CpuAccess& access);
  /// When its data are written.
  Cycle store(const CpuAccess& access);
  /// A branch that the data decide.
  void branch(bool taken, Cycle ready);
  /// The end of an iteration over a plain range: counting, comparing, branching.
  void loop(bool again);

  /// Room for an array: its first address.
  uint64_t allocate(uint64_t bytes);

  /// Forgets time and counts, and keeps what the caches and the predictor have learnt.
  void restart();
  /// Since the start or restart(), until everything has retired and memory is quiet.
  double cycles() const;
  const std::array<uint64_t, kCpuOperations>& operations() const { return operations_; }
  uint64_t mispredicted() const { return mispredicted_; }
  const CpuMemoryStats& memory_stats() const { return memory_.stats(); }

 private:
  enum class Form : uint8_t { Once, Packed, Repeated };  // of an operation's `width` elements, while packed
  struct Cost {
    uint32_t slots, entries;  // of decoding, of the window
    uint32_t latency, busy;
  };
  Form form_of_floats(bool floats) const { return !packed_ ? Form::Once : floats ? Form::Packed : Form::Repeated; }
  Cost cost(CpuOperation operation, Form form) const;
  void decode(const Cost& cost);
  void retire(Cycle done, uint32_t entries);
  /// Decodes it and takes its pipe: the cycle at which it starts.
  Cycle start(CpuOperation operation, const Cost& cost, Cycle ready);
  void predict(bool taken, Cycle outcome, Form form);
  void go_to(Cycle now);

  CpuConfig config_;
  bool packed_;
  std::array<CpuOperationConfig, kCpuOperations> table_{};
  std::vector<CpuPipeCalendar> pipes_;
  CpuMemory memory_;
  Cycle origin_ = 0;           // of the counting
  Cycle now_ = 0;              // of decoding
  uint32_t decoded_ = 0;       // in this cycle
  std::vector<Cycle> window_;  // when each of the last macro-operations retires, a ring
  size_t oldest_ = 0;
  Cycle retired_ = 0;  // when the last one retires
  uint32_t history_ = 0;
  std::vector<uint8_t> counters_;  // of branches, by history
  uint64_t next_address_ = 1 << 20;
  std::array<uint64_t, kCpuOperations> operations_{};
  uint64_t mispredicted_ = 0;
};

}  // namespace warptime::cpu
