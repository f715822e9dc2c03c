// The native instructions of a later machine (compute capability 7.0 to 9.0) for each PTX instruction: their number,
// the pipe of each, and those that wait for each other. As on a G80 (native_code.h) this is a cost, not a program:
// values are computed by the PTX. Rules are in later_code.cc, sequences in later_recipes.cc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ptx/native/native_code.h"

namespace warptime::ptx {

/// What executes a native instruction.
enum class NativePipe : uint8_t {
  Fma,      // sums and products of f32 and f16
  Product,  // integer products
  Alu,      // integer sums, logic, shifts, comparisons, minima
  Either,   // a sum, shift or move that the assembler can write for Product or for Alu: it goes to the one with less
            // work
  Xu,       // special functions, most conversions, counts of bits
  Double,   // f64
  Tensor,   // products of matrices
  Memory,   // the load/store unit
  Uniform,  // values that are the same for the warp: it takes an issue slot, and its pipe is never the limit
  Control,  // the warp scheduler alone
};
inline constexpr size_t kNativePipes = 10;

struct LaterInstruction {
  std::string_view steps;                      // native mnemonics, as in the recipe table
  std::array<uint16_t, kNativePipes> count{};  // native instructions by pipe
  std::array<uint16_t, kNativePipes> chain{};  // of these, those that wait for the one before, and the first
  uint16_t wide = 0;                           // products among them that take twice as long (upper halves)
  uint16_t wide_in_chain = 0;
  // Waits within the chain: predicates that guard its next instruction, special functions behind other instructions,
  // branches over code for rare values, and the points where lanes meet behind it.
  uint16_t guards = 0, specials = 0, branches = 0, joins = 0;
  uint16_t halves = 0;          // f16 arithmetic in the chain
  bool begins_special = false;  // the first one takes the pipe of special functions
  NativeRule rule = NativeRule::Recipe;
  uint32_t part_of = ~uint32_t{0};  // without steps: the instruction with which it issues; none: no code

  uint32_t slots() const {
    uint32_t all = 0;
    for (uint16_t n : count) all += n;
    return all;
  }
  uint16_t& at(NativePipe pipe) { return count[static_cast<size_t>(pipe)]; }
  uint32_t of(NativePipe pipe) const { return count[static_cast<size_t>(pipe)]; }
  uint32_t chain_of(NativePipe pipe) const { return chain[static_cast<size_t>(pipe)]; }
};

/// By PTX instruction.
using LaterCode = std::vector<LaterInstruction>;

struct Kernel;
/// The native code for the instructions that the kernel or function has at the time; needs its blocks. `capability`:
/// ten times the compute capability, 70 to 90.
LaterCode find_later_code(const Kernel& kernel, uint32_t capability);

}  // namespace warptime::ptx
