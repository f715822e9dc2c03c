// A warp caches the addresses in an address register until an instruction writes the register. These tests cover all
// ways to write one: instructions of every kind with a result, results that arrive late, calls, returns, the
// activations of recursive functions, and the next block in the warp's slot.
#include <functional>

#include "unit/host/kernels/run_with_words.h"

namespace warptime::host {

namespace {

/// What shared memory holds at an address: an address, too.
uint32_t word_at(uint32_t address) { return (address + 68) % 256; }

/// Sets %t to the thread, %rd2 to its word of the buffer, and each of the 64 words of `sh` to word_at().
constexpr const char* kFillsShared = R"(
  mov.u32 %t, %tid.x;
  ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %t, 4; add.u64 %rd2, %rd1, %rd2;
  shl.b32 %b, %t, 2;
  add.u32 %c, %b, 68; st.shared.u32 [%b], %c;
  add.u32 %b, %b, 128;
  add.u32 %c, %b, 68; and.b32 %c, %c, 255; st.shared.u32 [%b], %c;
  bar.sync 0;
)";

struct RegisterWriter {
  const char* name;
  const char* body;                           // writes %a, which is 4 t; %b is 4 t + 128, %p is t < 8
  std::function<uint32_t(uint32_t)> address;  // that is in %a then
};

/// What the buffer holds before.
uint32_t given(uint32_t lane) { return lane * 28 % 256; }

const RegisterWriter kRegisterWriters[] = {
    {"arithmetic", "add.u32 %a, %a, 12;", [](uint32_t t) { return 4 * t + 12; }},
    {"a guard", "@%p mov.u32 %a, %b;", [](uint32_t t) { return 4 * t + (t < 8 ? 128 : 0); }},
    {"lanes that part",
     "@!%p bra AROUND; mov.u32 %a, %b; AROUND:", [](uint32_t t) { return 4 * t + (t < 8 ? 128 : 0); }},
    {"the load itself", "ld.shared.u32 %a, [%a];", [](uint32_t t) { return word_at(4 * t); }},
    {"an element of a vector", "and.b32 %c, %t, 15; shl.b32 %c, %c, 3; ld.shared.v2.u32 {%c, %a}, [%c];",
     [](uint32_t t) { return word_at(t % 16 * 8 + 4); }},
    {"a load of global memory", "ld.global.u32 %a, [%rd2];", given},
    {"a load of constant memory", "ld.const.u32 %a, [table+4];", [](uint32_t) { return 80; }},
    {"half of a wide register", "cvt.u64.u32 %rd3, %b; shl.b64 %rd3, %rd3, 32; mov.b64 {%c, %a}, %rd3;",
     [](uint32_t t) { return 4 * t + 128; }},
    {"a shuffle", "shfl.sync.idx.b32 %a|%q, %b, 5, 31, -1;", [](uint32_t) { return 148; }},
    {"a vote", "setp.eq.u32 %q, %t, 5; vote.sync.ballot.b32 %a, %q, -1;", [](uint32_t) { return 32; }},
    {"a barrier", "bar.red.popc.u32 %a, 0, %p;", [](uint32_t) { return 8; }},
    {"an atomic operation on shared memory", "atom.shared.add.u32 %a, [%b], 0;",
     [](uint32_t t) { return word_at(4 * t + 128); }},
    {"an atomic operation on global memory", "atom.global.add.u32 %a, [%rd2], 0;", given},
    {"a result", "{ .param .b32 x, y; st.param.b32 [x], %b; call (y), same, (x); ld.param.b32 %a, [y]; }",
     [](uint32_t t) { return 4 * t + 128; }},
};

}  // namespace

TEST_CASE("an instruction that writes a register invalidates its cached addresses") {
  for (const WayToRun& how : {WayToRun{"jetson-tk1", false}, WayToRun{"jetson-tk1", true}, WayToRun{"generic", true}}) {
    for (const RegisterWriter& writer : kRegisterWriters) {
      INFO(how.machine << (how.functional ? " functional: " : ": ") << writer.name);
      std::vector<uint32_t> words(32);
      for (uint32_t lane = 0; lane < 32; ++lane) words[lane] = given(lane);
      auto found = run_with_words(how,
                                  R"(.version 6.0
.target sm_30
.address_size 64
.const .align 4 .u32 table[2] = {40, 80};
.func (.param .b32 y) same (.param .b32 x)
{ .reg .b32 %r; ld.param.b32 %r, [x]; st.param.b32 [y], %r; ret; }
.visible .entry k(.param .u64 out)
{
  .reg .b32 %t, %a, %b, %c, %first, %then; .reg .b64 %rd<4>; .reg .pred %p, %q;
  .shared .align 8 .b32 sh[64];)" + std::string(kFillsShared) +
                                      R"(
  setp.lt.u32 %p, %t, 8;
  shl.b32 %a, %t, 2;
  ld.shared.u32 %first, [%a];
  ld.shared.u32 %first, [%a];
)" + writer.body + R"(
  ld.shared.u32 %then, [%a];
  shl.b32 %then, %then, 16; or.b32 %then, %then, %first;
  st.global.u32 [%rd2], %then;
  ret;
})",
                                  words);
      for (uint32_t lane = 0; lane < 32; ++lane) {
        CHECK((found[lane] & 0xffff) == word_at(4 * lane));
        CHECK(found[lane] >> 16 == word_at(writer.address(lane)));
      }
    }
  }
}

TEST_CASE("calls and returns that write registers invalidate cached addresses") {
  // f reads by its own register x, the kernel by the register that f's result is put into.
  for (const WayToRun& how : {WayToRun{"geforce-8800-gtx", false}, WayToRun{"geforce-8800-gtx", true}}) {
    INFO((how.functional ? "functional" : "timed"));
    auto found = run_with_words(how,
                                R"(.version 1.4
.target sm_10
.shared .align 8 .b32 sh[64];
.func (.reg .u32 r) f (.reg .u32 x) { ld.shared.u32 r, [x]; ret; }
.entry k(.param .u64 out)
{
  .reg .u32 %t, %a, %b, %c, %first, %then; .reg .u64 %rd<3>; .reg .u16 %h;
  mov.u16 %h, %tid.x; cvt.u32.u16 %t, %h;
  ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %t, 4; add.u64 %rd2, %rd1, %rd2;
  mov.u32 %a, sh;  // at 0
  shl.b32 %a, %t, 2;
  add.u32 %c, %a, 68; st.shared.u32 [%a], %c;
  add.u32 %b, %a, 128;
  add.u32 %c, %b, 68; and.b32 %c, %c, 255; st.shared.u32 [%b], %c;
  bar.sync 0;
  call (%first), f, (%a);
  call (%a), f, (%b);
  ld.shared.u32 %then, [%a];
  shl.b32 %then, %then, 16; or.b32 %then, %then, %first;
  st.global.u32 [%rd2], %then;
})",
                                std::vector<uint32_t>(32));
    for (uint32_t lane = 0; lane < 32; ++lane) {
      CHECK((found[lane] & 0xffff) == word_at(4 * lane));
      CHECK(found[lane] >> 16 == word_at(word_at(4 * lane + 128)));
    }
  }
}

TEST_CASE("an activation that goes on has its own addresses again") {
  // f(n) reads at 4 t + 16 n, calls f(n - 1), and reads there again: it gives three times the first, the second and
  // what the inner one gave.
  for (const WayToRun& how : {WayToRun{"geforce-8800-gtx", false}, WayToRun{"geforce-8800-gtx", true},
                              WayToRun{"jetson-tk1", false}, WayToRun{"generic", true}}) {
    INFO(how.machine << (how.functional ? " functional" : ""));
    auto found = run_with_words(how,
                                R"(.version 6.4
.target sm_30
.address_size 64
.shared .align 8 .b32 sh[64];
.func (.param .b32 r) f (.param .b32 n)
{
  .reg .b32 %n, %a, %sum, %v; .reg .pred %p; .param .b32 x, y;
  ld.param.b32 %n, [n];
  mov.u32 %a, %tid.x; shl.b32 %a, %a, 2; mad.lo.u32 %a, %n, 16, %a;
  ld.shared.u32 %sum, [%a];
  mul.lo.u32 %sum, %sum, 3;
  setp.eq.u32 %p, %n, 0;
  @%p bra DONE;
  sub.u32 %n, %n, 1; st.param.b32 [x], %n; call (y), f, (x);
  ld.shared.u32 %v, [%a]; add.u32 %sum, %sum, %v;
  ld.param.b32 %v, [y]; add.u32 %sum, %sum, %v;
DONE:
  st.param.b32 [r], %sum;
  ret;
}
.visible .entry k(.param .u64 out)
{
  .reg .b32 %t, %b, %c; .reg .b64 %rd<4>; .param .b32 x, y;
  mov.u32 %b, sh;  // at 0)" + std::string(kFillsShared) +
                                    R"(
  st.param.b32 [x], 5; call (y), f, (x); ld.param.b32 %c, [y];
  st.global.u32 [%rd2], %c;
  ret;
})",
                                std::vector<uint32_t>(32));
    for (uint32_t lane = 0; lane < 32; ++lane) {
      uint32_t expected = 3 * word_at(4 * lane);
      for (uint32_t n = 1; n <= 5; ++n) expected += 4 * word_at(4 * lane + 16 * n);
      CHECK(found[lane] == expected);
    }
  }
}

TEST_CASE("a block finds registers, predicates and addresses as if no other had been in its place") {
  // 300 blocks for at most 128 places. Each reads by registers and predicates that it has not written, then leaves
  // values in all of them. %z holds zero: the word there is 68, and the last one read by it is another.
  for (const WayToRun& how :
       {WayToRun{"geforce-8800-gtx", false}, WayToRun{"geforce-8800-gtx", true}, WayToRun{"generic", true}}) {
    INFO(how.machine << (how.functional ? " functional" : ""));
    constexpr uint32_t kBlocks = 300;
    auto found = run_with_words(how,
                                R"(.version 6.0
.target sm_30
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .b32 %t, %b, %c, %z, %v, %s; .reg .b64 %rd<4>, %w; .reg .pred %p;
  .shared .align 8 .b32 sh[64];)" + std::string(kFillsShared) +
                                    R"(
  ld.shared.u32 %v, [%z];
  add.u32 %v, %v, %z;
  cvt.u32.u64 %c, %w; add.u32 %v, %v, %c;
  @%p add.u32 %v, %v, 1000;
  mov.u32 %s, %ctaid.x; mad.lo.u32 %v, %s, 65536, %v;
  mov.u32 %c, %ntid.x; mul.lo.u32 %c, %c, %s; mul.wide.u32 %rd3, %c, 4; add.u64 %rd2, %rd2, %rd3;
  st.global.u32 [%rd2], %v;
  mov.u32 %z, 64; ld.shared.u32 %c, [%z];
  setp.ne.u32 %p, %c, 0;
  cvt.u64.u32 %w, %c;
  add.u32 %c, %t, %z; @%p st.shared.u32 [sh], %c;
  add.u64 %w, %w, 1; st.shared.u64 [sh], %w;
  ret;
})",
                                std::vector<uint32_t>(32 * kBlocks), kBlocks);
    for (uint32_t i = 0; i < 32 * kBlocks; ++i) CHECK(found[i] == i / 32 * 65536 + 68);
  }
}

TEST_CASE("a block that ended within calls leaves nothing to the next in its place") {
  // Every block stores the address of f's variable in the outermost activation and ends four activations further in.
  // Each has 12,000 bytes: the stack of two blocks would be too much for a thread.
  for (const WayToRun& how :
       {WayToRun{"geforce-8800-gtx", false}, WayToRun{"geforce-8800-gtx", true}, WayToRun{"generic", true}}) {
    INFO(how.machine << (how.functional ? " functional" : ""));
    constexpr uint32_t kBlocks = 300;
    auto found = run_with_words(how,
                                R"(.version 6.4
.target sm_30
.address_size 64
.func f (.param .b32 n, .param .b64 to)
{
  .reg .b32 %n; .reg .b64 %rd<3>; .reg .pred %p, %q; .local .align 8 .b8 own[12000]; .param .b32 x; .param .b64 y;
  ld.param.b32 %n, [n]; ld.param.b64 %rd1, [to];
  mov.u64 %rd2, own; st.local.u64 [%rd2], %rd1;
  setp.eq.u32 %p, %n, 4;
  @%p st.global.u64 [%rd1], %rd2;
  setp.eq.u32 %q, %n, 0;
  @%q exit;
  sub.u32 %n, %n, 1; st.param.b32 [x], %n; st.param.b64 [y], %rd1; call f, (x, y);
  ret;
}
.visible .entry k(.param .u64 out)
{
  .reg .b32 %t; .reg .b64 %rd<3>; .param .b32 x; .param .b64 y;
  mov.u32 %t, %ctaid.x;
  ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %t, 8; add.u64 %rd2, %rd1, %rd2;
  st.param.b32 [x], 4; st.param.b64 [y], %rd2; call f, (x, y);
  ret;
})",
                                std::vector<uint32_t>(2 * kBlocks, 1), kBlocks, 1);
    for (uint32_t block = 0; block < kBlocks; ++block) {
      CHECK(found[2 * block] == found[0]);
      CHECK(found[2 * block] % 8 == 0);  // not the 1 that was there
    }
  }
}

}  // namespace warptime::host
