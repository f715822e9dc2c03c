// The forms of wgmma that are recorded on a real GPU, and how each is run: a kernel whose blocks are one warpgroup,
// each with shared memory, accumulators and fragments of A of its own. Recorder and test make instructions, numbers and
// kernels with these functions, so that only results are kept.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ptx/isa/types.h"

namespace warptime::sim {

inline constexpr uint32_t kWgmmaBlocks = 16;  // of a form
inline constexpr uint32_t kWgmmaThreads = 128;
inline constexpr uint32_t kWgmmaShared = 48 * 1024;  // bytes that kernels fill
inline constexpr uint32_t kWgmmaB = 16 * 1024;       // where B is in shared memory; A is at its beginning

/// How a matrix lies in shared memory: the fields of its descriptor (PTX ISA 9.0, 9.7.15.5.1).
struct WgmmaOperand {
  bool in_registers = false;
  uint32_t swizzle = 0;  // bytes: 0 (none), 32, 64, 128
  bool by_mn = false;    // M or N is the major dimension, not K
  uint32_t start = 0;    // bytes behind the beginning of its part of shared memory
  uint32_t leading = 0, stride = 0;
  uint32_t base_offset = 0;
};

struct WgmmaForm {
  enum class Contents : uint8_t {
    Numbers,  // of all kinds
    Few,      // most are zero, and the others have far exponents: shows which products are added up together
    Places,   // f16 numbers that say where each element is: its number modulo 1024, or divided by it
  };
  uint32_t n = 8, k = 16;
  ptx::Type d = ptx::Type::F32, a = ptx::Type::F16, b = ptx::Type::F16;
  bool sparse = false;
  uint32_t selector = 0;  // of sparse metadata
  bool satfinite = false;
  WgmmaOperand a_at, b_at;
  bool scale_d = true;
  int scale_a = 1, scale_b = 1;
  uint32_t groups = 1, each = 1;  // groups of so many products, all on top of each other
  Contents contents = Contents::Numbers;
  bool upper_digits = false;  // of Places
  bool places_of_a = false;   // else of B

  uint32_t a_registers() const { return 4; }
  uint32_t d_registers() const { return d == ptx::Type::F16 ? n / 4 : n / 2; }
  std::string spelled() const;
  /// The words and the descriptors: names the form.
  std::string name() const;
};

/// All types, all N; every way to lie in shared memory; scales, chains and sparse matrices.
std::vector<WgmmaForm> wgmma_forms();
/// What shows which bytes of shared memory a descriptor means: D is A or B.
std::vector<WgmmaForm> wgmma_place_forms();

/// Kernels k<first>, ... with the parameters .u64 operands, .u64 results.
std::string wgmma_module(std::span<const WgmmaForm> forms, size_t first);
/// The operands of all blocks.
std::vector<std::byte> wgmma_operands(const WgmmaForm& form);
size_t wgmma_result_bytes(const WgmmaForm& form);
/// A number for each block's results.
std::vector<uint64_t> wgmma_hashes(const WgmmaForm& form, std::span<const std::byte> results);

}  // namespace warptime::sim
