// What an instruction has beside its registers, guard and time: a payload, of a struct for each group of effects. A
// payload fills at most one cache line of the host, and an instruction has one or none.
#pragma once

#include <array>
#include <cstdint>

#include "sim/exec/atomic_operation.h"
#include "sim/exec/warp_values.h"

namespace warptime::sim {

struct LaneWidths;
struct MatrixOperation;
struct MatrixInMemory;

enum class Payload : uint8_t {
  None,
  LoadStore,
  Atomic,
  Texture,
  Registers,
  Conversion,
  Packing,
  LogicTable,
  MemberMask,
  Matrix,
  Branch,
  Linkage,
  Barrier
};

/// Registers whose lanes' addresses a warp caches until they are written (state/cached_addresses.h).
inline constexpr uint8_t kCachedAddresses = 8, kNotCached = 0xff;

/// An address in every lane: that of a register, or of a constant row with a symbol's address, and an offset.
struct AddressOperand {
  int64_t offset = 0;
  RowRef base;
  bool is_64 = false;
};

/// What loads, stores and atomic operations have in common, at the front of their payloads (Insn::access).
struct AccessPayload {
  AddressOperand address;
  ptx::Space space = ptx::Space::None;  // None: generic
  uint8_t element_bytes = 0;            // in memory
  uint8_t vector = 1;                   // elements
  bool consecutive : 1 = false;         // in global memory: at most the transactions of consecutive elements
  bool conflict_free : 1 = false;       // on chip, and of an atomic operation: whatever its addresses
  bool past_l1 : 1 = false;             // a load that sees other SMs' stores: of the L1 it only evicts the line
  bool of_warp : 1 = false;             // all lanes execute it together: ldmatrix, stmatrix
  bool read_only : 1 = false;           // .nc: a load of what the kernel does not write

  uint32_t bytes() const { return uint32_t{element_bytes} * vector; }
};

/// Effects Load and Store; effect None of ld.param and st.param that move values between the registers of a function
/// and its caller: there `base` is the first row of the variable.
struct LoadStorePayload {
  static constexpr Payload kPayload = Payload::LoadStore;
  AccessPayload access;
  std::array<RowRef, 4> data{};            // registers loaded or stored, one for each element
  uint8_t register_bytes = 4;              // of each of them: 1, 2, 4, 8
  bool is_words = false;                   // elements and registers of 32 bits
  bool sign_extend = false;                // of a narrow load into a wider register
  uint8_t matrices = 0;                    // ldmatrix, stmatrix: matrices of 8 rows of 16 bytes, one register each
  bool transposed = false;                 // of these
  const MatrixInMemory* matrix = nullptr;  // wmma.load, wmma.store; of the CompiledKernel
  bool is_known = false;                // readers of the loaded register take the value from where it was at the launch
  uint8_t cached_address = kNotCached;  // which cached register `base` is
};

/// Effect Atomic. The old value goes to Insn::dst.
struct AtomicPayload {
  static constexpr Payload kPayload = Payload::Atomic;
  AccessPayload access;
  AtomicOperation global = nullptr, shared = nullptr;  // in global and in shared memory
  RowRef b, c;                                         // PTX's names of the operands
  bool has_result = false;
};

/// Effect Texture. Its coordinates are Insn::src.
struct TexturePayload {
  static constexpr Payload kPayload = Payload::Texture;
  AddressOperand handle;
  std::array<RowRef, 4> results{};
  uint8_t read_results = 0;  // bit c: some instruction may read result c; else nobody sees whether it was written
  uint8_t dimensions = 0;
  bool float_coordinates = false;
};

/// Effect None, of more registers than Insn::dst and Insn::src name: mov of vectors, and mov from one register into
/// several. The destinations come first, then the sources.
struct RegistersPayload {
  static constexpr Payload kPayload = Payload::Registers;
  std::array<RowRef, 16> rows{};
};

/// Effect None: cvt, and instructions whose handler has other lanes than the registers (run_with_lane_widths).
struct ConversionPayload {
  static constexpr Payload kPayload = Payload::Conversion;
  const LaneWidths* lanes = nullptr;  // of registers and handler, where they differ
  std::array<uint8_t, 2> width{};     // of cvt: bits of its first and second type
  std::array<bool, 2> is_signed{};    // of cvt: their signs
  bool clamps = false;                // of cvt: .sat
};

/// Effect None: cvt.pack, whose registers may be wider than its types.
struct PackingPayload {
  static constexpr Payload kPayload = Payload::Packing;
  bool result_is_64 = false;
  std::array<bool, 3> source_is_64{};
};

/// Effect None: lop3.
struct LogicTablePayload {
  static constexpr Payload kPayload = Payload::LogicTable;
  uint8_t table = 0;  // bit 4a + 2b + c: the result where the sources' bits are a, b and c
};

/// Effects Collective, and None or Nop where lanes do not wait for each other: .sync instructions.
struct MemberMaskPayload {
  static constexpr Payload kPayload = Payload::MemberMask;
  RowRef mask;
  uint8_t source_bytes = 4;  // of src[0]; 0: it is a predicate
};

/// Effect Matrix: it has more registers than there is room for here.
struct MatrixPayload {
  static constexpr Payload kPayload = Payload::Matrix;
  const MatrixOperation* operation = nullptr;  // of the CompiledKernel
};

/// Effect Branch.
struct BranchPayload {
  static constexpr Payload kPayload = Payload::Branch;
  uint32_t target = 0;  // instruction indices
  uint32_t reconvergence = ptx::kNoIndex;
};

/// Effects Call, RuntimeCall, Return and IndexedBranch.
struct LinkagePayload {
  static constexpr Payload kPayload = Payload::Linkage;
  uint32_t linkage = 0;                    // in CompiledKernel::linkages
  uint32_t reconvergence = ptx::kNoIndex;  // of an IndexedBranch
};

/// What arriving at a barrier means: waiting, or going on; or waiting for how many, whether all, whether any of the
/// threads have a true predicate.
enum class BarrierKind : uint8_t { Sync, Arrive, Popc, All, Any };

/// Effect Barrier. The predicate of a reduction is src[0].
struct BarrierPayload {
  static constexpr Payload kPayload = Payload::Barrier;
  uint32_t number = 0;
  uint32_t threads = 0;  // expected at the barrier; 0: the whole block
  BarrierKind kind = BarrierKind::Sync;
  bool in_registers = false;  // number and threads are in src[1] and src[2]
};

/// Room for one of them. Those of loads, stores and atomic operations begin alike.
union alignas(8) PayloadRoom {
  LoadStorePayload load_store;
  AtomicPayload atomic;
  TexturePayload texture;
  RegistersPayload registers;
  ConversionPayload conversion;
  PackingPayload packing;
  LogicTablePayload logic_table;
  MemberMaskPayload member_mask;
  MatrixPayload matrix;
  BranchPayload branch;
  LinkagePayload linkage;
  BarrierPayload barrier;

  PayloadRoom() : registers{} {}
};
static_assert(sizeof(PayloadRoom) == 64);

}  // namespace warptime::sim
