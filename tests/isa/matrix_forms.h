// The matrix instructions that are recorded on a real GPU, and how each is run: a kernel whose blocks are one warp,
// each with fragments of its own, which come from memory and go there as they are in the registers. The recorder and
// the test make instructions, numbers and kernels with these functions, so that only results are kept.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ptx/isa/types.h"

namespace warptime::sim {

inline constexpr uint32_t kMatrixFragments = 64;  // of a form
inline constexpr uint32_t kMatrixShared = 8192;   // bytes of shared memory that kernels fill before and show after
inline constexpr uint32_t kMatrixLanes = 32;

struct MatrixForm {
  struct Registers {
    char letter = 'a';  // %a0, %a1 ...
    uint32_t count = 0, bits = 32;
    ptx::Type element = ptx::Type::None;  // what they hold; None: metadata of sparse matrices
    bool pairs = false;                   // metadata: of numbers of which one in two counts (tf32)
  };
  std::string text;  // the instructions; names the form
  std::vector<Registers> operands, results;
  ptx::Type in_shared = ptx::Type::None;  // what shared memory holds before; None: the form does not use it
  bool shows_shared = false;              // what it holds after is a result
};

std::vector<MatrixForm> matrix_forms();

/// Kernels k<first>, ... with the parameters .u64 operands, .u64 results.
std::string matrix_module(std::span<const MatrixForm> forms, size_t first);
/// Bytes of all fragments before and after.
size_t operand_bytes(const MatrixForm& form);
size_t result_bytes(const MatrixForm& form);
/// Numbers of all kinds: moderate ones, any bits, subnormal ones, zeros, infinities and NaN, large ones, small
/// integers, far exponents: eight kinds, which fragments take in turn.
std::vector<std::byte> matrix_operands(const MatrixForm& form);

/// A number for each fragment's results: what is kept of them.
std::vector<uint64_t> fragment_hashes(const MatrixForm& form, std::span<const std::byte> results);

}  // namespace warptime::sim
