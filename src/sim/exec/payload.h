// What an instruction has beside its registers, guard and time: a payload, of a struct for each group of effects. A
// payload fills at most one cache line of the host, and an instruction has one or none.
#pragma once

#include <array>
#include <cstdint>

#include "sim/exec/atomic_operation.h"
#include "sim/exec/warp_values.h"

namespace warptime::sim {

struct BulkDetail;
struct LaneWidths;
struct MatrixOperation;
struct MatrixInMemory;
struct WarpgroupProduct;

enum class Payload : uint8_t {
  None,
  LoadStore,
  Atomic,
  Texture,
  Registers,
  Conversion,
  Packing,
  RandomRounding,
  LogicTable,
  MemberMask,
  Matrix,
  AsyncMatrix,
  Branch,
  Linkage,
  Barrier,
  AsyncCopy,
  BulkCopy,
  Async,
  Video
};

/// Registers whose lanes' addresses a warp caches until they are written (state/cached_addresses.h).
inline constexpr uint8_t kCachedAddresses = 8, kNotCached = 0xff;

/// An address in every lane: that of a register, or of a constant row with a symbol's address, and an offset.
struct AddressOperand {
  int64_t offset = 0;
  RowRef base;
  bool is_64 = false;
};

/// What an access outside of a surface is: a fault, at the nearest place inside, or not at all.
enum class SurfaceBounds : uint8_t { Trap, Clamp, Zero };

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
  bool has_layers : 1 = false;          // of a surface: its first coordinate is the layer
  bool formatted : 1 = false;           // of a surface: its format says what is accessed, and what x counts
  bool of_cluster : 1 = false;          // .shared::cluster
  uint8_t dimensions = 0;               // of a surface; 0: it is memory
  SurfaceBounds bounds = SurfaceBounds::Trap;

  uint32_t bytes() const { return uint32_t{element_bytes} * vector; }
};

/// Effects Load and Store; effect None of ld.param and st.param that move values between the registers of a function
/// and its caller: there `base` is the first row of the variable.
struct LoadStorePayload {
  static constexpr Payload kPayload = Payload::LoadStore;
  AccessPayload access;
  /// Registers loaded or stored, one for each element; of wmma.load and wmma.store, which have registers of their own,
  /// the matrix, which is the CompiledKernel's.
  union {
    std::array<RowRef, 8> data{};
    const MatrixInMemory* matrix_in_memory;
  };
  uint8_t register_bytes = 4;    // of each of them: 1, 2, 4, 8
  uint8_t matrices = 0;          // ldmatrix, stmatrix: matrices of 8 rows of 16 bytes, one register each
  bool is_words : 1 = false;     // elements and registers of 32 bits
  bool sign_extend : 1 = false;  // of a narrow load into a wider register
  bool transposed : 1 = false;   // ldmatrix, stmatrix
  bool has_matrix : 1 = false;
  bool is_known : 1 = false;            // readers of the loaded register take the value from where it was at the launch
  uint8_t cached_address = kNotCached;  // which cached register `base` is

  const MatrixInMemory* matrix() const { return has_matrix ? matrix_in_memory : nullptr; }
  void set_matrix(const MatrixInMemory* matrix) {
    has_matrix = true;
    matrix_in_memory = matrix;
  }
  void set_register(RowRef reg) {
    has_matrix = false;
    data = {reg};
  }
};

/// Effect Atomic. The old value goes to Insn::dst. A word of 128 bits has its upper half in rows of its own.
struct AtomicPayload {
  static constexpr Payload kPayload = Payload::Atomic;
  AccessPayload access;
  AtomicOperation global = nullptr, shared = nullptr;  // in global and in shared memory
  RowRef b, c;                                         // PTX's names of the operands
  RowRef b_high, c_high;
  uint32_t dst_high = 0;
  bool has_result = false;
  bool compares = false;  // of 128 bits: it becomes c if it is b; else always b
};

/// What a texture is asked for in place of texels.
enum class TextureQuery : uint8_t {
  None,
  Width,
  Height,
  Depth,
  ArraySize,
  ChannelType,
  ChannelOrder,
  Normalized,
  Levels,
  Samples,
  IsTexture,
  IsSampler,
  IsSurface
};

/// How an instruction names a level of detail: by a number, or by the gradients of the coordinates.
enum class LevelBy : uint8_t { None, Number, Gradients };

/// Effect Texture. Its coordinates are Insn::src.
struct TexturePayload {
  static constexpr Payload kPayload = Payload::Texture;
  AddressOperand handle;
  std::array<RowRef, 4> results{};
  uint8_t read_results = 0;  // bit c: some instruction may read result c; else nobody sees whether it was written
  uint8_t dimensions = 0;
  bool float_coordinates = false;
  bool has_layers = false;  // the number of a layer is the source behind the coordinates
  bool is_cube = false;     // the coordinates are a direction
  uint8_t gathers = 0;      // tld4: the channel + 1
  TextureQuery query = TextureQuery::None;
  LevelBy level_by = LevelBy::None;
  std::array<RowRef, 6> level{};  // the number; or how the coordinates change with x of the image, and with y
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

/// Effect None: cvt with random bits, of two or four numbers.
struct RandomRoundingPayload {
  static constexpr Payload kPayload = Payload::RandomRounding;
  std::array<RowRef, 4> numbers{};  // the uppermost first
  RowRef random;
  bool result_is_64 = false;
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

/// Effect AsyncMatrix: wgmma. All lanes of a warp execute it together.
struct AsyncMatrixPayload {
  static constexpr Payload kPayload = Payload::AsyncMatrix;
  enum class Operation : uint8_t {
    Multiply,
    Fence,
    Commit,
    Wait,  // until at most `count` groups of the warp are under way
  };
  const WarpgroupProduct* product = nullptr;  // of Multiply: the CompiledKernel's
  uint32_t count = 0;
  Operation operation = Operation::Multiply;
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

/// Effect AsyncCopy: `access` is the source, in global memory.
struct AsyncCopyPayload {
  static constexpr Payload kPayload = Payload::AsyncCopy;
  AccessPayload access;
  AddressOperand to;        // in shared memory
  RowRef source_bytes;      // how many bytes are read, the others are zeros; with `is_ignored` a predicate
  bool has_size = false;    // else all of them
  bool is_ignored = false;  // a predicate says whether none is read
  bool is_negated = false;  // that is so if it is false
};

/// Effect BulkCopy: a range or a box of a tensor to shared memory, where an mbarrier object counts the bytes, or to
/// global memory.
struct BulkCopyPayload {
  static constexpr Payload kPayload = Payload::BulkCopy;
  AddressOperand to, from, mbarrier;
  RowRef bytes;
  bool to_shared = false, from_shared = false;
  uint8_t word_bytes = 4;              // of a reduction
  const BulkDetail* detail = nullptr;  // of the CompiledKernel; nullptr: a plain copy of a range
};

/// What an instruction with the effect Async does.
enum class AsyncOperation : uint8_t {
  CommitGroup,
  BulkCommit,
  BulkWait,   // until bulk copies to global memory are complete; only reading, with `is_read`
  WaitGroup,  // until at most `count` groups of each thread are under way
  WaitAll,
  CopyArrive,  // an arrival at the mbarrier when the thread's copies are complete
  Init,
  Inval,
  Arrive,
  ExpectTx,
  CompleteTx,
  TestWait,
  TryWait,
  ClusterArrive,  // at the barrier of the cluster
  ClusterWait,
  PendingCount,
};

/// Effect Async. Results are in Insn::dst.
struct AsyncPayload {
  static constexpr Payload kPayload = Payload::Async;
  AddressOperand mbarrier;
  RowRef value;        // a count, bytes, a state or a parity
  RowRef hint;         // how long a try_wait may wait, in nanoseconds
  uint32_t count = 0;  // of WaitGroup
  AsyncOperation operation = AsyncOperation::CommitGroup;
  bool is_generic = false;  // the address of the mbarrier
  bool has_value = false;
  bool has_hint = false;
  bool has_result = false;   // of an arrival: its state is kept
  bool keeps_count = false;  // of a CopyArrive: .noinc
  bool drops = false;        // of an arrival: also from later phases
  bool expects = false;      // of an arrival: `value` is of bytes
  bool is_read = false;
  bool is_parity = false;   // `value` is a parity, not a state
  bool is_relaxed = false;  // an arrival that orders nothing
};

/// Effect None: a video instruction.
struct VideoPayload {
  static constexpr Payload kPayload = Payload::Video;
  enum class Operation : uint8_t {
    Add,
    Sub,
    Difference,
    Min,
    Max,
    Average,
    ShiftLeft,
    ShiftRight,
    Product,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual
  };
  enum class Second : uint8_t { None, Add, Min, Max };
  struct Part {
    uint8_t first = 0, bits = 32;
  };
  Operation operation = Operation::Add;
  Second second = Second::None;
  uint8_t elements = 1;
  uint8_t written = 0;              // of several elements: a bit for each that the mask names
  std::array<bool, 3> is_signed{};  // the result, a, b
  bool saturates = false;
  bool wraps = false;                                                 // of a shift
  bool negates_product = false, negates_c = false, adds_one = false;  // of a product
  uint8_t shift = 0;                                                  // of a product: so many bits to the right
  Part result;                                                        // of one element
  std::array<Part, 4> a{}, b{};  // by element: its bits among the 64 of a (below) and b
};

/// Room for one of them. Those of loads, stores and atomic operations begin alike.
union alignas(8) PayloadRoom {
  LoadStorePayload load_store;
  AtomicPayload atomic;
  TexturePayload texture;
  RegistersPayload registers;
  ConversionPayload conversion;
  PackingPayload packing;
  RandomRoundingPayload random_rounding;
  LogicTablePayload logic_table;
  MemberMaskPayload member_mask;
  MatrixPayload matrix;
  AsyncMatrixPayload async_matrix;
  BranchPayload branch;
  LinkagePayload linkage;
  BarrierPayload barrier;
  AsyncCopyPayload async_copy;
  BulkCopyPayload bulk_copy;
  AsyncPayload async;
  VideoPayload video;

  PayloadRoom() : registers{} {}
};
static_assert(sizeof(PayloadRoom) == 64);

}  // namespace warptime::sim
