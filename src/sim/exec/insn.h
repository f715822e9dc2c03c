// A decoded instruction: a function pointer, rows and numbers. Names, strings and maps ended at decode.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "ptx/module.h"
#include "sim/exec/atomic_operation.h"

namespace warptime::sim {

inline constexpr uint32_t kWarpSize = ptx::kWarpThreads;
inline constexpr uint32_t kRowBytes = kWarpSize * 4;
inline constexpr uint32_t kFullMask = 0xffffffffu;

/// Whose the rows are that instructions read. A row has kRowBytes; a 64-bit value is two rows in a run, lanes of 8
/// bytes; one of 8 or 16 bits uses the front of its row, lanes of its own width.
enum class RowArea : uint32_t {
  Registers,  // the warp's own, and the only ones that instructions write
  Launch,     // the same for all: immediates, symbol addresses, kernel parameters, the size of the grid
  Threads,    // special registers that a warp has in common with those in its place of other blocks
  Block,      // special registers of the block
};
inline constexpr size_t kRowAreas = 4;

/// A warp's values: rows, and predicates of one bit a lane.
struct WarpValues {
  std::array<const std::byte*, kRowAreas> areas{};
  uint32_t* predicates = nullptr;

  std::byte* rows() const { return const_cast<std::byte*>(areas[0]); }  // registers are nowhere constant
};

/// Where a source operand is: an area (the upper two bits), and a byte offset in it.
struct RowRef {
  uint32_t bits = 0;
  static constexpr uint32_t kOffsetBits = 30;

  static constexpr RowRef to(RowArea area, uint32_t offset) {
    return {static_cast<uint32_t>(area) << kOffsetBits | offset};
  }
  RowArea area() const { return static_cast<RowArea>(bits >> kOffsetBits); }
  uint32_t offset() const { return bits & ((1u << kOffsetBits) - 1); }
  bool is_register() const { return area() == RowArea::Registers; }
  const std::byte* in(const WarpValues& w) const { return w.areas[bits >> kOffsetBits] + offset(); }
};

/// Registers whose lanes' addresses a warp caches until they are written (state/cached_addresses.h).
inline constexpr uint8_t kCachedAddresses = 8, kNotCached = 0xff;

struct Insn;
struct SingleForDouble;
/// Computes the instruction's values for the lanes of `mask` (guard already applied) and writes its destination.
using Handler = void (*)(const WarpValues& warp, const Insn& insn, uint32_t mask);

inline constexpr uint16_t kNoPredicate = 0xffff;
using ptx::kBarriers;

/// setp and set with a third operand: p = (a op b) .and/.or/.xor c.
enum class Combine : uint8_t { None, And, Or, Xor };

/// What arriving at a barrier means: waiting, or going on; or waiting for how many, whether all, whether any of the
/// threads have a true predicate.
enum class BarrierKind : uint8_t { Sync, Arrive, Popc, All, Any };

/// Rows that a folded load filled: their reader takes the words from s[] or c[] itself and has the cost of their
/// conflicts.
struct MemoryOperands {
  static constexpr uint16_t kNone = 0xffff;
  uint16_t shared_row, constant_row;
};

/// In the order of use, as cache lines of the host matter here: what every issue reads is the first of them, a load's
/// or store's own comes next.
struct alignas(64) Insn {
  Handler run = nullptr;        // nullptr: the effect does everything
  uint32_t dst = 0;             // byte offset of the destination row; predicate number if `dst_is_predicate`
  std::array<RowRef, 4> src{};  // a predicate source has its number in `bits`
  uint16_t guard = kNoPredicate;
  bool guard_negated = false;

  ptx::Unit unit = ptx::Unit::Sp;
  ptx::Effect effect = ptx::Effect::None;
  bool takes_no_time = false;   // it issues together with another instruction, before or behind it, and ends no gap
  bool reads_memory = false;    // `operands` has a row
  bool outward = false;         // it may ask for what the SMs of a TPC share: the way to memory, or a cache's line
  bool may_be_cached = false;   // a load from shared memory whose lanes' addresses may be cached
  bool waits_for_more = false;  // than `first_waits`: for `more_waits`, or as calls, returns and exits do
  uint8_t overwrites = 0;       // registers whose addresses are cached: a bit for each (`address`)
  uint8_t write_count = 0;      // of both lists
  uint16_t issue_cycles = 0;    // cycles the port is held
  uint16_t pipe_cycles = 0;     // cycles until the pipe takes the next warp instruction
  uint16_t latency = 0;         // cycles from issue to a usable result
  uint16_t sp_cycles = 0;       // cycles of the SPs besides those of its own pipe
  uint32_t code = 0;            // where its code begins, in native instructions
  /// Scoreboard slots: row numbers, then predicates from CompiledKernel::rows on. The first few, that it waits for and
  /// that become ready at issue + latency (each row of a wide or vector result), are always there.
  std::array<uint16_t, 4> first_waits{};
  std::array<uint16_t, 2> first_writes{};
  std::array<uint16_t, 9> more_waits{};
  std::array<uint16_t, 6> more_writes{};
  uint8_t wait_count = 0;        // of both lists
  uint8_t address = kNotCached;  // of a load or store: which cached register its `base` is
  bool staged = false;           // the destination overlaps a source at another place: compute aside, then copy

  // --- memory (effect Load, Store) ---
  ptx::Space space = ptx::Space::None;  // None: generic
  uint8_t access_bytes = 0;             // of one element
  uint8_t vector = 1;
  bool address_is_64 = false;
  bool sign_extend : 1 = false;  // of a narrow load into a wider register
  bool is_known : 1 = false;   // of a load: who reads its register takes the value from where it was before the launch
  uint8_t register_bytes = 4;  // width of each data register: 1, 2, 4, 8; `sync`: of src[0], 0 if it is a predicate
  bool is_words = false;       // elements and registers of 32 bits
  bool is_operand = false;     // a load on chip whose readers have its cost
  uint16_t access_cycles = 0;  // of an access on chip: cycles of issue besides those of its conflict steps
  RowRef base;                 // address register row (or a constant row holding a symbol's address); `sync`: the mask
  union {
    int64_t offset = 0;             // of an address; lop3's table; which sources of cvt.pack have 64 bits
    const SingleForDouble* single;  // no memory access, but map_f64_to_f32: how f32 lanes stand for it
  };
  std::array<RowRef, 4> data{};  // registers loaded or stored, one per vector element (mov: unpacked into); of an
                                 // atomic operation: its operands b and c
  AtomicOperation atomic = nullptr, atomic_shared = nullptr;  // in global and in shared memory
  bool has_result = false;                                    // of an atomic operation: the old words go to `dst`

  // --- texture (its handle is at `base`, its coordinates at `src`, its results go to `data`) ---
  uint8_t dimensions : 4 = 0;
  uint8_t results : 4 = 0;  // bit c: some instruction may read result c; else nobody sees whether it was written
  bool float_coordinates = false;

  // --- values of some instructions ---
  bool dst_is_predicate = false;
  uint16_t dst2 = kNoPredicate;     // second predicate destination (setp d|q); the carry that .cc writes
  bool src_negated[4] = {};         // '!' on a predicate source
  Combine combine = Combine::None;  // of a comparison's masks with the predicate src[2]
  std::array<uint8_t, 2> width{};   // of cvt: bits of its first and second type
  std::array<bool, 2> is_signed{};  // of cvt: their signs
  bool clamps = false;              // of cvt: .sat

  // --- control ---
  union {
    uint32_t target = 0;      // instruction index
    MemoryOperands operands;  // of a computation: which sources are operands in memory
  };
  uint32_t reconvergence = ptx::kNoIndex;
  union {
    uint32_t barrier = 0;
    uint32_t linkage;  // of a call, a return and brx.idx: in CompiledKernel::linkages
  };
  uint32_t barrier_threads = 0;                  // expected at the barrier; 0: the whole block
  BarrierKind barrier_kind = BarrierKind::Sync;  // of a reduction: its predicate is src[0]
  bool barrier_in_register = false;              // its number and threads are in src[1] and src[2]
  bool uniform = false;                          // .uni
  bool sync = false;                             // effect Collective: the member mask is at `base`

  // --- what statistics want to know ---
  uint8_t flops = 0;
  bool is_double : 1 = false;  // they are operations on f64
  bool is_half : 1 = false;    // on half-precision numbers
  uint16_t native = 1;         // native instructions that it stands for; 0: it issues together with another

  static constexpr size_t kWaits = 4 + 9, kWrites = 2 + 6;
  uint16_t wait(size_t i) const { return i < first_waits.size() ? first_waits[i] : more_waits[i - first_waits.size()]; }
  uint16_t write(size_t i) const {
    return i < first_writes.size() ? first_writes[i] : more_writes[i - first_writes.size()];
  }
};
static_assert(sizeof(Insn) <= 3 * 64);

}  // namespace warptime::sim
