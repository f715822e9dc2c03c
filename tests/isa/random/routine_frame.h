// What stands around the statements of a random program: module variables, the registers of a routine and their first
// values, what a kernel leaves behind, and how functions are called.
#pragma once

#include "operations.h"
#include "program.h"

namespace warptime::sim {

/// .func (b64) f(b64 a, b64 b, b32 c, b64 in, b64 out, b32 mask, b32 depth). No function calls itself, so depth is 0.
/// With arrays: .func (16 bytes) f(..., 32 bytes).
struct Function {
  std::string name;
  bool by_register = false;  // parameters are registers, else of the .param space
  bool arrays = false;       // never by register
  bool masked = false;       // its caller says which lanes come
  bool exits = false;        // threads may end in it
};

std::string module_declarations(uint64_t seed, const std::string& version_and_target);
/// `names`: statements use %c, %m and %e up to this number.
std::string kernel_head(const ProgramShape& shape, uint32_t names);
std::string kernel_tail();
std::string function_head(const Function& function, uint32_t names);
std::string function_tail(const Function& function);
/// Lanes may return here.
std::string early_return(Operations& operations, const Function& function);
std::string call_text(Operations& operations, const Function& function, const std::string& mask);

}  // namespace warptime::sim
