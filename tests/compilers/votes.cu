// Votes of a warp: all, any and ballots of the whole warp and of those lanes that took a branch.
#include "program.h"

#ifdef ON_GPU
#ifdef __clang__
#define ALL(mask, p) __nvvm_vote_all_sync(mask, p)
#define ANY(mask, p) __nvvm_vote_any_sync(mask, p)
#define BALLOT(mask, p) __nvvm_vote_ballot_sync(mask, p)
#else
#define ALL(mask, p) (__all_sync(mask, p) != 0)
#define ANY(mask, p) (__any_sync(mask, p) != 0)
#define BALLOT(mask, p) __ballot_sync(mask, p)
#endif

KERNEL {
  unsigned i = BLOCK * kBlockThreads + THREAD, lane = THREAD % 32, sum = 0;
  unsigned odd = BALLOT(0xffffffff, (in[i] & 1) != 0);
  sum = odd * 3 + ALL(0xffffffff, in[i] > 1000u) * 5u + ANY(0xffffffff, in[i] % 64 == 0) * 7u;
  if ((in[i] & 1) != 0) {
    unsigned before = POPCOUNT(odd & ((1u << lane) - 1));  // lanes below that came too
    sum += BALLOT(odd, (in[i] & 2) != 0) + before * 11;
    if (ANY(odd, before > 20)) sum ^= 0x5555;
  } else {
    sum -= BALLOT(~odd, (in[i] & 4) != 0);
  }
  out[i] = sum;
}
#else
REFERENCE {
  for (unsigned first = 0; first < kThreads; first += 32) {
    unsigned odd = 0, two = 0, four = 0;
    bool all = true, any = false;
    for (unsigned lane = 0; lane < 32; ++lane) {
      unsigned v = in[first + lane];
      odd |= (v & 1) << lane;
      two |= (v >> 1 & v & 1) << lane;
      four |= (v >> 2 & ~v & 1) << lane;
      all &= v > 1000;
      any |= v % 64 == 0;
    }
    for (unsigned lane = 0; lane < 32; ++lane) {
      unsigned sum = odd * 3 + all * 5u + any * 7u;
      if ((odd >> lane & 1) != 0) {
        sum += two + POPCOUNT(odd & ((1u << lane) - 1)) * 11;
        if (POPCOUNT(odd) > 21) sum ^= 0x5555;
      } else {
        sum -= four;
      }
      out[first + lane] = sum;
    }
  }
}
#endif
