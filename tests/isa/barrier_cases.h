// What barriers do whose thread counts, arrivals and exits are unusual: small kernels that an NVIDIA GPU has run
// (recorded/barriers.txt, recorder/record_barriers.cc) and that simulated machines run.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warptime::sim {

struct BarrierCase {
  std::string name;
  uint32_t threads = 0;          // of the one block
  std::vector<uint32_t> counts;  // in the registers %c0, %c1 ...: the compiler does not know them
  std::string body;              // leaves a word in %r1 for each thread
  bool parts_warps = false;      // lanes of a warp wait at different places: legal from sm_70 on
};

std::vector<BarrierCase> barrier_cases();

/// Kernel "k": the counts are at its first parameter, each thread's word goes to its second.
std::string text_of(const BarrierCase& c);

inline constexpr uint32_t kMostCounts = 4;
inline constexpr uint32_t kNothing = 0xffffffff;  // the word of a thread that has not come to the end

/// How a kernel ended, and the threads' words, as "1 x 32, 2 x 32".
struct BarrierOutcome {
  enum class End { Complete, Hang, Fault, Refused };
  End end = End::Complete;
  std::vector<uint32_t> words;
  std::string message;  // of a fault or a refusal
};
std::string to_text(const BarrierOutcome& outcome);

/// Lines "name: outcome"; lines that begin with # say where they are from.
std::map<std::string, std::string> read_barrier_outcomes(const std::string& path);

}  // namespace warptime::sim
