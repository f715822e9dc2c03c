// A decoded instruction: a function pointer, rows and numbers. Names, strings and maps ended at decode. What only some
// effects need is in its payload (payload.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

#include "base/clock.h"
#include "ptx/module.h"
#include "sim/exec/payload.h"

namespace warptime::sim {

struct Insn;
/// Computes the instruction's values for the lanes of `mask` (guard already applied) and writes its destination.
using Handler = void (*)(const WarpValues& warp, const Insn& insn, uint32_t mask);

inline constexpr uint16_t kNoPredicate = 0xffff;
using ptx::kBarriers;

/// setp and set with a third operand: p = (a op b) .and/.or/.xor c.
enum class Combine : uint8_t { None, And, Or, Xor };

/// Rows that a folded load filled: their reader takes the words from s[] or c[] itself and has the cost of their
/// conflicts.
struct MemoryOperands {
  static constexpr uint16_t kNone = 0xffff;
  uint16_t shared_row = kNone, constant_row = kNone;
};

/// Scoreboard slots: row numbers, then predicates from CompiledKernel::rows on. An instruction waits for those of its
/// sources and destinations, and its results make the latter ready. Unused entries name a slot all the same
/// (Decoder::set_slots), so that the scoreboard reads the first few without counting.
template <size_t kWaits, size_t kWrites>
struct ScoreboardSlots {
  std::array<uint16_t, kWaits> waits{};
  std::array<uint16_t, kWrites> writes{};
};

/// In the order of use, as cache lines of the host matter here: every issue reads the first of them; the second is the
/// payload; the third has what computations need besides, and what few instructions have.
struct alignas(64) Insn {
  Handler run = nullptr;        // nullptr: the effect does everything
  uint32_t dst = 0;             // byte offset of the destination row; predicate number if `dst_is_predicate`
  std::array<RowRef, 4> src{};  // a predicate source has its number in `bits`
  uint16_t guard = kNoPredicate;
  bool guard_negated = false;

  ptx::Unit unit = ptx::Unit::Sp;
  ptx::Effect effect = ptx::Effect::None;
  enum class Time : uint8_t {
    Usual,
    None,     // it issues together with another instruction, before or behind it, and ends no gap
    ByLanes,  // a what-if: of its cycles, the part that its active lanes are (model/assumptions.h)
  } time = Time::Usual;
  bool is_plain = false;        // without an effect besides its values, and of the usual cost
  bool reads_memory = false;    // `operands` has a row
  bool outward = false;         // it may use what the SMs of a TPC share: the way to memory, or a cache
  bool may_be_cached = false;   // a load from shared memory whose lanes' addresses may be cached
  bool waits_for_more = false;  // than `first_slots`: for `more_slots`, or as calls, returns and exits do
  uint8_t overwrites = 0;       // registers whose addresses are cached: a bit for each (`cached_address`)
  uint8_t write_count = 0;      // scoreboard slots of both lists
  uint16_t issue_cycles = 0;    // cycles the warp scheduler is held
  uint16_t pipe_cycles = 0;     // cycles until the pipe takes the next warp instruction
  uint16_t latency = 0;         // cycles from issue to a usable result
  uint16_t sp_cycles = 0;       // cycles of the SPs besides those of its own pipe
  uint32_t code = 0;            // where its code begins, in native instructions
  ScoreboardSlots<4, 2> first_slots;

 private:
  PayloadRoom room_;

 public:
  // --- values of computations ---
  bool staged = false;  // the destination overlaps a source at another byte: compute aside, then copy
  bool dst_is_predicate = false;
  std::array<bool, 4> src_negated{};  // '!' on a predicate source
  Combine combine = Combine::None;    // of a comparison's masks with the predicate src[2]; of lop3's with src[3]
  uint16_t dst2 = kNoPredicate;       // second predicate destination (setp d|q); the carry that .cc writes
  MemoryOperands operands;            // which sources are operands in memory

  // --- scoreboard slots of instructions with many registers ---
  uint8_t wait_count = 0;  // of both lists
  ScoreboardSlots<9, 6> more_slots;

  // --- for statistics ---
  uint8_t flops = 0;
  bool is_double : 1 = false;  // they are operations on f64
  bool is_half : 1 = false;    // on half-precision numbers
  uint16_t native = 1;         // native instructions that it stands for; 0: it issues together with another

  Payload payload = Payload::None;

  bool takes_no_time() const { return time == Time::None; }

  static constexpr size_t kWaits = 4 + 9, kWrites = 2 + 6;
  uint16_t wait(size_t i) const { return i < 4 ? first_slots.waits[i] : more_slots.waits[i - 4]; }
  uint16_t write(size_t i) const { return i < 2 ? first_slots.writes[i] : more_slots.writes[i - 2]; }

  // The payload. Debug builds end where another one is read than the instruction has.
  bool has_access() const { return payload == Payload::LoadStore || payload == Payload::Atomic; }
  const AccessPayload& access() const {
    check(has_access());
    return room_.load_store.access;
  }
  AccessPayload& access() {
    check(has_access());
    return room_.load_store.access;
  }
  const LoadStorePayload& load_store() const { return checked(room_.load_store); }
  LoadStorePayload& load_store() {
    check(payload == Payload::LoadStore);
    return room_.load_store;
  }
  const AtomicPayload& atomic() const { return checked(room_.atomic); }
  const TexturePayload& texture() const { return checked(room_.texture); }
  const RegistersPayload& registers() const { return checked(room_.registers); }
  const ConversionPayload& conversion() const { return checked(room_.conversion); }
  const PackingPayload& packing() const { return checked(room_.packing); }
  const LogicTablePayload& logic_table() const { return checked(room_.logic_table); }
  const MemberMaskPayload& member_mask() const { return checked(room_.member_mask); }
  const BranchPayload& branch() const { return checked(room_.branch); }
  const LinkagePayload& linkage() const { return checked(room_.linkage); }
  const BarrierPayload& barrier() const { return checked(room_.barrier); }

  /// A payload anew, in place of the one before.
  template <class P>
  P& set_payload(const P& value = {}) {
    payload = P::kPayload;
    return *new (&room_) P{value};
  }

 private:
  template <class P>
  const P& checked(const P& asked) const {
    check(payload == P::kPayload);
    return asked;
  }
  void check([[maybe_unused]] bool has_it) const {
#ifndef NDEBUG
    if (!has_it) wrong_payload();
#endif
  }
  [[noreturn]] void wrong_payload() const;
};
static_assert(sizeof(Insn) == 3 * 64);

}  // namespace warptime::sim
