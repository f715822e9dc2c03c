// What instructions do besides (or instead of) computing lanes, one row for each effect: what the analyses, the native
// code, the decoder and the pipeline have to know of it. What it does to a warp is not here: sim/core/sm_effects.h in
// timed runs, sim/gpu/functional_sm.cc in functional ones.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace warptime::ptx {

/// Memory that it accesses.
enum class MemoryUse : uint8_t { NoMemory, LaneAddresses, TextureFetch };
/// Memory that may hold other values afterwards: none, its own state space, or what other threads have stored.
enum class Changes : uint8_t { Nothing, OwnSpace, SeenOfOthers };
/// Where the thread goes on.
enum class Flow : uint8_t { FallsThrough, ToLabel, ToTable, EndsThread };
/// What a G80 has for it: what recipe_table.cc says, one access, a bit of the instruction before it (ReturnBit: in an
/// entry alone), nothing.
enum class NativeForm : uint8_t { ByRecipe, OneAccess, ExitBit, ReturnBit, NoCode };
/// How its operands are decoded. MaskAtMost: it has none, but for the member mask of bar.warp.sync.
enum class OperandForm : uint8_t {
  MaskAtMost,
  Values,
  Collective,
  Access,
  Atomic,
  Texture,
  Label,
  AsyncCopy,
  BulkCopy,
  Async,
  Matrix,
  AsyncMatrix,
  OneSource,
  Callee,
  Barrier
};

struct EffectInfo {
  OperandForm operands = OperandForm::MaskAtMost;
  MemoryUse memory = MemoryUse::NoMemory;
  Changes changes = Changes::Nothing;
  Flow flow = Flow::FallsThrough;
  NativeForm native = NativeForm::ByRecipe;
  bool passes_registers = false;  // it copies arguments or results between registers
  bool pairs = false;             // with the instruction before it, where a scheduler issues two (issue.dual)
};

// clang-format off
//        enumerator     what differs from the defaults of EffectInfo
#define PTX_EFFECTS(X)                                                                                                \
  /* lanes alone: its values are exactly what the card's `lanes` computes */                                          \
  X(None,          .operands = OperandForm::Values, .pairs = true)                                                    \
  /* ld: reads memory into registers */                                                                               \
  X(Load,          .operands = OperandForm::Access, .memory = MemoryUse::LaneAddresses,                               \
                   .native = NativeForm::OneAccess, .pairs = true)                                                    \
  /* st */                                                                                                            \
  X(Store,         .operands = OperandForm::Access, .memory = MemoryUse::LaneAddresses, .changes = Changes::OwnSpace, \
                   .native = NativeForm::OneAccess, .pairs = true)                                                    \
  /* atom, red: the memory changes where it lies */                                                                   \
  X(Atomic,        .operands = OperandForm::Atomic, .memory = MemoryUse::LaneAddresses, .changes = Changes::OwnSpace, \
                   .native = NativeForm::OneAccess)                                                                   \
  /* cp.async: reads global memory; what it copies is in shared memory when a wait says so */                         \
  X(AsyncCopy,     .operands = OperandForm::AsyncCopy, .memory = MemoryUse::LaneAddresses,                            \
                   .changes = Changes::SeenOfOthers)                                                                  \
  /* cp.async.bulk, cp.reduce.async.bulk: of ranges, each by one thread */                                             \
  X(BulkCopy,      .operands = OperandForm::BulkCopy, .changes = Changes::SeenOfOthers)                               \
  /* groups and waits of asynchronous copies, mbarrier: AsyncPayload says which */                       \
  X(Async,         .operands = OperandForm::Async, .changes = Changes::SeenOfOthers)                                  \
  /* tex */                                                                                                           \
  X(Texture,       .operands = OperandForm::Texture, .memory = MemoryUse::TextureFetch,                               \
                   .native = NativeForm::OneAccess)                                                                   \
  /* shfl, vote, addc ...: values that take more than the lane's own operands */                                      \
  X(Collective,    .operands = OperandForm::Collective, .pairs = true)                                                \
  /* mma, movmatrix: values of the whole warp, all of whose lanes execute it together */                              \
  X(Matrix,        .operands = OperandForm::Matrix)                                                                   \
  /* wgmma: products that read shared memory; the results are in their registers when a wait says so */              \
  X(AsyncMatrix,   .operands = OperandForm::AsyncMatrix)                                                              \
  /* bra */                                                                                                           \
  X(Branch,        .operands = OperandForm::Label, .flow = Flow::ToLabel)                                             \
  /* brx.idx */                                                                                                       \
  X(IndexedBranch, .operands = OperandForm::OneSource, .flow = Flow::ToTable)                                         \
  /* call */                                                                                                          \
  X(Call,          .operands = OperandForm::Callee, .changes = Changes::SeenOfOthers, .passes_registers = true)       \
  /* bar.sync */                                                                                                      \
  X(Barrier,       .operands = OperandForm::Barrier, .changes = Changes::SeenOfOthers)                                \
  /* exit, and ret in an entry */                                                                                     \
  X(Exit,          .flow = Flow::EndsThread, .native = NativeForm::ExitBit)                                           \
  /* ret in a device function */                                                                                      \
  X(Return,        .flow = Flow::EndsThread, .native = NativeForm::ReturnBit, .passes_registers = true)               \
  /* trap, brkpt */                                                                                                   \
  X(Trap,          .flow = Flow::EndsThread)                                                                          \
  /* membar, fence */                                                                                                 \
  X(Fence,         .changes = Changes::SeenOfOthers)                                                                  \
  /* pragma-like instructions that occupy a slot and do nothing */                                                    \
  X(Nop,           .native = NativeForm::NoCode)                                                                      \
  /* of no card: computes lanes, and reads a special register that tells the time */                                  \
  X(Clock,         )                                                                                                  \
  /* of no card: a call of a function that the runtime supplies (runtime_functions.h) */                              \
  X(RuntimeCall,   .changes = Changes::SeenOfOthers, .passes_registers = true)
// clang-format on

enum class Effect : uint8_t {
#define X(name, ...) name,
  PTX_EFFECTS(X)
#undef X
};

inline constexpr std::array kEffects {
#define X(name, ...) EffectInfo{__VA_ARGS__},
  PTX_EFFECTS(X)
#undef X
};
constexpr const EffectInfo& info(Effect effect) { return kEffects[static_cast<size_t>(effect)]; }

/// Reads or writes memory at an address of each lane.
constexpr bool accesses(Effect effect) { return info(effect).memory == MemoryUse::LaneAddresses; }
constexpr bool multiplies_matrices(Effect effect) { return effect == Effect::Matrix || effect == Effect::AsyncMatrix; }
/// Goes to a label of the code, or may.
constexpr bool branches(Effect effect) {
  return info(effect).flow == Flow::ToLabel || info(effect).flow == Flow::ToTable;
}

}  // namespace warptime::ptx
