// The native instructions of a G80 for each PTX instruction: their number (envytools, "CUDA instruction set"), their
// pipe, and the operands that they read directly from memory. This is a cost, not a program: values are computed by the
// PTX. Rules are in native_code.cc, sequences in recipe_table.cc; docs/native-cost.md gives their sources.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/isa/card.h"

namespace warptime::ptx {

// The reason of an instruction's cost.
//        enumerator    what `warptime ptx --native` prints
#define PTX_NATIVE_RULES(X)                                                        \
  X(Recipe, "")                                                                    \
  X(ExitBit, "a bit of the instruction before it")                                 \
  X(NoCode, "no code")                                                             \
  X(AddressIs32Bits, "addresses have 32 bits: only the low half is needed")        \
  X(SameRegister, "the same register")                                             \
  X(Immediate, "an immediate operand where it is used")                            \
  X(OperandOfReader, "operand of the instruction that reads it")                   \
  X(OperandOfReaders, "operand of each instruction that reads it")                 \
  X(NeededInRegister, "some reader needs it in a register")                        \
  X(PostIncrement, "post-increment of the address register")                       \
  X(SetsAddressRegister, "and into an address register")                           \
  X(NoAddressRegisterFree, "all address registers are taken: set for this access") \
  X(Flags, "flags of the instruction that computes the value")                     \
  X(GlobalOffset, "an address of g[] has no offset: added for this access")        \
  X(SmallNumbers, "both factors have at most 24 bits")                             \
  X(PowerOfTwo, "a factor is a power of two")                                      \
  X(ShiftAndAdd, "a factor is a power of two: shift and add")                      \
  X(Modifier, "a sign where it is used")                                           \
  X(CommonReduction, "the range reduction of the one before it")                   \
  X(OneEach, "one for each 32 bits")                                               \
  X(Prologue, "and the stack pointer, and where global and shared memory are")     \
  X(ProductAndSum, "the product that it adds")                                     \
  X(Rotation, "there is no rotation")

enum class NativeRule : uint8_t {
#define X(name, text) name,
  PTX_NATIVE_RULES(X)
#undef X
};
std::string_view text_of(NativeRule rule);

/// An operand that the instruction reads from s[] or c[] itself. At most one of each.
struct MemoryOperand {
  static constexpr uint8_t kNone = 0xff;
  uint8_t position = kNone;  // in the PTX instruction's operands: a register that a load elsewhere filled
  bool fixed = false;        // at an address that is the same for all threads: no conflict
};

struct NativeInstruction {
  uint16_t sp = 1;             // native instructions that the SPs take: all but the special functions
  uint16_t sfu = 0;            // special functions
  uint16_t address_steps = 0;  // of sp: setting an address register
  uint16_t in_4_bytes = 0;     // of both (code_bytes.h); the others have 8
  /// If there are several steps: those in a chain, each of which needs the result of the one before it, and the others.
  uint16_t chain_sp = 0, chain_sfu = 0, parallel = 0;
  uint16_t words = 0;    // of an access on chip (s[], c[]): 32-bit moves from or to it, among sp
  bool on_chip = false;  // it is one; if it is a load and moves nothing, its readers do
  Latency latency = Latency::IntAlu;
  NativeRule rule = NativeRule::Recipe;
  MemoryOperand shared, constant;
  std::string_view steps;  // native mnemonics, as in the recipe table

  uint32_t slots() const { return uint32_t{sp} + sfu; }
};

struct NativeCode {
  std::vector<NativeInstruction> instructions;  // by PTX instruction
  uint32_t registers = 0;                       // general registers per thread (native_registers.cc)
};

struct Kernel;

/// `native` on a G80 that rotates in one slot, by any amount (`native_cost: g80_rotate`).
NativeInstruction with_rotation(NativeInstruction native);

/// The native code for the instructions that the kernel or function has at the time; needs its blocks.
NativeCode find_native_code(const Kernel& kernel);

/// A line for each PTX instruction: native instructions, slots, why. For `warptime ptx --native`.
struct Module;
std::string native_listing(const Module& module, const Kernel& kernel);

}  // namespace warptime::ptx
