// Programs with exits before, inside and after divergent branches, loops and barriers, deterministic from a seed. Each
// of the exits' instructions has one in the same program without exits that takes its place, so both execute the same
// number of warp instructions if no lane exits and lanes reconverge at the same places.
#pragma once

#include <cstdint>
#include <string>

namespace warptime::sim {

struct ExitProgram {
  uint32_t threads = 0;
  std::string with_exits, without;
};

/// `.entry k(.param .u64 out)`, which stores a word for each thread of one block. `taken`: some lanes take some of the
/// exits; otherwise none does.
ExitProgram exit_program(uint64_t seed, bool taken);

}  // namespace warptime::sim
