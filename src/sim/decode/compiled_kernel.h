// A kernel decoded for one machine, which SMs execute. Const after `decode`; shared by all SMs and threads.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/diagnostics.h"
#include "ptx/module.h"
#include "ptx/runtime_functions.h"
#include "sim/exec/bulk_detail.h"
#include "sim/exec/insn.h"
#include "sim/exec/matrix_operation.h"
#include "sim/exec/single_for_double.h"
#include "sim/exec/texture_sampling.h"
#include "sim/exec/warpgroup_product.h"
#include "sim/exec/word_access.h"
#include "sim/model/assumptions.h"
#include "sim/model/machine.h"
#include "sim/native/arrangement.h"
#include "sim/native/native_insn.h"

namespace warptime::sim {

class HandlerTable;

/// A row that holds a special register's value (lanes of `type`'s width).
struct SpecialRow {
  ptx::Special special;
  ptx::Type type;
  RowRef row;
};

/// The owner of its row: a warp has its own row for values that depend on the SM, the warp slot or the time.
constexpr RowArea area_of(ptx::Special special) {
  using ptx::Special;
  if (special == Special::CtaidX || special == Special::CtaidY || special == Special::CtaidZ) return RowArea::Block;
  const bool of_cluster = special >= Special::ClusterIdX && special <= Special::ClusterIdZ;
  const bool in_cluster = special >= Special::ClusterCtaidX && special <= Special::ClusterCtaidZ;
  if (of_cluster || in_cluster || special == Special::ClusterCtarank) return RowArea::Block;
  if (special == Special::SmId || special == Special::WarpId || is_clock(special)) return RowArea::Registers;
  return varies_by_lane(special) ? RowArea::Threads : RowArea::Launch;
}

/// A row that holds a kernel parameter: `bytes` (4 or 8) from `offset` on.
struct KernelParameterRow {
  uint32_t offset, bytes;
  RowRef row;
};

/// A register whose value is in another row than its own: it has the same value all the time.
struct KnownRegister {
  uint32_t reg;  // in ptx::Kernel::registers
  RowRef row;
};

struct alignas(64) ConstantRow {
  std::array<std::byte, kRowBytes> bytes{};
};

/// A value that a call copies in every lane. In a register the words of a lane are adjacent; each row of a .param
/// variable has four bytes of every lane.
struct Transfer {
  /// Where a lane's words are.
  struct Words {
    RowRef row;
    uint32_t lane_stride = 0, word_stride = 0;  // bytes
  };
  Words from, to;
  uint32_t bytes = 0;         // per lane
  bool is_predicate = false;  // the rows' `bits` are predicates' numbers
};

/// A function that a call may reach.
struct Callee {
  uint64_t address = 0;                      // value of the register in a call through a register
  uint32_t target = 0;                       // its first instruction
  uint32_t recursion = ptx::kNoIndex;        // index in CompiledKernel::recursions, if the function is recursive
  std::vector<Transfer> arguments, results;  // copied when the call issues, and when its lanes return
};

/// A row that holds the address of a variable in local memory, of which each activation of a function has its own copy.
struct AddressRow {
  uint32_t offset;   // byte offset in the warp's rows
  uint32_t bytes;    // per lane: 4 or 8
  uint32_t symbol;   // in ptx::Kernel::symbols
  uint64_t address;  // in the outermost activation
};

/// Bytes of a warp's rows.
struct RowRange {
  uint32_t offset, bytes;
};

/// The rows and variables of a recursive function, which a call saves if the function is already active.
struct Recursion {
  struct Row {
    uint32_t offset, lane_bytes;
  };
  std::vector<Row> rows;  // of its registers and .param variables
  std::vector<uint32_t> predicates;
  std::vector<AddressRow> addresses;
  uint32_t kept_bytes = 0;   // of all these, per lane
  uint32_t local_begin = 0;  // its variables in local memory in the outermost activation
  uint32_t local_bytes = 0;
  uint32_t stack_bytes = 0;  // bytes of kStackBytes that an activation takes
};

/// Local memory per thread for activations of recursive functions, including their saved registers. CUDA's own limit is
/// 1024 bytes of local memory unless a program sets another one (cudaLimitStackSize).
inline constexpr uint32_t kStackBytes = 64 * 1024;
/// The minimum for an activation, so that calls nest at most 2048 deep.
inline constexpr uint32_t kLeastActivation = 32;

/// A call of a function of the runtime: its arguments and the destination of its result.
struct RuntimeLink {
  struct Value {
    Transfer::Words words;
    uint32_t bytes = 0;
  };
  const ptx::RuntimeFunctionRow* row = nullptr;  // nullptr: not a runtime call
  std::vector<Value> arguments;
  Value result;  // 0 bytes: no result, or it is not used
};

/// The data of a call, a return or brx.idx that its Insn does not hold.
struct Linkage {
  RuntimeLink runtime;
  std::vector<Callee> callees;    // of a call: one, or all that it may reach
  uint8_t address_bytes = 0;      // of a call through the register src[0]; else 0
  uint32_t function = 0;          // of a return: the first instruction of the function that it leaves
  std::vector<uint16_t> waits;    // scoreboard slots of the copied values, of caller and callee
  std::vector<uint32_t> targets;  // of brx.idx: instruction indices
};

/// How an instruction computes, and beside it how it issues: an issue reads both.
struct CodeEntry : Insn {
  NativeInsn native;
};
static_assert(sizeof(CodeEntry) == 3 * 64);

struct CompiledKernel {
  std::shared_ptr<const ptx::Module> module;
  const ptx::Kernel* kernel = nullptr;  // the module's, or that of `arrangement`
  Arrangement arrangement;
  std::vector<CodeEntry> insns;  // same indices as kernel->instructions, plus one trailing exit
  NativeProgram native;
  std::vector<ConstantRow> launch_rows;  // RowArea::Launch; rows of parameters and special registers are not filled yet
  std::vector<KernelParameterRow> parameters;
  std::vector<SpecialRow> specials;
  std::vector<KnownRegister> known;  // after the instruction that writes the register
  /// Registers that are cleared when a warp starts. All others are written before they are read.
  std::vector<RowRange> cleared;
  std::vector<Linkage> linkages;
  std::vector<AddressRow> addresses;  // of all recursions
  std::vector<Recursion> recursions;
  uint32_t local_bytes = 0;  // per thread: all variables, then, for recursion, kStackBytes
  uint32_t stack_begin = 0;  // begin of these
  WordAccess words;          // for the host's instruction set
  TextureAccess textures;    // likewise
  std::vector<std::unique_ptr<const LaneWidths>> lane_widths;    // that insns refer to
  std::vector<std::unique_ptr<const MatrixOperation>> matrices;  // likewise
  std::vector<std::unique_ptr<const MatrixInMemory>> matrices_in_memory;
  std::vector<std::unique_ptr<const WarpgroupProduct>> products;
  std::vector<std::unique_ptr<const BulkDetail>> bulk_details;
  uint32_t rows = 0;         // rows of a warp, its own special ones included
  uint32_t thread_rows = 0;  // of RowArea::Threads, for each warp of a block
  uint32_t block_rows = 0;   // of RowArea::Block
  uint32_t predicates = 0;
  bool calls_runtime = false, uses_heap = false;
  /// Instructions of the hardware that an instruction stands for; 0: it issues together with another.
  uint32_t native_count(size_t i) const { return native.numbers[i + 1] - native.numbers[i]; }
  /// Scoreboard slots: one per row, then one per predicate, one that is never written and one that is never read.
  uint32_t slots() const { return rows + predicates + 2; }
};

/// Addresses of the module's variables in device memory and in the constant image, by index in Module::symbols. A
/// .shared symbol has its offset in the block's shared memory.
using SymbolAddresses = std::vector<uint64_t>;

/// Names of the machines that have a feature, for the hint of an error.
using MachinesWith = std::function<std::vector<std::string>(std::string_view feature)>;

/// Decodes a kernel for a machine: handler, rows, latencies and issue cycles of every instruction. Instructions that
/// the machine's `features:` lack are errors with their line. nullptr if there were errors.
std::unique_ptr<const CompiledKernel> decode(std::shared_ptr<const ptx::Module> module, const ptx::Kernel& kernel,
                                             const SymbolAddresses& addresses, const MachineConfig& machine,
                                             Diagnostics& diagnostics, const MachinesWith& machines_with = {},
                                             const Assumptions& assumptions = {});

/// `decode` with the handlers of a given host instruction set.
std::unique_ptr<const CompiledKernel> decode_with(const HandlerTable& handlers,
                                                  std::shared_ptr<const ptx::Module> module, const ptx::Kernel& kernel,
                                                  const SymbolAddresses& addresses, const MachineConfig& machine,
                                                  Diagnostics& diagnostics, const MachinesWith& machines_with = {},
                                                  const Assumptions& assumptions = {});

}  // namespace warptime::sim
