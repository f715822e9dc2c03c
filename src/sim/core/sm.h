// One streaming multiprocessor in time: in-order issue ports, each over its share of the resident warps, a scoreboard,
// pipes, and the memory port.
//
// It advances from issue to issue and never looks at a cycle in which nothing happens. All waiting is known in advance
// (results of arithmetic, busy pipes) or ends with an answer of the memory system. Every issue slot is charged once: to
// `issued`, or, when the gap before an issue ends, to the last thing that the issuing warp waited for. The Policy says
// whether that is compiled in.
//
// Left out: register-bank conflicts (no public figure for G80), and fetching ahead: a line of instructions is looked up
// when a warp that could issue has none of it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/slot_pool.h"
#include "sim/core/block_counter.h"
#include "sim/core/pipes.h"
#include "sim/core/ready_set.h"
#include "sim/core/scoreboard.h"
#include "sim/core/sm_counters.h"
#include "sim/core/warp_picker.h"
#include "sim/mem/memory_system.h"
#include "sim/mem/tpc_caches.h"
#include "sim/model/trace.h"
#include "sim/state/load_store.h"
#include "sim/state/runtime_calls.h"
#include "sim/state/sm_state.h"
#include "sim/state/spin_watch.h"

namespace warptime::sim {

struct Attributed {
  static constexpr bool kStalls = true;
  using Trace = NoTrace;
};
struct Unattributed {
  static constexpr bool kStalls = false;
  using Trace = NoTrace;
};
struct Traced {
  static constexpr bool kStalls = true;
  using Trace = WarpTrace;
};
struct Counted {
  static constexpr bool kStalls = true;
  using Trace = BlockCounter;
};

/// A block that ended, for the block scheduler.
struct BlockEnd {
  Cycle cycle = 0;
  uint16_t sm = 0;
  uint16_t slot = 0;  // where it was on the SM
};

template <class Policy>
class Sm {
 public:
  Sm(const LaunchContext& launch, uint32_t sm, uint32_t sm_in_tpc, TpcMemory& memory, TpcCaches& caches);

  /// A new step: the memory system may have room again.
  void begin_step(Cycle begin);
  /// Puts a block, whose first instructions may issue at `start`, into a free slot.
  void start_block(uint64_t block, uint32_t slot, Cycle start);
  /// Issues everything that can issue before `limit`, up to the first that asks, at `turn` or later, for something that
  /// the SMs of a TPC share. Returns the earliest cycle at which more might issue (kNever: only an answer of the memory
  /// system, or a new block, can wake it).
  Cycle run(Cycle limit, Cycle turn);
  /// What run() returned last, lowered by what came since.
  Cycle next() const { return next_; }
  void respond(const Response& response);
  /// A line that TpcCaches::read() promised to this waiter is there.
  void filled(uint32_t waiter, Cycle cycle);

  /// Calls of malloc and free that wait for an answer, in the order of their issue; null: the kernel makes no calls of
  /// the runtime.
  RuntimeCalls* runtime_calls() { return runtime_calls_.get(); }
  /// Between steps: answers one of them; its warp goes on at `ready`. False: a fault.
  bool answer(const HeapRequest& request, DeviceHeap& heap, Cycle ready);

  /// Charges the time since the last issue, when the launch is over.
  void finish(Cycle end);
  /// First cycle at which no port is held.
  Cycle ports_free() const {
    Cycle free = 0;
    for (const Port& port : ports_) free = std::max(free, port.free);
    return free;
  }

  const SmState& state() const { return state_; }
  /// Up to now.
  SmCounters counters() const;
  /// The same at the end, when nothing is counted any more.
  SmCounters take_counters();
  const FaultRecord& fault() const { return fault_; }
  SpinWatch& watch() { return watch_; }
  const std::vector<BlockEnd>& ended_blocks() const { return ended_; }
  void clear_ended_blocks() { ended_.clear(); }
  /// Why a resident warp does not issue, for a deadlock's report.
  Stall waiting_for(uint32_t place) const { return waits_[place].reason(); }
  typename Policy::Trace& trace() { return trace_; }

 private:
  struct Port {
    uint32_t index = 0;
    uint64_t warps = 0;   // places that belong to it
    Cycle next = kNever;  // first cycle at which it may issue; at least `free`
    Cycle free = 0;       // first cycle at which it is not held
    WarpPicker picker;
  };
  struct PendingLoad {
    const Insn* insn = nullptr;
    uint32_t place = 0;
    uint32_t remaining = 0;  // transactions or lines not yet there
    Cycle ready = 0;         // when the others were
    uint32_t latency = 0;    // from then to the result
    Stall reason = Stall::GlobalDependency;
    bool in_table = false;  // counts against memory.pending_loads
  };
  struct Cost {
    uint32_t issue, pipe, latency;
  };
  /// Names that TpcCaches give back: a warp's place, or this and a load.
  static constexpr uint32_t kLoadWaiter = 1u << 31;

  Port& port_of(uint32_t place) { return ports_[port_of_[place]]; }
  Port& first_port();
  /// The port has something to look at from `cycle` on.
  void wake_port(Port& port, Cycle cycle);
  void wake_ports(Cycle cycle) {
    for (Port& port : ports_) wake_port(port, cycle);
  }
  /// Issues from the port at `now`, or finds out when it might. False: it is not this SM's turn, or there is a fault.
  [[gnu::always_inline]] inline bool step(Port& port, Cycle now);
  bool memory_has_room(Cycle now);
  // What every issue does is one function for the compiler: calls would cost a third of it.
  [[gnu::always_inline]] inline void issue(Port& port, uint32_t place, Warp& warp, const Insn& insn, Cycle now,
                                           bool with_another = false);
  [[gnu::always_inline]] inline Wait issued(const Port& port, uint32_t place, uint32_t pc, uint32_t active,
                                            uint32_t lanes, Cycle now);
  [[gnu::always_inline]] inline void computed(Port& port, uint32_t place, const Insn& insn, uint32_t pc, Cycle now);
  [[gnu::noinline]] void issue_other(Port& port, uint32_t place, Warp& warp, const Insn& insn, uint32_t lanes,
                                     Cycle now);
  void issue_second(Port& port, uint32_t place, Cycle now);
  [[gnu::always_inline]] inline void charge(const Port& port, uint32_t place, const Insn& insn, uint32_t pc, Cycle now);
  bool had_warps_at(const Port& port, Cycle cycle) const;
  /// Works out when the warp's next instruction may issue, not before `earliest`.
  void prepare(uint32_t place, Wait earliest);
  [[gnu::always_inline]] inline void prepare(uint32_t place, const Warp& warp, Wait earliest);
  void wake(uint64_t places, Wait wait);
  /// Looks up the lines of these warps' next instructions; those that have to wait for theirs.
  uint64_t fetch(uint64_t places, Cycle now);
  [[gnu::always_inline]] inline bool load_remembered(Port& port, uint32_t place, Warp& warp, const Insn& insn,
                                                     Cycle now);
  bool access(Port& port, uint32_t place, const Insn& insn, uint32_t lanes, Cycle now);
  Cost cost_of_shared(const Insn& insn, uint32_t each, uint32_t passes) const;
  void operand_read(uint32_t place, const Insn& insn, Cycle now);
  Cost with_operands(uint32_t place, const Insn& insn);
  /// Steps of the access that filled a row as an operand of later instructions: its bank conflicts or addresses.
  uint8_t& operand_steps(uint32_t place, uint32_t row) { return operand_steps_[place * rows_ + row]; }
  void send(uint32_t place, const Insn& insn, Cycle now);
  bool waits_for_atomic(uint32_t place);
  void acknowledged(uint32_t tag, Cycle cycle);
  void changed(const Response& response);
  Wait read_lines(ReadKind kind, uint32_t place, const Insn& insn, uint32_t latency, Stall reason, Cycle now);
  /// When the warp goes on; the request that it waits for, or a fault, may keep it.
  Wait call_runtime(uint32_t place, const Insn& insn, uint32_t lanes, Cycle now, Cycle after);
  bool fetch_texture(Port& port, uint32_t place, const Insn& insn, uint32_t lanes, Cycle now);
  uint32_t begin_load(uint32_t place, const Insn& insn, Cycle now);
  void answered(uint32_t load, Cycle cycle);
  void finish_load(uint32_t load);
  void leave(const Port& port, uint32_t place, uint32_t lanes, Cycle now);
  [[gnu::always_inline]] inline void held(Port& port, const Insn& insn, uint32_t pc, Cycle now, uint32_t issue_cycles,
                                          uint32_t pipe_cycles);
  Stall busy_reason(ptx::Unit unit) const;
  /// Tells the trace why the warp did not issue `insn` before `now`.
  void trace_wait(const Port& port, uint32_t place, const Insn& insn, Cycle now) {
    if constexpr (Policy::Trace::kOn)
      trace_.waited(place, state_.warp(place).stack.pc(), waits_[place].cycle(), waits_[place].reason(),
                    pipes_.free(insn.unit, port.index), busy_reason(insn.unit), now);
  }
  void trace_queue(Cycle now) {
    if constexpr (Policy::Trace::kOn)
      if (trace_.recording()) trace_.queue(now, memory_->queued(sm_in_tpc_, now));
  }

  const MachineConfig& machine_;
  SmState state_;
  LoadStore load_store_;
  TpcMemory* memory_;
  TpcCaches* caches_;
  uint32_t sm_in_tpc_;
  SmCounters with_resident(SmCounters out) const;

  SmCounters counters_;
  SpinWatch watch_;
  FaultRecord fault_;
  std::vector<BlockEnd> ended_;

  Scoreboard scoreboard_;
  ReadySet ready_;
  Pipes pipes_;
  std::vector<Port> ports_;
  bool one_port_ = true, dual_ = false;
  std::array<uint8_t, ReadySet::kMaxWarps> port_of_{};
  Cycle next_ = kNever;         // the least of the ports'
  bool has_room_ = false;       // the memory queue had room, and nothing was sent since
  bool queue_full_ = false;     // the memory pipe waits for the queue or the load table, not for the port
  bool table_full_ = false;     // for the table of loads, or of the L1's misses
  uint64_t fenced_ = 0;         // warps at a fence
  uint64_t blocked_ = 0;        // warps that wait for an answer
  uint64_t parked_ = 0;         // warps at a barrier or a fence, or before an atomic operation's word
  uint64_t before_atomic_ = 0;  // of those, warps whose load reads what an atomic operation on its way changes
  std::array<Wait, ReadySet::kMaxWarps> waits_{};     // what each warp's next instruction waits for
  std::array<Wait, ReadySet::kMaxWarps> earliest_{};  // of a blocked warp, the part that is not the scoreboard's
  uint64_t live_ = 0;                                 // warps that have not ended
  std::array<Cycle, ReadySet::kMaxWarps> started_{};
  std::array<Cycle, ReadySet::kMaxWarps> accounted_{};  // each warp's cycles are charged up to here
  SlotPool<PendingLoad> loads_;
  uint32_t loads_in_table_ = 0;
  uint32_t code_shift_ = 31;  // instructions of a line of the instruction cache, as a power of two
  Cycle turn_ = 0;            // when this SM may no longer ask for that
  uint64_t unfetched_ = 0;    // warps that may not have the line of their next instruction
  std::array<uint32_t, ReadySet::kMaxWarps> code_line_{};  // the line that each warp has
  uint32_t next_group_ = 0;
  uint32_t rows_;                       // of a warp
  std::vector<uint8_t> operand_steps_;  // at most one a lane
  MemoryAccess access_;
  std::unique_ptr<RuntimeCalls> runtime_calls_;
  [[no_unique_address]] typename Policy::Trace trace_;
};

extern template class Sm<Attributed>;
extern template class Sm<Unattributed>;
extern template class Sm<Traced>;
extern template class Sm<Counted>;

}  // namespace warptime::sim
