// A random program as a tree of statements, so that it can be shrunk: whatever statement is taken out, what is left is
// a program with one meaning. Registers are set before the first statement, every branch and its target are lines of
// one statement, and a statement that needs a barrier or a mask of lanes brings it along.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warptime::sim {

/// Lines of PTX with bodies between them: lines[0] bodies[0] lines[1] ...; always one more lines than bodies.
struct Statement {
  std::vector<std::string> lines;
  std::vector<std::vector<Statement>> bodies;
  bool sheds = false;  // its bodies mean something without it

  Statement() = default;
  Statement(std::string text) : lines{std::move(text)} {}  // NOLINT: implicit on purpose
};

struct Routine {
  std::string head, tail;
  std::vector<Statement> body;
};

/// Blocks of a program and what they share.
struct ProgramShape {
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  uint32_t blocks() const { return grid[0] * grid[1] * grid[2]; }
  uint32_t block_threads() const { return block[0] * block[1] * block[2]; }
  uint32_t threads() const { return blocks() * block_threads(); }
};

/// `.entry k(.param .u64 in, .param .u64 out)`. `in`: kInputWords words that follow from the seed. `out`: words that
/// all threads change by atomic operations, then a record for each thread (scratch memory, and what was in its
/// registers at its end).
struct Program {
  uint64_t seed = 0;
  ProgramShape shape;
  std::string declarations;
  std::vector<Routine> routines;      // device functions, then the kernel
  bool barriers_in_branches = false;  // lanes of a warp wait at different barrier instructions (compute capability 7.0)
};

inline constexpr uint32_t kInputWords = 1024, kSumBytes = 256, kRecordBytes = 256;

std::string text_of(const Program& program);
uint64_t output_bytes(const Program& program);
std::vector<uint64_t> input_of(const Program& program);
/// What is in `out` before the launch.
std::vector<uint64_t> initial_output(const Program& program);

/// How many statements there are.
size_t statement_count(const Program& program);

/// FNV-1a, 64 bits.
uint64_t hash_of(const void* bytes, size_t count);

/// A program's output as it is kept: hash of its text and of all of the output (8 bytes each), then 2 bytes of the hash
/// of each record, that of the common words first.
std::string digest_of(const Program& program, const std::vector<uint64_t>& output);
/// What differs between two digests, in words; empty if nothing.
std::string digest_difference(const std::string& expected, const std::string& got);

}  // namespace warptime::sim
