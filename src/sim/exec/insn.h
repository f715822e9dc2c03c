// An entry of a kernel's value table: how the values of one PTX instruction are computed, as a function pointer, rows
// and numbers. Names, strings and maps ended at decode. What only some effects need is in its payload (payload.h); when
// it issues and how long it takes is in the machine program (native/native_insn.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

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

/// Every issue reads the first cache line of the host; the second is the payload.
struct alignas(64) Insn {
  Handler run = nullptr;        // nullptr: the effect does everything
  uint32_t dst = 0;             // byte offset of the destination row; predicate number if `dst_is_predicate`
  std::array<RowRef, 4> src{};  // a predicate source has its number in `bits`
  uint16_t guard = kNoPredicate;
  uint16_t dst2 = kNoPredicate;  // second predicate destination (setp d|q); the carry that .cc writes
  bool guard_negated = false;
  bool guard_selects_path = false;  // all active lanes execute it, and the guard decides where each goes on
  ptx::Effect effect = ptx::Effect::None;
  Payload payload = Payload::None;
  bool may_be_cached = false;  // a load from shared memory whose lanes' addresses may be cached
  uint8_t overwrites = 0;      // registers whose addresses are cached: a bit for each (`cached_address`)
  bool staged = false;         // the destination overlaps a source at another byte: compute aside, then copy
  bool dst_is_predicate = false;
  std::array<bool, 4> src_negated{};  // '!' on a predicate source
  Combine combine = Combine::None;    // of a comparison's masks with the predicate src[2]; of lop3's with src[3]

  // --- for statistics ---
  uint16_t flops = 0;          // per lane
  bool is_double : 1 = false;  // they are operations on f64
  bool is_half : 1 = false;    // on half-precision numbers

  uint32_t number = 0;  // in the table

 private:
  PayloadRoom room_;

 public:
  // The payload. Debug builds end where another one is read than the instruction has.
  bool has_access() const {
    return payload == Payload::LoadStore || payload == Payload::Atomic || payload == Payload::AsyncCopy;
  }
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
  /// The lanes whose addresses count, if `lanes` execute the access.
  uint32_t addressing(uint32_t lanes) const {
    if (!access().of_warp) return lanes;
    const uint32_t rows = 8u * load_store().matrices;
    return rows == 0 || rows >= 32 ? lanes : lanes & ((1u << rows) - 1);
  }
  const AtomicPayload& atomic() const { return checked(room_.atomic); }
  const TexturePayload& texture() const { return checked(room_.texture); }
  const RegistersPayload& registers() const { return checked(room_.registers); }
  const ConversionPayload& conversion() const { return checked(room_.conversion); }
  const PackingPayload& packing() const { return checked(room_.packing); }
  const RandomRoundingPayload& random_rounding() const { return checked(room_.random_rounding); }
  const LogicTablePayload& logic_table() const { return checked(room_.logic_table); }
  const MemberMaskPayload& member_mask() const { return checked(room_.member_mask); }
  const MatrixPayload& matrix() const { return checked(room_.matrix); }
  const AsyncMatrixPayload& async_matrix() const { return checked(room_.async_matrix); }
  const BranchPayload& branch() const { return checked(room_.branch); }
  const LinkagePayload& linkage() const { return checked(room_.linkage); }
  const BarrierPayload& barrier() const { return checked(room_.barrier); }
  const AsyncCopyPayload& async_copy() const { return checked(room_.async_copy); }
  const BulkCopyPayload& bulk_copy() const { return checked(room_.bulk_copy); }
  const AsyncPayload& async() const { return checked(room_.async); }
  const VideoPayload& video() const { return checked(room_.video); }

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
static_assert(sizeof(Insn) == 2 * 64);

}  // namespace warptime::sim
