// call{.uni} (result, ...), function, (argument, ...);  PTX ISA 9.0, 9.7.12.5.
#pragma once

#include "ptx/syntax/operand_checker.h"

namespace warptime::ptx {

/// Everything after the mnemonic, up to the ';'. Gives the instruction three operands: the results (a Vector, or None),
/// the Function, and the arguments. False after a diagnostic.
bool parse_call(FrontEnd& fe, Kernel& kernel, OperandChecker& checker, SourceSpan where, Instruction& instruction);

}  // namespace warptime::ptx
