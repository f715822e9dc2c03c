// Constant expressions (PTX ISA 9.0, 4.5.3-4.5.5): C operators on 64-bit integers and f64, evaluated while parsing.
#pragma once

#include "ptx/syntax/constant.h"
#include "ptx/syntax/token_stream.h"

namespace warptime::ptx {

/// Whether the next token can begin a constant expression.
bool begins_constant(const TokenStream& tokens);

/// Parses and evaluates; false after a diagnostic.
bool parse_constant(TokenStream& tokens, Constant* out);
/// An integer constant in [low, high]; `what` names it in messages ("an alignment"). Without operators in <10>, where a
/// '>' follows.
bool parse_integer(TokenStream& tokens, std::string_view what, uint64_t low, uint64_t high, uint64_t* out,
                   bool with_operators = true);

}  // namespace warptime::ptx
