// The forms that golden vectors are recorded for, and how each is run: one kernel a form that loads the operands of its
// lane, executes the instruction (or the short sequence that makes it observable) and stores the bits of the results.
// The recorder and the test make forms, operands and PTX text with these functions, so that only results are kept.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cases.h"

namespace warptime::sim {

inline constexpr uint32_t kVectorLanes = 768, kVectorBlock = 256;
/// Bytes of a lane in the kernels' output: four results, and a word of its own for memory operations.
inline constexpr uint32_t kVectorStride = 64;

struct VectorForm {
  struct Register {
    std::string name;  // "%a_f32": the letter says what it is (d q r s: results; a b c e f g: operands), then its type
    ptx::Type type;
    bool operator==(const Register&) const = default;
  };
  std::string text;  // as in the kernel; names the form
  std::vector<Register> operands, results, others;
  bool unsynchronized = false;  // vote, shfl without .sync: compilers take them for targets before sm_70 alone
  std::optional<Case> single;   // the form is one instruction of a card that computes lanes
};

/// Every spelling of every card that computes lanes, then the sequences of vector_sequences.cc.
std::vector<VectorForm> vector_forms();
VectorForm form_of(std::string text);
std::vector<std::string> vector_sequences();
/// Those of vector_groups.cc: .sync instructions whose member masks part the warp.
std::vector<std::string> vector_groups();
/// Video instructions, numbers of 8 bits, vectors in memory, registers of 128 bits.
std::vector<std::string> vector_video();

/// The values of a form's operands, lane after lane: tuples of edge values, random ones, and a few values crossed. They
/// follow from the types alone.
std::vector<uint64_t> vector_operands(const VectorForm& form);

/// A module of kernels k<first>, k<first+1>, ... (.param .u64 operands, .param .u64 results); unsynchronized forms need
/// one of their own.
std::string vector_module(std::span<const VectorForm> forms, size_t first);

/// The results as they are kept: one after the other, its lanes packed (a predicate: a bit each).
size_t packed_bytes(const VectorForm& form);
std::string packed(const VectorForm& form, std::span<const std::byte> output);
/// The bits of one result in one lane.
uint64_t packed_value(const VectorForm& form, const std::string& bytes, size_t result, uint32_t lane);

}  // namespace warptime::sim
