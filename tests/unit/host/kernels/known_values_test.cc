// Copies of special registers, constants and kernel parameters are read where they come from, if that is what every
// reader finds. Each program here writes some, and some of them in ways that must not be taken for such copies.
#include "unit/host/kernels/run_with_words.h"

namespace warptime::host {

namespace {

struct Copies {
  const char* name;
  const char* body;                                    // %t: the thread, %b: the block; to %a
  uint32_t (*value)(uint32_t thread, uint32_t block);  // what it finds there
};

constexpr Copies kCopies[] = {
    {"a copy of a copy", "mov.u32 %x, %ctaid.x; mov.b32 %y, %x; mad.lo.u32 %a, %y, 1000, %t;",
     [](uint32_t t, uint32_t b) { return 1000 * b + t; }},
    {"lanes and warps", "mov.u32 %x, %laneid; mov.u32 %y, %tid.x; sub.u32 %y, %y, %x; mad.lo.u32 %a, %y, 100, %x;",
     [](uint32_t t, uint32_t) { return t / 32 * 32 * 100 + t % 32; }},
    {"the grid", "mov.u32 %x, %ntid.x; mov.u32 %y, %nctaid.x; mad.lo.u32 %a, %x, 1000, %y;",
     [](uint32_t, uint32_t) { return 96 * 1000u + 24; }},
    {"two writes", "mov.u32 %x, 5; @%p mov.u32 %x, 7; mov.u32 %a, %x;",
     [](uint32_t t, uint32_t) { return t % 2 == 1 ? 7u : 5u; }},
    {"a guarded write", "@%p mov.u32 %x, 7; mov.u32 %a, %x;",
     [](uint32_t t, uint32_t) { return t % 2 == 1 ? 7u : 0u; }},
    {"a write on one way", "@!%p bra BEHIND; mov.u32 %x, %ntid.x; BEHIND: add.u32 %a, %x, 1;",
     [](uint32_t t, uint32_t) { return t % 2 == 1 ? 97u : 1u; }},
    {"a write behind its reader in the text",
     "bra WRITES; READS: add.u32 %a, %x, 1; bra DONE; WRITES: mov.u32 %x, 3; "
     "bra READS; DONE:",
     [](uint32_t, uint32_t) { return 4u; }},
    {"the round before",
     "mov.u32 %y, 0; mov.u32 %a, 0; ROUND: add.u32 %a, %a, %x; mov.u32 %x, %ctaid.x; "
     "add.u32 %y, %y, 1; setp.lt.u32 %q, %y, 3; @%q bra ROUND;",
     [](uint32_t, uint32_t b) { return 2 * b; }},
    {"halves of a parameter",
     "ld.param.u32 %x, [out]; ld.param.u32 %y, [out+4]; mov.b64 %rd1, {%x, %y}; "
     "add.u32 %a, %t, 2;",
     [](uint32_t t, uint32_t) { return t + 2; }},
    {"bytes of a parameter",
     "ld.param.u8 %x, [out+1]; ld.param.u32 %y, [out]; shr.u32 %y, %y, 8; and.b32 %y, %y, 255; "
     "sub.u32 %a, %x, %y;",
     [](uint32_t, uint32_t) { return 0u; }},
    {"addresses",
     "cvta.to.global.u64 %rd3, %rd1; mov.u64 %rd1, %rd3; mov.u32 %x, word; mov.u32 %y, word; "
     "st.shared.u32 [%x], 11; ld.shared.u32 %a, [%y];",
     [](uint32_t, uint32_t) { return 11u; }},
    {"the time",
     "mov.u32 %x, %clock; mov.u32 %y, %clock; sub.u32 %y, %y, %x; setp.lt.u32 %q, %y, 1; selp.u32 %a, 1, 0, "
     "%q;",
     [](uint32_t, uint32_t) { return 0u; }},
};

}  // namespace

TEST_CASE("copies of what was known before the launch have its value") {
  constexpr uint32_t kBlocks = 24, kThreads = 96;
  for (const WayToRun& how : {WayToRun{"jetson-tk1", false}, WayToRun{"jetson-tk1", true}, WayToRun{"generic", true}}) {
    for (const Copies& copies : kCopies) {
      if (how.functional && std::string_view(copies.name) == "the time") continue;
      INFO(how.machine << (how.functional ? " functional: " : ": ") << copies.name);
      auto found = run_with_words(how,
                                  R"(.version 6.0
.target sm_30
.address_size 64
.shared .align 4 .b32 word;
.visible .entry k(.param .u64 out)
{
  .reg .b32 %t, %b, %i, %a, %x, %y, %odd; .reg .b64 %rd<4>; .reg .pred %p, %q;
  mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mad.lo.u32 %i, %b, 96, %t;
  and.b32 %odd, %t, 1; setp.eq.u32 %p, %odd, 1;
  ld.param.u64 %rd1, [out];
)" + std::string(copies.body) + R"(
  mul.wide.u32 %rd2, %i, 4; add.u64 %rd2, %rd1, %rd2;
  st.global.u32 [%rd2], %a;
  ret;
})",
                                  std::vector<uint32_t>(kBlocks * kThreads, 1), kBlocks, kThreads);
      for (uint32_t i = 0; i < found.size(); ++i) {
        if (found[i] == copies.value(i % kThreads, i / kThreads)) continue;
        FAIL("thread " << i << " found " << found[i]);
      }
    }
  }
}

}  // namespace warptime::host
