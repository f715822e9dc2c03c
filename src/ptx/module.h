// A checked PTX module, the result of the front end. Every name is resolved, every instruction is one of the forms of
// its card, every branch has its target and reconvergence point. Plain data, without any timing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "ptx/isa/card.h"
#include "ptx/isa/types.h"
#include "ptx/native/later_code.h"
#include "ptx/native/native_code.h"
#include "ptx/user/location.h"

namespace warptime::ptx {

inline constexpr uint32_t kNoIndex = ~uint32_t{0};
/// Calls below a kernel, one within the other, but for those of functions that call themselves (recursion).
inline constexpr uint32_t kMaxCallDepth = 32;

// Special registers (PTX ISA 9.0, chapter 10) that instructions may read.
//        enumerator  spelling     varies by lane
#define PTX_SPECIALS(X)                             \
  X(TidX, "%tid.x", true)                           \
  X(TidY, "%tid.y", true)                           \
  X(TidZ, "%tid.z", true)                           \
  X(NtidX, "%ntid.x", false)                        \
  X(NtidY, "%ntid.y", false)                        \
  X(NtidZ, "%ntid.z", false)                        \
  X(CtaidX, "%ctaid.x", false)                      \
  X(CtaidY, "%ctaid.y", false)                      \
  X(CtaidZ, "%ctaid.z", false)                      \
  X(NctaidX, "%nctaid.x", false)                    \
  X(NctaidY, "%nctaid.y", false)                    \
  X(NctaidZ, "%nctaid.z", false)                    \
  X(LaneId, "%laneid", true)                        \
  X(WarpId, "%warpid", false)                       \
  X(NWarpId, "%nwarpid", false)                     \
  X(SmId, "%smid", false)                           \
  X(NSmId, "%nsmid", false)                         \
  X(GridId, "%gridid", false)                       \
  X(LanemaskEq, "%lanemask_eq", true)               \
  X(LanemaskLe, "%lanemask_le", true)               \
  X(LanemaskLt, "%lanemask_lt", true)               \
  X(LanemaskGe, "%lanemask_ge", true)               \
  X(LanemaskGt, "%lanemask_gt", true)               \
  X(TotalSmem, "%total_smem_size", false)           \
  X(AggrSmem, "%aggr_smem_size", false)             \
  X(DynamicSmem, "%dynamic_smem_size", false)       \
  X(GraphExec, "%current_graph_exec", false)        \
  X(EnvReg1, "%envreg1", false)                     \
  X(EnvReg2, "%envreg2", false)                     \
  X(ClusterIdX, "%clusterid.x", false)              \
  X(ClusterIdY, "%clusterid.y", false)              \
  X(ClusterIdZ, "%clusterid.z", false)              \
  X(NClusterIdX, "%nclusterid.x", false)            \
  X(NClusterIdY, "%nclusterid.y", false)            \
  X(NClusterIdZ, "%nclusterid.z", false)            \
  X(ClusterCtaidX, "%cluster_ctaid.x", false)       \
  X(ClusterCtaidY, "%cluster_ctaid.y", false)       \
  X(ClusterCtaidZ, "%cluster_ctaid.z", false)       \
  X(ClusterNctaidX, "%cluster_nctaid.x", false)     \
  X(ClusterNctaidY, "%cluster_nctaid.y", false)     \
  X(ClusterNctaidZ, "%cluster_nctaid.z", false)     \
  X(ClusterCtarank, "%cluster_ctarank", false)      \
  X(ClusterNctarank, "%cluster_nctarank", false)    \
  X(ExplicitCluster, "%is_explicit_cluster", false) \
  X(Clock, "%clock", false)                         \
  X(ClockHi, "%clock_hi", false)                    \
  X(Clock64, "%clock64", false)                     \
  X(GlobalTimer, "%globaltimer", false)             \
  X(GlobalTimerLo, "%globaltimer_lo", false)        \
  X(GlobalTimerHi, "%globaltimer_hi", false)

enum class Special : uint8_t {
#define X(name, spelling, by_lane) name,
  PTX_SPECIALS(X)
#undef X
      Count
};
std::string_view name(Special special);
constexpr bool varies_by_lane(Special special) {
  switch (special) {
#define X(name, spelling, by_lane) \
  case Special::name: return by_lane;
    PTX_SPECIALS(X)
#undef X
    case Special::Count: break;
  }
  return false;
}
/// Those that have a value only when they are read.
constexpr bool is_clock(Special special) { return special >= Special::Clock; }

/// A variable: module scope (.global, .const, .shared) or kernel scope (.shared, .local, .param).
struct Symbol {
  std::string name;
  Space space = Space::None;
  Type type = Type::None;
  uint32_t alignment = 1;  // bytes
  uint64_t size = 0;       // bytes; 0 for an unsized extern array (dynamic shared memory)
  bool external = false;
  bool variadic = false;       // .param ...[]: the last argument of a device function, as large as its largest call's
  bool from_module = false;    // kernel scope: this kernel's own place for a module-scope .shared or .local variable
  bool passed = false;         // .param of a device function or of a call: each thread's own, in register rows
  bool addressed = false;      // an argument of a device function whose address is taken (addressed_parameters.h)
  bool by_activation = false;  // .local of a function that may be active several times: each time at another place
  uint64_t offset = 0;  // .shared, .local, .param: offset in its space; .const, .global: offset in the module's image;
                        // `passed`: its first row, four bytes of every lane in each
  std::vector<std::byte> initial;  // empty: zeros. Otherwise `size` bytes
  struct Relocation {              // an initialiser that is another symbol's address
    uint64_t at;                   // byte offset in `initial`
    uint32_t symbol;               // index in Module::symbols; of a function, in Module::functions
    int64_t addend;
    bool generic;   // generic(symbol)
    uint8_t bytes;  // width of the stored address
    bool is_function = false;
    uint64_t mask = ~uint64_t{0};  // mask(symbol): these bits of the address, moved to the lowest place
  };
  std::vector<Relocation> relocations;
  std::string scope;  // module scope: the kernel or function in whose body it is declared and visible; empty: none
  SourceSpan where;
};

/// A virtual register of a kernel.
struct Register {
  std::string name;
  Type type = Type::None;
  uint32_t module_register = 0;  // not 0: a register of the module (PTX 1.x and 2.x), which code that calls shares
};

struct Operand {
  enum class Kind : uint8_t {
    None,
    Register,         // `index`: in Kernel::registers; `bits`: the characters of a selector (.b0), the first lowest
    Immediate,        // `bits`: the value in the operand's type (f32 as its 32 bits)
    Special,          // `index`: a Special
    SymbolAddress,    // `index`: in the table `symbol_scope` names; value is its address in its space + `bits`
    Memory,           // [register + bits], [symbol + bits] or [bits]: see `base`
    Vector,           // `index`, `count`: elements in Kernel::operands, from index on
    Label,            // `index`: instruction
    Table,            // `index`: in Kernel::branch_tables
    Function,         // `index`: in Module::functions; of a call through a register, its prototype
    FunctionAddress,  // `index`: in Module::functions; of a kernel, whose address is taken: what stands for it there
    Parameter,        // of a call: a .param variable, `index` in Kernel::symbols
    Sink,             // '_': a destination that is dropped
  };
  enum class Base : uint8_t { None, Register, Symbol };
  enum class Scope : uint8_t { Module, Kernel };

  Kind kind = Kind::None;
  Base base = Base::None;       // of Memory
  Scope scope = Scope::Module;  // of SymbolAddress, and of Memory with base Symbol
  bool negated = false;         // a '!' before a predicate, a '-' before another register
  bool destination = false;     // the instruction writes it (of a Vector: each element)
  bool accumulates = false;     // and reads it before
  uint8_t count = 0;            // of Vector
  Type type = Type::None;       // the type at which the operand is read or written
  uint32_t index = 0;
  uint64_t bits = 0;  // immediate; byte offset (two's complement) of an address
};

struct Instruction {
  const CardRow* card = nullptr;
  const Form* form = nullptr;
  ModSet mods;
  Type type = Type::None;
  Type type2 = Type::None;
  Type type3 = Type::None, type4 = Type::None;  // of products of matrices
  Space space = Space::None;                    // of ld, st, cvta, atom: None means generic
  uint8_t vector = 1;                           // .v2 .v4 .v8
  uint16_t columns = 0;                         // N of .m64nNk16, else 0
  uint32_t guard = kNoIndex;                    // predicate register, or kNoIndex
  bool guard_negated = false;
  bool begins_rolled_loop = false;    // .pragma "nounroll": a loop that begins here is not to be unrolled
  uint32_t first_operand = 0;         // in Kernel::operands
  uint16_t operand_count = 0;         // in the order of the card's operand list; absent optional ones have Kind::None
  uint32_t reconvergence = kNoIndex;  // of a branch that may diverge: the first instruction at which its lanes meet
  SourceSpan where;
  uint32_t line = 0;         // of the PTX text
  uint32_t location = 0;     // .loc: index in Module::locations, 0 none
  uint32_t source_file = 0;  // the line of the user (user/user_lines.h): index in Module::files, 0 none
  uint32_t source_line = 0;  // its number, 0 none
};

struct BasicBlock {
  uint32_t begin = 0, end = 0;       // instructions [begin, end)
  std::vector<uint32_t> successors;  // blocks; the exit block is blocks.size()
};

/// Where each virtual register lives while simulated. Registers whose live ranges never overlap share a row: 32 lanes
/// of 4 bytes (types up to 32 bits), two rows in a run for 64 bits. Predicates have masks of their own.
struct RegisterRows {
  std::vector<uint16_t> row_of;  // by register: first row, or predicate number
  uint16_t rows = 0;             // 128-byte rows
  uint16_t predicates = 0;
  std::vector<uint16_t> live_at_start;  // rows of registers that may be read before they are written
};

/// What a device function takes or gives: a .param variable, or a register (PTX 1.x; a vector is several of them).
struct Parameter {
  bool is_register = false;
  uint32_t index = 0;  // in `registers` or `symbols`
};

/// .branchtargets: labels as operands of the kernel.
struct BranchTable {
  std::string name;
  uint32_t first_operand = 0, count = 0;
};

/// A device function in the code of a kernel that calls it: one copy, however many calls there are.
struct LinkedFunction {
  uint32_t function = 0;                       // in Module::functions
  uint32_t first_instruction = 0;              // in the kernel
  uint32_t end = 0;                            // behind its last instruction
  uint32_t first_symbol = 0, symbols_end = 0;  // variables that it brought to the kernel's
  uint32_t cycle = 0;  // functions with the same number may call each other, directly or not; 0: none, nor itself
  std::vector<Parameter> results, arguments;  // as the kernel numbers registers and variables
};

/// Whether these are the operands of a call through a register: results, prototype, arguments, the register. Other
/// calls have no fourth.
inline bool is_indirect_call(std::span<const Operand> operands) {
  return operands.size() == 4 && operands[1].kind == Operand::Kind::Function;
}

/// The address of a device function as a number: below any of data, and not zero.
constexpr uint64_t function_address(uint32_t function) { return 16 * (uint64_t{function} + 1); }

/// A kernel (.entry), or a device function (.func). A kernel's code goes on, behind its own, with that of all functions
/// that it calls, directly or not; their registers, variables and branches are renamed into the kernel's.
struct Kernel {
  std::string name;
  bool is_entry = true;              // in Module::functions: it stands for a kernel's address
  bool has_body = true;              // false: a function of which there is only a declaration
  bool is_prototype = false;         // .callprototype, .calltargets: what calls through a register give and take
  bool reads_grid_barrier = false;   // %envreg1, %envreg2, which a cooperative launch sets: grid.sync() of CUDA
  std::vector<uint32_t> targets;     // .calltargets: the functions listed
  std::vector<uint32_t> parameters;  // in `symbols`, Space::Param, in order
  uint32_t parameter_bytes = 0;
  uint32_t parameter_read_end = 0;  // behind the last byte of parameter space that an instruction reads by a name
  std::vector<Parameter> results, arguments;  // of a device function
  std::vector<Symbol> symbols;                // kernel scope
  std::vector<Register> registers;
  std::vector<Operand> operands;
  std::vector<Instruction> instructions;
  std::vector<BranchTable> branch_tables;
  std::vector<LinkedFunction> functions;  // in the order of their code
  uint32_t own_instructions = 0;          // before the first function's
  uint32_t own_symbols = 0, own_tables = 0;
  uint32_t unsupported = kNoIndex;   // in Module::unsupported: its code is then empty, and it cannot run
  std::vector<BasicBlock> blocks;    // of its own instructions
  uint32_t static_shared_bytes = 0;  // its own and the module-scope .shared that it uses
  bool uses_dynamic_shared = false;
  uint32_t local_bytes = 0;                  // a thread
  uint32_t max_threads[3] = {0, 0, 0};       // .maxntid, 0: none
  uint32_t required_threads[3] = {0, 0, 0};  // .reqntid
  uint32_t max_registers = 0;                // .maxnreg, 0: none
  uint32_t min_blocks = 0;                   // .minnctapersm, 0: none
  SourceSpan max_registers_where, min_blocks_where;
  uint32_t required_cluster[3] = {0, 0, 0};  // .reqnctapercluster, 0: none
  uint32_t max_cluster_blocks = 0;           // .maxclusterrank, 0: none
  bool explicit_cluster = false;             // .explicitcluster: the launch has to name its cluster
  uint32_t estimated_registers = 0;          // general registers per thread (later_registers.h)
  uint32_t allocated_registers = 0;          // likewise, if a machine's register allocator has found them; else 0
  NativeCode native;                         // what a G80 makes of it, its own estimate of registers included
  LaterCode later;                           // what a later machine makes of it, where one asks; else empty
  std::vector<bool> parameter_is_address;    // by parameter: used only as an address (or marked .ptr)
  RegisterRows rows;
  uint32_t passed_rows = 0;  // of .param variables that are `passed`; among rows.rows, at its end
  SourceSpan where;

  std::span<const Operand> operands_of(const Instruction& i) const {
    return {operands.data() + i.first_operand, i.operand_count};
  }
  std::span<const Operand> targets_of(const BranchTable& table) const {
    return {operands.data() + table.first_operand, table.count};
  }
  /// The device function that an instruction belongs to; nullptr: none, it is the kernel's own.
  const LinkedFunction* function_of(uint32_t instruction) const;
};

struct Module {
  std::shared_ptr<const SourceText> source;
  uint16_t version = 0;                         // .version times ten: 9.0 is 90
  uint16_t target = 0;                          // sm_75 is 75
  char variant = 0;                             // the letter behind it: of sm_90a 'a'
  bool map_f64_to_f32 = false;                  // .target ..., map_f64_to_f32
  uint8_t address_bytes = 4;                    // .address_size / 8
  std::vector<std::string> files;               // .file, index from 1 (entry 0 is empty)
  std::vector<Location> locations;              // .loc, index from 1; a place of a call comes before what is inlined
  std::vector<std::string> location_functions;  // mangled; index from 1
  std::vector<Symbol> symbols;                  // module scope
  std::vector<Kernel> kernels;
  std::vector<Kernel> functions;  // device functions, in order of their first declaration; nothing is linked to them
  std::vector<uint32_t> addressed_functions;  // those whose address is taken somewhere, in order, each once
  uint64_t const_bytes = 0;                   // of all .const symbols
  uint64_t global_bytes = 0;                  // of all .global symbols

  /// What bodies use that warptime does not support or know. The kernels of other bodies can run.
  std::vector<std::vector<Diagnostic>> unsupported;

  const Kernel* find_kernel(std::string_view name) const;
};

/// Why a kernel cannot run: what is not supported in it and in the functions that it calls, directly or not.
std::vector<Diagnostic> unsupported_of(const Module& module, const Kernel& kernel);
/// Makes a kernel or function one that cannot run.
void add_unsupported(Module& module, Kernel& kernel, std::vector<Diagnostic> problems);

/// One instruction as PTX text, names resolved ("fma.rn.f32 %f3, %f1, %f2, %f3;"), without its guard if `guard` is
/// false.
std::string to_text(const Module& module, const Kernel& kernel, const Instruction& instruction, bool guard = true);

/// The whole module as PTX text, from which `load_module` reads the same module again, without kernels that cannot run.
std::string to_text(const Module& module);

}  // namespace warptime::ptx
