// A register that no lane has written is zero, whatever the last block in the warp's place left there. Only those are
// cleared that may be read before they are written; each program here reads one, and leaves 9 in it.
#include "unit/host/kernels/run_with_words.h"

namespace warptime::host {

namespace {

struct EarlyRead {
  const char* name;
  const char* functions;
  const char* body;                    // %t: the thread; to %a
  uint32_t (*value)(uint32_t thread);  // what it finds there
};

constexpr EarlyRead kEarlyReads[] = {
    {"a guarded write", "", "@%p mov.u32 %a, 7;", [](uint32_t t) { return t % 2 == 1 ? 7u : 0u; }},
    {"one side of a branch", "",
     "@!%p bra BEHIND; mov.u32 %a, 7; BEHIND:", [](uint32_t t) { return t % 2 == 1 ? 7u : 0u; }},
    {"a lane that is off", "",
     "mov.u32 %a, 0; @!%p bra BEHIND; mov.u32 %x, 7; shfl.sync.idx.b32 %a, %x, 0, 31, 0xaaaaaaaa; BEHIND:",
     [](uint32_t) { return 0u; }},
    {"a function's register",
     ".func (.param .b32 r) f (.param .b32 n) { .reg .b32 %x; .reg .pred %q; ld.param.b32 %x, [n]; setp.eq.u32 %q, %x, "
     "1;"
     " .reg .b32 %y; @%q mov.b32 %y, 7; st.param.b32 [r], %y; mov.b32 %y, 9; st.shared.b32 [left], %y; ret; }",
     "{ .param .b32 x, y; and.b32 %x, %t, 1; st.param.b32 [x], %x; call (y), f, (x); ld.param.b32 %a, [y]; }",
     [](uint32_t t) { return t % 2 == 1 ? 7u : 0u; }},
};

}  // namespace

TEST_CASE("a register that was not written is zero in every block") {
  constexpr uint32_t kBlocks = 512, kThreads = 32;
  for (const WayToRun& how : {WayToRun{"jetson-tk1", false}, WayToRun{"jetson-tk1", true}, WayToRun{"generic", true}}) {
    for (const EarlyRead& early : kEarlyReads) {
      INFO(how.machine << (how.functional ? " functional: " : ": ") << early.name);
      auto found = run_with_words(how,
                                  R"(.version 6.0
.target sm_30
.address_size 64
.shared .align 4 .b32 left;
)" + std::string(early.functions) + R"(
.visible .entry k(.param .u64 out)
{
  .reg .b32 %t, %i, %a, %x, %odd; .reg .b64 %rd<4>; .reg .pred %p;
  mov.u32 %t, %tid.x; mov.u32 %i, %ctaid.x; mad.lo.u32 %i, %i, 32, %t;
  and.b32 %odd, %t, 1; setp.eq.u32 %p, %odd, 1;
  ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %i, 4; add.u64 %rd2, %rd1, %rd2;
)" + early.body + R"(
  st.global.u32 [%rd2], %a;
  st.shared.b32 [left], %t; st.shared.b32 [left], %i; st.shared.b32 [left], %odd;  // so none had the row of %x
  mov.u32 %a, 9; mov.u32 %x, 9; st.shared.b32 [left], %a; st.shared.b32 [left], %x;
  ret;
})",
                                  std::vector<uint32_t>(kBlocks * kThreads, 1), kBlocks, kThreads);
      for (uint32_t i = 0; i < found.size(); ++i) {
        if (found[i] == early.value(i % kThreads)) continue;
        FAIL("thread " << i << " found " << found[i]);
      }
    }
  }
}

}  // namespace warptime::host
