// Allocates the four 16-bit address registers $a1 to $a4, through which s[] and c[] are addressed and which an access
// may increment by a constant (post-increment; envytools, CUDA instruction set): finds the PTX registers that hold such
// addresses, and selects those that get one.
#pragma once

#include <vector>

#include "ptx/native/value_origin.h"

namespace warptime::ptx {

inline constexpr uint32_t kAddressRegisters = 4;

struct AddressRegisters {
  std::vector<bool> is_base;       // by register: an access to s[] or c[] goes through it
  std::vector<bool> only_address;  // it serves for nothing else but stepping itself
  std::vector<bool> assigned;      // it has an address register wherever it is live
};

AddressRegisters assign_address_registers(const Kernel& kernel, const RegisterFacts& facts, const Origins& origins);

/// A load, store or atomic operation of s[] or c[].
bool accesses_on_chip(const Instruction& instruction);
/// add or sub of a constant to the register itself.
bool steps_itself(const Kernel& kernel, const Instruction& instruction);

}  // namespace warptime::ptx
